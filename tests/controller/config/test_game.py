"""The game of a table: by name or file, with rules over its own, each wrong one at its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.controller.config.conftest import Writer, keys, shown


def test_any_rule_may_be_set_over_the_games_own(writer: Writer) -> None:
    rules = writer.good(
        game='[game]\nruleset = "blackjack"\ninsurance = false\nside_bets.perfect_pairs.offered = false\n'
        '[game.side_bets.twenty_one_plus_three.pays]\nflush = "6:1"\n'
    ).rules
    assert not rules.insurance
    assert list(rules.side_bets) == ["twenty_one_plus_three"]
    assert rules.side_bets["twenty_one_plus_three"].pays[0]["flush"] == 6


def test_a_game_that_there_is_not_is_told_with_the_nearest(writer: Writer) -> None:
    problem = writer.problem(game='[game]\nruleset = "power_blakjack"\n')
    assert (problem.key, shown(problem)) == ("game.ruleset", '"power_blakjack"')
    assert "Did you mean power_blackjack?" in problem.message


def test_a_game_must_be_named(writer: Writer) -> None:
    assert "lacks ruleset" in writer.problem(game="[game]\n").message
    assert "a text" in writer.problem(game="[game]\nruleset = 21\n").message


def test_a_mistake_in_a_houses_file_is_told_with_that_files_line(writer: Writer, tmp_path: Path) -> None:
    (tmp_path / "ours.toml").write_text('extends = "blackjack"\ndecks = 9\n')
    problem = writer.problem(game='[game]\nruleset = "ours.toml"\n')
    assert problem.key == "game.ruleset"
    assert f"{tmp_path}/ours.toml:2: decks" in problem.message


def test_a_houses_file_that_cannot_be_read(writer: Writer, tmp_path: Path) -> None:
    (tmp_path / "folder.toml").mkdir()
    for called in ("nowhere.toml", "folder.toml"):
        problem = writer.problem(game=f'[game]\nruleset = "{called}"\n')
        assert "can't be read" in problem.message
        assert shown(problem) == f'"{called}"'


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("decks = 9", "from 1 to 8"),
        ("decks = true", "from 1 to 8"),
        ("insurence = true", "did you mean 'insurance'"),
        ('name = "Mine"', "no such rule"),
        ('surrender = "latte"', "did you mean 'late'"),
        ("surrender = 1.5", "can't be a number with a point"),
        ('blackjack_pays = "1.5"', '"3:2"'),
        ("blackjack_pays = 12:00:00", "can't be a date or time"),
        ("double_totals = [22]", "hand totals from 4 to 21"),
        ("instant_wins = [{cards = 5}]", "lacks 'pays'"),
        ("cut_card_from_back = [50, 40]", "two card counts"),
        ("side_bets.perfect_pears.offered = true", "did you mean 'perfect_pairs'"),
        ('side_bets.perfect_pairs.pays.perfect = "5:1"', "did you mean 'perfect_pair'"),
        ("side_bets.perfect_pairs.pays.perfect_pair = 25", "must be a payout"),
        ('side_bets.perfect_pairs.pays.perfect_pair = "x"', "is no payout"),
        ("side_bets.perfect_pairs.pays = 2020-01-01", "must be a payout"),
        ('side_bets.perfect_pairs.offered = "no"', "true, false"),
        ("side_bets = [1]", "must be a payout"),
        ("max_doubles = 2", "double_cards is first_two"),
    ],
)
def test_a_wrong_rule_is_told_at_its_place(writer: Writer, line: str, words: str) -> None:
    problem = writer.problem(game=f'[game]\nruleset = "blackjack"\n{line}\n')
    assert words in problem.message
    assert problem.line_text == line


def test_all_wrong_rules_are_told(writer: Writer) -> None:
    problems = writer.problems(
        game='[game]\nruleset = "power_blackjack"\ndecks = 8\nblackjack_pays = "6:5"\ninsurance = 3\n'
        '[game.side_bets.perfect_pairs]\npays = {perfect_pair = "x", coloured = "1:1"}\n'
    )
    assert keys(problems) == [
        "game.decks",
        "game.blackjack_pays",
        "game.insurance",
        "game.side_bets.perfect_pairs.pays.perfect_pair",
        "game.side_bets.perfect_pairs.pays.coloured",
    ]
    assert "Power Blackjack is not offered with 8; allowed: 6" in problems[0].message


def test_rules_that_are_right_only_together_are_right(writer: Writer) -> None:
    rules = writer.good(game='[game]\nruleset = "blackjack"\nmax_doubles = 2\ndouble_cards = "any"\n').rules
    assert rules.max_doubles == 2


def test_a_misspelt_rule_does_not_make_others_look_wrong(writer: Writer) -> None:
    problem = writer.problem(game='[game]\nruleset = "blackjack"\nmax_doubles = 2\ndouble_cards = "amy"\n')
    assert problem.key == "game.double_cards"
