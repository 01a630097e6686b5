"""The Angel Eye driver's link on a fake clock: its count, its copies, its errors, and that nothing is ever sent."""

from __future__ import annotations

import pytest

from drivers import base
from drivers.base import Ready
from drivers.shoes.angel_eye import AGAIN, FIRST, AngelEyeLink, AngelEyeShoe
from firmware_protocol.angel_eye import ENQ, ETX, check_digits
from firmware_protocol.angel_eye import AngelEyeShoe as Device
from tests.drivers.shoes.bench import Bench


def opened() -> tuple[AngelEyeLink, Device]:
    link = AngelEyeLink()
    link.opened(0)
    return link, Device()


def test_three_copies_are_one_card() -> None:
    link, shoe = opened()
    copy = shoe.draw("8S")
    said = [each for now in (0.0, 0.05, 0.1) for each in link.receive(copy, now)]
    assert said == [base.CardRead(card="8S", sequence="1")]


def test_the_same_card_twice_in_a_row_is_two_cards() -> None:
    link, shoe = opened()
    said = link.receive(shoe.draw("8S") * 3 + shoe.draw("8S") * 3, 0)
    assert [each.sequence for each in said if isinstance(each, base.CardRead)] == ["1", "2"]


def test_a_jump_in_the_count_is_told_before_the_event_that_shows_it() -> None:
    link, shoe = opened()
    link.receive(shoe.draw("8S"), 0)
    shoe.draw("9S")
    shoe.draw("TS")
    assert link.receive(shoe.draw("JS"), 1) == [
        base.EventsMissed(words="the shoe's count went from 1 to 4: 2 events did not arrive, or nine more"),
        base.CardRead(card="JS", sequence="4"),
    ]
    assert link.receive(shoe.draw("QS"), 2) == [base.CardRead(card="QS", sequence="5")]


def test_the_count_goes_round_after_nine_without_a_word() -> None:
    link, shoe = opened()
    said = [each for number in range(30) for each in link.receive(shoe.draw("8S"), number)]
    assert len(said) == 30
    assert all(isinstance(each, base.CardRead) for each in said)


def test_the_first_contact_and_every_later_one_are_unproven_each_in_its_own_words() -> None:
    link, shoe = opened()
    assert AngelEyeLink().opened(0) == [Ready(identity="Angel Eye shoe", proven=False, words=FIRST)]
    link.receive(shoe.draw("8S"), 0)
    link.closed()
    assert link.opened(1) == [Ready(identity="Angel Eye shoe", proven=False, words=AGAIN)]


def test_a_card_missed_while_unplugged_is_told() -> None:
    link, shoe = opened()
    link.receive(shoe.draw("8S"), 0)
    link.closed()
    shoe.draw("9S")
    link.opened(60)
    said = link.receive(shoe.draw("TS"), 60)
    assert [type(each) for each in said] == [base.EventsMissed, base.CardRead]


def test_the_next_card_after_an_interruption_is_a_card_like_any_other() -> None:
    link, shoe = opened()
    link.receive(shoe.draw("8S"), 0)
    link.closed()
    link.opened(60)
    assert link.receive(shoe.draw("8S"), 60) == [base.CardRead(card="8S", sequence="2")]


def test_a_copy_that_comes_over_a_new_connection_is_no_second_card() -> None:
    link, shoe = opened()
    copy = shoe.draw("8S")
    link.receive(copy, 0)
    link.closed()
    link.opened(0.08)
    assert link.receive(copy, 0.1) == []


def test_a_copy_that_comes_much_later_asks_for_a_person_and_is_no_card() -> None:
    link, shoe = opened()
    copy = shoe.draw("8S")
    link.receive(copy, 0)
    link.closed()
    link.opened(60)
    said = link.receive(copy, 60)
    assert [type(each) for each in said] == [base.AttentionAsked]
    assert isinstance(said[0], base.AttentionAsked)
    assert said[0].card == "8S"
    assert "out of turn" in said[0].reason


def test_several_copies_that_waited_in_a_serial_server_are_no_cards_either() -> None:
    link, shoe = opened()
    copies = [shoe.draw("8S"), shoe.draw("9S")]
    for at, copy in enumerate(copies):
        link.receive(copy, at)
    link.closed()
    link.opened(60)
    said = link.receive(b"".join(copies), 60)
    assert {type(each) for each in said} == {base.AttentionAsked}


def test_the_same_card_under_the_same_number_a_round_later_is_a_card_and_what_came_between_was_missed() -> None:
    link, shoe = opened()
    for at, card in enumerate(("8S", "9S", "TS", "JS", "QS", "KS", "AS", "2S", "3S")):
        link.receive(shoe.draw(card), at)
    shoe.draw("8S")  # 1 to 3 do not arrive
    shoe.draw("9S")
    shoe.draw("TS")
    said = link.receive(shoe.draw("JS"), 20)
    assert [type(each) for each in said] == [base.EventsMissed, base.CardRead]
    assert said[1] == base.CardRead(card="JS", sequence="4")


def test_a_piece_of_the_stream_that_comes_twice_makes_no_second_card() -> None:
    link, shoe = opened()
    two = shoe.draw("8S") + shoe.draw("9S")
    said = link.receive(two + two, 0)
    assert [each.card for each in said if isinstance(each, base.CardRead)] == ["8S", "9S"]
    assert len([each for each in said if isinstance(each, base.AttentionAsked)]) == 1


def test_a_shoe_that_starts_anew_begins_a_new_count() -> None:
    link, shoe = opened()
    link.receive(shoe.draw("8S") + shoe.draw("9S"), 0)
    restarted = Device()
    assert link.receive(restarted.start() + restarted.draw("8S"), 1) == [
        base.ShoeStarted(sequence="1"),
        base.CardRead(card="8S", sequence="2"),
    ]


def test_numbers_nobody_has_seen_are_taken_as_they_are() -> None:
    link, shoe = opened()
    link.receive(shoe.draw("8S"), 0)
    body = b"\x41D\x81\xb8" + bytes([ETX])
    said = link.receive(bytes([ENQ]) + body + check_digits(body), 1)
    assert said == [base.CardRead(card="8S", sequence="A")]
    assert link.receive(shoe.draw("9S"), 2) == [base.CardRead(card="9S", sequence="2")]


@pytest.mark.parametrize("body", [b"2Z", b"2Z\x81", b"2M\x81\x82"], ids=["a letter", "with payload", "a short preset"])
def test_a_sound_frame_nobody_knows_keeps_its_place_in_the_count(body: bytes) -> None:
    link, shoe = opened()
    link.receive(shoe.draw("8S"), 0)
    body += bytes([ETX])
    unknown = bytes([ENQ]) + body + check_digits(body)
    said = [each for now in (1.0, 1.05, 1.1) for each in link.receive(unknown, now)]
    assert [type(each) for each in said] == [base.Noticed]
    shoe.draw("9S")
    assert link.receive(shoe.draw("TS"), 2) == [base.CardRead(card="TS", sequence="3")]


@pytest.mark.parametrize(
    "body",
    [b"2D\x81\xb9b\x98\xd4.", b"2\xc0zD\x81\xb9\xc0z", b"2D\x81\xb9\x80", b"2Zz\x81", b"2D9A"],
    ids=["behind the card", "before its letter", "a byte too many", "text behind an unknown letter", "bits 7 are off"],
)
def test_a_damaged_event_whose_check_digits_are_right_by_chance_did_not_arrive(body: bytes) -> None:
    link, shoe = opened()
    link.receive(shoe.draw("8S"), 0)
    body += bytes([ETX])
    said = link.receive(bytes([ENQ]) + body + check_digits(body), 1)
    assert [type(each) for each in said] == [base.Noticed]
    shoe.draw("9S")
    assert [type(each) for each in link.receive(shoe.draw("TS"), 2)] == [base.EventsMissed, base.CardRead]


def test_an_overdraw_is_noticed_and_stops_nothing() -> None:
    link, shoe = opened()
    said = link.receive(shoe.error(2) + shoe.cancel(2), 0)
    assert [type(each) for each in said] == [base.Noticed, base.Noticed]
    assert "baccarat" in str(said[0])


@pytest.mark.parametrize("code", [4, 5])
def test_a_card_that_ran_back_is_told_as_every_shoe_tells_it(code: int) -> None:
    link, shoe = opened()
    said = link.receive(shoe.error(code), 0)
    assert [type(each) for each in said] == [base.CardRanBack, base.FaultReported]


def test_other_errors_stop_the_shoe_where_it_says_so_and_are_cleared() -> None:
    link, shoe = opened()
    assert link.receive(shoe.error(1) + shoe.error(3, error_mode=False) + shoe.cancel(1), 0) == [
        base.FaultReported(words="cannot read the card", code=1, stopped=True, sequence="1"),
        base.FaultReported(words="button mishandled", code=3, stopped=False, sequence="2"),
        base.FaultCleared(words="cannot read the card", code=1, sequence="3"),
    ]


def test_everything_else_it_says_has_its_event() -> None:
    link, shoe = opened()
    sent = [shoe.stand_by(), shoe.draw("8S", in_game=False), shoe.disagree("9S"), shoe.result(0x11), shoe.lock(True)]
    assert link.receive(b"".join(sent), 0) == [
        base.StoodBy(sequence="1"),
        base.CardRead(card="8S", in_game=False, sequence="2"),
        base.AttentionAsked(reason="the shoe's readings disagree", card="9S", sequence="3"),
        base.Noticed(words="the shoe's own result (91)", sequence="4"),
        base.LockChanged(locked=True, sequence="5"),
    ]


def test_replies_that_nobody_asked_for_are_counted_and_told_together() -> None:
    link, _ = opened()
    body = b"OP" + bytes([ETX])
    replies = b"\x06" + b"\x150" + b"\x02" + body + check_digits(body)
    said = [each for _ in range(1000) for each in link.receive(replies, 0)] + link.poll(10)
    assert [type(each) for each in said] == [base.Noticed, base.Noticed]
    assert "the shoe replied" in str(said[0])
    assert "2997 pieces" in str(said[1])


def test_a_reply_between_the_copies_of_an_event_makes_no_second_card() -> None:
    link, shoe = opened()
    copy = shoe.draw("8S")
    said = link.receive(copy + b"\x06" + copy + b"\x150" + copy, 0)
    assert [each for each in said if not isinstance(each, base.Noticed)] == [base.CardRead(card="8S", sequence="1")]


def test_nothing_is_ever_sent_to_this_shoe() -> None:
    bench = Bench("angel_eye", seed=3)
    bench.join()
    for name in ("bit_flip", "garbage", "duplicate"):
        bench.faults.switch(name, 0.3)
        for _ in range(10):
            bench.shoe.deal()
            bench.wait(0.3)
        bench.faults.switch(name, None)
    bench.part()
    bench.join()
    bench.wait(10)
    assert bench.sent == b""


def test_a_lock_or_a_commit_sends_nothing_either() -> None:
    shoe = AngelEyeShoe(AngelEyeShoe.Settings(port="/dev/null"))
    shoe.lock(True)
    shoe.committed(base.CardRead(card="8S"))
    assert not shoe.can_lock
    assert shoe._link.data_to_send(0) == b""
