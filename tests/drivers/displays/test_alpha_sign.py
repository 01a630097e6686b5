"""The Alpha sign's driver against a clock: gaps, one set-up, STRINGs for what changes, everything again at times."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given

from drivers.base import Text
from drivers.displays.alpha_sign import MEMORY, AlphaLink, AlphaSettings
from firmware_protocol import alpha
from firmware_protocol.alpha.events import (
    MemoryConfigured,
    MemoryErased,
    PriorityReleased,
    PriorityText,
    RunSequence,
    SignString,
    SignText,
)
from firmware_protocol.wire import Decoded
from tests.drivers.displays.driven import Driven
from tests.drivers.displays.test_fitting import CONTENTS

WIRE_S = 11 / 9600  # a byte, at the slowest


def line(text: str) -> Text:
    return Text(page=text, line=text, short=text)


def driven(sign: alpha.AlphaSign | None = None, **settings: Any) -> Driven:
    return Driven(AlphaLink(AlphaSettings(port="the port", **settings)), sign.receive if sign is not None else None)


def events(packets: list[bytes]) -> list[Decoded]:
    return [event for packet in packets for event in alpha.Decoder().feed(packet)]


def set_up_sign() -> alpha.AlphaSign:
    sign = alpha.AlphaSign()
    sign.receive(alpha.frame(alpha.erase()))
    sign.receive(alpha.frame(alpha.configure_memory(*MEMORY)))
    return sign


@pytest.mark.parametrize("gap", [0.25, 0.5, 1.5])
def test_packets_keep_their_gap_and_the_sign_loses_none(gap: float) -> None:
    sign = alpha.AlphaSign()
    run = driven(sign, packet_gap_s=gap)
    run.connect()
    for number in range(40):
        run.link.set_content({"limits": line(f"MIN {number}"), "result": line(f"{number}" * (number % 9))})
        run.run(gap * 0.7)
    run.run(60)
    assert sign.ignored == 0
    assert sign.shown().startswith("MIN 39")
    for (first_at, first), (then, _) in pairwise(run.sent):
        assert then - (first_at + len(first) * WIRE_S) >= gap - 1e-9


def test_it_is_set_up_once_and_never_erased_again() -> None:
    sign = alpha.AlphaSign()
    run = driven(sign)
    for hour in range(24):
        run.connect()
        run.link.set_content({"limits": line(f"MIN {hour}"), "message": line("WAIT")} if hour % 2 else {})
        run.run(3600)
        run.cut()
        run.run(7)
    erased = [event for event in events([data for _, data in run.sent]) if isinstance(event, MemoryErased)]
    assert len(erased) == 1
    assert [type(event) for event in events([data for _, data in run.sent[:2]])] == [MemoryErased, MemoryConfigured]
    assert run.sent[1][0] - run.sent[0][0] >= alpha.ERASE_WAIT_S
    assert sign.ignored == 0


def test_without_setup_it_is_never_erased() -> None:
    sign = set_up_sign()
    run = driven(sign, setup=False)
    run.link.set_content({"limits": line("MIN 25")})
    run.connect()
    sent = events(run.run(3600))
    assert not any(isinstance(event, MemoryErased | MemoryConfigured) for event in sent)
    assert sign.shown() == "MIN 25"


@pytest.mark.parametrize("seconds", [0.0, 0.01, 1.0, 2.05, 2.5, 6.0])
def test_a_set_up_that_was_cut_off_or_swallowed_on_the_way_begins_anew(seconds: float) -> None:
    sign = alpha.AlphaSign()
    run = driven(sign)
    run.link.set_content({"limits": line("MIN 25")})
    run.connect()
    run.run(seconds)
    run.cut()
    sign.__init__()  # type: ignore[misc]  # as if none of it had arrived
    run.connect()
    run.run(20)
    assert sign.shown() == "MIN 25"


def test_a_change_rewrites_only_the_string_and_nothing_blinks() -> None:
    run = driven(set_up_sign(), setup=False)
    run.link.set_content({"limits": line("MIN 25"), "result": line("17")})
    run.connect()
    run.run(10)
    run.link.set_content({"limits": line("MIN 25"), "result": line("18")})
    (event,) = events(run.run(10))
    assert isinstance(event, SignString)
    assert (event.label, event.data) == ("c", b"  18")


def test_a_message_is_the_priority_text_and_is_taken_away_again() -> None:
    sign = set_up_sign()
    run = driven(sign, setup=False)
    run.link.set_content({"limits": line("MIN 25")})
    run.connect()
    run.run(10)
    run.link.set_content({"limits": line("MIN 25"), "message": line("PLEASE WAIT")})
    assert [type(event) for event in events(run.run(10))] == [PriorityText]
    assert sign.shown() == "PLEASE WAIT"
    run.link.set_content({"limits": line("MIN 25")})
    assert [type(event) for event in events(run.run(10))] == [PriorityReleased]
    assert sign.shown() == "MIN 25"


def test_everything_is_sent_again_now_and_then() -> None:
    sign = set_up_sign()
    run = driven(sign, setup=False, refresh_s=30)
    run.link.set_content({"limits": line("MIN 25")})
    run.connect()
    run.run(29)
    sent = events(run.run(10))
    strings = [SignString, SignString, SignString]
    assert [type(event) for event in sent] == [PriorityReleased, *strings, SignText, RunSequence]
    other = set_up_sign()
    run._take = other.receive  # a sign that had lost all it was told
    run.run(40)
    assert other.shown() == "MIN 25"


def test_a_change_goes_before_what_is_only_sent_again() -> None:
    run = driven(set_up_sign(), setup=False, refresh_s=30)
    run.link.set_content({"result": line("17")})
    run.connect()
    run.run(30.2)  # the sending again has begun
    run.link.set_content({"result": line("18")})
    first = events(run.run(1))[0]
    assert isinstance(first, SignString)
    assert first.data == b"18"


def test_it_is_shown_when_the_last_packet_has_left_the_line() -> None:
    run = driven(set_up_sign(), setup=False)
    run.link.set_content({"limits": line("MIN 25")})
    assert not run.link.shown()
    run.connect()
    run.run(0.6)
    assert not run.link.shown()
    run.run(10)
    assert run.link.shown()
    run.cut()
    assert not run.link.shown()


def test_slots_stand_side_by_side_without_spaces_at_the_ends() -> None:
    sign = set_up_sign()
    run = driven(sign, setup=False)
    run.connect()
    for content, seen in (
        ({"limits": "25-500", "rules": "S17", "result": "BJ"}, "25-500  S17  BJ"),
        ({"rules": "S17", "result": "BJ"}, "S17  BJ"),
        ({"result": "BJ"}, "BJ"),
        ({}, ""),
    ):
        run.link.set_content({slot: line(text) for slot, text in content.items()})
        run.run(10)
        assert sign.shown() == seen


def test_a_packet_spoilt_on_the_way_is_not_shown_and_is_healed() -> None:
    sign = set_up_sign()
    spoilt = 0

    def bad_line(data: bytes, now: float) -> None:
        nonlocal spoilt
        if now < 1030 and b"MIN" in data:
            spoilt += 1
            data = data.replace(b"MIN", b"MAX")
        sign.receive(data, now)

    run = Driven(AlphaLink(AlphaSettings(port="the port", setup=False, refresh_s=30)), bad_line)
    run.link.set_content({"limits": line("MIN 25")})
    run.connect()
    run.run(20)
    assert spoilt
    assert sign.shown() == ""
    run.run(60)
    assert sign.shown() == "MIN 25"


@given(content=CONTENTS)
def test_any_content_is_shown_or_left_out(content: dict[str, Text]) -> None:
    sign = set_up_sign()
    run = driven(sign, setup=False)
    run.link.set_content(content)
    run.connect()
    run.run(30)
    assert sign.ignored == 0
    assert run.link.shown() is (run.link.problems(content) == [])
    assert sign.bad_frames == 0


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"packet_gap_s": 0.1}, "lost packets on a real sign"),
        ({"packet_gap_s": float("nan")}, "packet_gap_s"),
        ({"address": "0"}, "two upper-case hexadecimal digits"),
        ({"characters": 126}, "the room in one STRING"),
        ({"refresh_s": 0}, "refresh_s"),
        ({"refresh_s": float("inf")}, "refresh_s"),
        ({"data_bits": 9}, "data_bits"),
        ({"stop_bits": 0}, "stop_bits"),
        ({"baud": 0}, "baud"),
        ({"port": " "}, "port is empty"),
    ],
)
def test_settings_that_can_not_work_are_refused_in_words(wrong: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        AlphaSettings(**{"port": "/dev/ttyUSB0", **wrong})
