"""The dealer's sheet: what it says is what the rules claim, and what it pays is what the engine pays."""

from __future__ import annotations

import html
import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.library import game_names, load_game
from controller.rules.engine.inputs import PlaySettings
from controller.rules.money import Money, money_words
from controller.rules.report import settle_script
from controller.rules.words.claims import claims
from controller.surfaces.rules_sheet import paid, round_steps, rules_sheet, typical_bets
from controller.table.limits import BetLimits
from controller.table.state import Setup


def words_of(page: str) -> str:
    return html.unescape(re.sub(r"<[^>]+>", " ", page.partition("<body")[2]))


def table_of(game: str, **more: object) -> Setup:
    limits = {"main": BetLimits(10, 200, 5)}
    return Setup("Table 7", load_game(game), currency="$", chips=(1, 5, 25, 100), limits=limits, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize("game", game_names())
def test_every_rule_that_is_claimed_is_on_it(game: str) -> None:
    rules = load_game(game)
    said = words_of(rules_sheet(rules))
    assert all(claim.words in said for claim in claims(rules))
    for offered in rules.side_bets.values():
        for phase, pays in zip(offered.bet.phases, offered.pays, strict=True):
            assert all(phase.lines[line] in said for line in pays)


@pytest.mark.parametrize(("rounding", "chip"), [("exact", "1"), ("up", "1"), ("down", "5"), ("nearest", "5")])
@pytest.mark.parametrize("bet", ["5", "10", "15", "25"])
def test_a_blackjack_is_paid_on_it_as_the_engine_pays_it(bet: str, rounding: str, chip: str) -> None:
    options = {"rounding": rounding, "rounding_chip": chip, "blackjack_pays": "3:2"}
    script = {
        "game": "blackjack",
        "options": options,
        "seats": [{"seat": 1, "bet": bet}],
        "shoe": ["AS", "9D", "KH", "8C"],
        "actions": [],
    }
    settled = settle_script(script, load_game)
    rules = load_game("blackjack", options)
    assert settled["hands"][0]["outcome"] == "blackjack"
    assert str(paid(rules, int(bet), rules.blackjack_pays)) == settled["hands"][0]["net"]


@given(least=st.integers(1, 50), step=st.integers(1, 25), most=st.integers(0, 999))
def test_a_most_that_no_steps_come_to_is_not_among_the_bets(least: int, step: int, most: int) -> None:
    limits = BetLimits(least, least + most, step)
    bets = typical_bets(limits)
    assert bets[0] == least
    assert list(bets) == sorted(set(bets))
    assert not [bet for bet in bets if limits.refusal(bet)]


@given(least=st.integers(1, 50), step=st.integers(1, 25), steps=st.integers(0, 60))
def test_the_bets_on_it_may_be_bet_and_the_least_and_the_most_are_among_them(least: int, step: int, steps: int) -> None:
    limits = BetLimits(least, least + step * steps, step)
    bets = typical_bets(limits)
    assert 1 <= len(bets) <= 5
    assert (bets[0], bets[-1]) == (limits.min, limits.max)
    assert list(bets) == sorted(set(bets))
    assert not [bet for bet in bets if limits.refusal(bet)]


def test_the_chips_below_an_amount_come_to_it() -> None:
    page = rules_sheet(load_game("blackjack"), table_of("blackjack"))
    cells = re.findall(r"<td>([\d.]+)((?:<small>[^<]*</small>)+)</td>", page)
    assert cells
    for amount, chips in cells:
        piles: list[Money] = [int(count) * Fraction(chip) for count, chip in re.findall(r"(\d+)×([\d.]+)", chips)]
        assert money_words(sum(piles)) == amount


def test_a_game_with_other_rules_is_dealt_in_another_order() -> None:
    usual, party = round_steps(load_game("power_blackjack")), round_steps(load_game("monte_carlo"))
    assert "Of yours, the first lies face up" in usual[1]
    assert "Players' cards lie face down. Of yours, the second lies face up" in party[1]
    no_hole_card = round_steps(load_game("blackjack", {"no_hole_card": True}))
    assert "then a second card to every seat" in no_hole_card[1]
    assert not [step for step in no_hole_card if "Check for blackjack" in step or "hole card" in step]
    assert not [step for step in round_steps(load_game("super_fun_21_extreme")) if "insurance" in step.lower()]
    early = round_steps(load_game("blackjack", {"surrender": "early"}))
    asked = next(place for place, step in enumerate(early) if "Surrender closed" in step)
    assert "Check for blackjack" in early[asked + 1]


def test_the_table_s_own_ways_are_on_it() -> None:
    plain, party = table_of("blackjack"), table_of("blackjack", burns=True, lone_dealer=True, wagers=False)
    assert "call the supervisor" in words_of(rules_sheet(plain.rules, plain))
    said = words_of(rules_sheet(party.rules, party))
    assert "Burn a card when you come in" in said
    assert "call the supervisor" not in said
    assert "$" not in said
    slow = table_of("blackjack", settings=PlaySettings(implied_hit=False))
    assert "Tap Hit and draw a card" in words_of(rules_sheet(slow.rules, slow))
    assert "SIMULATED" in words_of(rules_sheet(slow.rules, slow, simulated=True))


def test_no_name_becomes_a_part_of_the_page() -> None:
    setup = Setup('<b>"7"</b>', load_game("blackjack"), limits={"main": BetLimits(1, 5, 1)}, currency="<")
    page = rules_sheet(setup.rules, setup)
    assert "<b>" not in page
    assert "&lt;b&gt;&quot;7&quot;" in page
    assert "&lt;5" in page
    assert not re.search(r"<script|https?:|url\(|@import", page)
