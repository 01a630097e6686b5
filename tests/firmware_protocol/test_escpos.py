"""The pole display: the manual's bytes, a decoder that keeps the contract, and a model that shows what was sent."""

import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_protocol import escpos
from firmware_protocol.escpos import Decoder, PoleDisplay
from firmware_protocol.wire import BadFrame, Decoded
from tests.firmware_protocol.decoder_contract import CHECKS, Case

LIMITS = bytes.fromhex("1B 40 1F 01 0C 1F 24 01 01") + b"MIN 25" + bytes.fromhex("1F 24 01 02") + b"MAX 500"
LINE = st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E), max_size=20)
CASE = Case(
    name="escpos",
    make=Decoder,
    frames=(
        escpos.initialise(),
        escpos.clear(),
        escpos.home(),
        escpos.overwrite_mode(),
        escpos.move(20, 2),
        escpos.brightness(4),
        escpos.blink(0x1F),
    ),
    frame=re.compile(
        rb"\x1b\x40|\x0c|\x0b|\x1f\x01|\x1f\x24[\x01-\x14][\x01\x02]|\x1f\x58[\x01-\x04]|\x1f\x45[\x00-\xff]"
        rb"|[ -~]{1,40}"
    ),
    resync=b"\xff\xff\xff",  # more than any command can still want
)


def display(*pieces: bytes) -> PoleDisplay:
    pole = PoleDisplay()
    for piece in pieces:
        pole.receive(piece)
    return pole


def decode(*pieces: bytes) -> list[Decoded]:
    decoder = Decoder()
    return [event for piece in pieces for event in decoder.feed(piece)] + decoder.close()


@pytest.mark.parametrize("check", CHECKS)
def test_the_pole_decoder_keeps_the_contract(check: Callable[[Case], None]) -> None:
    check(CASE)


def test_two_lines_are_the_bytes_of_the_manual() -> None:
    assert escpos.lines("MIN 25", "MAX 500") == LIMITS


def test_each_command_has_the_bytes_of_the_manual() -> None:
    assert escpos.initialise() == b"\x1b\x40"
    assert (escpos.clear(), escpos.home()) == (b"\x0c", b"\x0b")
    assert escpos.move(20, 2) == b"\x1f\x24\x14\x02"
    assert escpos.overwrite_mode() == b"\x1f\x01"
    assert [escpos.brightness(level) for level in range(1, 5)] == [
        b"\x1fX\x01",
        b"\x1fX\x02",
        b"\x1fX\x03",
        b"\x1fX\x04",
    ]
    assert (escpos.blink(0), escpos.blink(255)) == (b"\x1fE\x00", b"\x1fE\xff")


@pytest.mark.parametrize("place", [(0, 1), (21, 1), (1, 0), (1, 3), (-1, 1)])
def test_a_place_outside_the_display_is_refused(place: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="columns 1 to 20 and lines 1 to 2"):
        escpos.move(*place)


def test_brightness_and_blinking_out_of_range_are_refused() -> None:
    for level in (0, 5, -1):
        with pytest.raises(ValueError, match="brightness is 1 to 4"):
            escpos.brightness(level)
    for n in (-1, 256):
        with pytest.raises(ValueError, match="blinking is 0 to 255"):
            escpos.blink(n)


def test_a_line_too_long_is_refused_and_not_cut() -> None:
    assert escpos.text("x" * 20) == b"x" * 20
    for call in (escpos.text, lambda words: escpos.lines(words, ""), lambda words: escpos.refresh("", words)):
        with pytest.raises(ValueError, match=r"20 characters; .* has 21"):
            call("x" * 21)


@pytest.mark.parametrize("character", ["\n", "\x1b", "\x7f", "é", "♠"])
def test_a_character_the_display_has_not_is_refused_by_its_place(character: str) -> None:
    with pytest.raises(ValueError, match=r"can't show .* \(character 2 of"):
        escpos.text(f"A{character}")


def test_a_capture_is_told_command_by_command() -> None:
    assert decode(LIMITS) == [
        escpos.DisplayInitialised(offset=0),
        escpos.OverwriteSet(offset=2),
        escpos.DisplayCleared(offset=4),
        escpos.CursorMoved(offset=5, x=1, y=1),
        escpos.TextWritten(offset=9, text="MIN 25"),
        escpos.CursorMoved(offset=15, x=1, y=2),
        escpos.TextWritten(offset=19, text="MAX 500"),
    ]
    assert decode(escpos.home() + escpos.brightness(2) + escpos.blink(10)) == [
        escpos.CursorHomed(offset=0),
        escpos.BrightnessSet(offset=1, level=2),
        escpos.BlinkSet(offset=4, n=10),
    ]


def test_a_capture_is_told_alike_in_every_cutting() -> None:
    whole = decode(LIMITS)
    for first in range(len(LIMITS) + 1):
        for second in range(first, len(LIMITS) + 1):
            assert decode(LIMITS[:first], LIMITS[first:second], LIMITS[second:]) == whole


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"\x1f\x24\x15\x01", "no place"),
        (b"\x1f\x2411", "no place"),  # the digits as characters: a common mistake
        (b"\x1f\x58\x05", "brightness"),
        (b"\x1f\x43", "unknown command 1f 43"),
        (b"\x1b\x41", "unknown command 1b 41"),
        (b"\x00\x80\xff", "printable ASCII"),
        (b"\x1f\x24\x01", "breaks off"),
        (b"\x1b", "breaks off"),
    ],
)
def test_what_the_display_would_not_understand_says_why_and_changes_nothing(data: bytes, words: str) -> None:
    bad, good = decode(data, escpos.initialise())
    assert isinstance(bad, BadFrame)
    assert words in bad.reason
    assert bad.data == data
    assert good == escpos.DisplayInitialised(offset=len(data))
    pole = display(LIMITS, data, escpos.move(8, 1) + b"x")
    assert pole.shown() == ("MIN 25 x            ", "MAX 500             ")
    assert pole.not_understood


def test_the_display_shows_text_at_once_and_before_anything_follows() -> None:
    assert display(LIMITS).shown() == ("MIN 25              ", "MAX 500             ")
    assert display(LIMITS).cursor == (8, 2)


def test_text_goes_on_in_the_next_line_and_then_at_the_top() -> None:
    pole = display(escpos.lines("", ""), escpos.move(19, 1), b"abcd", escpos.move(20, 2), b"xy")
    assert pole.shown() == ("y                 ab", "cd                 x")


def test_clear_and_home_and_initialise_do_what_they_say() -> None:
    pole = display(LIMITS, escpos.home(), b"M")
    assert (pole.shown()[0].strip(), pole.cursor) == ("MIN 25", (2, 1))
    pole.receive(escpos.brightness(1) + escpos.blink(5) + escpos.clear())
    assert (pole.shown(), pole.cursor) == ((" " * 20, " " * 20), (1, 1))
    assert (pole.brightness, pole.blink, pole.overwrite) == (1, 5, True)
    pole.receive(escpos.initialise())
    assert (pole.brightness, pole.blink, pole.overwrite) == (4, 0, False)


def test_a_dark_display_keeps_its_lines() -> None:
    pole = display(LIMITS, escpos.blink(escpos.DARK))
    assert pole.shown() == (" " * 20, " " * 20)
    pole.receive(escpos.blink(escpos.STEADY))
    assert pole.shown()[0].strip() == "MIN 25"


@given(LINE, LINE, LINE, LINE)
def test_any_two_lines_are_shown_and_refreshed(top: str, bottom: str, new_top: str, new_bottom: str) -> None:
    pole = display(escpos.lines(top, bottom))
    assert pole.shown() == (top.ljust(20), bottom.ljust(20))
    pole.receive(escpos.refresh(new_top, new_bottom))
    assert pole.shown() == (new_top.ljust(20), new_bottom.ljust(20))


@given(st.lists(st.one_of(st.binary(max_size=30), st.sampled_from(CASE.frames)), max_size=10))
def test_whatever_the_display_receives_it_has_two_lines_of_twenty(pieces: list[bytes]) -> None:
    pole, by_bytes = display(*pieces), display(*(bytes([byte]) for byte in b"".join(pieces)))
    assert [len(line) for line in pole.shown()] == [20, 20]
    assert (pole.shown(), pole.cursor, pole.not_understood) == (
        by_bytes.shown(),
        by_bytes.cursor,
        by_bytes.not_understood,
    )
