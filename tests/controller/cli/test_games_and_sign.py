"""`croupier games`, `croupier sign`, `croupier narrate`: what they say, in text and in JSON, and how they fail."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from controller.library import game_names
from controller.rules.options import OPTIONS
from tests.controller.cli.conftest import Croupier

HOUSE = 'extends = "power_blackjack"\nname = "Our Power"\ninsurance = false\n'


def test_the_version_is_told(croupier: Croupier) -> None:
    assert "0.1.0" in croupier("--version").out


def test_games_lists_all_five(croupier: Croupier) -> None:
    text, data = croupier("games"), croupier("games", "--json")
    assert all(name in text.out for name in game_names())
    assert [game["game"] for game in data.json] == list(game_names())


@pytest.mark.parametrize("game", ["power_blackjack", "power-blackjack"])
def test_a_game_is_shown_as_its_rules_card(croupier: Croupier, game: str) -> None:
    assert croupier("games", "show", game).out.startswith("POWER BLACKJACK\n")
    assert croupier("games", "show", game, "--markdown").out.startswith("# Power Blackjack\n")
    shown = croupier("games", "show", game, "--json").json
    assert set(shown["options"]) == set(OPTIONS)
    assert shown["options"]["blackjack_pays"] == "3:2"


def test_what_show_says_in_json_can_be_given_back_as_options(croupier: Croupier) -> None:
    for name in game_names():
        options = croupier("games", "show", name, "--json").json["options"]
        script = {"game": name, "options": options, "seats": [{"seat": 1, "bet": "1"}], "shoe": []}
        assert json.loads(croupier("settle", "-", stdin=json.dumps(script).encode()).out)["error"] == "shoe_exhausted"


def test_a_house_file_is_checked_and_shown(croupier: Croupier, tmp_path: Path) -> None:
    (tmp_path / "ours.toml").write_text(HOUSE)
    checked = croupier("games", "check", "ours.toml")
    assert checked.status == 0
    assert "Our Power" in checked.out
    assert "INSURANCE" not in checked.out
    assert croupier("sign", "ours.toml").out.startswith("OUR POWER\n")
    assert croupier("games", "check", "ours.toml", "--json").json["ok"] is True


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (HOUSE + "inshurance = true\n", ["bad.toml:4", "inshurance", "did you mean 'insurance'"]),
        (HOUSE + "decks = 5\n", ["bad.toml:4", "decks", "allowed: 6"]),
        (HOUSE + "insurance = true\n", ["bad.toml:4", "not TOML"]),
        ('extends = "bad.toml"\n', ["bad.toml:1", "extends", "circle"]),
        ("name =\n", ["bad.toml:1", "not TOML"]),
    ],
    ids=["unknown key", "not offered", "duplicate key", "extends itself", "broken"],
)
def test_a_wrong_house_file_is_told_with_its_line(
    croupier: Croupier, tmp_path: Path, text: str, told: list[str]
) -> None:
    (tmp_path / "bad.toml").write_text(text)
    ran = croupier("games", "check", "bad.toml")
    assert ran.status == 7
    assert all(words in ran.err for words in told), ran.err
    data = croupier("games", "check", "bad.toml", "--json")
    assert (data.status, data.json["error"]) == (7, "bad_ruleset")
    assert data.json["line"] in (1, 4)


@pytest.mark.parametrize("content", [None, b"\xff\xfe\x00bad", b"\x00"], ids=["missing", "not UTF-8", "NUL"])
def test_a_file_that_cannot_be_read_is_told(croupier: Croupier, tmp_path: Path, content: bytes | None) -> None:
    if content is not None:
        (tmp_path / "bad.toml").write_bytes(content)
    ran = croupier("games", "check", "bad.toml")
    assert (ran.status, ran.out) == (7, "")
    assert "bad.toml" in ran.err


def test_the_sign_follows_its_options(croupier: Croupier) -> None:
    ran = croupier("sign", "chinese-fortune-21", "-o", "blackjack_pays=6:5", "-o", "dealer_hits_soft_17=false")
    lines = ran.out.splitlines()
    assert lines[:3] == ["CHINESE FORTUNE 21", "DEALER MUST DRAW TO 16 AND STAND ON ALL 17s", "BLACKJACK PAYS 6 to 5"]
    off = croupier("sign", "blackjack", "-o", "side_bets.perfect_pairs.offered=false", "--json").json["lines"]
    assert not any("PERFECT" in line for line in off)


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["sign", "blackjak"], "Did you mean blackjack?"),
        (["sign", "blackjack", "-o", "deks=2"], "did you mean 'decks'"),
        (["sign", "blackjack", "-o", "decks"], "KEY=VALUE"),
        (["sign", "blackjack", "-o", "decks=many"], "whole number from 1 to 8"),
        (["sign", "blackjack", "-o", "decks=1", "-o", "decks.x=1"], "a value already"),
        (["games", "show", "bridge"], "There is no game"),
        (["narrate", "brigde"], "There is no game"),
        (["sing"], "Did you mean 'sign'?"),
    ],
)
def test_a_wrong_word_is_told_with_the_nearest_right_one(croupier: Croupier, args: list[str], told: str) -> None:
    ran = croupier(*args)
    assert (ran.status, ran.out) == (2, "")
    assert told in ran.err


def test_every_option_is_listed(croupier: Croupier) -> None:
    assert [option["key"] for option in croupier("games", "options", "--json").json] == list(OPTIONS)
    assert all(key in croupier("games", "options").out for key in OPTIONS)


def test_the_narration_deals_every_game_and_begins_with_the_worked_example(croupier: Croupier) -> None:
    rounds = croupier("narrate", "--json").json
    assert rounds[0]["game"] == "power_blackjack"
    assert rounds[0]["settlement"]["net"] == {"1": "0", "2": "0", "3": "15"}
    assert {told["game"] for told in rounds} == set(game_names())
    assert all(told["simulated"] for told in rounds)


def test_the_narration_reads_plainly_without_a_terminal_or_colour(croupier: Croupier) -> None:
    ran = croupier("narrate", env={"NO_COLOR": "1", "COLUMNS": "100"})
    assert ran.status == 0
    assert "\x1b" not in ran.out
    assert "The dealer draws 6♣: 22." in ran.out
    assert "SIMULATED" in ran.out
    one = croupier("narrate", "monte-carlo", "--fast")
    assert "Monte Carlo" in one.out
    assert "Power" not in one.out.split("Every card")[0]


def test_the_narration_never_names_a_card_that_lies_face_down(croupier: Croupier) -> None:
    told = croupier("narrate", "monte_carlo", "--json").json[0]["told"]
    turned = next(i for i, line in enumerate(told) if "The dealer turns" in line)
    assert not any("10♣" in line for line in told[:turned])
    double_card_shown = next(i for i, line in enumerate(told) if "Seat 2 turns 10♥" in line)
    assert not any("10♥" in line for line in told[:double_card_shown])
    assert double_card_shown > turned
