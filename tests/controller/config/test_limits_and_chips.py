"""Limits that can be kept to, and payouts that can be made in the chips there are."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.config.chips import Tray
from controller.table.limits import BetLimits
from tests.controller.config.conftest import Writer, keys, shown


def table(chips: str = "", more: str = "") -> str:
    listed = f"chips = [{chips}]\n" if chips else ""
    return f'[table]\nname = "T"\nsimulated = true\n{listed}{more}'


def limits(least: str, most: str, step: str = "", bet: str = "main") -> str:
    line = f'step = "{step}"\n' if step else ""
    return f'[limits.{bet}]\nmin = "{least}"\nmax = "{most}"\n{line}'


def game(name: str, more: str = "") -> str:
    return f'[game]\nruleset = "{name}"\n{more}'


# Limits


def test_amounts_are_exact_and_may_be_whole_numbers(writer: Writer) -> None:
    config = writer.good(table=table('"0.25"'), limits="[limits.main]\nmin = 2\nmax = '7.50'\nstep = '1/2'\n")
    assert config.limits == {"main": BetLimits(2, Fraction(15, 2), Fraction(1, 2))}


def test_the_step_is_the_smallest_chip_where_none_is_given(writer: Writer) -> None:
    config = writer.good(
        table=table('"10", "50"'),
        limits=limits("20", "100"),
        game=game("monte_carlo", 'rounding = "up"\nrounding_chip = "10"\n'),
    )
    assert config.limits["main"].step == 10


@pytest.mark.parametrize(
    ("section", "place", "words"),
    [
        (limits("500", "10"), '"10"', "less than the min of 500"),
        (limits("10", "500", "15"), '"15"', "the nearest are 490 and 505"),
        (limits("0", "500"), '"0"', "more than 0"),
        (limits("10", "-5"), '"-5"', "more than 0"),
        (limits("10", "500", "0"), '"0"', "more than 0"),
        (limits("1/0", "500"), '"1/0"', "no exact amount"),
        (limits("ten", "500"), '"ten"', "no exact amount"),
        (limits("1" * 40, "500"), f'"{"1" * 40}"', "no exact amount"),
        ("[limits.main]\nmin = 10.0\nmax = 500\n", "10.0", "in quotes"),
        ("[limits.main]\nmin = [10]\nmax = 500\n", "[10]", "a list"),
        ("[limits.main]\nmax = 500\n", "main]", "lacks min"),
        ("[limits.main]\nmin = 10\nmax = 500\nstap = 5\n", "stap = 5", "did you mean 'step'?"),
        ("[limits]\nmain = 10\n", "10", "[limits.main]"),
        ("[limits]\n", "limits]", "there is no [limits.main]"),
    ],
)
def test_limits_that_cannot_be_kept_are_told_at_their_place(
    writer: Writer, section: str, place: str, words: str
) -> None:
    problem = writer.problem(limits=section)
    assert words in problem.message
    assert shown(problem) == place


def test_a_wrong_step_does_not_hide_that_the_most_is_less_than_the_least(writer: Writer) -> None:
    assert keys(writer.problems(limits=limits("500", "10", "0"))) == ["limits.main.max", "limits.main.step"]


def test_a_table_that_keeps_no_wagers_needs_no_limits(writer: Writer) -> None:
    assert writer.good(table=table(more="wagers = false\n"), limits="").limits == {}


def test_limits_are_for_bets_that_are_offered(writer: Writer) -> None:
    offered = writer.good(
        game=game("chinese_fortune_21"), limits=limits("10", "500", "10") + limits("5", "25", "5", "ten_eleven_or_bust")
    )
    assert offered.limits["ten_eleven_or_bust"] == BetLimits(5, 25, 5)
    not_offered = writer.problem(limits=limits("10", "500", "10") + limits("5", "25", "5", "perfect_pairs"))
    assert (not_offered.key, shown(not_offered)) == ("limits.perfect_pairs", "perfect_pairs]")
    assert "Power Blackjack does not offer Perfect Pairs" in not_offered.message
    unknown = writer.problem(
        game=game("blackjack"), limits=limits("10", "500", "10") + limits("5", "25", "5", "perfect_pears")
    )
    assert "did you mean 'perfect_pairs'?" in unknown.message


def test_a_side_bet_without_limits_is_only_noted(writer: Writer) -> None:
    notes = writer.good(game=game("super_fun_21_extreme")).notes
    assert ["Precious Diamond" in note.message for note in notes] == [True]


# Chips


def test_a_blackjack_that_cannot_be_paid_is_told_with_what_would_help(writer: Writer) -> None:
    problem = writer.problem(limits=limits("10", "500", "5"))
    assert (problem.key, shown(problem)) == ("limits.main.step", '"5"')
    assert "a bet of 15 is paid 22.50 for a blackjack at 3 to 2" in problem.message
    for help_ in ('rounding = "up" in [game]', "a chip of 0.50", "multiples of 2"):
        assert help_ in problem.message


@pytest.mark.parametrize(
    ("chips", "more"),
    [
        ('"0.50", "1", "5"', ""),
        ('"1", "5"', 'rounding = "up"\n'),
        ('"5", "25"', 'rounding = "nearest"\nrounding_chip = "5"\n'),
    ],
)
def test_what_was_said_to_help_does(writer: Writer, chips: str, more: str) -> None:
    config = writer.good(table=table(chips), game=game("power_blackjack", more), limits=limits("10", "500", "5"))
    assert config.limits["main"].step == 5


def test_a_chip_need_not_divide_the_others_to_pay(writer: Writer) -> None:
    """7.50 is 5 and 2.50; 22.50 is four fives and 2.50."""
    writer.good(table=table('"1", "2.50", "5"'), limits=limits("5", "100", "5"))
    problem = writer.problem(table=table('"1", "2.50", "5"'), limits=limits("1", "100", "1"))
    assert "a bet of 1 is paid 1.50" in problem.message
    assert problem.key == "limits.main.min"


def test_without_chips_a_chip_to_round_to_counts_and_with_neither_nobody_has_checked(writer: Writer) -> None:
    ones = game("power_blackjack", 'rounding_chip = "1"\n')
    assert "chips of 1;" in writer.problem(table=table(), game=ones, limits=limits("5", "100", "5")).message
    notes = writer.good(table=table(), limits=limits("10", "500", "5")).notes
    assert ["no chips are listed" in note.message for note in notes] == [True]
    writer.good(table=table(), game=game("power_blackjack", 'rounding_chip = "1/2"\n'), limits=limits("5", "100", "5"))


def test_a_bet_that_cannot_be_put_down(writer: Writer) -> None:
    problem = writer.problem(table=table('"5", "25"'), limits=limits("10", "110", "2"))
    assert "a bet of 12 can't be put down in chips of 5, 25" in problem.message
    assert "a chip of 1 " in problem.message
    assert problem.key == "limits.main.step"


def test_a_surrender_gives_half_back_in_chips(writer: Writer) -> None:
    problem = writer.problem(game=game("super_fun_21_extreme"), limits=limits("5", "100", "5"))
    assert "paid 2.50 for a surrender, which gives half back, which" in problem.message
    writer.good(game=game("super_fun_21_extreme"), limits=limits("10", "100", "10"))


def test_every_odds_of_every_bet_is_tried(writer: Writer) -> None:
    problems = writer.problems(
        game=game(
            "blackjack",
            'blackjack_pays = "6:5"\nsurrender = "late"\n[game.side_bets.perfect_pairs.pays]\nmixed_pair = "7:2"\n',
        ),
        limits=limits("1", "9", "1") + limits("1", "9", "1", "perfect_pairs"),
    )
    assert keys(problems) == ["limits.main.min", "limits.main.min", "limits.perfect_pairs.min"]
    assert "6 to 5" in problems[0].message
    assert "half back" in problems[1].message
    assert "3.50 for mixed pair (red and black) at 7 to 2" in problems[2].message


def test_the_chip_that_payouts_are_rounded_to_must_be_there(writer: Writer) -> None:
    problem = writer.problem(table=table('"5", "25"'), game=game("power_blackjack", 'rounding = "down"\n'))
    assert (problem.key, "rounded to 1" in problem.message) == ("table.chips", True)


def test_a_table_that_keeps_no_wagers_pays_what_it_likes(writer: Writer) -> None:
    assert not writer.good(table=table('"1"', "wagers = false\n"), limits=limits("5", "100", "5")).table.wagers


def test_chips_that_nobody_could_change(writer: Writer) -> None:
    problem = writer.problem(table=table('"1000000", "1000001"'), limits=limits("1000000", "2000000", "1000000"))
    assert problem.key == "table.chips"


CHIPS = st.lists(st.fractions(Fraction(1, 4), 30, max_denominator=4), min_size=1, max_size=4, unique=True)


@given(CHIPS, st.fractions(0, 60, max_denominator=4))
def test_a_tray_makes_exactly_the_sums_of_its_chips(chips: list[Fraction], amount: Fraction) -> None:
    reachable = {Fraction(0)}
    waiting = [Fraction(0)]
    while waiting:
        total = waiting.pop()
        for chip in chips:
            if total + chip <= amount and total + chip not in reachable:
                reachable.add(total + chip)
                waiting.append(total + chip)
    assert Tray(tuple(chips)).makes(amount) == (amount in reachable)


def test_no_wager_is_overlooked(writer: Writer) -> None:
    """Limits are refused exactly where some wager that they allow can't be paid, each tried one by one."""
    tray = Tray((2, 5))
    for least, step in product(range(4, 9), range(1, 6)):
        wagers = range(least, least + 20 * step + 1, step)
        payable = all(tray.makes(wager) and tray.makes(Fraction(wager * 3, 2)) for wager in wagers)
        text = limits(str(least), str(wagers[-1]), str(step))
        if payable:
            writer.good(table=table('"2", "5"'), limits=text)
        else:
            assert keys(writer.problems(table=table('"2", "5"'), limits=text))[0].startswith("limits.main.")
