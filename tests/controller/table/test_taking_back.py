"""Undo, replace, void and correct: nothing is ever edited, and every card stays counted."""

from __future__ import annotations

import pytest

from controller.table import events as e
from controller.table import inputs as i
from controller.table.views import dealer_view, public_view
from tests.controller.table.playing import SUPERVISOR, Played


def test_a_decision_is_undone_with_its_label_and_a_dealt_card_is_not() -> None:
    played = Played().ready()
    played.tell(i.OpenRound())
    played.cards("5S 7D 6C TH")
    before = played.table.round
    played.tell(i.Decision(1, 1, "double"))
    assert dealer_view(played.table).undo == "seat 1, hand 1: double"
    played.tell(i.Undo())
    assert played.table.round is not None
    assert before is not None
    assert played.table.round.state() == before.state()
    assert played.refused(i.Undo()).code == "nothing_to_undo"
    played.tell(i.Decision(1, 1, "double"))
    played.tell(i.CardLeftShoe("9D"))
    assert played.refused(i.Undo()).code == "nothing_to_undo"


def test_a_card_named_by_hand_can_be_undone() -> None:
    played = Played().ready()
    played.tell(i.OpenRound())
    played.tell(i.Card("TS"))
    played.tell(i.Undo())
    assert played.table.state.shoe.out == {}
    assert public_view(played.table).hands[0].cards == ()


def test_a_void_round_keeps_its_number_and_its_cards_and_returns_the_bets() -> None:
    played = Played().ready()
    played.tell(i.OpenRound())
    played.cards("TS 7D")
    played.tell(i.CardUnread("no code"))
    played.tell(i.Void("misdeal"), SUPERVISOR)
    state = played.table.state
    assert (state.round, state.held, state.round_number) == (None, (), 1)
    assert state.shoe.out == {"TS": 1, "7D": 1}
    assert state.wagers[1].amount == "10"
    played.tell(i.OpenRound())
    assert played.table.state.round_number == 2


def settled() -> Played:
    played = Played().ready()
    played.tell(i.OpenRound())
    played.cards("TS 7D 9C TH")
    played.tell(i.Decision(1, 1, "stand"))
    played.tell(i.TurnHoleCard())
    played.tell(i.Settle())
    return played


def test_a_settled_round_is_corrected_by_a_supervisor_and_the_difference_is_told() -> None:
    played = settled()
    assert played.refused(i.Correct(1, 3, "6C")).code == "supervisor_only"
    told = played.tell(i.Correct(1, 3, "6C"), SUPERVISOR)
    assert told == (e.CardCorrected(1, 3, "9C", "6C", {1: "-20"}),)
    assert public_view(played.table).net == {1: "-10"}
    assert played.table.state.shoe.out == {"TS": 1, "7D": 1, "TH": 1, "6C": 1}


def test_a_correction_that_could_not_have_been_played_is_refused() -> None:
    played = settled()
    assert played.refused(i.Correct(1, 4, "4H"), SUPERVISOR).code == "correction_not_playable", "11 would have drawn"
    assert played.refused(i.Correct(1, 5, "4H"), SUPERVISOR).code == "no_such_card"
    assert played.refused(i.Correct(2, 1, "4H"), SUPERVISOR).code == "no_such_round"
    assert played.refused(i.Correct(1, 1, "TS"), SUPERVISOR).code == "same_card"


def test_a_card_of_the_round_in_play_is_corrected_too() -> None:
    played = Played().ready()
    played.tell(i.OpenRound())
    played.cards("5S 7D 6C TH")
    played.tell(i.Correct(1, 1, "8S"), SUPERVISOR)
    assert public_view(played.table).hands[0].total == "14"


def test_a_decision_is_replaced_in_one_step() -> None:
    played = Played().ready(1, 2)
    played.tell(i.OpenRound())
    played.cards("TS 9H 7D 5C 2C TH")
    assert played.refused(i.Replace(1, 1, "stand")).code == "nothing_to_replace"
    played.tell(i.Decision(1, 1, "stand"))
    assert played.refused(i.Replace(2, 1, "hit")).code == "nothing_to_replace", "that was not the last one"
    assert played.refused(i.Replace(1, 1, "split")).code == "split_not_a_pair"
    told = played.tell(i.Replace(1, 1, "double"))
    assert [type(event).__name__ for event in told] == ["Undone", "Decided"]
    played.cards("3D")
    assert public_view(played.table).hands[0].wager == "20"


def test_a_void_round_can_let_stand_what_was_settled() -> None:
    played = Played().ready(1, 2)
    played.tell(i.OpenRound())
    played.cards("TS 9H 7D 5C 2C TH KD")
    assert public_view(played.table).hands[0].outcome == "bust"
    told = played.tell(i.Void("the shoe broke", "settled_stand"), SUPERVISOR)
    assert told[0] == e.RoundVoided(1, "the shoe broke", "settled_stand", {1: "-10", 2: "0"})
    assert played.refused(i.Void("again"), SUPERVISOR).code == "no_round"


def test_cards_that_went_to_each_others_seat_are_exchanged() -> None:
    played = Played().ready(1, 2)
    played.tell(i.OpenRound())
    played.cards("TS 5H 7D TC 2C TH")
    assert played.refused(i.Exchange(1, 1, 2)).code == "supervisor_only"
    assert played.refused(i.Exchange(1, 1, 7), SUPERVISOR).code == "no_such_card"
    played.tell(i.Exchange(1, 1, 2), SUPERVISOR)
    view = public_view(played.table)
    assert (view.hands[0].cards, view.hands[1].cards) == (("5H", "TC"), ("TS", "2C"))
    for seat in (1, 2):
        played.tell(i.Decision(seat, 1, "stand"))
    while played.table.round is not None:
        played.tell(i.NextRound())
    told = played.tell(i.Exchange(1, 1, 2), SUPERVISOR)
    assert told == (e.CardsExchanged(1, 1, 2, {1: "20"}),), "15 lost 10, and 20 wins 10"
    assert public_view(played.table).hands[0].cards == ("TS", "TC")
    assert public_view(played.table).recent[-1].hands[0].total == "20"


def test_an_error_while_undoing_leaves_the_table_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    played = Played().ready(1, 2)
    played.tell(i.OpenRound())
    played.cards("TS 9H 7D TC 9C TH")
    played.tell(i.Decision(1, 1, "stand"))
    before = played.table.state, played.table.round.state()  # type: ignore[union-attr]
    with monkeypatch.context() as broken:
        broken.setattr("controller.table.folds.played", lambda *args: 1 // 0)
        with pytest.raises(ZeroDivisionError):
            played.tell(i.Undo())
    assert (played.table.state, played.table.round.state()) == before  # type: ignore[union-attr]
    played.tell(i.Undo())
    played.tell(i.Decision(1, 1, "hit"))


def test_a_correction_after_the_shoe_was_changed_leaves_the_new_shoes_count_alone() -> None:
    played = settled()
    played.tell(i.Shoe("load"))
    played.tell(i.Correct(1, 3, "6C"), SUPERVISOR)
    assert played.table.state.shoe.out == {}
    played.cards("8S")
    assert played.table.state.shoe.out == {"8S": 1}
