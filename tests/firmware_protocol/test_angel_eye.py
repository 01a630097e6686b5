"""The Angel Eye shoe's link against wire captures: what each frame says, what is a repeat, what is refused."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_protocol.angel_eye import CAPABILITIES, REPEATS, AngelEyeShoe, Decoder
from firmware_protocol.shoe_events import (
    Attention,
    CardRead,
    CutCardSeen,
    Error,
    ErrorCleared,
    LockChanged,
    Misread,
    Notice,
    ShoeStarted,
    StandBy,
)
from firmware_protocol.wire import BadFrame, Decoded

# Spelt out here and not taken from the module: rank 1 is the ace, suit 1 is diamonds.
DECK = [(rank + suit, suit_number << 4 | rank_number)
        for suit_number, suit in enumerate("DCSH", start=1)
        for rank_number, rank in enumerate("A23456789TJQK", start=1)]  # fmt: skip

VECTORS: list[tuple[str, str, Callable[[AngelEyeShoe], bytes], Decoded]] = [
    ("05 31 53 03 36 31", "1", lambda shoe: shoe.start(), ShoeStarted(offset=0, sequence="1")),
    (
        "05 31 44 81 B8 03 34 46",
        "1",
        lambda shoe: shoe.draw("8S", target="player", index=1),
        CardRead(offset=0, card="8S", sequence="1"),
    ),
    (
        "05 37 44 91 A5 03 34 34",
        "7",
        lambda shoe: shoe.draw("5C", target="banker", index=1),
        CardRead(offset=0, card="5C", sequence="7"),
    ),
    (
        "05 36 44 A1 CD 03 31 44",
        "6",
        lambda shoe: shoe.burn("KH"),
        CardRead(offset=0, card="KH", sequence="6"),
    ),
    ("05 33 43 03 37 33", "3", lambda shoe: shoe.cut_card(), CutCardSeen(offset=0, sequence="3")),
    (
        "05 32 47 91 03 45 37",
        "2",
        lambda shoe: shoe.result(0x11),
        Notice(offset=0, words="the shoe's own result", data="91", sequence="2"),
    ),
    (
        "05 34 45 C1 03 42 33",
        "4",
        lambda shoe: shoe.error(1, error_mode=True),
        Error(offset=0, words="cannot read the card", code=1, error_mode=True, sequence="4"),
    ),
    ("05 35 4C 81 03 46 42", "5", lambda shoe: shoe.lock(True), LockChanged(offset=0, locked=True, sequence="5")),
]


def decode(*pieces: bytes) -> list[Decoded]:
    decoder = Decoder()
    return [event for piece in pieces for event in decoder.feed(piece)] + decoder.close()


def framed(body: bytes) -> bytes:
    """A frame with right check digits, worked out here and not by the module."""
    check = 0
    for byte in body + b"\x03":
        check ^= byte
    return b"\x05" + body + b"\x03" + f"{check:02X}".encode()


@pytest.mark.parametrize(("wire", "sequence", "send", "event"), VECTORS, ids=[wire for wire, *_ in VECTORS])
def test_a_captured_frame_is_read_and_is_what_the_device_end_sends(
    wire: str, sequence: str, send: Callable[[AngelEyeShoe], bytes], event: Decoded
) -> None:
    assert decode(bytes.fromhex(wire)) == [event]
    assert send(AngelEyeShoe(sequence)) == bytes.fromhex(wire)


@pytest.mark.parametrize(("card", "number"), DECK, ids=[card for card, _ in DECK])
def test_each_of_the_52_cards_goes_through_the_wire(card: str, number: int) -> None:
    wire = AngelEyeShoe().draw(card)
    assert wire == framed(b"1D\x81" + bytes([0x80 | number]))
    assert decode(wire) == [CardRead(offset=0, card=card, sequence="1")]


@pytest.mark.parametrize(
    ("send", "event"),
    [
        (lambda shoe: shoe.stand_by(), StandBy(offset=0, sequence="1")),
        (lambda shoe: shoe.draw("TD", in_game=False), CardRead(offset=0, card="TD", in_game=False, sequence="1")),
        (lambda shoe: shoe.draw_unread(), Misread(offset=0, reason="card byte 80 names no card", sequence="1")),
        (
            lambda shoe: shoe.disagree("QH"),
            Attention(offset=0, reason="the shoe's readings disagree", card="QH", sequence="1"),
        ),
        (lambda shoe: shoe.error(2, error_mode=False), Error(offset=0, words="overdraw", code=2, sequence="1")),
        (
            lambda shoe: shoe.error(63),
            Error(offset=0, words="unknown error 63", code=63, error_mode=True, sequence="1"),
        ),
        (lambda shoe: shoe.cancel(7), ErrorCleared(offset=0, words="drawing took too long", code=7, sequence="1")),
        (lambda shoe: shoe.lock(False), LockChanged(offset=0, locked=False, sequence="1")),
        (
            lambda shoe: shoe.preset(bytes(range(6))),
            Notice(offset=0, words="the shoe's preset was changed", data="808182838485", sequence="1"),
        ),
    ],
)
def test_what_the_device_end_sends_is_what_the_host_end_reads(
    send: Callable[[AngelEyeShoe], bytes], event: Decoded
) -> None:
    assert decode(send(AngelEyeShoe())) == [event]


def test_a_whole_shoe_sent_three_times_over_is_read_once_each() -> None:
    shoe = AngelEyeShoe()
    cards = [card for card, _ in DECK] * 8
    wire = b"".join(shoe.draw(card) * REPEATS for card in cards)
    read = decode(wire)
    assert [event.card for event in read if isinstance(event, CardRead)] == cards
    assert [event.sequence for event in read if isinstance(event, CardRead)] == list("123456789" * 47)[: len(cards)]


def test_the_same_card_twice_in_a_row_is_two_cards() -> None:
    shoe = AngelEyeShoe()
    first, second = shoe.draw("8S"), shoe.draw("8S")
    assert [event.offset for event in decode(first * 3 + second * 3)] == [0, 3 * len(first)]


def test_the_same_number_and_card_nine_events_later_is_a_new_card() -> None:
    shoe = AngelEyeShoe()
    wires = [shoe.draw(card) for card in ["8S", "2D", "3D", "4D", "5D", "6D", "7D", "9D", "TD", "8S"]]
    assert wires[0] == wires[9]
    assert len(decode(b"".join(wire * 3 for wire in wires))) == 10


@pytest.mark.parametrize("damaged", [(0,), (0, 1), (1,), (2,), (0, 2)])
def test_one_sound_copy_of_three_is_enough_and_counts_once(damaged: tuple[int, ...]) -> None:
    copies = [AngelEyeShoe().draw("8S") for _ in range(REPEATS)]
    for i in damaged:
        copies[i] = copies[i][:4] + b"\xb9" + copies[i][5:]
    found = decode(b"".join(copies))
    assert [event.card for event in found if isinstance(event, CardRead)] == ["8S"]
    assert all(isinstance(event, CardRead | BadFrame) for event in found)


def test_a_reply_between_two_copies_does_not_make_the_second_a_new_card() -> None:
    wire = AngelEyeShoe().draw("8S")
    assert [type(event) for event in decode(wire + b"\x06" + wire)] == [CardRead, Notice]


def test_after_close_a_decoder_starts_afresh_but_goes_on_counting_bytes() -> None:
    wire = AngelEyeShoe().draw("8S")
    decoder = Decoder()
    assert [event.offset for event in decoder.feed(wire) + decoder.close()] == [0]
    assert [event.offset for event in decoder.feed(wire) + decoder.close()] == [len(wire)]


@pytest.mark.parametrize(
    ("wire", "words", "data"),
    [
        (b"\x06", "the shoe acknowledged (ACK)", ""),
        (b"\x151", "the shoe refused (NAK)", "31"),
        (b"\x02OK\x0307", "the shoe replied", "4f4b"),
    ],
)
def test_a_reply_is_a_notice(wire: bytes, words: str, data: str) -> None:
    assert decode(wire) == [Notice(offset=0, words=words, data=data)]


def test_a_nak_that_lost_its_code_does_not_eat_the_frame_behind_it() -> None:
    bad, event = decode(b"\x15" + AngelEyeShoe().draw("8S"))
    assert bad == BadFrame(offset=0, reason="a NAK without its code", data=b"\x15")
    assert event == CardRead(offset=1, card="8S", sequence="1")


def test_an_acknowledgement_amid_noise_is_noise() -> None:
    assert decode(b"\x00\x06\x00") == [BadFrame(offset=0, reason="bytes outside any frame", data=b"\x00\x06\x00")]


def test_check_digits_in_lower_case_are_wrong() -> None:
    wire = bytes.fromhex("05 31 44 81 B8 03") + b"4f"
    assert decode(wire) == [BadFrame(offset=0, reason="wrong check digits, 4F would be right", data=wire)]


@pytest.mark.parametrize("wire", [framed(b"1"), b"\x02\x0303"])
def test_a_frame_without_data_is_no_frame(wire: bytes) -> None:
    assert decode(wire) == [BadFrame(offset=0, reason="a frame without data", data=wire)]


def test_each_run_of_noise_has_its_own_reason() -> None:
    good = AngelEyeShoe().draw("8S")
    reasons = [event.reason for event in decode(good[:-1] + b"?" + good + b"\x00") if isinstance(event, BadFrame)]
    assert reasons == ["wrong check digits, 4F would be right", "bytes outside any frame"]


@pytest.mark.parametrize("card", ["AS", "8S", "TD", "KH"])
def test_no_single_flipped_bit_makes_a_card_of_a_damaged_frame(card: str) -> None:
    wire = AngelEyeShoe().draw(card)
    for bit in range(8 * len(wire)):
        damaged = bytearray(wire)
        damaged[bit // 8] ^= 1 << bit % 8
        assert not [event for event in decode(bytes(damaged)) if isinstance(event, CardRead | Misread)], damaged.hex()


def test_a_good_frame_behind_a_false_start_is_found() -> None:
    good = AngelEyeShoe().draw("8S")
    for false_start in (b"\x05", b"\x05\x05", b"\x051D", b"\x051D\x81\xb8\x03", b"\x051D\x81\xb8\x034", b"\x02OP"):
        bad, event = decode(false_start + good)
        assert isinstance(bad, BadFrame)
        assert bad.data == false_start
        assert event == CardRead(offset=len(false_start), card="8S", sequence="1")


def test_128_bytes_before_the_end_of_frame_are_the_most() -> None:
    longest = framed(b"1Z" + b"\x80" * 125)
    assert decode(longest) == [BadFrame(offset=0, reason="unknown message 'Z'", data=longest)]
    too_long = framed(b"1Z" + b"\x80" * 126)
    found = decode(too_long + AngelEyeShoe().draw("8S"))
    assert isinstance(found[0], BadFrame)
    assert found[0].reason == "no end of frame within 128 bytes"
    assert found[-1] == CardRead(offset=len(too_long), card="8S", sequence="1")


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"1Z", "unknown message 'Z'"),
        (b"1D\x81", "message 'D' with 1 bytes of payload, not 2"),
        (b"1S\x81", "message 'S' with 1 bytes of payload, not 0"),
        (b"1M\x81", "message 'M' with 1 bytes of payload, not 6"),
        (b"1D\x818", "message 'D' with a payload byte whose bit 7 is not set"),
        (b"1EA", "message 'E' with a payload byte whose bit 7 is not set"),
    ],
)
def test_a_sound_frame_that_makes_no_sense_is_a_bad_frame_of_its_own(body: bytes, reason: str) -> None:
    wire = framed(body)
    assert decode(b"\x00" + wire)[1:] == [BadFrame(offset=1, reason=reason, data=wire)]


@given(st.integers(0x80, 0xFF), st.integers(0x80, 0xFF))
def test_a_drawn_card_is_always_a_card_or_a_misread_whatever_its_target(target: int, card: int) -> None:
    cards = {0x80 | number: name for name, number in DECK}
    (event,) = decode(framed(bytes([0x31, ord("D"), target, card])))
    if card in cards:
        assert event == CardRead(offset=0, card=cards[card], sequence="1")
    else:
        assert event == Misread(offset=0, reason=f"card byte {card:02X} names no card", sequence="1")


@given(st.integers(0, 255))
def test_any_byte_may_number_an_event(number: int) -> None:
    assert decode(framed(bytes([number]) + b"C")) == [CutCardSeen(offset=0, sequence=chr(number))]


@pytest.mark.parametrize(
    ("send", "words"),
    [
        (lambda shoe: shoe.draw("10S"), "'10S' is no card"),
        (lambda shoe: shoe.draw("1S"), "'1S' is no card"),
        (lambda shoe: shoe.draw("8x"), "'8x' is no card"),
        (lambda shoe: shoe.draw("8S", target="dealer"), "'dealer' is no target of this shoe: player, banker, burn"),
        (lambda shoe: shoe.draw("8S", index=16), "a card's place is 1 to 15, not 16"),
        (lambda shoe: shoe.error(0), "an error code is 1 to 63, not 0"),
        (lambda shoe: shoe.cancel(64), "an error code is 1 to 63, not 64"),
        (lambda shoe: shoe.result(128), "a payload byte carries 0 to 127, not 128"),
        (lambda shoe: shoe.preset(b"12345"), "a preset has 6 values, not 5"),
    ],
)
def test_the_device_end_refuses_what_the_wire_cannot_carry_and_counts_nothing(
    send: Callable[[AngelEyeShoe], bytes], words: str
) -> None:
    shoe = AngelEyeShoe("4")
    with pytest.raises(ValueError, match=words):
        send(shoe)
    assert shoe.sequence == "4"


@pytest.mark.parametrize("sequence", ["", "0", "A", "12"])
def test_the_device_end_counts_from_1_to_9_only(sequence: str) -> None:
    with pytest.raises(ValueError, match="the shoe counts from 1 to 9"):
        AngelEyeShoe(sequence)


def test_the_shoe_says_what_it_can_tell() -> None:
    assert CAPABILITIES.cut_card
    assert CAPABILITIES.checksum
    assert not CAPABILITIES.answers


def test_a_card_outside_a_game_that_names_no_card_is_a_misread_too() -> None:
    assert decode(framed(b"1d\x81\x80")) == [Misread(offset=0, reason="card byte 80 names no card", sequence="1")]


def test_readings_that_disagree_about_no_card_still_ask_for_attention() -> None:
    (event,) = decode(framed(b"1R\x81\xbe"))
    assert isinstance(event, Attention)
    assert event.card is None


def test_a_shoe_that_restarts_may_tell_the_same_card_with_the_same_number_again() -> None:
    start, card = framed(b"1S"), framed(b"2D\x81\xb8")
    told = decode(start * 3 + card * 3 + start * 3 + card * 3)
    assert [type(event).__name__ for event in told] == ["ShoeStarted", "CardRead", "ShoeStarted", "CardRead"]
