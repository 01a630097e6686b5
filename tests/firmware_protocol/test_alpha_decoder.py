"""The Alpha decoder tells every packet of a capture as a value, and of what is no packet why not."""

import re
from collections.abc import Callable
from functools import reduce
from operator import or_
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_protocol import alpha
from firmware_protocol.alpha import Decoder, SignType, StringFile, TextFile, events
from firmware_protocol.wire import BadFrame, Decoded
from tests.firmware_protocol.decoder_contract import CHECKS, Case, a_run_of_noise_is_reported_once

COMMANDS = (
    alpha.write_text("A", "HELLO", position=None, mode=None),
    alpha.write_text("A", ["LIMITS ", alpha.StringCall("a")]),
    alpha.write_string("a", "25-500"),
    alpha.write_priority("VOID"),
    alpha.release_priority(),
    alpha.erase(),
    alpha.configure_memory(TextFile("A", 256), StringFile("a")),
    alpha.soft_reset(),
    alpha.run_sequence("A", "B"),
    b"W!",
)
CASE = Case(
    name="alpha",
    make=Decoder,
    frames=tuple(alpha.frame(command, checksum=bool(i % 2))[5:] for i, command in enumerate(COMMANDS)),
    frame=re.compile(rb"\x01[ -~][0-9A-F]{2}\x02[\x05-\xff]{0,2042}(\x03[0-9A-F]{4})?\x04"),
    filler=re.compile(rb"\x00"),
)


# One check makes its noise of NULs, which are filler here; the next test does it with other bytes.
@pytest.mark.parametrize("check", [each for each in CHECKS if each is not a_run_of_noise_is_reported_once])
def test_the_alpha_decoder_keeps_the_contract(check: Callable[[Case], None]) -> None:
    check(CASE)


def test_a_run_of_noise_is_reported_once_and_nulls_never() -> None:
    bad, event = decode(bytes(30) + b"noise" + bytes(8) + CASE.frames[0] + bytes(50))
    assert isinstance(bad, BadFrame)
    assert (bad.offset, bad.data) == (30, b"noise")
    assert event.offset == 43


def decode(*pieces: bytes) -> list[Decoded]:
    decoder = Decoder()
    return [event for piece in pieces for event in decoder.feed(piece)] + decoder.close()


def one(data: bytes) -> Decoded:
    (event,) = decode(data)
    return event


ENVELOPE: dict[str, Any] = {"offset": 5, "sign_type": "Z", "address": "00", "checked": True}


@pytest.mark.parametrize(
    ("command", "event"),
    [
        (COMMANDS[0], events.SignText(label="A", position=None, mode=None, data=b"HELLO", **ENVELOPE)),
        (COMMANDS[1], events.SignText(label="A", position=" ", mode="b", data=b"LIMITS \x10a", **ENVELOPE)),
        (b"AA\x1b n0HI", events.SignText(label="A", position=" ", mode="n0", data=b"HI", **ENVELOPE)),
        (COMMANDS[2], events.SignString(label="a", data=b"25-500", **ENVELOPE)),
        (COMMANDS[3], events.PriorityText(position=" ", mode="b", data=b"VOID", **ENVELOPE)),
        (b"A0\x1b b", events.PriorityText(position=" ", mode="b", data=b"", **ENVELOPE)),
        (COMMANDS[4], events.PriorityReleased(**ENVELOPE)),
        (COMMANDS[5], events.MemoryErased(**ENVELOPE)),
        (COMMANDS[6], events.MemoryConfigured(files=(TextFile("A", 256), StringFile("a")), **ENVELOPE)),
        (COMMANDS[7], events.SoftReset(**ENVELOPE)),
        (COMMANDS[8], events.RunSequence(labels="AB", locked=False, **ENVELOPE)),
    ],
)
def test_each_command_is_told_as_what_it_is(command: bytes, event: Decoded) -> None:
    assert one(alpha.frame(command)) == event


def test_everything_told_can_be_written_down_and_read_again() -> None:
    kinds = tuple(events.SignPacket.__subclasses__())
    found = decode(*map(alpha.frame, COMMANDS), alpha.reply(b"GaREAD ME"))
    assert {type(event) for event in found} == set(kinds)
    written = msgspec.json.encode(found)
    assert msgspec.json.decode(written, type=list[reduce(or_, kinds)]) == found  # type: ignore[misc]


def test_the_packet_says_for_whom_it_is_and_whether_it_is_vouched_for() -> None:
    packet = alpha.frame(COMMANDS[2], sign_type=SignType.ONE_LINE, address="0F", checksum=False)
    assert one(packet) == events.SignString(
        offset=5, sign_type="1", address="0F", checked=False, label="a", data=b"25-500"
    )


def test_a_signs_reply_is_a_reply_and_not_a_command() -> None:
    assert one(alpha.reply(b"GaREAD ME")) == events.ReadReply(
        offset=20, sign_type="0", address="00", checked=True, command="G", label="a", data=b"READ ME"
    )


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (b"W!", "Command 'W' with '!' is not known"),
        (b"A", "has no label"),
        (b"AA\x1b", "break off"),
        (b"AA\x1b ", "break off"),
        (b"AA\x1b n", "break off"),
        (b"E$AAU0100FFF", "11 characters a file"),
        (b"E$AAU0100FFFFx", "11 characters a file"),
        (b"E$aBU00140000", "locked"),
        (b"E$aBL0014FFFF", "locked"),
        (b"E$0AU0100FFFF", "priority file"),
        (b"E$AAU0000FFFF", "1 to 65535"),
        (b"E$aBL00FF0000", "1 to 125"),
        (b"E,now", "not known"),
        (b"E.TUA", "not known"),
    ],
)
def test_a_whole_packet_with_a_command_that_can_not_be_read_says_why(command: bytes, words: str) -> None:
    event = one(alpha.frame(command))
    assert isinstance(event, events.UnknownCommand)
    assert words in event.reason
    assert event.data == command


@pytest.mark.parametrize(
    ("packet", "words"),
    [
        (b"\x01Z00\x02AAHELLO\x0301FC\x04", "should be 01FB and is 01FC"),
        (b"\x01Z00\x02AAHELLO\x0301fb\x04", "four upper-case hexadecimal digits"),
        (b"\x01Z00\x02AAHELLO\x0301F\x04", "four upper-case hexadecimal digits"),
        (b"\x01Z00\x02AAHELLO\x03\x04", "four upper-case hexadecimal digits"),
        (b"\x01Z00\x02AAHELLO\x0301FB\x02AB\x04", "four upper-case hexadecimal digits"),
        (b"\x01Z00\x02AAHEL\x02LO\x04", "second STX"),
        (b"\x01Z0\x02AAHELLO\x04", "does not begin with"),
        (b"\x01Z0G\x02AAHELLO\x04", "does not begin with"),
        (b"\x01Z00AAHELLO\x04", "does not begin with"),
        (b"\x01\x04", "does not begin with"),
        (b"Z00\x02AAHELLO\x04", "no SOH"),
        (b"\x01Z00\x02AAHELLO", "breaks off"),
        (b"\x01Z00\x02" + b"x" * 2043, "2048 bytes and no end"),
    ],
)
def test_what_is_no_packet_says_why_and_the_next_packet_is_read(packet: bytes, words: str) -> None:
    bad, good = decode(packet, alpha.frame(COMMANDS[2]))
    assert isinstance(bad, BadFrame)
    assert words in bad.reason
    assert bad.data == packet
    assert isinstance(good, events.SignString)


def test_a_packet_without_a_command_is_told_and_not_obeyed() -> None:
    event = one(b"\x01Z00\x02\x04")
    assert isinstance(event, events.UnknownCommand)
    assert event.reason == "The packet holds no command."


def test_a_packet_cut_by_a_null_is_not_shortened_into_a_good_one() -> None:
    found = decode(b"\x01Z00\x02AAMIN 2\x0050\x04" + CASE.frames[0])
    assert [type(event) for event in found] == [BadFrame, BadFrame, events.SignText]


@given(st.integers(0, 200), st.integers(0, 7), st.sampled_from(COMMANDS))
def test_a_flipped_bit_never_changes_what_a_checked_packet_says(place: int, bit: int, command: bytes) -> None:
    whole = alpha.frame(command)[5:]
    damaged = bytearray(whole)
    damaged[place % len(whole)] ^= 1 << bit
    in_header = place % len(whole) < 4  # type and address stand outside the sum
    good = [event for event in decode(bytes(damaged)) if isinstance(event, events.SignPacket)]
    assert not good or in_header or not good[0].checked
