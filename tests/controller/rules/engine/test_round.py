"""The round as a state machine, by example: what it awaits after what, and what it refuses."""

from fractions import Fraction
from typing import Any

import pytest

from controller.library import load_game
from controller.rules.cards import card
from controller.rules.engine import awaiting as awaits
from controller.rules.engine import events as was
from controller.rules.engine.events import DEALER, Event
from controller.rules.engine.inputs import CloseOffer, Decide, Input, Insure, Peek, PlaySettings, SeatBet, Settle
from controller.rules.engine.inputs import TurnHoleCard as Turn
from controller.rules.engine.round import Round
from controller.rules.engine.settlement import settlement
from controller.rules.errors import Refused


def table(game: str, seats: int = 1, settings: PlaySettings | None = None, **options: Any) -> Round:
    bets = [SeatBet(number, 10) for number in range(1, seats + 1)]
    return Round(load_game(game, options), bets, settings or PlaySettings())


def tell(r: Round, *told: str | Input) -> list[Event]:
    """Cards by their codes, `1.1 hit` for decisions, ` & ` between them; other inputs as they are."""
    said: list[Event] = []
    for one in told:
        for words in one.split(" & ") if isinstance(one, str) else ():
            place, _, action = words.partition(" ")
            seat, _, hand = place.partition(".")
            if hand:
                said.extend(r.apply(Decide(int(seat), int(hand), action)))  # type: ignore[arg-type]
            else:
                said.extend(event for code in words.split() for event in r.apply(card(code)))
        if not isinstance(one, str):
            said.extend(r.apply(one))
    return said


def refused(r: Round, what: Input) -> str:
    """The code; and nothing has changed."""
    before = r.state()
    with pytest.raises(Refused) as refusal:
        r.apply(what)
    assert r.state() == before
    return refusal.value.code


def turn(r: Round) -> tuple[int, int]:
    assert isinstance(r.awaiting, awaits.DecisionBy)
    return r.awaiting.seat, r.awaiting.hand


def dealt(r: Round, codes: str) -> list[tuple[int, bool]]:
    """Deal the first cards; to whom each went and whether it lay face up, as was awaited before it came."""
    order = []
    for code in codes.split():
        assert isinstance(r.awaiting, awaits.FirstCard)
        order.append((r.awaiting.seat, r.awaiting.face_up))
        r.apply(card(code))
    return order


def test_the_deal_goes_to_each_seat_and_then_the_dealer_twice_round() -> None:
    r = Round(load_game("blackjack"), [SeatBet(5, 10), SeatBet(2, 10)])
    order = [(5, True), (2, True), (DEALER, True), (5, True), (2, True), (DEALER, False)]
    assert dealt(r, "9S 8S 7S 9H 8H 7H") == order
    assert turn(r) == (5, 1)


def test_monte_carlo_deals_players_face_down_and_the_dealers_first_card_down() -> None:
    r = table("monte_carlo")
    assert dealt(r, "9S TS 9H 7H") == [(1, False), (DEALER, False), (1, False), (DEALER, True)]
    assert tell(r, "1.1 stand", Turn()) == [was.DecisionMade(1, 1, "stand"), was.CardsTurned(DEALER, 1, ("TS",))]


def test_without_a_hole_card_the_dealer_draws_the_second_card_after_play() -> None:
    r = table("blackjack", no_hole_card=True)
    assert dealt(r, "9S TS 9H") == [(1, True), (DEALER, True), (1, True)]
    tell(r, "1.1 stand")
    assert r.awaiting == awaits.DealerCard(DEALER, 1, True, "draw")
    assert tell(r, "7D") == [was.CardDealt(DEALER, 1, "7D", True, "draw")]
    assert isinstance(r.awaiting, awaits.SettlementDue)


def test_a_card_while_a_decision_is_awaited_is_a_hit() -> None:
    r = table("blackjack")
    tell(r, "5S 9S 6H 7H")
    assert tell(r, "4C") == [was.CardDealt(1, 1, "4C", True, "hit")]
    assert turn(r) == (1, 1)


def test_without_implied_hits_a_card_while_a_decision_is_awaited_is_refused() -> None:
    r = table("blackjack", settings=PlaySettings(implied_hit=False))
    tell(r, "5S 9S 6H 7H")
    assert refused(r, card("4C")) == "card_not_expected"
    tell(r, "1.1 hit & 4C")
    assert len(r.queue[0].cards) == 3


def test_a_card_is_no_hit_where_a_hit_is_not_legal() -> None:
    r = table("super_fun_21_extreme")
    tell(r, "5S 9S 2H 7H & 1.1 double & 4C")
    assert refused(r, card("4C")) == "card_not_expected"


@pytest.mark.parametrize("then", [[], [CloseOffer()], [CloseOffer(), Peek(), Decide(1, 1, "stand")]])
def test_a_card_nobody_expected_is_refused_and_the_words_say_what_is_awaited(then: list[Input]) -> None:
    r = table("blackjack")
    tell(r, "9S AS 9H 7H")
    for what in then:
        r.apply(what)
    words = {0: "insurance", 1: "the dealer to check for blackjack", 3: "the dealer to turn the hole card"}
    with pytest.raises(Refused, match=words[len(then)]):
        r.apply(card("4C"))
    assert refused(r, card("4C")) == "card_not_expected"


def test_insurance_is_offered_to_every_seat_against_an_ace_and_closed_by_the_dealer() -> None:
    r = table("blackjack", seats=2)
    tell(r, "9S 9C AS 9H 9D 7H")
    assert r.awaiting == awaits.InsuranceOffer((1, 2))
    assert refused(r, Insure(2, 6)) == "insurance_over_half"
    assert refused(r, Insure(2, 0)) == "insurance_amount"
    assert refused(r, Insure(2, None)) == "insurance_amount"
    assert refused(r, Insure(7, 5)) == "no_such_seat"
    tell(r, Insure(2, Fraction(5, 2)))
    assert r.awaiting == awaits.InsuranceOffer((1,))
    assert refused(r, Insure(2, 1)) == "insurance_twice"
    assert refused(r, Peek()) == "not_now"
    assert tell(r, CloseOffer()) == [was.OfferClosed("insurance")]
    assert refused(r, Insure(1, 5)) == "insurance_closed"
    assert isinstance(r.awaiting, awaits.PeekDue)


def test_against_a_ten_there_is_a_peek_and_no_insurance_and_against_a_nine_neither() -> None:
    r = table("blackjack")
    tell(r, "9S TS 9H 7H")
    assert isinstance(r.awaiting, awaits.PeekDue)
    assert refused(r, Insure(1, 5)) == "insurance_no_ace"
    assert tell(r, Peek()) == [was.DealerPeeked(False)]
    assert turn(r) == (1, 1)
    r = table("blackjack")
    tell(r, "9S 9C 9H 7H")
    assert turn(r) == (1, 1)


def test_a_dealer_blackjack_ends_the_round_before_anyone_decides() -> None:
    r = table("blackjack")
    tell(r, "9S TS 9H AH")
    assert tell(r, Peek()) == [was.DealerPeeked(True), was.CardsTurned(DEALER, 1, ("AH",))]
    assert refused(r, Decide(1, 1, "stand")) == "not_now"
    said = tell(r, Settle())
    assert said == [was.HandSettled(1, 1, "lose", "peek", "dealer_blackjack", -1, 10, -10), was.RoundSettled(21, 4)]
    assert isinstance(r.awaiting, awaits.Nothing)


def test_early_surrender_is_offered_before_the_check_in_any_order_and_not_to_a_blackjack() -> None:
    r = table("blackjack", seats=3, surrender="early", insurance=False)
    tell(r, "TS TC AC AS 6H 6D KC 7H")
    assert r.awaiting == awaits.SurrenderOffer((1, 2))
    assert refused(r, Decide(1, 1, "stand")) == "only_surrender_now"
    assert refused(r, Decide(3, 1, "surrender")) == "out_of_turn"
    assert was.HandSettled(2, 1, "surrender", "play", "surrender", Fraction(-1, 2), 10, -5) in tell(r, "2.1 surrender")
    assert r.awaiting == awaits.SurrenderOffer((1,))
    assert tell(r, CloseOffer()) == [was.OfferClosed("early_surrender")]
    tell(r, Peek())
    assert isinstance(r.awaiting, awaits.DecisionBy)
    assert r.awaiting.illegal["surrender"][0] == "surrender_too_late"


def test_when_all_have_surrendered_there_is_nothing_to_check_for() -> None:
    r = table("blackjack", surrender="early")
    tell(r, "TS TC 6H AD & 1.1 surrender")
    assert isinstance(r.awaiting, awaits.SettlementDue)
    tell(r, Settle())
    assert settlement(r).net == {1: -5}


def test_a_21_stands_by_itself_where_the_table_says_so() -> None:
    r = table("blackjack", seats=2, settings=PlaySettings(auto_stand_21=True))
    tell(r, "5S TC 9S 6H 5D 7H & TD")
    assert turn(r) == (2, 1)
    r = table("blackjack", settings=PlaySettings(auto_stand_21=True))
    tell(r, "TS 9S TH 7H & 1.1 split & AC")
    assert r.awaiting == awaits.PlayerCard(1, 2, True, "second")


def test_a_21_is_asked_unless_the_table_says_otherwise_and_super_fun_21_extreme_may_not() -> None:
    r = table("blackjack")
    tell(r, "5S 9S 6H 7H & TD")
    assert turn(r) == (1, 1)
    with pytest.raises(Refused, match="drawing on it can win more"):
        table("super_fun_21_extreme", settings=PlaySettings(auto_stand_21=True))


def test_a_new_hand_is_played_right_after_its_parent_and_gets_its_card_in_turn() -> None:
    r = table("blackjack")
    tell(r, "8S 9S 8H 7H & 1.1 split & 8D")
    assert tell(r, "1.1 split") == [was.DecisionMade(1, 1, "split"), was.HandSplit(1, 1, 3)]
    order = []
    for code in ("TC", "TD", "TH"):
        tell(r, code)
        order.append(turn(r)[1])
        tell(r, f"1.{order[-1]} stand")
    assert order == [1, 3, 2]


def test_monte_carlo_covers_both_split_cards_at_once_face_down_and_plays_a_third_hand_last() -> None:
    r = table("monte_carlo")
    said = tell(r, "8S TC 8H 7D & 1.1 split")
    assert said[-2:] == [was.CardsTurned(1, 1, ("8S", "8H")), was.HandSplit(1, 1, 2)]
    assert r.awaiting == awaits.PlayerCard(1, 1, False, "second")
    tell(r, "8D")
    assert r.awaiting == awaits.PlayerCard(1, 2, False, "second")
    assert tell(r, "TH & 1.1 split")[-2:] == [was.CardsTurned(1, 1, ("8D",)), was.HandSplit(1, 1, 3)]
    tell(r, "2S")
    assert r.awaiting == awaits.PlayerCard(1, 3, False, "second")
    tell(r, "3S & 1.1 stand")
    assert turn(r) == (1, 2)
    tell(r, "1.2 stand")
    assert turn(r) == (1, 3)


def test_split_aces_get_one_card_each_and_are_asked_only_where_they_may_be_split_again() -> None:
    r = table("blackjack")
    tell(r, "AS 9S AH 7H & 1.1 split & AD 5C")
    assert isinstance(r.awaiting, awaits.HoleCardDue)
    r = table("blackjack", resplit_aces=True)
    tell(r, "AS 9S AH 7H & 1.1 split & AD")
    assert isinstance(r.awaiting, awaits.DecisionBy)
    assert r.awaiting.legal == ("stand", "split")
    assert r.awaiting.illegal["hit"][0] == r.awaiting.illegal["double"][0] == "split_aces_one_card"


def test_a_power_double_is_kept_or_rolled_over_and_a_rolled_card_is_burned() -> None:
    r = table("power_blackjack")
    tell(r, "8S TS 3H 9H", Peek(), "1.1 power_double", "6C")
    assert getattr(r.awaiting, "legal", ()) == ("keep", "rollover")
    kept, _ = r.after(Decide(1, 1, "keep"))
    assert isinstance(kept.awaiting, awaits.HoleCardDue)
    assert tell(r, "1.1 rollover") == [was.DecisionMade(1, 1, "rollover"), was.CardBurned(1, 1, "6C")]
    assert r.awaiting == awaits.PlayerCard(1, 1, True, "rollover")
    tell(r, "9C", Turn(), Settle())
    done = settlement(r)
    assert ([one.code for one in done.burned], done.cards_used, done.net) == (["6C"], 6, {1: 20})


def test_a_burned_ace_counts_no_more() -> None:
    r = table("power_blackjack", power_double_totals=[8])
    tell(r, "5S 9S 3H 8H & 1.1 power_double & AC & 1.1 rollover & 2C")
    assert r.queue[0].total == 10


def test_the_dealer_does_not_draw_when_nothing_is_left_and_shows_the_hole_card_at_the_end() -> None:
    r = table("blackjack")
    tell(r, "TS 6S 6H TH & TD")
    assert isinstance(r.awaiting, awaits.SettlementDue)
    assert tell(r, Settle()) == [was.CardsTurned(DEALER, 1, ("TH",)), was.RoundSettled(16, 5)]


def test_the_dealer_draws_out_for_a_live_ten_eleven_or_bust() -> None:
    bets = [SeatBet(1, 10, {"ten_eleven_or_bust": 5})]
    for codes, awaited in (("6S 9S 5H 7H & 2D TD", awaits.HoleCardDue), ("6S 9S 6H 7H & TC", awaits.SettlementDue)):
        r = Round(load_game("chinese_fortune_21"), bets)
        tell(r, codes)
        assert isinstance(r.awaiting, awaited)


def test_a_dealer_who_always_draws_plays_the_hand_out() -> None:
    r = table("blackjack", dealer_always_draws=True)
    tell(r, "TS 6S 6H TH & TD", Turn())
    assert isinstance(r.awaiting, awaits.DealerCard)
    tell(r, "5D", Settle())
    assert r.over


def test_blackjacks_are_paid_at_once_in_turn_or_after_everything_as_the_game_says() -> None:
    r = table("super_fun_21_extreme", seats=2)
    assert isinstance(tell(r, "9S AS 9C 9H KS 7H")[-1], was.HandSettled)
    r = table("power_blackjack", seats=2)
    tell(r, "9S AS 9C 9H KS 7H")
    assert isinstance(tell(r, "1.1 stand")[-1], was.HandSettled)
    r = table("monte_carlo", seats=2)
    assert tell(r, "AS 9S TC KS 9H 9D")[-1] == was.CardsTurned(1, 1, ("AS", "KS"))
    said = tell(r, "2.1 stand", Turn(), Settle())
    assert [event.seat for event in said if isinstance(event, was.HandSettled)] == [2, 1]


def test_nothing_hangs_on_the_check_when_every_blackjack_wins_anyway() -> None:
    r = table("super_fun_21_extreme", blackjack_tie="win")
    tell(r, "AS TS KS AH")
    assert isinstance(r.awaiting, awaits.SettlementDue)


@pytest.mark.parametrize(
    ("what", "code"),
    [
        (Decide(2, 1, "stand"), "out_of_turn"),
        (Decide(1, 2, "stand"), "out_of_turn"),
        (Decide(9, 1, "stand"), "out_of_turn"),
        (Decide(1, 1, "split"), "split_not_a_pair"),
        (Decide(1, 1, "surrender"), "surrender_not_offered"),
        (Decide(1, 1, "fold"), "unknown_action"),  # type: ignore[arg-type]
        (CloseOffer(), "not_now"),
        (Peek(), "not_now"),
        (Turn(), "not_now"),
        (Settle(), "not_now"),
    ],
    ids=str,
)
def test_what_is_not_legal_now_is_refused_with_its_reason(what: Input, code: str) -> None:
    r = table("blackjack", seats=2)
    tell(r, "9S 8S 9C 7H 8H 7S")
    assert refused(r, what) == code
    assert not r.allows(what)
    with pytest.raises(Refused):
        r.check(what)


@pytest.mark.parametrize(
    ("seats", "code"),
    [
        ([], "no_seats"),
        ([SeatBet(0, 10)], "bad_seat"),
        ([SeatBet(-1, 10)], "bad_seat"),
        ([SeatBet(1, 10), SeatBet(1, 10)], "seat_twice"),
        ([SeatBet(1, 0)], "bad_bet"),
        ([SeatBet(1, -5)], "bad_bet"),
        ([SeatBet(1, 10, {"perfect_pairs": 0})], "bad_bet"),
        ([SeatBet(1, 10, {"perfect_pairs": None})], "bad_bet"),
        ([SeatBet(1, None, {"perfect_pairs": 5})], "bad_bet"),
        ([SeatBet(1, 10, {"precious_diamond": 5})], "side_bet_not_offered"),
    ],
    ids=str,
)
def test_a_round_opens_only_with_seats_it_can_settle(seats: list[SeatBet], code: str) -> None:
    with pytest.raises(Refused) as refusal:
        Round(load_game("blackjack"), seats)
    assert refusal.value.code == code
    assert refusal.value.message


def test_nothing_is_half_settled() -> None:
    r = table("blackjack")
    tell(r, "9S 9C 9H 7H & 1.1 stand")
    with pytest.raises(ValueError, match="not over"):
        settlement(r)
