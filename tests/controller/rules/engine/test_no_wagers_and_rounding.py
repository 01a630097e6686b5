"""Money where there is none, and money that does not meet the chips: odds in words, rounding by the house's policy."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.library import load_game
from controller.rules.cards import card
from controller.rules.engine.events import Event, HandSettled, InsuranceTaken, SideBetPaid, SideBetSettled
from controller.rules.engine.inputs import CloseOffer, Decide, Input, Insure, Peek, SeatBet, Settle, TurnHoleCard
from controller.rules.engine.round import Round
from controller.rules.engine.settlement import settlement
from controller.rules.errors import Refused
from controller.rules.report import settle_script

from .random_rounds import Table, tables


def settled(game: str, bet: str | None, shoe: str, actions: list[list[Any]], **more: Any) -> dict[str, Any]:
    """The settlement of a one-seat script."""
    seat: dict[str, Any] = {"seat": 1} | ({} if bet is None else {"bet": bet}) | {"side": more.pop("side", {})}
    script = {"game": game, "options": more, "seats": [seat], "shoe": shoe.split(), "actions": actions}
    got = settle_script(script, load_game)
    assert "error" not in got, got
    return got


def test_a_round_without_wagers_says_outcomes_and_words_and_no_money() -> None:
    got = settled("blackjack", None, "AS 9D KS 7C", [])
    hand = got["hands"][0]
    assert (hand["outcome"], hand["wager"], hand["net"]) == ("blackjack", None, None)
    assert hand["why"] == "blackjack pays 3 to 2"
    assert got["net"] == {"1": None}


def test_a_round_without_wagers_keeps_the_odds() -> None:
    r = Round(load_game("super_fun_21_extreme"), [SeatBet(1), SeatBet(2), SeatBet(3)])
    for code in ("AS", "TS", "6S", "9D", "KS", "6H", "5H", "8C"):
        r.apply(card(code))
    told: list[Input] = [Decide(2, 1, "surrender"), Decide(3, 1, "double"), card("TD"), Decide(3, 1, "stand")]
    for what in [*told, TurnHoleCard(), Settle()]:
        r.apply(what)
    done = settlement(r)
    assert [hand.result.odds for hand in done.hands] == [2, Fraction(-1, 2), 1]
    assert [hand.doubles for hand in done.hands] == [0, 0, 1]
    assert {hand.result.wager for hand in done.hands} == {hand.result.net for hand in done.hands} == {None}


def test_without_wagers_insurance_is_taken_without_an_amount() -> None:
    r = Round(load_game("blackjack"), [SeatBet(1)])
    for code in ("9S", "AD", "9H", "KC"):
        r.apply(card(code))
    with pytest.raises(Refused) as refusal:
        r.apply(Insure(1, 5))
    assert refusal.value.code == "insurance_amount"
    for what in (Insure(1), CloseOffer(), Peek(), Settle()):
        r.apply(what)
    (bet,) = settlement(r).side_bets
    assert (bet.bet, bet.outcome, bet.wager, bet.net) == ("insurance", "win", None, None)


def test_a_side_bet_without_wagers_still_tells_its_lines() -> None:
    bust = settled("chinese_fortune_21", None, "6S TD 5H 6C TS", [[1, 1, "stand"]], side={"ten_eleven_or_bust": None})
    (bet,) = bust["side_bets"]
    assert (bet["outcome"], bet["line1"], bet["line2"]) == ("win", "offsuit_6_5", 3)
    assert bet["wager"] is bet["net"] is bet["phase1"] is bet["phase2"] is None
    assert bet["why"] == "offsuit 6-5 pays 10 to 1; then dealer bust with 3 cards pays 5 to 1"


def without_amounts(event: Event) -> tuple[object, ...]:
    """A record as it should be with wagers and without."""
    match event:
        case HandSettled():
            return (event.seat, event.hand, event.outcome, event.stage, event.reason, event.odds)
        case SideBetSettled():
            lines = [phase.line for phase in event.phases]
            return (event.seat, event.bet, event.outcome, event.stage, lines)
        case InsuranceTaken():
            return (event.seat,)
        case SideBetPaid():
            return (event.seat, event.bet, event.phase, event.line, event.odds)
    return (repr(event),)


@given(tables())
def test_a_round_goes_alike_with_wagers_and_without(table: Table) -> None:
    poor = replace(table, seats=tuple(SeatBet(one.seat, None, dict.fromkeys(one.side)) for one in table.seats)).open()
    for rich, what in table.inputs():
        following, said = rich.after(what)
        answered = poor.apply(Insure(what.seat) if isinstance(what, Insure) else what)
        assert [without_amounts(event) for event in said] == [without_amounts(event) for event in answered]
        assert poor.awaiting == following.awaiting
    assert poor.over
    assert set(settlement(poor).net.values()) == {None}


def test_money_is_exact_unless_the_house_rounds() -> None:
    assert load_game("blackjack").rounding == "exact"
    hand = settled("blackjack", "5/3", "AS 9D KS 7C", [])["hands"][0]
    assert (hand["net"], hand["why"]) == ("5/2", "blackjack pays 3 to 2")


@pytest.mark.parametrize(
    ("policy", "chip", "bet", "net", "rounded"),
    [
        ("up", "1", "5", "8", "1/2"),
        ("down", "1", "5", "7", "-1/2"),
        ("nearest", "1", "5", "8", "1/2"),  # a tie goes to the player
        ("nearest", "1", "3/2", "2", "-1/4"),
        ("nearest", "1", "7/2", "5", "-1/4"),
        ("nearest", "1", "5/2", "4", "1/4"),
        ("up", "5", "5", "10", "5/2"),
        ("down", "5", "5", "5", "-5/2"),
        ("up", "1/2", "5", "15/2", None),
        ("down", "1", "10", "15", None),
    ],
)
def test_a_blackjack_is_rounded_to_the_chip_and_the_rounding_is_shown(
    policy: str, chip: str, bet: str, net: str, rounded: str | None
) -> None:
    hand = settled("blackjack", bet, "AS 9D KS 7C", [], rounding=policy, rounding_chip=chip)["hands"][0]
    assert hand["net"] == net
    shown = f" (rounded by {rounded} to the chip)" if rounded else ""
    assert hand["why"] == "blackjack pays 3 to 2" + shown


@pytest.mark.parametrize(
    ("policy", "net", "rounded"), [("up", "-2", "1/2"), ("down", "-3", "-1/2"), ("nearest", "-2", "1/2")]
)
def test_a_surrender_rounds_the_half_that_is_handed_back(policy: str, net: str, rounded: str) -> None:
    got = settled("super_fun_21_extreme", "5", "TS 9D 6H 7C", [[1, 1, "surrender"]], rounding=policy)
    assert got["hands"][0]["net"] == got["net"]["1"] == net
    assert got["hands"][0]["why"] == f"surrendered: half of the wager is lost (rounded by {rounded} to the chip)"


@pytest.mark.parametrize(
    ("shoe", "outcome", "net"),
    [("TS 9D 9H TC", "push", "0"), ("TS 9D 8H TC", "lose", "-5/2"), ("TS 9D QH TC", "win", "3")],
)
def test_only_what_is_handed_over_is_rounded_and_never_a_push_or_a_loss(shoe: str, outcome: str, net: str) -> None:
    hand = settled("blackjack", "5/2", shoe, [[1, 1, "stand"]], rounding="up")["hands"][0]
    assert (hand["outcome"], hand["net"]) == (outcome, net)
    assert ("rounded" in hand["why"]) == (outcome == "win")


@pytest.mark.parametrize(("policy", "net"), [("exact", "1/2"), ("up", "1"), ("down", "0"), ("nearest", "1")])
def test_insurance_is_rounded_when_it_wins(policy: str, net: str) -> None:
    got = settled("blackjack", "10", "TS AD 9H KC", [[1, 0, "insurance", "1/4"]], rounding=policy)
    (bet,) = got["side_bets"]
    assert (bet["net"], bet["outcome"]) == (net, "win")
    assert ("rounded" in bet["why"]) == (policy != "exact")
    assert Fraction(got["net"]["1"]) == -10 + Fraction(net)


def test_each_payout_of_a_two_phase_side_bet_is_rounded_and_the_sum_is_shown() -> None:
    """1/2 at 5 to 1 is 5/2, twice: the lammer's 2 and the last 2, each a half less than exact."""
    shoe, stake = "7S TD 3H 6C TS", {"ten_eleven_or_bust": "1/2"}
    (exact,) = settled("chinese_fortune_21", "10", shoe, [[1, 1, "stand"]], side=stake)["side_bets"]
    assert (exact["phase1"], exact["phase2"], exact["net"]) == ("5/2", "5/2", "5")
    (down,) = settled("chinese_fortune_21", "10", shoe, [[1, 1, "stand"]], side=stake, rounding="down")["side_bets"]
    assert (down["phase1"], down["phase2"], down["net"]) == ("2", "2", "4")
    assert down["why"].endswith(" (rounded by -1 to the chip)")
    (lost,) = settled("chinese_fortune_21", "10", "9S TD 9H 6C TS", [[1, 1, "stand"]], side=stake, rounding="up")[
        "side_bets"
    ]
    assert (lost["net"], lost["why"]) == ("-1/2", "no paying hand: the bet is lost")


@given(st.sampled_from(["up", "down", "nearest"]), st.sampled_from(["1", "5", "1/2"]), st.data())
def test_rounding_moves_a_payout_by_less_than_a_chip_and_to_the_side_the_policy_says(
    policy: str, chip: str, data: st.DataObject
) -> None:
    table = data.draw(tables(rounding=policy, rounding_chip=chip))
    worth = Fraction(chip)
    said = [event for r, what in table.inputs() for event in r.copy().apply(what)]
    for event in said:
        if not isinstance(event, HandSettled) or event.net is None or event.wager is None:
            continue
        rounded = Fraction(event.rounded)
        handed = event.net if event.odds > 0 else event.wager + event.net
        if event.odds in (0, -1):
            assert rounded == 0
            continue
        assert Fraction(handed) % worth == 0
        assert {"up": 0 <= rounded < worth, "down": -worth < rounded <= 0}.get(policy, abs(rounded) * 2 <= worth)
