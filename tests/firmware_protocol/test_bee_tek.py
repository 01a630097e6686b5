"""The Bee-Tek shoe's records: what each says, how much disorder between them is borne, what is refused."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_protocol.bee_tek import CAPABILITIES, MAX_TEXT, BeeTekShoe, Decoder
from firmware_protocol.shoe_events import CardRead, Error, Misread, Notice
from firmware_protocol.wire import BadFrame, Capabilities, Decoded

DECK = [rank + suit for suit in "CDHS" for rank in "A23456789TJQK"]


def decode(stream: bytes) -> list[Decoded]:
    decoder = Decoder()
    return decoder.feed(stream) + decoder.close()


@pytest.mark.parametrize(
    ("record", "event"),
    [
        (b"[Game]<Card:4S>", CardRead(offset=0, card="4S")),
        (b"[Manual Burn Cards]<Card:KH>", CardRead(offset=0, card="KH")),
        (b"<Card:AD>", CardRead(offset=0, card="AD")),
        (b"[Game]<Card:TC>", CardRead(offset=0, card="TC")),
        (b"[Game]<Card:10C>", CardRead(offset=0, card="TC")),
        (b"[Game]<Card:qh>", CardRead(offset=0, card="QH")),
        (b"[Game]<Card: 4S >", CardRead(offset=0, card="4S")),
        (b"[Game]\r\n<Card:4S>", CardRead(offset=0, card="4S")),
        (b"[Game]<Game>", Misread(offset=0, reason="the shoe could not read the card")),
        (b"[Game]<Alarm:E3 Card Not Read>", Error(offset=0, words="E3 Card Not Read", code=3)),
        (b"[GameAlarm]<Alarm:E12 Lid>", Error(offset=0, words="E12 Lid", code=12)),
        (b"[GameAlarm]<Alarm:Exit Blocked>", Error(offset=0, words="Exit Blocked")),
        (b"[GameAlarm]<Alarm:>", Error(offset=0, words="an alarm without words")),
        (b"<W0x01>", Notice(offset=0, words="warning 0x01", data="01")),
    ],
)
def test_a_known_record_is_read(record: bytes, event: Decoded) -> None:
    assert decode(record) == [event]


@pytest.mark.parametrize("card", ["", "1S", "11S", "4", "S", "4X", "4SS", "10", "XX"])
def test_a_card_record_that_names_no_card_is_a_misread(card: str) -> None:
    assert decode(f"[Game]<Card:{card}>".encode()) == [
        Misread(offset=0, reason=f"the shoe named the card {card!r}, which is none")
    ]


@pytest.mark.parametrize("between", [b"", b" ", b"\n", b"\r\n", b"\r", b"\t \r\n\r\n"])
def test_any_white_space_may_stand_between_records(between: bytes) -> None:
    first, second = decode(between.join([b"[Game]<Card:4S>", b"[Game]<Card:KH>"]))
    assert first == CardRead(offset=0, card="4S")
    assert second == CardRead(offset=15 + len(between), card="KH")


def test_stray_characters_are_reported_and_the_records_around_them_read() -> None:
    assert decode(b"[Game]<Card:4S>; and more; [Game]<Card:KH>") == [
        CardRead(offset=0, card="4S"),
        BadFrame(offset=15, reason="characters outside any record", data=b"; and more; "),
        CardRead(offset=27, card="KH"),
    ]


def test_a_line_of_noise_is_reported_at_its_end_and_not_with_the_next_card() -> None:
    decoder = Decoder()
    assert decoder.feed(b"hello there") == []
    assert decoder.feed(b"\r\n") == [BadFrame(offset=0, reason="characters outside any record", data=b"hello there")]


@pytest.mark.parametrize(
    ("damaged", "reason"),
    [
        (b"[Game]<Card:4", "a bracket that is never closed by >"),
        (b"[Gam", "a bracket that is never closed by ]"),
        (b"[Game", "a bracket that is never closed by ]"),
        (b"[Game]Card:4S>", "a mode without its field"),
        (b"<", "a bracket that is never closed by >"),
        (b"[Game]<Ca\x00d:4S>", "a bracket that is never closed by >"),
    ],
)
def test_a_damaged_record_does_not_take_the_next_one_with_it(damaged: bytes, reason: str) -> None:
    assert decode(damaged + b"[Game]<Card:KH>") == [
        BadFrame(offset=0, reason=reason, data=damaged),
        CardRead(offset=len(damaged), card="KH"),
    ]


def test_a_mode_far_from_any_field_belongs_to_none() -> None:
    assert decode(b"[Game]" + b"\n" * 5 + b"<Card:4S>") == [
        BadFrame(offset=0, reason="a mode without its field", data=b"[Game]"),
        CardRead(offset=11, card="4S"),
    ]


@pytest.mark.parametrize("field", [b"", b"Odd", b"card:4S", b"game", b"Card", b"Alarm", b"W0x", b"W0x1", b"w0x01"])
def test_an_unknown_field_is_a_bad_frame_of_its_own(field: bytes) -> None:
    record = b"[Game]<" + field + b">"
    assert decode(record) == [BadFrame(offset=0, reason=f"unknown field {field.decode()!r}", data=record)]


def test_64_characters_between_brackets_are_the_most() -> None:
    longest = "E1 " + "x" * (MAX_TEXT - len("Alarm:E1 "))
    record = f"[{'m' * MAX_TEXT}]<Alarm:{longest}>".encode()
    decoder = Decoder()
    one_by_one = [event for byte in record for event in decoder.feed(bytes([byte]))]
    assert one_by_one == decode(record) == [Error(offset=0, words=longest, code=1)]
    for too_long in (f"<Alarm:{longest}x>", f"[{'m' * (MAX_TEXT + 1)}]"):
        bad, event = decode(f"{too_long}\n<Card:4S>".encode())
        assert bad == BadFrame(offset=0, reason="more than 64 characters between brackets", data=too_long.encode())
        assert event == CardRead(offset=len(too_long) + 1, card="4S")


@pytest.mark.parametrize("line_end", [b"", b" ", b"\n", b"\r\n"])
@pytest.mark.parametrize("ten", ["T", "10"])
@pytest.mark.parametrize("mode", ["Game", "Manual Burn Cards"])
def test_all_52_cards_go_through_the_wire(mode: str, ten: str, line_end: bytes) -> None:
    shoe = BeeTekShoe(mode=mode, ten=ten, line_end=line_end)
    read = decode(b"".join(shoe.draw(card) for card in DECK))
    assert [event.card for event in read if isinstance(event, CardRead)] == DECK
    assert len(read) == 52


def test_the_device_end_writes_the_records_that_were_seen() -> None:
    shoe = BeeTekShoe(line_end=b"")
    assert shoe.draw("KH") == b"[Manual Burn Cards]<Card:KH>"
    assert BeeTekShoe(mode="Game").draw("4S") == b"[Game]<Card:4S>\r\n"
    assert shoe.draw_unread() == b"[Game]<Game>"
    assert shoe.alarm("E3 Card Not Read") == b"[Game]<Alarm:E3 Card Not Read>"
    assert shoe.alarm("E3 Card Not Read", mode="GameAlarm") == b"[GameAlarm]<Alarm:E3 Card Not Read>"
    assert shoe.warning(1) == b"<W0x01>"


@given(st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E, exclude_characters="<>"), max_size=58))
def test_any_alarm_the_device_end_can_send_is_read_with_its_words(text: str) -> None:
    (event,) = decode(BeeTekShoe().alarm(text))
    assert isinstance(event, Error)
    assert event.words == (text.strip() or "an alarm without words")


@pytest.mark.parametrize(
    ("send", "words"),
    [
        (lambda: BeeTekShoe().draw("10S"), "'10S' is no card"),
        (lambda: BeeTekShoe().draw("4s"), "'4s' is no card"),
        (lambda: BeeTekShoe().alarm("a > b"), "cannot be sent as an alarm"),
        (lambda: BeeTekShoe().alarm("x" * 59), "1 to 64 ASCII characters"),
        (lambda: BeeTekShoe().alarm("café"), "ASCII"),
        (lambda: BeeTekShoe().alarm("x", mode="[x]"), "without brackets"),
        (lambda: BeeTekShoe(mode=""), "cannot be sent as a mode"),
        (lambda: BeeTekShoe(line_end=b";"), "white-space"),
        (lambda: BeeTekShoe(ten="X"), "a ten is written T or 10, not 'X'"),
        (lambda: BeeTekShoe().warning(256), "a warning is numbered 0 to 255, not 256"),
    ],
)
def test_the_device_end_refuses_what_the_wire_cannot_carry(send: Callable[[], object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        send()


def test_the_shoe_says_that_it_can_tell_suits_and_nothing_more() -> None:
    assert Capabilities(suits=True) == CAPABILITIES
