"""The coach says at every moment what to do next, and nothing that it may not know."""

from __future__ import annotations

import re
from fractions import Fraction
from random import Random
from typing import Any

import msgspec
import pytest

from controller.library import game_names, load_game
from controller.rules.cards import DECK
from controller.rules.engine import awaiting as a
from controller.rules.money import parse_amount
from controller.table import inputs as i
from controller.table.chips import chips_words
from controller.table.coach import Coach, coach
from controller.table.legal import legal_now
from controller.table.state import Setup
from controller.table.views import dealer_view, public_view
from tests.controller.table.playing import SUPERVISOR, Played, next_input, setup_for

WHAT_AN_AWAITED_THING_IS_SAID_AS: dict[type, str] = {
    a.FirstCard: r"Deal (a card to seat \d|the dealer's card face (up|down))",
    a.PlayerCard: r"[Dd]eal ",
    a.DealerCard: r"[Dd]eal the dealer",
    a.DecisionBy: r"Ask seat \d.*\?$",
    a.InsuranceOffer: r"[Ii]nsurance",
    a.SurrenderOffer: r"surrender\?",
    a.PeekDue: r"Look under the \w+: blackjack or not\?",
    a.HoleCardDue: r"[Tt]urn the hole card",
    a.SettlementDue: r"press Pay and take|Press Pay and take",
}
STEPS = {  # what is to be pressed, as the input that it enters
    "open_table": "open_table",
    "shoe_loaded": "shoe",
    "open_round": "open_round",
    "insurance_closed": "close_offer",
    "surrender_closed": "close_offer",
    "peek": "peek",
    "turn_hole_card": "turn_hole_card",
    "settle": "settle",
}
ACTION_WORDS = {"keep": "keep this card", "rollover": "roll over to the next"}


def table_of(game: str, **changes: Any) -> Setup:
    return setup_for(game, **{"limits": {}, "currency": "$", "chips": (1, 5, 10, 25, 100), **changes})


def with_side_bets(played: Played, *seats: int) -> Played:
    """Ready, with every side bet of the game at every seat."""
    wagers = played.table.setup.wagers
    played.ready(*seats, amount="10" if wagers else None)
    for seat in seats:
        side = dict.fromkeys(played.table.setup.rules.side_bets, "5" if wagers else None)
        played.tell(i.Wager(seat, "10" if wagers else None, side))
    return played


def say(played: Played) -> str:
    return coach(played.table).say


def words(played: Played) -> list[str]:
    """What is to be paid and taken at this moment."""
    return [each.words for each in coach(played.table).pay if each.now]


@pytest.mark.parametrize("game", game_names())
def test_at_every_step_of_a_game_it_says_what_the_round_awaits(game: str) -> None:
    chance = Random(f"coach {game}")
    played = with_side_bets(Played(table_of(game)), 1, 2, 4)
    for _ in range(600):
        told = dealer_view(played.table).coach
        assert re.fullmatch(r"[A-Z].+[.?]", told.say)
        assert re.fullmatch(r".+[.]", told.why)
        awaited = played.table.round.awaiting if played.table.round is not None else None
        if told.step:
            assert STEPS[told.step] in legal_now(played.table)
        if awaited is None:
            assert "press Open round" in told.say
        else:
            assert re.search(WHAT_AN_AWAITED_THING_IS_SAID_AS[type(awaited)], told.say), (awaited, told.say)
        if isinstance(awaited, a.DecisionBy):
            asked = told.say.split(": ")[1].rstrip("?")
            named = re.split(r", | or ", asked)
            assert named == [ACTION_WORDS.get(each, each.replace("_", " ")) for each in awaited.legal]
            assert f"seat {awaited.seat}" in told.say
        if isinstance(awaited, a.DecisionBy | a.CardFor):
            assert (told.seat, told.hand) == (awaited.seat, awaited.hand)
        if isinstance(awaited, a.CardFor):
            assert ("dealer" in told.say) if awaited.seat == 0 else (f"seat {awaited.seat}" in told.say)
            assert ("face down" in told.say) == (not awaited.face_up)
        played.tell(next_input(played.table, chance))


@pytest.mark.parametrize("wagers", [True, False])
@pytest.mark.parametrize("game", game_names())
def test_what_is_paid_and_taken_adds_up_to_what_each_seat_won(game: str, wagers: bool) -> None:
    chance = Random(f"pay {game}")
    played = with_side_bets(Played(table_of(game, wagers=wagers)), 1, 3, 5)
    rounds = 0
    moved: list[int] = []  # the numbers of what was to be moved, as the moments came
    while rounds < 30:
        if played.table.round is None:
            moved = []
        played.tell(insure_or(next_input(played.table, chance), played, chance))
        pay = coach(played.table).pay
        moved += [each.number for each in pay if each.now and each.number not in moved]
        if played.table.round is not None:
            continue
        rounds += 1
        assert moved == [each.number for each in pay] == list(range(1, len(pay) + 1)), "each once, in order"
        for seat, net in public_view(played.table).net.items():
            mine = [each for each in pay if each.seat == seat]
            if net is None:
                assert all(each.amount is None and "$" not in each.words for each in mine)
            else:
                assert sum((Fraction(parse_amount(each.amount)) for each in mine), Fraction(0)) == parse_amount(net)
        for each in pay:
            first = each.words.split()[0]
            assert first == each.kind.capitalize()
            amount = Fraction(parse_amount(each.amount)) if each.amount is not None else None
            if amount is not None:
                assert each.kind == ("pay" if amount > 0 else "take" if amount < 0 else "leave")


def insure_or(what: i.Input, played: Played, chance: Random) -> i.Input:
    """Some seats insure before the offer is closed."""
    awaited = played.table.round.awaiting if played.table.round is not None else None
    if isinstance(awaited, a.InsuranceOffer) and awaited.seats and chance.random() < 0.7:
        return i.Insurance(awaited.seats[0], "5" if played.table.setup.wagers else None)
    return what


@pytest.mark.parametrize("game", game_names())
def test_rounds_that_differ_in_the_hole_card_have_one_coach_until_it_is_looked_at(game: str) -> None:
    hole = 1 if load_game(game, {}).up_card == "first" else 0  # which of the dealer's two cards
    compared = 0
    for seed in range(25):
        one, other = (with_side_bets(Played(table_of(game)), 1, 2) for _ in range(2))
        chance = Random(f"{game} {seed}")
        hidden = Random(f"hidden {game} {seed}")
        for each in (one, other):
            each.tell(i.OpenRound())
        while one.table.round is not None:
            what = next_input(one.table, chance)
            if isinstance(what, i.Peek | i.TurnHoleCard | i.Settle):
                break
            twin = what
            if isinstance(one.table.round.awaiting, a.FirstCard) and is_hole_card(one, hole):
                twin = i.CardLeftShoe(hidden.choice(DECK).code)
            one.tell(what)
            other.tell(twin)
            assert msgspec.json.encode(coach(one.table)) == msgspec.json.encode(coach(other.table))
            compared += 1
    assert compared > 25 * 6


def is_hole_card(played: Played, hole: int) -> bool:
    round_ = played.table.round
    assert round_ is not None
    awaited = round_.awaiting
    return isinstance(awaited, a.FirstCard) and awaited.seat == 0 and len(round_.dealer.cards) == hole


def test_a_blackjack_is_paid_in_its_chips() -> None:
    played = Played(table_of("blackjack")).ready(5)
    played.tell(i.OpenRound())
    played.cards("AS 7D KC TH")
    told = coach(played.table)
    assert [each.words for each in told.pay] == [
        "Pay seat 5: $15, blackjack pays 3 to 2: one $10 and one $5 chip.",
    ]
    assert told.pay[0].now
    assert told.first == "First pay seat 5."


def test_an_instant_winner_and_a_bust_are_for_now_and_then_no_more() -> None:
    played = Played(table_of("super_fun_21_extreme")).ready(1, 2, 3)
    played.tell(i.OpenRound())
    played.cards("2S TS 9S 6D 3H TD 9D TC")
    played.cards("5H 4C 7D")  # 21 in five cards
    assert words(played) == ["Pay seat 1: $20, 5 cards, total 21, not doubled: paid at once, 2 to 1: two $10 chips."]
    assert say(played).startswith("Ask seat 2: ")
    played.cards("5D")
    assert words(played) == ["Take $10 from seat 2: 25: bust."]
    assert coach(played.table).first == "First take from seat 2."
    played.tell(i.Decision(3, 1, "stand"))
    assert words(played) == []
    assert [each.number for each in coach(played.table).pay] == [1, 2]


def test_half_is_given_back_to_who_surrenders() -> None:
    played = Played(table_of("super_fun_21_extreme")).ready(1)
    played.tell(i.OpenRound())
    played.cards("TS 9S 6D 3H")
    played.tell(i.Decision(1, 1, "surrender"))
    assert words(played) == ["Take $5 from seat 1: surrendered: half of the wager is lost; give the rest back."]


def test_a_side_bet_that_stays_up_gets_a_lammer_and_the_dealer_draws_for_it() -> None:
    played = with_side_bets(Played(table_of("chinese_fortune_21")), 2)
    played.tell(i.OpenRound())
    played.cards("6S 5D 5S TH")
    assert words(played) == [
        "Pay seat 2: $100, Ten, Eleven or Bust, suited 6-5 pays 20 to 1; leave the bet and put a lammer on it: "
        "one $100 chip."
    ]
    played.cards("2D 8C")
    assert say(played).startswith("Ask seat 2: ")
    played.cards("KD")
    assert words(played) == ["Take $10 from seat 2: 31: bust."]
    told = coach(played.table)
    assert told.say == "Draw for the bonus: turn the hole card."
    assert told.why.startswith("No hand is left, but seat 2's Ten, Eleven or Bust waits. ")
    played.tell(i.TurnHoleCard())
    assert say(played) == "Draw for the bonus: deal the dealer a card."


def test_after_a_check_it_says_what_was_found() -> None:
    for hole, found in (("AD", "blackjack"), ("9D", "no_blackjack")):
        played = Played(table_of("blackjack")).ready(1)
        played.tell(i.OpenRound())
        played.cards(f"TS KD 9C {hole}")
        assert say(played) == "Look under the king: blackjack or not?"
        assert coach(played.table).check == ""
        played.tell(i.Peek())
        assert coach(played.table).check == found
        assert say(played).startswith("The dealer has blackjack." if hole == "AD" else "Ask seat 1:")


def test_bets_that_a_decision_costs_are_taken_before_the_card() -> None:
    played = Played(table_of("power_blackjack")).ready(1)
    played.tell(i.OpenRound())
    played.cards("8S 7D 8C TH")
    played.tell(i.Decision(1, 1, "split"))
    assert say(played) == "Part seat 1's cards, take a second bet, then deal a card to hand 1."
    played.cards("2S")
    played.tell(i.Decision(1, 1, "double"))
    assert say(played) == "Take the doubled bet of seat 1, hand 1, then deal it one card."
    played.cards("9S")
    assert say(played) == "Deal a second card to seat 1, hand 2."


def test_a_power_double_is_kept_or_rolled_over() -> None:
    played = Played(table_of("power_blackjack")).ready(1)
    played.tell(i.OpenRound())
    played.cards("6S 7D 5C TH")
    played.tell(i.Decision(1, 1, "power_double"))
    played.cards("2S")
    told = coach(played.table)
    assert told.say == "Ask seat 1: keep this card or roll over to the next?"
    assert "burned once for the next one" in told.why
    played.tell(i.Decision(1, 1, "rollover"))
    assert say(played) == "Burn that card, then deal seat 1 the next one."


def test_why_tells_what_the_rules_forbid_this_hand() -> None:
    played = Played(table_of("monte_carlo")).ready(1)
    played.tell(i.OpenRound())
    played.cards("8S 7D 4C TH")
    assert "Look under" in say(played)
    played.tell(i.Peek())
    assert "Only 9, 10 or 11 may be doubled." in coach(played.table).why


def test_a_day_at_the_table_is_led_from_closed_to_closed() -> None:
    played = Played(setup_for("blackjack", burns=True))
    assert say(played) == "Open the table."
    played.tell(i.OpenTable())
    assert say(played) == "Fill the shoe, then press Shoe loaded."
    played.tell(i.Shoe("load"))
    assert say(played).startswith("Burn a card: ")
    played.tell(i.Shoe("verify"))
    assert say(played).endswith("then press Verified.")
    played.tell(i.Shoe("verified"))
    played.cards("2C")
    assert say(played) == "Take the bets: no seat has one yet."
    assert coach(played.table).why == "The bet: 10 to 500 in steps of 5."
    played.tell(i.Wager(3, "10"))
    assert say(played) == "Close the betting for seat 3, then press Open round."
    played.tell(i.OpenRound())
    assert say(played) == "Deal a card to seat 3."
    played.tell(i.CutCardCame())
    played.cards("TS 9D 9C 8H")
    played.tell(i.Decision(3, 1, "stand"))
    played.tell(i.TurnHoleCard())
    assert say(played) == "The dealer stands on 17. Press Pay and take."
    played.tell(i.Settle())
    told = coach(played.table)
    assert told.first == "First pay seat 3, then clear the cards."
    assert told.say == "Change the shoe: fill it anew, then press Shoe loaded."
    played.tell(i.Shoe("count"))
    assert say(played).endswith("then press Counted.")
    played.tell(i.Shoe("counted"))
    played.tell(i.CloseTable())
    assert say(played) == "Open the table."


def test_questions_come_before_everything_else() -> None:
    played = Played(table_of("blackjack")).ready(1)
    played.tell(i.CardLeftShoe("8S"))
    assert say(played).endswith("Does the round begin with it, or is it burned?")
    played.tell(i.Answer("burn"))
    played.tell(i.OpenRound())
    played.tell(i.CardUnread("the code was torn"))
    told = coach(played.table)
    assert told.say.endswith("Which card is it?")
    assert told.why.startswith("the code was torn. ")
    played.tell(i.Answer("name", ("8S",)))
    played.tell(i.DeviceTrouble("shoe", "the cable is out", holds=True))
    assert "The shoe is gone" in say(played)
    assert coach(played.table).why.startswith("the cable is out. ")


def test_no_round_begins_without_a_shoe_and_a_void_one_is_cleared_away() -> None:
    played = Played(table_of("blackjack")).ready(1)
    played.tell(i.OpenRound())
    played.cards("TS")
    played.tell(i.Void("a card fell off the table"), SUPERVISOR)
    told = coach(played.table)
    assert told.first.startswith("Round 1 is void: ")
    assert told.pay == ()
    played.tell(i.DeviceTrouble("shoe", "the cable is out", holds=True))
    told = coach(played.table)
    assert told.say == "See to the shoe: no round begins without it."
    assert told.why == "the cable is out."


def test_every_open_question_has_its_reason() -> None:
    told: list[Coach] = []
    for what in (i.CardUnread("torn"), i.CardUnread("two", 2), i.CardsMissed("it was away")):
        played = Played(table_of("blackjack")).ready(1)
        played.tell(i.OpenRound())
        played.cards("TS")
        played.tell(what)
        told.append(coach(played.table))
    assert len({each.why for each in told}) == 3
    assert all(each.say.endswith("?") for each in told)


@pytest.mark.parametrize(
    ("amount", "chips", "expected"),
    [
        (15, (10, 5), "one $10 and one $5 chip"),
        (20, (10, 5), "two $10 chips"),
        (38, (1, 5, 25), "one $25, two $5 and three $1 chips"),
        (Fraction(15, 2), (1, Fraction(1, 2)), "seven $1 and one $0.50 chip"),
        (Fraction(15, 2), (1, 5), ""),  # no such chip
        (30, (25, 10), ""),  # not with the largest first
        (50, (1,), ""),  # too many to count out
        (15, (), ""),
    ],
)
def test_an_amount_is_told_in_chips_only_where_they_make_it(amount: Any, chips: Any, expected: str) -> None:
    assert chips_words(amount, table_of("blackjack", chips=chips)) == expected


def test_points_are_called_points() -> None:
    played = Played(table_of("blackjack", currency="", money="points", chips=(5,))).ready(1)
    played.tell(i.OpenRound())
    played.cards("AS 7D KC TH")
    assert words(played) == ["Pay seat 1: 15 points, blackjack pays 3 to 2: three 5 chips."]
