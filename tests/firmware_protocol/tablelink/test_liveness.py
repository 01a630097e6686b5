"""Pings, silence and times: sections 7 and 8, and that an end need only be woken when it asked for it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_protocol.tablelink import timing
from firmware_protocol.tablelink.device import DeviceLink, HostLost
from firmware_protocol.tablelink.host import Connected, DeviceLost, HostLink
from firmware_protocol.tablelink.messages import Ack, Hello, Identity, Message, Ping, Pong, Refused, Resume
from tests.firmware_protocol.tablelink.ends import (
    BOOT,
    KEY,
    Pair,
    card,
    make_device,
    make_host,
    opened,
    opened_device,
    read,
    wire,
)

PROTOCOL = Path(__file__).parents[3] / "firmware_protocol" / "PROTOCOL.md"
STARTS = st.floats(0, 1e7, allow_nan=False)  # seconds: a monotonic clock of a machine that is up for months
KEYS = st.sampled_from([None, KEY])


def kinds(messages: list[Message]) -> list[type[Message]]:
    return [type(message) for message in messages]


def test_the_host_pings_each_second_and_the_device_answers_with_the_token_at_once() -> None:
    """TL-050, TL-072"""
    pair = opened()
    pair.go_on(10)
    pings = [message for message in read(b"".join(pair.host_sent)) if isinstance(message, Ping)]
    pongs = [message for message in read(b"".join(pair.device_sent)) if isinstance(message, Pong)]
    assert len(pings) == 11  # one at once, then each second
    assert [pong.token for pong in pongs] == [ping.token for ping in pings]
    assert len({ping.token for ping in pings}) == 11


def test_a_quiet_session_goes_on_for_ever() -> None:
    """TL-050, TL-051"""
    pair = opened(key=KEY)
    pair.go_on(600)
    assert [type(said) for said in pair.host_said] == [Connected]
    assert pair.device.is_open


def test_a_host_that_hears_nothing_for_3_seconds_says_so_and_hello() -> None:
    """TL-051, TL-073"""
    pair = opened()
    assert pair.host.poll(2.9) == []
    pair.host.data_to_send(2.9)
    assert pair.host.poll(3.0) == [DeviceLost("nothing was heard for 3 seconds")]
    assert kinds(read(pair.host.data_to_send(3.0))) == [Hello]


def test_a_device_that_hears_nothing_for_3_seconds_stops_sending_and_keeps_its_events() -> None:
    """TL-051, TL-073"""
    device = opened_device(cards=3)
    device.data_to_send(0.0)
    assert device.poll(2.9) == []
    assert device.poll(3.0) == [HostLost()]
    assert not device.is_open
    for now in (3.0, 5.0, 60.0):
        assert device.poll(now) == []
        assert device.data_to_send(now) == b""
    assert device.queued == 3


def test_a_hello_that_comes_when_the_session_is_given_up_is_answered() -> None:
    """TL-020, TL-051: the answers of the session are void, the answer to a HELLO is not."""
    device = opened_device(cards=1)
    device.data_to_send(0.0)
    device.receive(wire(Ping(1)), 1.0)
    device.receive(wire(Hello(1, 1, bytes(8))), 4.0)
    assert device.poll(4.0) == [HostLost()]
    assert kinds(read(device.data_to_send(4.0))) == [Identity]


@pytest.mark.parametrize(
    "noise",
    [
        b"\x00\xff\x01garbage\x00",
        wire(Hello(1, 1, b"stranger")),
        wire(Resume(1, BOOT + 1, 0)),
        wire(Refused(1, 1, 1))[1:],
    ],
    ids=["garbage", "a stray HELLO", "a RESUME of another boot", "a damaged frame"],
)
def test_what_is_no_frame_of_the_session_is_no_sign_of_life_for_a_device(noise: bytes) -> None:
    """TL-051"""
    device = opened_device()
    for tenth in range(30):
        assert device.poll(tenth / 10) == []
        device.receive(noise, tenth / 10)
    assert device.poll(3.0) == [HostLost()]


@pytest.mark.parametrize("noise", [b"\x00\xff\x01garbage\x00", wire(card(1))[1:]], ids=["garbage", "a damaged frame"])
def test_noise_is_no_sign_of_life_for_a_host(noise: bytes) -> None:
    """TL-051"""
    pair = opened()
    for tenth in range(30):
        pair.host.receive(noise, tenth / 10)
    assert len(pair.host.poll(3.0)) == 1


def test_an_echo_of_its_own_frames_is_no_sign_of_life() -> None:
    """TL-051: a cable with its wires joined is nobody at the other end."""
    pair, device = opened(), opened_device(cards=2)
    device.data_to_send(0.0)
    for tenth in range(30):
        assert pair.host.poll(tenth / 10) == []
        pair.host.receive(pair.host.data_to_send(tenth / 10), tenth / 10)
        assert device.poll(tenth / 10) == []
        device.receive(device.data_to_send(tenth / 10), tenth / 10)
    assert len(pair.host.poll(3.0)) == 1
    assert device.poll(3.0) == [HostLost()]


def test_every_frame_of_the_session_is_a_sign_of_life() -> None:
    """TL-051: events for the host, acknowledgements for the device, without one PING."""
    pair, device = opened(), opened_device(cards=2)
    for second in range(1, 9):
        pair.host.receive(wire(card(second)), float(second))
        device.receive(wire(Ack(BOOT & 0xFFFF, 1)), float(second))
        assert pair.host.poll(second + 0.5) == []
        assert device.poll(second + 0.5) == []


def test_a_session_that_was_lost_is_resumed_with_nothing_missed() -> None:
    """TL-051, TL-029"""
    pair = opened(cards=2)
    pair.commit(2)
    pair.add_cards(2)
    pair.device_said += pair.device.poll(4.0)
    pair.now = 4.0
    pair.host_said += pair.host.poll(4.0)
    pair.talk()
    assert pair.events == [1, 2, 3, 4]
    assert [said.proven for said in pair.host_said if isinstance(said, Connected)] == [False, True]


# The table of times


def _times() -> dict[str, tuple[float, float]]:
    section = PROTOCOL.read_text().split("## 8. Times")[1].split("## 9")[0]
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in section.splitlines() if " s |" in line]
    return {row[0]: (float(row[1].split()[0]), float(row[2].split()[0])) for row in rows}


def test_the_times_of_the_text_are_the_times_of_the_code() -> None:
    """TL-070, TL-071, TL-072, TL-073, TL-074"""
    both = (9600, 115200)
    code = {
        "longest frame": tuple(round(timing.frame_time(baud), 3) for baud in both),
        "HELLO, RESUME, SHOW again after": (timing.HELLO_S, timing.RESUME_S),
        "event again after (TL-070)": tuple(round(timing.resend_time(baud), 2) for baud in both),
        "at most (TL-071)": (timing.MAX_RESEND_S,) * 2,
        "PING (TL-072)": (timing.PING_S,) * 2,
        "lost (TL-073)": (timing.LOST_S,) * 2,
        "working again once the line is good (TL-074)": tuple(round(timing.recovery_time(b), 1) for b in both),
    }
    assert _times() == code
    assert timing.SHOW_S == timing.HELLO_S == timing.RESUME_S
    text = PROTOCOL.read_text()
    assert f"for {timing.STUCK_S:.0f} s the host must begin" in text
    assert re.search(rf"At most {timing.WINDOW} events", text)


# Woken only when it asked for it


def test_the_host_does_nothing_before_its_next_time_and_something_at_it() -> None:
    """TL-051: through hello, resume, open and lost, with nobody answering."""
    for phase in ("hello", "resume", "open", "refused"):
        host = _host_in(phase, 0.0)
        host.show(0, b"x")
        for _ in range(20):
            at = host.next_time()
            assert at is not None
            assert host.poll(at - 1e-3) == [] or at - 1e-3 < 0
            woke = bool(host.poll(at)) | bool(host.data_to_send(at))
            assert woke, (phase, at)
            later = host.next_time()
            assert later is not None
            assert later > at


def _host_in(phase: str, now: float, key: bytes | None = None) -> HostLink:
    pair = Pair(make_host(key=key), make_device(key=key), now)
    hello = pair.host.data_to_send(now)
    if phase == "refused":
        pair.host.receive(wire(Refused(1, 2, 2)), now)
    if phase in ("resume", "open"):
        pair.device.receive(hello, now)
        pair.host.receive(pair.device.data_to_send(now), now)
    if phase == "open":
        pair.talk()
    assert pair.host.phase == phase
    return pair.host


@given(STARTS, KEYS, st.sampled_from(["hello", "resume", "open", "refused"]))
def test_a_host_woken_at_its_next_time_is_never_woken_for_nothing(start: float, key: bytes | None, phase: str) -> None:
    """TL-051: at any clock reading. Woken for nothing, a program that jumps from wish to wish would never move on."""
    host = _host_in(phase, start, key)
    for _ in range(12):
        at = host.next_time()
        assert at is not None
        said, data = host.poll(at), host.data_to_send(at)
        later = host.next_time()
        assert said or data or later is None or later > at


@given(STARTS, KEYS)
def test_a_device_woken_at_its_next_time_is_never_woken_for_nothing(start: float, key: bytes | None) -> None:
    """TL-034, TL-051"""
    pair = opened(key=key, now=start)
    pair.add_cards(2)
    pair.device.data_to_send(start)
    for _ in range(12):
        at = pair.device.next_time()
        if at is None:
            break
        said, data = pair.device.poll(at), pair.device.data_to_send(at)
        later = pair.device.next_time()
        assert said or data or later is None or later > at
    assert not pair.device.is_open


def test_a_device_that_is_woken_when_it_asked_for_it_notices_the_lost_host_then() -> None:
    """TL-051, at 1,000 clock readings: `now - heard >= 3` can be false at heard + 3, as at 30.8."""
    for tenth in range(1000):
        device = make_device()
        device.receive(wire(Hello(1, 1, bytes(8)), Resume(1, BOOT, 0)), tenth / 10)
        at = device.next_time()
        assert at is not None
        assert device.poll(at) == [HostLost()], tenth / 10


@pytest.mark.parametrize("phase", ["resume", "open"])
def test_a_host_that_is_woken_when_it_asked_for_it_notices_the_lost_device_then(phase: str) -> None:
    """TL-051, at 1,000 clock readings; the device was heard between two pings."""
    for tenth in range(1000):
        host = _host_in(phase, tenth / 10)
        if phase == "open":
            host.receive(wire(Pong(0)), tenth / 10 + 0.05)
        while host.phase == phase:
            at = host.next_time()
            assert at is not None
            said, data = host.poll(at), host.data_to_send(at)
            assert said or data, (tenth / 10, at)


def test_a_device_does_nothing_before_its_next_time() -> None:
    """TL-034, TL-051"""
    device = opened_device(cards=3)
    device.data_to_send(0.0)
    for _ in range(5):
        at = device.next_time()
        if at is None:
            break
        assert _does(device, at - 1e-3) == ([], b"")
        assert _does(device, at + 1e-9) != ([], b"")
    assert not device.is_open


def _does(device: DeviceLink, now: float) -> tuple[list[object], bytes]:
    return list(device.poll(now)), device.data_to_send(now)


@pytest.mark.parametrize("key", [None, KEY], ids=["plain", "authenticated"])
def test_waking_the_ends_each_millisecond_changes_nothing(key: bytes | None) -> None:
    """The same is sent and said as when they are woken only at their next times."""

    def run(each_millisecond: bool) -> tuple[list[Message], list[Message], list[object]]:
        pair = opened(key=key, cards=3)
        pair.host.show(0, b"MIN 25")
        for second in range(1, 9):
            if second == 4:
                pair.commit(2)
            if each_millisecond:
                for tick in range(1000):
                    pair.now = second - 1 + tick / 1000
                    pair.host_said += pair.host.poll(pair.now)
                    pair.device_said += pair.device.poll(pair.now)
                    pair.talk()
            else:
                pair.go_on(0.9995)
                pair.now = float(second)
        return read(b"".join(pair.host_sent)), read(b"".join(pair.device_sent)), [*pair.host_said, *pair.device_said]

    assert run(each_millisecond=True) == run(each_millisecond=False)
