"""What is shown is a state, not an event: sent until shown, the newest wins (section 6, a test for each rule)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_protocol.tablelink.device import DeviceLink, SlotChanged
from firmware_protocol.tablelink.host import HostLink, SlotShown
from firmware_protocol.tablelink.messages import Message, Resume, Show, Shown
from tests.firmware_protocol.tablelink.ends import (
    BOOT,
    Pair,
    make_device,
    make_host,
    nonces,
    opened,
    opened_device,
    read,
    wire,
)


def shows(messages: list[Message]) -> list[Show]:
    return [message for message in messages if isinstance(message, Show)]


def on_show(pair: Pair) -> dict[int, bytes]:
    return {said.slot: said.content for said in pair.device_said if isinstance(said, SlotChanged)}


def sent(host: HostLink, now: float) -> list[Show]:
    return shows(read(host.data_to_send(now)))


def taken(device: DeviceLink, show: Show) -> tuple[bool, bool]:
    """Whether the device changed what it shows, and whether it answered."""
    changed = device.receive(wire(show), 0.0)
    answers = [m for m in read(device.data_to_send(0.0)) if isinstance(m, Shown)]
    assert answers in ([], [Shown(show.slot, show.revision)])
    assert changed in ([], [SlotChanged(show.slot, show.content)])
    return bool(changed), bool(answers)


def test_a_content_is_sent_until_it_is_shown() -> None:
    """TL-060"""
    pair = opened()
    pair.host.show(0, b"MIN 25")
    assert sent(pair.host, 0.0) == [Show(0, 1, b"MIN 25")]
    assert sent(pair.host, 0.4) == []
    assert sent(pair.host, 0.6) == [Show(0, 1, b"MIN 25")]
    assert pair.host.receive(wire(Shown(0, 1)), 0.7) == [SlotShown(0)]
    assert pair.host.receive(wire(Shown(0, 1)), 0.7) == []
    assert sent(pair.host, 30.0) == []


def test_a_newer_content_takes_the_next_revision_and_only_it_is_sent() -> None:
    """TL-060"""
    pair = opened()
    for content in (b"one", b"two", b"three"):
        pair.host.show(0, content)
    pair.host.show(0, b"three")  # no change, no revision
    assert sent(pair.host, 0.0) == [Show(0, 3, b"three")]
    assert pair.host.receive(wire(Shown(0, 1), Shown(0, 2), Shown(1, 3)), 0.0) == []
    pair.talk()
    assert sent(pair.host, 0.6) == [Show(0, 3, b"three")]


def test_revisions_go_around_the_circle() -> None:
    """TL-060, TL-062"""
    pair = opened()
    pair.host.show(0, b"")
    pair.host._slots._slots[0].revision = 0xFFFE
    for number in range(4):
        pair.host.show(0, bytes([number]))
        pair.talk()
        assert on_show(pair) == {0: bytes([number])}
    assert [show.revision for show in shows(read(b"".join(pair.host_sent)))] == [0xFFFF, 0, 1, 2]


@pytest.mark.parametrize("slot", [0x00, 0x3F, 0x40, 0x7F, 0x80, 0x81, 0xFF])
def test_texts_lamps_and_the_lock_pass_as_they_are(slot: int) -> None:
    """TL-061: what a content means is the program's business, at both ends."""
    pair = opened()
    content = "Mín 25 ♠".encode() if slot < 0x40 else b"\x02"
    pair.host.show(slot, content)
    pair.talk()
    assert on_show(pair) == {slot: content}
    assert SlotShown(slot) in pair.host_said


@pytest.mark.parametrize(("slot", "size"), [(256, 1), (-1, 1), (0, 49)])
def test_a_slot_or_a_content_that_does_not_fit_is_refused_in_words(slot: int, size: int) -> None:
    """TL-061"""
    with pytest.raises(ValueError, match="slot"):
        make_host().show(slot, bytes(size))


@given(st.integers(0, 0xFFFF), st.integers(0, 0xFFFF))
def test_a_device_shows_the_newer_and_answers_with_what_it_shows(last: int, revision: int) -> None:
    """TL-062"""
    device = opened_device()
    assert taken(device, Show(0, last, b"last")) == (True, True)
    distance = (revision - last) % 65536
    if distance == 0:
        assert taken(device, Show(0, revision, b"last")) == (False, True)
    elif distance < 32768:
        assert taken(device, Show(0, revision, b"newer")) == (True, True)
    else:
        assert device.receive(wire(Show(0, revision, b"older")), 0.0) == []
        assert read(device.data_to_send(0.0)) == [Shown(0, last)]


def test_the_first_revision_of_a_session_is_always_newer() -> None:
    """TL-062, TL-063"""
    device = opened_device()
    assert taken(device, Show(0, 8, b"before")) == (True, True)
    assert device.receive(wire(Resume(2, BOOT, 0)), 0.0) == []
    assert taken(device, Show(0, 7, b"after")) == (True, True)


def test_after_a_resume_the_host_sends_every_slot_again() -> None:
    """TL-063"""
    pair = opened()
    for slot in (0, 1, 0x40):
        pair.host.show(slot, b"\x01")
    pair.talk()
    pair.device = make_device(boot=BOOT + 1)
    pair.device_said.clear()
    pair.go_on(2)
    assert on_show(pair) == {0: b"\x01", 1: b"\x01", 0x40: b"\x01"}


def test_a_resume_does_not_blank_what_is_shown() -> None:
    """TL-063"""
    pair = opened()
    pair.host.show(0, b"MIN 25")
    pair.talk()
    assert pair.device.receive(wire(Resume(2, BOOT, 0)), 0.0) == []


def test_a_slot_the_device_does_not_have_is_answered_all_the_same() -> None:
    """TL-064: the link knows no slots, so it answers for all; counting is left to the program, which does know."""
    device = opened_device()
    assert taken(device, Show(0xC7, 1, b"?")) == (True, True)


def test_all_256_slots_are_shown_and_what_waits_stays_bounded() -> None:
    """TL-060: also while the device can't send."""
    pair = opened()
    for slot in range(256):
        pair.host.show(slot, b"x")
    for tenth in range(30):
        pair.device_said += pair.device.receive(pair.host.data_to_send(tenth / 10), tenth / 10)
    assert len(pair.device._due) <= 256 + 5
    pair.now = 3.0
    pair.talk()
    assert len(on_show(pair)) == 256
    assert all(slot.shown for slot in pair.host._slots._slots.values())


def test_contents_set_before_there_is_a_session_are_shown_when_there_is_one() -> None:
    """TL-060"""
    pair = Pair()
    pair.host.show(0, b"WELCOME")
    pair.talk()
    assert on_show(pair) == {0: b"WELCOME"}


# What a replay does on a plain line. A wire does not replay, a stranger or a bad relay does.


def test_a_replayed_resume_and_an_old_show_do_not_leave_an_old_content_on_show() -> None:
    """TL-060, TL-062, TL-063: RESUME clears the revisions, so a replayed SHOW of revision 1 is new again.

    The device then says SHOWN for a revision that is not the host's newest, which the host could take as a reason to
    send the newest again under the next revision.
    """
    pair = opened()
    resume = next(frame for frame in pair.host_sent if isinstance(read(frame)[0], Resume))
    pair.host.show(0, b"MIN 25")
    pair.talk()
    old = pair.host_sent[-1]
    pair.host.show(0, b"MIN 50")
    pair.talk()
    pair.device_said += pair.device.receive(resume + old, pair.now)
    pair.talk()
    pair.go_on(12)
    assert on_show(pair) == {0: b"MIN 50"}


def test_a_late_show_of_the_host_process_before_does_not_block_a_slot_for_ever() -> None:
    """TL-062: the process before had come to revision 5, the new one begins at 1 and is ignored without an answer."""
    pair = opened()
    for number in range(5):
        pair.host.show(0, bytes([number]))
    late = pair.host.data_to_send(pair.now)
    pair.host = make_host()
    pair.host.connected(pair.now)
    pair.talk()
    pair.device_said += pair.device.receive(late, pair.now)
    pair.device.data_to_send(pair.now)
    pair.host.show(0, b"NEW")
    pair.talk()
    pair.go_on(12)
    assert on_show(pair) == {0: b"NEW"}


def test_a_late_show_of_the_host_process_before_is_not_taken_for_one_of_the_same_revision() -> None:
    """TL-060, TL-062: both processes begin at revision 1, so the device says SHOWN 1 and shows the old content.

    A first revision that differs between sessions (from the nonce, say) would tell the two apart.
    """
    pair = opened()
    pair.host.show(0, b"OLD")
    late = pair.host.data_to_send(pair.now)
    pair.host = HostLink(fresh=nonces(0x7000))
    pair.host.connected(pair.now)
    pair.talk()
    pair.device_said += pair.device.receive(late, pair.now)
    pair.host.show(0, b"NEW")
    pair.talk()
    pair.go_on(12)
    assert on_show(pair) == {0: b"NEW"}


def test_a_late_shown_of_the_session_before_is_not_taken_for_one_of_this() -> None:
    """TL-060, TL-063: the device restarted and shows nothing, SHOW is lost, and an old SHOWN of its revision arrives.

    A first revision that differs between sessions, not only between processes, would tell the two apart.
    """
    pair = opened()
    pair.host.show(0, b"MIN 25")
    pair.talk()
    late = next(frame for frame in pair.device_sent if any(isinstance(message, Shown) for message in read(frame)))
    pair.device = make_device(boot=BOOT + 1)
    pair.device_said.clear()
    pair.host.connected(pair.now)
    while pair.host.phase != "open":
        pair.device.receive(pair.host.data_to_send(pair.now), pair.now)
        pair.host.receive(pair.device.data_to_send(pair.now), pair.now)
    assert sent(pair.host, pair.now), "the SHOW that is lost"
    pair.host.receive(late, pair.now)
    pair.go_on(12)
    assert on_show(pair) == {0: b"MIN 25"}
