"""The C device in session with the Python host, and beside the Python device on the same bytes."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

import pytest

from firmware_protocol.tablelink import messages
from firmware_protocol.tablelink.device import HostConnected, HostLost, SlotChanged
from firmware_protocol.tablelink.host import Known, SlotShown
from firmware_protocol.tablelink.messages import (
    Ack,
    CardEvent,
    Hello,
    Ping,
    Resume,
    Show,
)
from tests.firmware_protocol.c.common import (
    DEVICE_NONCE,
    EIGHT,
    HOST_NONCE,
    KEY,
    NEEDS_GCC,
    OTHER_KEY,
    framed,
    opened,
    sent,
    vector,
)
from tests.firmware_protocol.c.harness import (
    BOOT,
    CDevice,
    Pipe,
    Table,
    Twin,
    cut,
)

pytestmark = NEEDS_GCC


# Sessions


@pytest.mark.parametrize("key", [None, KEY, OTHER_KEY])
@pytest.mark.parametrize("baud", [9600, 115200])
def test_events_arrive_once_and_in_order_and_are_forgotten_when_committed(
    pipe: Pipe, key: bytes | None, baud: int
) -> None:
    table = opened(pipe, key=key, baud=baud)
    assert [connection.proven for connection in table.connections] == [False]
    assert table.from_device == [HostConnected()]
    for number in range(1, 100):
        assert table.device.add(CardEvent, 10 * number, EIGHT, 0) == number
        table.run(60)
    assert table.numbers == list(range(1, 100))
    assert [event.clock_ms for event in table.journal] == [10 * number for number in range(1, 100)]
    assert table.run(100).device.state()["queued"] == 0


def test_every_kind_of_event_arrives_with_its_values(pipe: Pipe) -> None:
    table = opened(pipe)
    for place, kind in enumerate(messages.EVENT_CLASSES):
        fields = len(kind.__struct_fields__) - 3
        assert table.device.add(kind, 0xFFFFFFFF, *(0x11, place)[:fields])
    table.run(100)
    assert [type(event) for event in table.journal] == list(messages.EVENT_CLASSES)


def test_an_event_that_can_not_be_is_not_kept(pipe: Pipe) -> None:
    twin = Twin(pipe)
    assert twin.add(CardEvent, 0, 0x0E, 0) == 0
    assert pipe.one("E 43 0 0 0") == "N 0"
    assert twin.state()["next_number"] == 1


@pytest.mark.parametrize("clock", [0, 2**32 - 1500, 2**31 - 1500])
def test_an_event_is_sent_again_after_growing_times_also_over_the_clocks_wrap(pipe: Pipe, clock: int) -> None:
    twin = Twin(pipe, clock=clock)
    twin.receive(framed(Resume(1, BOOT, 0)), 0)
    twin.add(CardEvent, 0, EIGHT, 0)
    assert len(sent(twin.data_to_send(0))) == 2
    times = []
    for ms in range(1, 13000):
        if ms % 1000 == 0:
            twin.receive(framed(Ping(1)), ms)
        twin.poll(ms)
        if any(isinstance(message, CardEvent) for message in sent(twin.data_to_send(ms))):
            times.append(ms)
    assert times[:1] == [281]  # 0.28 s at 115200, to the next millisecond
    assert [b - a for a, b in pairwise(times)] == [562, 1123, 2245, 4000, 4000]


def test_progress_sets_the_time_back_and_sends_only_the_rest(pipe: Pipe) -> None:
    twin = Twin(pipe)
    twin.receive(framed(Resume(1, BOOT, 0)), 0)
    for _ in range(3):
        twin.add(CardEvent, 0, EIGHT, 0)
    twin.data_to_send(0)
    twin.poll(281)
    assert len(sent(twin.data_to_send(281))) == 3
    twin.receive(framed(Ack(BOOT & 0xFFFF, 2)), 400)
    twin.poll(680)
    assert twin.data_to_send(680) == b""
    twin.poll(681)
    assert [event.number for event in sent(twin.data_to_send(681)) if isinstance(event, CardEvent)] == [3]


@pytest.mark.parametrize("key", [None, KEY])
def test_after_a_cut_the_host_resumes_and_knows_that_nothing_was_missed(pipe: Pipe, key: bytes | None) -> None:
    table = opened(pipe, key=key)
    table.device.add(CardEvent, 1, EIGHT, 0)
    table.run(100)
    for number in range(2, 10):
        table.device.add(CardEvent, number, EIGHT, 0)
    table.run(5000, to_device=cut, to_host=cut)
    assert table.losses == ["nothing was heard for 3 seconds"]
    assert table.from_device == [HostConnected(), HostLost()]
    table.run(1000)
    assert table.connections[-1].proven
    assert table.numbers == list(range(1, 10))
    assert table.from_device == [HostConnected(), HostLost(), HostConnected()]


def test_a_full_queue_stops_the_shoe_and_loses_nothing(pipe: Pipe) -> None:
    table = opened(pipe)
    table.committing = False
    stops = []
    for number in range(1, 33):
        assert table.device.add(CardEvent, 0, EIGHT, 0) == number
        stops.append(table.device.state()["must_stop"])
    assert stops == [0] * 29 + [1] * 3
    assert table.device.add(CardEvent, 0, EIGHT, 0) == 0
    table.run(2000)
    assert table.numbers == list(range(1, 33))
    assert table.device.state()["queued"] == 32
    table.committing = True
    table.commit()
    assert table.run(100).device.state()["must_stop"] == 0
    assert table.device.add(CardEvent, 0, EIGHT, 0) == 33
    assert table.run(100).numbers == list(range(1, 34))


@pytest.mark.parametrize("key", [None, KEY])
def test_a_restart_is_noticed_and_proves_nothing(pipe: Pipe, key: bytes | None) -> None:
    table = opened(pipe, key=key)
    table.device.add(CardEvent, 0, EIGHT, 0)
    table.run(100)
    table.device = Twin(pipe, boot=BOOT + 1, key=key, nonce=b"\0\0\0\0\1\0\0\0")
    table.run(3000)
    assert table.losses == ["the device has no session any more: it restarted"]
    assert [connection.proven for connection in table.connections] == [False, False]
    assert "restarted" in table.connections[-1].words
    table.device.add(CardEvent, 0, EIGHT, 0)
    assert table.run(100).numbers == [1, 1]


def test_a_host_that_restarts_goes_on_from_its_journal(pipe: Pipe) -> None:
    table = opened(pipe)
    for _ in range(5):
        table.device.add(CardEvent, 0, EIGHT, 0)
    table.run(100)
    table.device.add(CardEvent, 0, EIGHT, 0)
    later = Table(table.device, known=Known(BOOT, 5), now=table.now, host_nonce=b"\0\0\0\0LATE").run(200)
    assert later.connections[0].proven
    assert later.numbers == [6]


def test_without_a_session_ping_ack_and_show_are_answered_so_and_nothing_else_is(pipe: Pipe) -> None:
    twin = Twin(pipe)
    for message in (Ping(1), Ack(BOOT & 0xFFFF, 0), Show(0, 1, b"x"), Resume(1, BOOT + 1, 0)):
        twin.receive(framed(message), 0)
        assert twin.data_to_send(0) == vector("no session")
    for name in ("pong", "shown", "card 8S", "ready", "identity of a shoe"):
        twin.receive(vector(name), 0)
        assert twin.data_to_send(0) == b""
    assert twin.state()["open"] == 0


@pytest.mark.parametrize("versions", [(2, 9), (0, 0), (2, 1)])
def test_a_wrong_version_is_refused_and_an_open_session_goes_on(pipe: Pipe, versions: tuple[int, int]) -> None:
    table = opened(pipe)
    table.device.receive(framed(Hello(*versions, HOST_NONCE)), table.now)
    assert table.device.data_to_send(table.now) == vector("refused, version")
    table.device.add(CardEvent, 0, EIGHT, 0)
    assert table.run(2000).numbers == [1]
    assert table.losses == []


def test_a_stray_hello_leaves_the_session_open(pipe: Pipe) -> None:
    for key in (None, KEY):
        table = opened(pipe, key=key)
        table.device.receive(framed(Hello(1, 1, HOST_NONCE)), table.now)
        table.device.add(CardEvent, 0, EIGHT, 0)
        assert table.run(2000).numbers == [1]
        assert table.losses == []


def test_acks_of_another_boot_and_of_events_never_numbered_are_ignored(pipe: Pipe) -> None:
    twin = Twin(pipe)
    twin.receive(framed(Resume(1, BOOT, 0)), 0)
    twin.add(CardEvent, 0, EIGHT, 0)
    twin.data_to_send(0)
    for ack in (
        Ack(BOOT + 1 & 0xFFFF, 1),
        Ack(BOOT & 0xFFFF, 2),
        Ack(BOOT & 0xFFFF, 0xFFFFFFFF),
        Ack(BOOT & 0xFFFF, 0),
    ):
        twin.receive(framed(ack), 0)
        assert twin.state()["queued"] == 1
    twin.receive(framed(Resume(2, BOOT, 77)), 0)
    assert twin.state()["queued"] == 1
    twin.receive(framed(Ack(BOOT & 0xFFFF, 1)), 0)
    assert twin.state()["queued"] == 0


# A revision, whether it changes the slot, the revision it is answered with. Half the circle ahead is not newer.
CIRCLE: Final = (
    (5, 1, 5),
    (5, 0, 5),
    (4, 0, 5),
    (0x8005, 0, 5),
    (0x8004, 1, 0x8004),
    (5, 0, 0x8004),
    (3, 1, 3),
    (0xFFFF, 0, 3),
)


def test_slots_show_the_newest_and_answer_repeats(pipe: Pipe) -> None:
    table = opened(pipe)
    table.host.show(0x80, b"\1")
    table.host.show(0, b"MIN 25")
    table.run(100)
    assert table.from_device[1:] == [SlotChanged(0x80, b"\1"), SlotChanged(0, b"MIN 25")]
    assert [output.slot for output in table.from_host if isinstance(output, SlotShown)] == [0x80, 0]
    twin = table.device
    for revision, changed, answered in CIRCLE:
        outputs = twin.receive(framed(Show(1, revision, b"x")), table.now)
        assert (len(outputs), sent(twin.data_to_send(table.now))) == (changed, [messages.Shown(1, answered)]), revision
    twin.receive(framed(Resume(1, BOOT, 0)), table.now)
    assert twin.receive(framed(Show(1, 3, b"y")), table.now) == [SlotChanged(1, b"y")]


def test_of_several_questions_in_one_read_the_last_of_each_kind_is_answered(pipe: Pipe) -> None:
    table = opened(pipe)
    questions = [Hello(1, 1, HOST_NONCE), Ping(1), Show(0, 100, b"a"), Show(1, 100, b"b"), Resume(7, BOOT, 0), Ping(2)]
    questions += [Show(0, 101, b"c"), Hello(9, 9, HOST_NONCE), Hello(1, 1, DEVICE_NONCE), Ping(3)]
    table.device.receive(b"".join(map(framed, questions * 30)), table.now)
    answers = sent(table.device.data_to_send(table.now))
    kinds = [type(answer).__name__ for answer in answers]
    assert kinds == ["Shown", "Ready", "Shown", "Refused", "Identity", "Pong"]
    assert isinstance(answers[4], messages.Identity)
    assert answers[4].host_nonce == DEVICE_NONCE
    assert answers[5] == messages.Pong(3)


def test_a_slot_the_device_does_not_have_is_answered_and_counted(pipe: Pipe) -> None:
    table = Table(CDevice(pipe, slots=b"\0")).run(100)
    table.host.show(0x40, b"\1")
    table.host.show(0x41, b"\1")
    table.run(3000)
    assert table.from_device == [HostConnected()]
    assert {output.slot for output in table.from_host if isinstance(output, SlotShown)} == {0x40, 0x41}
    assert table.device.state()["unknown_slots"] >= 2


def test_what_was_due_to_a_lost_host_is_not_sent_later(pipe: Pipe) -> None:
    twin = Twin(pipe)
    twin.receive(framed(Resume(1, BOOT, 0)) + framed(Ping(1)) + framed(Show(0, 1, b"x")), 0)
    assert twin.poll(2999) == []
    assert twin.poll(3000) == [HostLost()]
    assert twin.data_to_send(3000) == b""


def test_frames_may_be_taken_one_at_a_time(pipe: Pipe) -> None:
    device = CDevice(pipe)
    device.receive(framed(Resume(1, BOOT, 0)), 0)
    for _ in range(3):
        device.add(CardEvent, 0, EIGHT, 0)
    frames = [device.frames_to_send(0, "D1") for _ in range(2)]
    device.receive(framed(Ping(9)), 5)
    frames += [device.frames_to_send(5, "D1") for _ in range(4)]
    kinds = [type(message).__name__ for part in frames for message in sent(b"".join(part))]
    assert kinds == ["Ready", "CardEvent", "Pong", "CardEvent", "CardEvent"]


def test_a_pulled_cable_closes_the_session_and_keeps_the_events(pipe: Pipe) -> None:
    table = opened(pipe)
    table.device.add(CardEvent, 0, EIGHT, 0)
    table.device.receive(vector("ping")[:3], table.now)
    assert table.device.disconnected() == [HostLost()]
    assert table.device.disconnected() == []
    assert table.device.state()["queued"] == 1
    assert table.run(2000).numbers == [1]
