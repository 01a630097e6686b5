"""A round of before, step by step, as everybody at the table saw it."""

from __future__ import annotations

from random import Random
from unittest.mock import ANY

import msgspec
import pytest

from controller.library import game_names
from controller.rules.errors import Refused
from controller.table import events as e
from controller.table import inputs as i
from controller.table.drawn import cards_of
from controller.table.history import Kept
from controller.table.playback import steps, table_before, who
from controller.table.views import public_view
from tests.controller.table.on_record import OnRecord
from tests.controller.table.playing import SUPERVISOR, next_input, setup_for


def dealt(cards: str = "TS 7D 9C 6H") -> OnRecord:
    record = OnRecord()
    record.ready()
    record.tell(i.OpenRound())
    record.cards(cards)
    return record


def settled() -> OnRecord:
    record = dealt("TS 7D 9C TH")
    record.tell(i.Decision(1, 1, "stand"))
    record.tell(i.TurnHoleCard())
    record.tell(i.Settle())
    return record


def words(record: OnRecord, number: int = 1) -> list[str]:
    return [" ".join(step.words) for step in record.steps(number)]


def test_every_step_says_who_when_and_what() -> None:
    told = settled().steps()
    assert [(step.who, step.kind) for step in told] == [
        ("dealer Ann", "other"),
        *[("shoe", "card")] * 4,
        *[("dealer Ann", "entry")] * 3,
    ]
    assert [step.at for step in told] == sorted(step.at for step in told)
    assert [step.sequence for step in told] == sorted({step.sequence for step in told})
    assert [" ".join(step.words) for step in told] == [
        "Round 1 begins: seat 1 10.",
        "Seat 1 gets 10♠.",
        "The dealer gets 7♦.",
        "Seat 1 gets 9♣.",
        "The dealer gets a card face down.",
        "Seat 1: stand.",
        "The dealer turns 10♥: 17.",
        "Seat 1 wins: +10. The round is over: seat 1 +10.",
    ]


def test_the_felt_after_each_step_is_what_the_public_view_was() -> None:
    record = OnRecord()
    record.ready(1, 3)
    seen = []
    for what in (i.OpenRound(), *(i.CardLeftShoe(code) for code in ("TS", "5D", "7D", "9C", "6C", "TH"))):
        record.tell(what)
        seen.append(public_view(record.table))
    for seat in (1, 3):
        record.tell(i.Decision(seat, 1, "stand"))
        seen.append(public_view(record.table))
    while record.table.round is not None:
        record.tell(i.NextRound())
        seen.append(public_view(record.table))
    for step, view in zip(record.steps(), seen, strict=True):
        assert (step.felt.hands, step.felt.dealer, step.felt.side_bets) == (view.hands, view.dealer, view.side_bets)
        assert (step.seen.limits, step.seen.net, step.seen.phase) == (view.limits, view.net, view.phase)


def test_a_card_that_was_never_turned_is_in_no_step() -> None:
    record = dealt()
    record.tell(i.Void("the lights went out"), SUPERVISOR)
    told = record.steps()
    assert b"6H" not in msgspec.json.encode(told)
    assert "6♥" not in str(told)
    assert told[-1].kind == "void"
    assert told[-1].words == ("VOID: the lights went out. All bets are returned: seat 1 0.",)
    assert told[-1].felt.dealer is not None
    assert told[-1].felt.dealer.cards == ("7D", None)


def test_before_a_card_is_turned_no_step_names_it_and_afterwards_one_does() -> None:
    told = settled().steps()
    assert all(b"TH" not in msgspec.json.encode(step) for step in told[:6])
    assert b"TH" in msgspec.json.encode(told[6])


def test_an_undo_is_labelled_and_the_felt_goes_back() -> None:
    record = dealt("5S 7D 6C TH")
    record.tell(i.Decision(1, 1, "double"))
    record.tell(i.Undo())
    *_, before, doubled, undone = record.steps()
    assert (undone.kind, undone.words) == ("undo", ("UNDONE: seat 1, hand 1: double.",))
    assert doubled.felt.hands[0].wager == "20"
    assert undone.felt == before.felt


def test_a_replaced_decision_is_one_step() -> None:
    record = dealt("5S 7D 6C TH")
    record.tell(i.Decision(1, 1, "stand"))
    record.tell(i.Replace(1, 1, "double"))
    last = record.steps()[-1]
    assert last.words == ("UNDONE: seat 1, hand 1: stand.", "Seat 1: double.")


def test_a_question_and_its_answer_are_steps_and_name_no_unseen_card() -> None:
    record = dealt("TS 7D 9C")
    record.tell(i.CardUnread("no code"))
    record.tell(i.Answer("name", ("KH",)))
    *_, asked, answered = record.steps()
    assert asked.kind == "question"
    assert "Which card is it?" in asked.words[0]
    assert asked.words[1] == "(no code)"
    assert answered.kind == "answer"
    assert answered.who == "dealer Ann"
    assert "KH" not in str(answered.words) + str(answered.felt)
    assert "The dealer gets a card face down." in answered.words
    assert "It was named by hand." in answered.words


def test_a_card_nobody_expected_is_held_and_burned_without_its_name() -> None:
    record = dealt("TS 7D 9C TH")
    record.tell(i.Decision(1, 1, "stand"))
    record.tell(i.CardLeftShoe("3C"))
    record.tell(i.Answer("burn"))
    asked, burned = record.steps()[-2:]
    assert asked.kind == "question"
    assert (burned.kind, burned.words) == ("answer", ("The card of question 1 is burned.",))
    assert "3C" not in str(asked) + str(burned)


def test_a_correction_shows_both_versions_and_the_difference() -> None:
    record = settled()
    record.tell(i.Correct(1, 3, "6C"), SUPERVISOR)
    last = record.steps()[-1]
    assert (last.kind, last.who) == ("correction", "supervisor Sam")
    assert last.words == (
        "CORRECTED: card 3 of round 1 (seat 1) was 9♣, and is 6♣.",
        "The difference: seat 1 gets -20.",
    )
    assert last.difference == {1: "-20"}
    assert last.felt.hands[0].cards == ("TS", "6C")
    assert record.steps()[-2].felt.hands[0].cards == ("TS", "9C")


def test_a_correction_of_a_card_that_lies_face_down_names_neither() -> None:
    record = dealt()
    record.tell(i.Correct(1, 4, "5H"), SUPERVISOR)
    record.tell(i.Void("enough"), SUPERVISOR)
    told = str(record.steps())
    assert "card 4 of round 1 (the dealer) was ▮ face down, and is ▮ face down" in told
    for secret in ("6H", "6♥", "5H", "5♥"):
        assert secret not in told


def test_an_exchange_says_what_lay_where() -> None:
    record = OnRecord()
    record.ready(1, 2)
    record.tell(i.OpenRound())
    record.cards("TS 5H 7D TC 2C TH")
    record.tell(i.Exchange(1, 1, 2), SUPERVISOR)
    last = record.steps()[-1]
    assert last.words[0] == "EXCHANGED in round 1: card 1 (seat 1, was 10♠) and card 2 (seat 2, was 5♥)."
    assert [hand.cards for hand in last.felt.hands] == [("5H", "TC"), ("TS", "2C")]


def test_a_correction_of_the_round_before_does_not_disturb_the_next_one() -> None:
    """An undo names what it undoes by its number in the journal."""
    record = settled()
    record.tell(i.OpenRound())
    record.cards("5S 7D 6C TH")
    record.tell(i.Correct(1, 3, "6C"), SUPERVISOR)
    record.tell(i.Decision(1, 1, "double"))
    record.tell(i.Undo())
    assert record.steps(2)[-1].kind == "undo"
    assert all(step.kind != "correction" for step in record.steps(2))
    assert record.steps(1)[-1].kind == "correction"


def test_the_limits_are_those_of_then() -> None:
    record = settled()
    record.tell(i.Limits("main", "20", "200", "10", "next_round", "busy night"), SUPERVISOR)
    record.tell(i.Wager(1, "20"))
    record.tell(i.OpenRound())
    record.tell(i.Limits("main", "50", "500", "50", "next_round", "later"), SUPERVISOR)
    assert record.steps(1)[-1].seen.limits[0].min == "10"
    first, last = record.steps(2)
    assert (first.seen.limits[0].min, first.seen.limits[0].next) == ("20", "")
    assert (last.seen.limits[0].min, last.seen.limits[0].next) == ("20", "50 to 500 in steps of 50")
    assert last.words == ("New limits for main from the next round: 50 to 500 in steps of 50 (later).",)


def test_screens_go_back_to_the_round_before_when_one_is_voided() -> None:
    record = settled()
    record.tell(i.OpenRound())
    record.cards("5S 7D")
    record.tell(i.Void("a card fell"), SUPERVISOR)
    last = record.steps(2, last=record.round(1).log)[-1]
    view = public_view(record.table)
    assert (
        (last.seen.round, last.seen.hands, last.seen.net) == (view.round, view.hands, view.net) == (1, ANY, {1: "10"})
    )
    assert [hand.cards for hand in last.felt.hands] == [("5S",)], "the felt is still that of the voided round"


def test_the_answer_to_a_question_from_before_the_round_disturbs_nothing() -> None:
    record = dealt("TS 7D")
    told = record.steps()
    record.kept.append(Kept(len(record.kept) + 1, "2026-05-01T23:00:00.000Z", "dealer:Ann", e.CardToldAgain(7)))
    *before, last = record.steps()
    assert before == told
    assert last.words == ("Question 7 is answered: it is a card that was named by hand already.",)
    assert last.felt == told[-1].felt


def test_trouble_with_a_device_and_an_alert_are_steps() -> None:
    record = dealt("TS 7D")
    record.tell(i.DeviceTrouble("shoe", "No shoe: the cable is out", holds=True))
    record.tell(i.DeviceWell("shoe"))
    lost, well = record.steps()[-2:]
    assert (lost.kind, lost.words) == ("device", ("shoe: No shoe: the cable is out. The round waits for it.",))
    assert lost.felt.awaiting == "the shoe"
    assert well.words == ("shoe: well again.",)


def test_a_round_that_does_not_come_out_the_same_is_refused_in_words() -> None:
    record = settled()
    found = record.round()
    other = table_before(setup_for("monte_carlo"), found)
    with pytest.raises(Refused) as refused:
        list(steps(other, found))
    assert refused.value.code == "not_again"
    assert "record" in refused.value.message


@pytest.mark.parametrize("game", game_names())
def test_rounds_of_every_game_play_back_to_what_lies_on_the_felt(game: str) -> None:
    chance = Random(game)
    record = OnRecord(setup_for(game))
    record.ready(1, 2)
    for number in range(1, 13):
        record.tell(i.OpenRound())
        while record.table.round is not None:
            record.tell(next_input(record.table, chance))
            state = record.table.state
            if state.round is not None:
                _places_are_right(record)
            if chance.random() < 0.2 and state.round is not None:
                try:
                    record.tell(i.Undo())
                except Refused:
                    continue
        view = public_view(record.table)
        last = record.steps(number)[-1]
        assert (last.felt.hands, last.felt.dealer) == (view.hands, view.dealer)
        assert last.seen.net == view.net
        assert all(step.words for step in record.steps(number))
        if record.table.state.shoe_change_due:
            record.tell(i.Shoe("load"))


def _places_are_right(record: OnRecord) -> None:
    """Every card has a place, and each hand's cards by place are the hand as it lies."""
    state, view = record.table.state, public_view(record.table)
    assert state.round is not None
    cards = cards_of(record.table.setup, state.round).cards
    assert [each.place for each in cards] == list(range(1, len(state.round.cards) + 1))
    lie: dict[tuple[int, int], list[str | None]] = {}
    for each in cards:
        if not each.burned:
            lie.setdefault((each.seat, each.hand), []).append(each.card)
    for hand in (*view.hands, *([view.dealer] if view.dealer else [])):
        assert lie.get((hand.seat, hand.hand), []) == list(hand.cards)
    assert [each.card for each in cards if each.burned] == list(view.burned)


def test_people_and_devices_are_called_as_at_the_table() -> None:
    assert (who("dealer:Ann"), who("supervisor:Sam Lee"), who("device:shoe")) == (
        "dealer Ann",
        "supervisor Sam Lee",
        "shoe",
    )
    assert isinstance(settled().round().steps[0].event, e.RoundBegun)
