"""Who is there, and where were we: HELLO to READY, one test for each rule of section 4 and section 10."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_protocol.tablelink.device import Described, HostConnected
from firmware_protocol.tablelink.framing import encode_frame
from firmware_protocol.tablelink.host import Connected, DeviceLost, DeviceRefused, Known
from firmware_protocol.tablelink.messages import (
    Ack,
    BadMessage,
    CardEvent,
    Hello,
    Identity,
    Message,
    NoSession,
    Ping,
    Ready,
    Refused,
    Resume,
    Show,
    encode_message,
)
from tests.firmware_protocol.tablelink.ends import (
    BOOT,
    EIGHT_OF_SPADES,
    SHOE,
    Pair,
    card,
    make_device,
    make_host,
    opened,
    opened_device,
    read,
    wire,
)

NONCE = b"12345678"


def identity(
    host_nonce: bytes, *, boot: int = BOOT, next_event: int = 1, oldest: int = 1, version: int = 1
) -> Identity:
    return Identity(version, 1, 7, boot, next_event, oldest, host_nonce, bytes(8), 1, 0, 0, b"SHOE-1")


def a_host_after_identity(known: Known | None = None, **fields: int) -> tuple[Pair, Resume]:
    """A host that got an IDENTITY from us, and its RESUME."""
    pair = Pair(make_host(known=known))
    (hello,) = read(pair.host.data_to_send(0.0))
    assert isinstance(hello, Hello)
    assert pair.host.receive(wire(identity(hello.nonce, **fields)), 0.0) == []
    (resume,) = read(pair.host.data_to_send(0.0))
    assert isinstance(resume, Resume)
    return pair, resume


def connected_after(known: Known | None, *, first: int, **fields: int) -> Connected:
    pair, resume = a_host_after_identity(known, **fields)
    (said,) = pair.host.receive(wire(Ready(resume.token, fields.get("boot", BOOT), first)), 0.0)
    assert isinstance(said, Connected)
    return said


@given(st.integers(0, 600))
def test_a_device_says_nothing_before_a_hello(cards: int) -> None:
    """TL-020"""
    device = make_device(capacity=1000)
    for _ in range(cards):
        device.add(CardEvent, 0, EIGHT_OF_SPADES, 0)
    for now in (0.0, 1.0, 100.0):
        assert device.poll(now) == []
        assert device.data_to_send(now) == b""
    assert device.next_time() is None


def test_a_hello_is_answered_with_an_identity_that_repeats_its_nonce() -> None:
    """TL-020, TL-021, TL-022"""
    device = make_device(described=Described(serial="S-9", roles=3, capabilities=0x11, firmware=(1, 2, 3)))
    for _ in range(3):
        device.add(CardEvent, 0, EIGHT_OF_SPADES, 0)
    device.receive(wire(Hello(1, 1, NONCE), Resume(0, BOOT, 2)), 0.0)
    device.data_to_send(0.0)
    device.receive(wire(Hello(1, 1, NONCE)), 0.0)
    (found,) = read(device.data_to_send(0.0))
    assert isinstance(found, Identity)
    assert (found.host_nonce, found.boot, found.next_event, found.oldest_event) == (NONCE, BOOT, 4, 3)
    assert (found.version, found.roles, found.capabilities, found.serial) == (1, 3, 0x11, b"S-9")
    assert found.firmware == "1.2.3"


def test_without_waiting_events_the_oldest_is_the_next() -> None:
    """TL-022"""
    device = opened_device(cards=3, upto=3)
    assert (device.oldest, device.next_number, device.queued) == (4, 4, 0)


def test_of_several_hellos_in_one_read_the_last_is_answered() -> None:
    """TL-020"""
    device = make_device()
    device.receive(wire(Hello(1, 1, b"first 8 "), Hello(1, 1, b"second 8")), 0.0)
    (found,) = read(device.data_to_send(0.0))
    assert isinstance(found, Identity)
    assert found.host_nonce == b"second 8"


@pytest.mark.parametrize(("lowest", "highest"), [(0, 0), (2, 2), (2, 255), (3, 1)])
def test_a_hello_without_our_version_is_refused_and_changes_nothing(lowest: int, highest: int) -> None:
    """TL-023"""
    device = opened_device(cards=1)
    device.data_to_send(0.0)
    device.receive(wire(Hello(lowest, highest, NONCE)), 0.0)
    assert read(device.data_to_send(0.0)) == [Refused(1, 1, 1)]
    assert device.is_open
    assert device.queued == 1


def test_the_highest_common_version_is_picked() -> None:
    """TL-090: a later host offers 1 to 3, we speak 1."""
    device = make_device()
    device.receive(wire(Hello(1, 3, NONCE)), 0.0)
    (found,) = read(device.data_to_send(0.0))
    assert isinstance(found, Identity)
    assert found.version == 1


def test_a_host_does_not_go_on_in_a_version_it_did_not_offer() -> None:
    """TL-090: both use the version of IDENTITY; a host that speaks only 1 can't use 2."""
    pair = Pair()
    (hello,) = read(pair.host.data_to_send(0.0))
    assert isinstance(hello, Hello)
    pair.host.receive(wire(identity(hello.nonce, version=2)), 0.0)
    assert pair.host.phase in ("hello", "refused")


def test_a_refused_version_is_told_in_words_and_asked_again_later() -> None:
    """TL-023"""
    pair = Pair()
    pair.host.data_to_send(0.0)
    (said,) = pair.host.receive(wire(Refused(1, 2, 4)), 0.0)
    assert said == DeviceRefused("the device speaks versions 2 to 4, this host 1")
    assert pair.host.data_to_send(1.0) == b""
    assert isinstance(read(pair.host.data_to_send(5.0))[0], Hello)


def test_a_hello_alone_does_not_end_a_session() -> None:
    """TL-024"""
    pair = opened()
    pair.device.receive(wire(Hello(1, 1, b"stranger")), 0.0)
    pair.device.data_to_send(0.0)
    pair.add_cards(1)
    pair.talk()
    assert pair.device.is_open
    assert pair.events == [1]


def test_a_resume_forgets_what_is_safe_and_sends_all_the_rest_in_order() -> None:
    """TL-025"""
    device = opened_device(cards=5, upto=2)
    first, *rest = read(device.data_to_send(0.0))[1:]
    assert first == Ready(1, BOOT, 3)
    assert rest == [card(3), card(4), card(5)]
    assert device.receive(wire(Resume(9, BOOT, 3)), 0.1) == []
    assert read(device.data_to_send(0.1)) == [Ready(9, BOOT, 4), card(4), card(5)]
    device.receive(wire(Resume(9, BOOT, 1)), 0.2)
    assert read(device.data_to_send(0.2)) == [Ready(9, BOOT, 4), card(4), card(5)]


def test_a_resume_that_claims_more_than_was_numbered_forgets_nothing() -> None:
    """TL-025, TL-033: the number of an event that never was is nobody's to acknowledge."""
    device = opened_device(cards=2, upto=7)
    assert read(device.data_to_send(0.0))[1:] == [Ready(1, BOOT, 1), card(1), card(2)]


def test_a_resume_of_another_boot_is_answered_with_no_session_and_changes_nothing() -> None:
    """TL-026"""
    fresh = make_device()
    busy = opened_device(cards=2)
    busy.data_to_send(0.0)
    for device in (fresh, busy):
        was = device.is_open, device.queued
        assert device.receive(wire(Resume(5, BOOT + 1, 2)), 0.0) == []
        assert read(device.data_to_send(0.0)) == [NoSession()]
        assert (device.is_open, device.queued) == was


@pytest.mark.parametrize("message", [Ping(1), Ack(BOOT & 0xFFFF, 1), Show(0, 1, b"")], ids=lambda m: type(m).__name__)
def test_a_device_without_a_session_says_so(message: Message) -> None:
    """TL-027"""
    device = make_device()
    device.add(CardEvent, 0, EIGHT_OF_SPADES, 0)
    assert device.receive(wire(message), 0.0) == []
    assert read(device.data_to_send(0.0)) == [NoSession()]
    assert device.queued == 1


@pytest.mark.parametrize("key", [None, bytes(16)], ids=["plain", "authenticated"])
def test_a_host_that_hears_no_session_says_hello_at_once(key: bytes | None) -> None:
    """TL-027: a device that restarted is noticed at the next PING, not after three seconds."""
    pair = opened(key=key, cards=2)
    pair.device = make_device(key=key, boot=BOOT + 1)
    pair.go_on(1.1)
    lost, again = [said for said in pair.host_said if isinstance(said, DeviceLost | Connected)][1:]
    assert isinstance(lost, DeviceLost)
    assert isinstance(again, Connected)
    assert not again.proven
    assert "restarted" in again.words


def test_an_identity_for_another_hello_is_ignored() -> None:
    """TL-028"""
    pair = Pair()
    pair.host.data_to_send(0.0)
    assert pair.host.receive(wire(identity(b"stranger")), 0.0) == []
    assert pair.host.phase == "hello"
    assert pair.host.counts.unexpected == 1


def test_a_ready_for_another_resume_is_ignored() -> None:
    """TL-028"""
    pair, resume = a_host_after_identity()
    assert pair.host.receive(wire(Ready(resume.token ^ 1, BOOT, 1), Ready(resume.token, BOOT + 1, 1)), 0.0) == []
    assert pair.host.phase == "resume"
    assert pair.host.counts.unexpected == 2


def test_hello_and_resume_are_repeated_each_half_second() -> None:
    """Section 4: until answered."""
    pair = Pair()
    assert [len(read(pair.host.data_to_send(t / 10))) for t in range(12)] == [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0]
    pair, _ = a_host_after_identity()
    assert [len(read(pair.host.data_to_send(t / 10))) for t in range(1, 12)] == [0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0]


def test_a_resume_that_is_never_answered_ends_in_a_new_hello() -> None:
    """TL-051"""
    pair, _ = a_host_after_identity()
    pair.host.poll(3.0)
    (hello,) = read(pair.host.data_to_send(3.0))
    assert isinstance(hello, Hello)


@pytest.mark.parametrize(
    ("known", "fields", "proven", "words"),
    [
        (None, {"first": 1}, False, "first contact"),
        (Known(BOOT, 4), {"first": 5, "next_event": 5, "oldest": 5}, True, "nothing was missed"),
        (Known(BOOT, 4), {"first": 3, "next_event": 9, "oldest": 3}, True, "nothing was missed"),
        (Known(BOOT, 4), {"first": 7, "next_event": 9, "oldest": 7}, False, "events 5 to 6 are gone"),
        (Known(BOOT + 1, 4), {"first": 5, "next_event": 5, "oldest": 5}, False, "restarted"),
        (Known(BOOT ^ 0x10000, 4), {"first": 5, "next_event": 5, "oldest": 5}, False, "restarted"),
        (Known(BOOT, 4), {"first": 3, "next_event": 3, "oldest": 3}, False, "fewer events"),
    ],
)
def test_nothing_was_missed_is_said_only_if_it_is_proven(
    known: Known | None, fields: dict[str, int], proven: bool, words: str
) -> None:
    """TL-029"""
    said = connected_after(known, **fields)
    assert said.proven == proven
    assert words in said.words


def test_a_new_host_process_resumes_where_its_journal_ends() -> None:
    """TL-025, TL-029"""
    pair = opened(cards=5)
    pair.commit(3)
    pair.host = make_host(known=Known(BOOT, 3))
    pair.host.connected(pair.now)
    pair.host_said.clear()
    pair.talk()
    assert [said.proven for said in pair.host_said if isinstance(said, Connected)] == [True]
    assert pair.events == [4, 5]


def test_a_host_process_gets_nothing_twice_when_the_cable_was_out() -> None:
    """TL-033, TL-035: four and five were delivered and not committed when the port closed."""
    pair = opened(cards=5)
    pair.commit(3)
    assert pair.host.disconnected() == [DeviceLost("the port closed")]
    assert pair.host.next_time() is None
    assert pair.host.data_to_send(pair.now) == b""
    pair.add_cards(1)
    pair.host.connected(pair.now)
    pair.talk()
    assert pair.events == [1, 2, 3, 4, 5, 6]
    assert pair.device.oldest == 4, "what is not committed is not acknowledged, by a RESUME as little as by an ACK"
    pair.commit(6)
    assert pair.device.queued == 0


def test_the_device_tells_its_program_once_that_a_session_is_open() -> None:
    """TL-025"""
    pair = opened()
    pair.device.receive(wire(Resume(1, BOOT, 0)), 0.0)
    assert pair.device_said == [HostConnected()]


def test_a_closed_host_hears_nothing() -> None:
    host = make_host()
    assert host.receive(wire(NoSession(), card(1)), 0.0) == []
    assert host.data_to_send(0.0) == b""


@pytest.mark.parametrize("serial", ["", "a serial", "SERIAL-TOO-LONG-BY-FAR", "schuh-ü"])
def test_a_serial_that_cannot_be_sent_is_refused_before_a_host_asks(serial: str) -> None:
    """TL-015: 1 to 15 printable ASCII characters without spaces; a shoe must not fall over at the first HELLO."""
    described = Described(serial=serial, roles=SHOE.roles)
    with pytest.raises((ValueError, BadMessage)):
        make_device(described=described)


@pytest.mark.parametrize(("oldest", "first"), [(0, 1), (1, 0)], ids=["IDENTITY says oldest 0", "READY says first 0"])
def test_a_device_that_counts_from_0_does_not_make_the_host_fall_over(oldest: int, first: int) -> None:
    """TL-030: numbers begin at 1, so 0 is nonsense; ignored or not, it must not make `data_to_send` raise."""
    host = make_host()
    for now in (0.0, 1.0):
        host.connected(now)
        (hello,) = read(host.data_to_send(now))
        assert isinstance(hello, Hello)
        body = bytearray(encode_message(identity(hello.nonce)))
        body[13:17] = oldest.to_bytes(4, "little")
        host.receive(encode_frame(bytes(body)), now)
        for resume in read(host.data_to_send(now)):
            assert isinstance(resume, Resume)
            ready = encode_message(Ready(resume.token, BOOT, 1))[:-4] + first.to_bytes(4, "little")
            host.receive(encode_frame(ready) + wire(card(1)), now)
        host.data_to_send(now)
