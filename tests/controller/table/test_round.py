"""A round at the table, who may enter what, and what is refused in words."""

from __future__ import annotations

import pytest

from controller.library import load_game
from controller.table import events as e
from controller.table import inputs as i
from controller.table.views import public_view
from tests.controller.table.playing import DEALER, SHOE, SUPERVISOR, Played, setup_for


def test_a_round_from_the_first_bet_to_the_payment() -> None:
    played = Played().ready(1, 2)
    played.tell(i.OpenRound())
    played.cards("TS 9H 7D TC 9C TH")
    assert public_view(played.table).dealer.cards == ("7D", None)  # type: ignore[union-attr]
    played.tell(i.Decision(1, 1, "stand"))
    played.tell(i.Decision(2, 1, "stand"))
    played.tell(i.TurnHoleCard())
    told = played.tell(i.Settle())
    assert told == (e.PaidAndTaken(), e.RoundEnded(1, {1: "10", 2: "10"}))
    view = public_view(played.table)
    assert (view.phase, view.round, view.net) == ("betting", 1, {1: "10", 2: "10"})
    assert [hand.outcome for hand in view.hands] == ["win", "win"]
    played.tell(i.OpenRound())
    assert played.table.state.round_number == 2
    assert played.table.state.wagers[2].amount == "10", "same again"


def test_a_card_while_a_decision_is_awaited_is_a_hit() -> None:
    played = Played().ready()
    played.tell(i.OpenRound())
    played.cards("5S 7D 6C TH 9D")
    assert public_view(played.table).hands[0].cards == ("5S", "6C", "9D")


def test_what_may_not_be_now_is_refused_in_words_and_changes_nothing() -> None:
    played = Played()
    assert played.refused(i.OpenRound()).code == "table_closed"
    played.tell(i.OpenTable())
    assert played.refused(i.OpenRound()).code == "no_shoe"
    played.tell(i.Shoe("load"))
    assert played.refused(i.OpenRound()).code == "no_bets"
    assert "seats 1 to 7" in played.refused(i.Wager(8, "10")).message
    assert "10 to 500 in steps of 5" in played.refused(i.Wager(1, "12")).message
    assert played.refused(i.Wager(1, "lots")).code == "bad_amount"
    assert played.refused(i.Wager(1, "-5")).code == "bad_bet"
    assert played.refused(i.Wager(1)).code == "bad_bet"
    assert played.refused(i.Wager(1, "10", {"nonsense": "5"})).code == "side_bet_not_offered"
    played.tell(i.Wager(1, "10"))
    assert played.refused(i.Decision(1, 1, "hit")).code == "no_round"
    played.tell(i.OpenRound())
    assert played.refused(i.OpenRound()).code == "round_in_play"
    assert played.refused(i.Shoe("load")).code == "round_in_play"
    assert played.refused(i.CloseTable()).code == "round_in_play"
    assert played.refused(i.DealerIn("Bo")).code == "round_in_play"
    assert played.refused(i.Decision(1, 1, "hit")).code == "not_now"
    played.cards("5S 7D 6C TH")
    assert played.refused(i.Decision(1, 1, "dance")).code == "unknown_action"
    assert played.refused(i.Decision(2, 1, "hit")).code == "out_of_turn"
    assert played.refused(i.Card("1S")).code == "bad_card"
    assert played.refused(i.Answer("burn")).code == "no_question"
    assert played.refused(i.Undo()).code == "nothing_to_undo"


def test_people_and_devices_each_enter_their_own_and_some_needs_a_supervisor() -> None:
    played = Played().ready()
    assert played.refused(i.OpenRound(), SHOE).code == "not_yours"
    assert played.refused(i.CardLeftShoe("8S"), DEALER).code == "not_yours"
    played.tell(i.OpenRound())
    assert played.refused(i.Void("spilled drink")).code == "supervisor_only"
    assert played.refused(i.Void(" "), SUPERVISOR).code == "no_reason"
    party = Played(setup_for(lone_dealer=True)).ready()
    party.tell(i.OpenRound())
    party.tell(i.Void("spilled drink"))
    assert party.table.round is None


def test_a_refusal_says_what_would_be_taken() -> None:
    played = Played().ready()
    assert "open_round" in played.refused(i.Settle()).legal
    played.tell(i.OpenRound())
    assert {"card", "void"} <= set(played.refused(i.Settle()).legal)
    played.cards("TS 7D 9C TH")
    assert {"decision", "take_back", "void"} <= set(played.refused(i.Settle()).legal)


def test_next_round_is_the_one_step_that_leads_on() -> None:
    played = Played().ready()
    played.tell(i.NextRound())
    assert played.refused(i.NextRound()).code == "not_now"
    played.cards("TS AD 9C TH")
    steps = []
    while played.table.round is not None:
        steps += [type(event).__name__ for event in played.tell(i.NextRound())]
    assert steps == ["OfferEnded", "Peeked", "PaidAndTaken", "RoundEnded"]


def test_a_wager_is_the_same_again_until_it_is_changed_or_the_seat_is_left() -> None:
    played = Played().ready(1, 2)
    for seat in public_view(played.table).seats:
        assert not seat.again
    played.tell(i.OpenRound())
    played.tell(i.Void("misdeal"), SUPERVISOR)
    assert [(seat.seat, seat.wager, seat.again) for seat in public_view(played.table).seats] == [
        (1, "10", True),
        (2, "10", True),
    ]
    played.tell(i.Wager(1, "25"))
    played.tell(i.Seat(2, taken=False))
    assert [(seat.seat, seat.wager, seat.again) for seat in public_view(played.table).seats] == [(1, "25", False)]
    played.tell(i.Seat(5))
    assert played.tell(i.Seat(5)) == (), "somebody sits there already"
    played.tell(i.OpenRound())
    assert played.table.round is not None
    assert list(played.table.round.seats) == [1], "who sits without a bet gets no card"
    assert played.refused(i.Seat(9)).code == "no_such_seat"


def test_a_table_without_wagers_deals_to_whoever_sits() -> None:
    played = Played(setup_for(wagers=False, limits={}))
    played.tell(i.OpenTable())
    played.tell(i.Shoe("load"))
    assert played.refused(i.OpenRound()).code == "no_bets"
    assert played.refused(i.Wager(1, "10")).code == "bad_bet"
    played.tell(i.Seat(3))
    played.tell(i.OpenRound())
    played.cards("TS 7D 9C TH")
    played.tell(i.Decision(3, 1, "stand"))
    played.tell(i.NextRound())
    played.tell(i.NextRound())
    view = public_view(played.table)
    assert (view.hands[0].outcome, view.hands[0].net, view.net) == ("win", None, {3: None})
    assert view.hands[0].why == "19 beats the dealer's 17"


def test_rounding_is_shown_where_it_acts() -> None:
    rules = load_game("blackjack", {"rounding": "up", "rounding_chip": "5"})
    played = Played(setup_for(rules=rules)).ready(amount="15")
    played.tell(i.OpenRound())
    played.cards("AS 7D KC TH")
    while played.table.round is not None:
        played.tell(i.NextRound())
    hand = public_view(played.table).hands[0]
    assert (hand.net, hand.rounded) == ("25", "5/2")
    assert "rounded by 5/2" in hand.why


@pytest.mark.parametrize("text", ["x" * 201, "two\nlines", "a\u0000b", "\u202eback"])
def test_what_people_write_is_one_line_that_a_screen_can_show(text: str) -> None:
    played = Played().ready()
    for what in (i.DealerIn(text), i.CloseTable(text), i.Limits("main", "5", "50", "5", "next_round", text)):
        assert played.refused(what, SUPERVISOR).code == "bad_text"
    played.tell(i.OpenRound())
    assert played.refused(i.Void(text), SUPERVISOR).code == "bad_text"
    played.tell(i.Void(f"  {'x' * 200} "), SUPERVISOR)
