"""The named situations: cards nobody expected, misreads, a lost shoe, doubts; what is asked, and by whom answered."""

from __future__ import annotations

import msgspec
import pytest

from controller.table import events as e
from controller.table import inputs as i
from controller.table.questions import question
from controller.table.views import dealer_view, public_view
from tests.controller.table.playing import SUPERVISOR, Played


def test_a_card_before_the_round_is_open_is_held_and_may_begin_it() -> None:
    played = Played().ready()
    played.tell(i.CardLeftShoe("TS"))
    assert played.held == ["game_before_time"]
    asked = question(played.table)
    assert asked is not None
    assert asked.answers == ("begin", "burn")
    assert played.refused(i.OpenRound()).code == "question_first"
    assert played.refused(i.Answer("deal")).code == "not_an_answer"
    played.tell(i.Answer("begin"))
    assert played.held == []
    assert public_view(played.table).hands[0].cards == ("TS",)
    assert played.table.state.shoe.out == {"TS": 1}, "counted once"


def test_a_card_before_time_may_be_burned() -> None:
    played = Played().ready()
    played.tell(i.CardLeftShoe("TS"))
    played.tell(i.Answer("burn"))
    assert played.table.round is None
    assert played.table.state.shoe.out == {"TS": 1}


def test_an_unexpected_card_waits_until_its_decision_is_entered() -> None:
    played = Played().ready()
    played.tell(i.OpenRound())
    played.cards("TS 7D 9C TH")
    played.tell(i.Decision(1, 1, "stand"))
    played.tell(i.CardLeftShoe("4D"))
    assert played.held == ["unexpected_card"], "the hole card is to be turned first"
    assert question(played.table).answers == ("burn", "void")  # type: ignore[union-attr]
    played.tell(i.TurnHoleCard())
    assert played.refused(i.Answer("deal")).code == "not_an_answer", "17 stands"
    played.tell(i.Answer("burn"))
    played.tell(i.Settle())
    assert played.table.state.shoe.out == {"TS": 1, "7D": 1, "9C": 1, "TH": 1, "4D": 1}


def test_a_misread_card_holds_the_hand_until_it_is_named() -> None:
    played = Played().ready()
    played.tell(i.OpenRound())
    played.cards("TS 7D")
    played.tell(i.CardUnread("no code"))
    played.tell(i.CardLeftShoe("TH"))
    assert played.held == ["misread", "behind_a_question"]
    assert played.refused(i.Answer("name")).code == "cards"
    assert played.refused(i.Answer("name", ("1X",))).code == "bad_card"
    assert played.refused(i.Answer("burn", ("8S",))).code == "cards"
    played.tell(i.Answer("name", ("9C",)))
    assert played.held == []
    assert public_view(played.table).hands[0].cards == ("TS", "9C")
    assert played.table.round is not None
    assert played.table.round.dealer.cards[1].code == "TH"
    assert played.table.state.round.cards[2].source == "manual"  # type: ignore[union-attr]
    assert played.refused(i.Undo()).code == "nothing_to_undo", "an answer is corrected, not undone"


def test_two_cards_that_left_together_are_both_named() -> None:
    played = Played().ready()
    played.tell(i.OpenRound())
    played.cards("TS")
    played.tell(i.CardUnread("two cards at once", cards=2))
    assert played.held == ["double_feed"]
    played.tell(i.Answer("name", ("7D", "9C")))
    played.cards("TH")
    assert public_view(played.table).hands[0].cards == ("TS", "9C")


def test_an_unread_card_that_is_burned_is_counted_as_unknown() -> None:
    played = Played().ready()
    played.tell(i.OpenRound())
    played.tell(i.CardUnread("no code"))
    played.tell(i.Answer("burn"))
    assert (played.table.state.shoe.unknown, played.held) == (1, [])


def test_what_a_reader_tells_that_is_no_card_is_a_misread() -> None:
    played = Played().ready()
    played.tell(i.OpenRound())
    played.tell(i.CardLeftShoe("8?"))
    assert played.held == ["misread"]


def test_unproven_continuity_asks_before_anything_goes_on() -> None:
    played = Played().ready()
    played.tell(i.CardsMissed("first contact"))
    assert played.held == [], "no card has left this shoe"
    played.tell(i.OpenRound())
    played.cards("TS 7D 9C TH")
    played.tell(i.CardsMissed("the shoe restarted"))
    assert played.refused(i.Decision(1, 1, "stand")).code == "question_first"
    played.tell(i.Answer("confirm"))
    played.tell(i.Decision(1, 1, "stand"))


def test_cards_that_were_missed_are_named() -> None:
    played = Played().ready()
    played.tell(i.OpenRound())
    played.cards("TS 7D")
    played.tell(i.CardsMissed("the count jumped"))
    played.tell(i.Answer("name", ("9C", "TH")))
    assert public_view(played.table).awaiting == "seat 1"


def test_losing_the_shoe_holds_the_round_and_hands_can_be_finished_by_hand() -> None:
    played = Played().ready()
    played.tell(i.OpenRound())
    played.cards("TS 7D 6C TH")
    played.tell(i.DeviceTrouble("shoe", "its cable is out", holds=True))
    assert played.tell(i.DeviceTrouble("shoe", "its cable is out", holds=True)) == ()
    assert played.refused(i.Decision(1, 1, "stand")).code == "device_missing"
    assert public_view(played.table).awaiting == "the shoe"
    played.tell(i.Fault("shoe"))
    played.tell(i.Decision(1, 1, "hit"))
    played.tell(i.Card("4d"))
    assert dealer_view(played.table).faults == {"shoe": "its cable is out"}, "set aside, not mended"
    assert played.tell(i.DeviceWell("shoe"))
    assert played.tell(i.DeviceWell("shoe")) == ()
    assert dealer_view(played.table).faults == {}


def test_a_card_the_round_does_not_need_is_extra_and_may_begin_the_next() -> None:
    played = Played().ready()
    played.tell(i.OpenRound())
    played.cards("TS 7D 9C TH")
    played.tell(i.Decision(1, 1, "stand"))
    played.tell(i.TurnHoleCard())
    played.cards("4D")
    assert played.held == ["extra_card"]
    assert question(played.table).answers == ("burn", "void")  # type: ignore[union-attr]
    played.tell(i.Settle())
    assert question(played.table).answers == ("begin", "burn")  # type: ignore[union-attr]
    played.tell(i.Answer("begin"))
    assert public_view(played.table).hands[0].cards == ("4D",)
    assert played.table.state.shoe.count == 5


def test_a_card_that_was_taken_for_a_hit_is_taken_back_and_dealt_where_it_belongs() -> None:
    played = Played().ready(1, 2)
    played.tell(i.OpenRound())
    played.cards("TS 9H 7D TC 9C TH")
    played.cards("4S")  # meant for seat 2: the dealer forgot that seat 1 stood
    assert public_view(played.table).hands[0].cards == ("TS", "TC", "4S")
    count = played.table.state.shoe.count
    played.tell(i.TakeBack())
    assert played.held == ["taken_back"]
    assert played.refused(i.TakeBack()).code == "question_first"
    asked = question(played.table)
    assert asked is not None
    assert [choice.words for choice in asked.choices] == ["It belongs to seat 1", "Burn it", "Void the round"]
    played.tell(i.Decision(1, 1, "stand"))
    asked = question(played.table)
    assert asked is not None
    assert asked.choices[0].words == "It belongs to seat 2"
    played.tell(i.Answer("deal"))
    view = public_view(played.table)
    assert (view.hands[0].cards, view.hands[1].cards) == (("TS", "TC"), ("9H", "9C", "4S"))
    assert played.table.state.shoe.count == count, "a card that left the shoe is counted once, wherever it goes"


def test_what_is_no_card_from_the_shoe_is_not_taken_back() -> None:
    played = Played().ready()
    assert played.refused(i.TakeBack()).code == "no_card_to_take_back"
    played.tell(i.OpenRound())
    played.tell(i.Card("TS"))
    assert played.refused(i.TakeBack()).code == "no_card_to_take_back", "it is undone"


def test_two_cards_burned_unread_are_both_counted() -> None:
    played = Played().ready()
    played.tell(i.OpenRound())
    played.tell(i.CardUnread("two cards at once", cards=2))
    played.tell(i.Answer("burn"))
    assert (played.table.state.shoe.unknown, played.held) == (2, [])


def test_every_question_says_who_may_answer_and_a_dealer_can_not_void() -> None:
    played = Played().ready()
    played.tell(i.OpenRound())
    played.tell(i.CardUnread("no code"))
    asked = question(played.table)
    assert asked is not None
    assert {choice.answer: choice.who for choice in asked.choices} == {
        "name": "dealer",
        "burn": "dealer",
        "void": "supervisor",
    }
    assert played.refused(i.Answer("void")).code == "supervisor_only"
    told = played.tell(i.Answer("void", reason="card lost on the floor"), SUPERVISOR)
    assert told[0] == e.RoundVoided(1, "card lost on the floor", "returned", {1: "0"})
    assert (played.held, played.table.state.shoe.unknown) == ([], 1), "the unread card is counted as unknown"


def test_a_shoe_lost_in_a_round_is_a_question_and_stays_set_aside_until_it_is_well() -> None:
    played = Played().ready()
    played.tell(i.OpenRound())
    played.tell(i.DeviceTrouble("shoe", "its cable is out", holds=True))
    asked = question(played.table)
    assert asked is not None
    assert (asked.situation, asked.words, asked.answers) == ("shoe_lost", "its cable is out", ("by_hand", "void"))
    played.tell(i.Answer("by_hand"))
    played.tell(i.DeviceTrouble("shoe", "looked at 2 ports, none answered", holds=True))
    assert question(played.table) is None, "the dealer has said so once"
    played.tell(i.Card("TS"))
    played.tell(i.DeviceWell("shoe"))
    played.tell(i.DeviceTrouble("shoe", "its cable is out", holds=True))
    assert question(played.table) is not None, "lost anew"


def test_a_doubt_about_the_shoe_outlives_a_void_round() -> None:
    played = Played().ready()
    played.tell(i.OpenRound())
    played.cards("TS")
    played.tell(i.CardsMissed("it restarted"))
    played.tell(i.Void("misdeal"), SUPERVISOR)
    assert played.held == ["missed"]
    played.tell(i.Answer("name", ("4D",)))
    assert played.held == ["game_before_time"], "a card came that the round never got"
    played.tell(i.Answer("burn"))
    assert played.table.state.shoe.out == {"TS": 1, "4D": 1}


def test_a_card_named_by_hand_that_the_shoe_tells_when_it_returns_is_counted_once() -> None:
    played = Played().ready()
    played.tell(i.OpenRound())
    played.cards("8S 9D 5C")
    played.tell(i.DeviceTrouble("shoe", "its cable is out", holds=True))
    played.tell(i.Answer("by_hand"))
    played.tell(i.Card("TD"))
    played.tell(i.DeviceWell("shoe"))
    played.tell(i.CardLeftShoe("TD"))
    assert played.held == ["named_already"]
    assert question(played.table).answers == ("same", "deal", "burn", "void")  # type: ignore[union-attr]
    played.tell(i.Answer("same"))
    assert played.table.state.shoe.out == {"8S": 1, "9D": 1, "5C": 1, "TD": 1}
    played.tell(i.CardLeftShoe("TD"))
    assert played.held == [], "another one, as any card"
    assert played.table.state.shoe.out["TD"] == 2


def test_what_a_shoe_tells_long_after_its_return_is_a_card_like_any_other() -> None:
    played = Played().ready()
    played.tell(i.OpenRound())
    played.tell(i.DeviceTrouble("shoe", "its cable is out", holds=True))
    played.tell(i.Answer("by_hand"))
    played.tell(i.Card("8S"))
    played.tell(i.DeviceWell("shoe"))
    played.now += 60
    played.cards("9D")
    assert (played.held, played.table.state.shoe.count) == ([], 2)


def test_whether_a_card_is_asked_about_does_not_tell_which_it_is() -> None:
    for code in ("TD", "4C"):
        played = Played().ready()
        played.tell(i.OpenRound())
        played.cards("8S 9D 5C")
        played.tell(i.DeviceTrouble("shoe", "its cable is out", holds=True))
        played.tell(i.Answer("by_hand"))
        played.tell(i.Card("TD"))
        played.tell(i.DeviceWell("shoe"))
        played.tell(i.CardLeftShoe(code))
        assert played.held == ["named_already"]
        played.tell(i.Answer("same"))
        assert played.table.state.shoe.out == {"8S": 1, "9D": 1, "5C": 1, "TD": 1}


def test_a_card_named_for_a_doubt_and_told_behind_it_is_not_dealt_by_itself() -> None:
    played = Played().ready()
    played.tell(i.OpenRound())
    played.cards("8S")
    played.tell(i.CardsMissed("it restarted"))
    played.tell(i.CardLeftShoe("9D"))
    played.tell(i.Answer("name", ("9D",)))
    assert played.held == ["behind_a_question"]
    assert "same" in question(played.table).answers  # type: ignore[union-attr]
    played.tell(i.Answer("same"))
    assert played.table.state.shoe.out == {"8S": 1, "9D": 1}


def test_a_named_card_that_is_undone_is_not_expected_of_the_shoe() -> None:
    played = Played().ready()
    played.tell(i.OpenRound())
    played.tell(i.DeviceTrouble("shoe", "its cable is out", holds=True))
    played.tell(i.Answer("by_hand"))
    played.tell(i.Card("TD"))
    played.tell(i.Undo())
    played.tell(i.DeviceWell("shoe"))
    played.tell(i.CardLeftShoe("TD"))
    assert (played.held, played.table.state.shoe.out) == ([], {"TD": 1})


def test_a_shoe_that_is_empty_has_had_its_last_round() -> None:
    played = Played().ready()
    played.tell(i.OpenRound())
    played.tell(i.ShoeRanEmpty())
    played.tell(i.Void("the shoe is empty"), SUPERVISOR)
    assert played.refused(i.OpenRound()).code == "shoe_change_due"


def test_both_cards_that_left_together_must_be_named_and_of_an_unread_one_one() -> None:
    played = Played().ready()
    played.tell(i.OpenRound())
    played.tell(i.CardUnread("two cards at once", cards=2))
    assert played.refused(i.Answer("name", ("7D",))).message == "Two cards left the shoe: name both."
    played.tell(i.Answer("name", ("TS", "7D")))
    played.tell(i.CardUnread("no code"))
    assert played.refused(i.Answer("name", ("9C", "TH"))).message == "One card left the shoe: name it."


def test_cards_named_before_the_round_come_into_it_in_the_order_they_left_the_shoe() -> None:
    played = Played().ready()
    played.tell(i.CardUnread("two cards at once", cards=2))
    played.cards("9C TH")
    played.tell(i.Answer("name", ("TS", "7D")))
    assert played.held == ["game_before_time", "behind_a_question", "behind_a_question", "behind_a_question"]
    assert question(played.table).answers == ("begin", "burn")  # type: ignore[union-attr]
    played.tell(i.Answer("begin"))
    assert played.held == []
    assert [drawn.card for drawn in played.table.state.round.cards] == ["TS", "7D", "9C", "TH"]  # type: ignore[union-attr]


@pytest.mark.parametrize("answer", ["begin", "burn"])
def test_a_card_that_was_named_by_hand_stays_so_marked_through_every_question(answer: i.AnswerName) -> None:
    played = Played().ready()
    played.tell(i.CardUnread("no code"))
    played.tell(i.Answer("name", ("TS",)))
    told = played.tell(i.Answer(answer))
    assert [each.source for each in told if isinstance(each, e.CardDrawn | e.CardBurned)] == ["manual"]


def test_a_named_card_that_is_taken_back_and_dealt_elsewhere_stays_marked() -> None:
    played = Played().ready(1, 2)
    played.tell(i.OpenRound())
    played.cards("TS 9H 7D 5C 2C TH")
    played.tell(i.CardUnread("no code"))
    played.tell(i.Answer("name", ("3D",)))
    played.tell(i.TakeBack())
    played.tell(i.Decision(1, 1, "stand"))
    told = played.tell(i.Answer("deal"))
    assert told[0] == e.CardDrawn("3D", "manual", 2)
    assert public_view(played.table).hands[1].cards == ("9H", "2C", "3D")


def test_a_round_is_not_offered_where_none_can_begin() -> None:
    played = Played()
    played.tell(i.OpenTable())
    played.tell(i.Wager(1, "10"))
    played.tell(i.CardLeftShoe("TS"))
    assert question(played.table).answers == ("burn",), "no shoe is loaded"  # type: ignore[union-attr]
    played.tell(i.Answer("burn"))
    played.tell(i.Shoe("load"))
    played.tell(i.DeviceTrouble("shoe", "its cable is out", holds=True))
    played.tell(i.CardLeftShoe("TS"))
    assert question(played.table).answers == ("burn",), "the shoe is gone"  # type: ignore[union-attr]
    played.tell(i.DeviceWell("shoe"))
    assert question(played.table).answers == ("begin", "burn")  # type: ignore[union-attr]


def test_undoing_a_card_takes_back_no_other_that_the_shoe_may_still_tell() -> None:
    played = Played().ready()
    played.tell(i.OpenRound())
    played.cards("5S 7D")
    played.tell(i.DeviceTrouble("shoe", "its cable is out", holds=True))
    played.tell(i.Answer("by_hand"))
    played.tell(i.Card("4C"))
    played.tell(i.DeviceWell("shoe"))
    before = played.table.state
    played.tell(i.Card("TH"))
    played.tell(i.Undo())
    assert played.table.state.by_hand == before.by_hand == ("4C",)
    played.tell(i.CardLeftShoe("4C"))
    assert played.held == ["named_already"]


def test_an_undo_while_the_shoe_is_away_again_leaves_its_time_as_it_was() -> None:
    played = Played().ready()
    played.tell(i.OpenRound())
    played.cards("5S 7D")
    for _ in range(2):
        played.tell(i.DeviceTrouble("shoe", "its cable is out", holds=True))
        played.tell(i.Answer("by_hand"))
        before = played.table.state
        played.tell(i.Card("4C"))
        played.tell(i.Undo())
        assert msgspec.structs.replace(played.table.state, sequence=before.sequence) == before
        played.tell(i.Card("4C"))
        played.tell(i.DeviceWell("shoe"))
