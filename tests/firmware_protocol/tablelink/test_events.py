"""Events are reliable: numbered, kept, sent again, delivered once (section 5, a test for each rule)."""

from __future__ import annotations

from itertools import pairwise

import pytest

from firmware_protocol.tablelink import timing
from firmware_protocol.tablelink.device import DeviceLink, QueueFull
from firmware_protocol.tablelink.framing import encode_frame
from firmware_protocol.tablelink.host import Connected, DeviceLost, EventReceived, Known
from firmware_protocol.tablelink.messages import (
    Ack,
    CardEvent,
    CutCardEvent,
    Event,
    Hello,
    KeyEvent,
    LidEvent,
    Message,
    Ping,
    Resume,
    encode_message,
)
from tests.firmware_protocol.tablelink.ends import (
    BOOT,
    EIGHT_OF_SPADES,
    card,
    make_device,
    make_host,
    opened,
    opened_device,
    read,
    wire,
)

LOW = BOOT & 0xFFFF


def numbers(messages: list[Message]) -> list[int]:
    return [message.number for message in messages if isinstance(message, CardEvent)]


def acks(messages: list[Message]) -> list[int]:
    return [message.upto for message in messages if isinstance(message, Ack)]


def sent_at(device: DeviceLink, until: float, step: float = 0.01) -> list[float]:
    """When the device sends events, while a host pings and acknowledges nothing."""
    times = []
    for tick in range(round(until / step) + 1):
        now = tick * step
        device.receive(wire(Ping(tick & 0xFFFF)), now)
        device.poll(now)
        if numbers(read(device.data_to_send(now))):
            times.append(now)
    return times


def test_events_of_all_kinds_are_numbered_from_1_without_gaps() -> None:
    """TL-030"""
    pair = opened()
    kinds: list[tuple[type[Event], tuple[int, ...]]] = [
        (CardEvent, (EIGHT_OF_SPADES, 1)),
        (CutCardEvent, ()),
        (LidEvent, (1,)),
        (KeyEvent, (4, 2)),
    ]
    assert [pair.device.add(kind, 5, *values) for kind, values in kinds] == [1, 2, 3, 4]
    pair.talk()
    said = [output for output in pair.host_said if isinstance(output, EventReceived)]
    assert [output.event for output in said] == [
        kind(LOW, number, 5, *values) for number, (kind, values) in enumerate(kinds, 1)
    ]
    assert {output.boot for output in said} == {BOOT}


def test_an_event_is_kept_until_it_is_acknowledged() -> None:
    """TL-031"""
    pair = opened(cards=3)
    pair.go_on(60)
    assert pair.device.queued == 3
    pair.commit(2)
    assert (pair.device.queued, pair.device.oldest) == (1, 3)
    pair.commit(3)
    assert (pair.device.queued, pair.device.oldest) == (0, 4)


def test_the_shoe_stops_with_room_for_two_more() -> None:
    """TL-032"""
    device = make_device(capacity=10)
    stopped = []
    for _ in range(10):
        stopped.append(device.must_stop)
        device.add(CardEvent, 0, EIGHT_OF_SPADES, 0)
    assert stopped == [False] * 8 + [True] * 2
    device.receive(wire(Hello(1, 1, bytes(8)), Resume(1, BOOT, 3)), 0.0)
    assert not device.must_stop


def test_a_full_queue_refuses_and_drops_nothing() -> None:
    """TL-032"""
    device = opened_device(cards=10, capacity=10)
    with pytest.raises(QueueFull, match="10 events wait"):
        device.add(CardEvent, 0, EIGHT_OF_SPADES, 0)
    assert (device.queued, device.next_number) == (10, 11)
    assert numbers(read(device.data_to_send(0.0))) == list(range(1, 11))


def test_only_what_is_committed_is_acknowledged_and_cumulatively() -> None:
    """TL-033"""
    pair = opened(cards=5)
    pair.go_on(30)
    assert acks(read(b"".join(pair.host_sent))) == []
    pair.host.committed(BOOT, 2)
    pair.host.committed(BOOT, 4)
    pair.talk()
    assert acks(read(b"".join(pair.host_sent))) == [4]


def test_what_was_never_received_cannot_be_committed() -> None:
    """TL-033"""
    pair = opened(cards=2)
    with pytest.raises(ValueError, match="event 3 was never received"):
        pair.host.committed(BOOT, 3)
    pair.host.committed(BOOT + 1, 3)  # of a boot that is over: too late to matter, and no error
    pair.talk()
    assert pair.device.queued == 2


@pytest.mark.parametrize("ack", [Ack(LOW ^ 1, 2), Ack(LOW, 4), Ack(LOW, 0xFFFFFFFF), Ack(LOW, 0)], ids=repr)
def test_a_device_ignores_an_ack_of_another_boot_or_of_no_event(ack: Ack) -> None:
    """TL-033"""
    device = opened_device(cards=3)
    device.data_to_send(0.0)
    device.receive(wire(ack), 0.1)
    assert device.queued == 3


@pytest.mark.parametrize("baud", [9600, 115200])
def test_events_are_sent_again_after_the_re_send_time_which_doubles_up_to_4_seconds(baud: int) -> None:
    """TL-034, TL-070, TL-071"""
    times = sent_at(opened_device(cards=3, baud=baud), until=20)
    waits = [later - earlier for earlier, later in pairwise(times)]
    wait = timing.resend_time(baud)
    for found in waits:
        assert found == pytest.approx(wait, abs=0.02)
        wait = min(2 * wait, 4.0)
    assert wait == 4.0


def test_all_unacknowledged_events_are_sent_again_from_the_oldest_on() -> None:
    """TL-034"""
    device = opened_device(cards=5)
    device.data_to_send(0.0)
    device.receive(wire(Ack(LOW, 2)), 0.1)
    device.poll(0.5)
    assert numbers(read(device.data_to_send(0.5))) == [3, 4, 5]


def test_an_acknowledgement_makes_the_re_send_time_short_again() -> None:
    """TL-034"""
    device = opened_device(cards=3)
    last = sent_at(device, until=8)[-1]
    device.receive(wire(Ack(LOW, 1)), last + 0.1)
    assert device.next_time() == pytest.approx(last + 0.1 + timing.resend_time(115200))
    device.receive(wire(Ack(LOW, 1)), last + 0.2)  # no progress, no change
    assert device.next_time() == pytest.approx(last + 0.1 + timing.resend_time(115200))


def test_a_new_event_does_not_wait_for_the_acknowledgement_of_the_one_before() -> None:
    """TL-038: up to 32 are on the way."""
    device = opened_device(cards=1)
    device.data_to_send(0.0)
    device.add(CardEvent, 0, EIGHT_OF_SPADES, 0)
    assert numbers(read(device.data_to_send(0.01))) == [2]


def test_at_most_32_events_are_on_the_way() -> None:
    """TL-038"""
    device = opened_device(cards=100, capacity=100)
    assert numbers(read(device.data_to_send(0.0))) == list(range(1, 33))
    assert device.data_to_send(0.1) == b""
    device.receive(wire(Ack(LOW, 10)), 0.1)
    assert numbers(read(device.data_to_send(0.1))) == list(range(33, 43))
    device.poll(0.5)
    assert numbers(read(device.data_to_send(0.5))) == list(range(11, 43))


def test_a_repeated_event_is_dropped_and_acknowledged_again_only_if_committed() -> None:
    """TL-035"""
    pair = opened(cards=2)
    pair.commit(1)
    assert pair.host.receive(wire(card(2)), pair.now) == []
    assert pair.host.data_to_send(pair.now) == b""
    assert pair.host.receive(wire(card(1)), pair.now) == []
    assert read(pair.host.data_to_send(pair.now)) == [Ack(LOW, 1)]
    assert pair.host.counts.duplicates == 2


def test_a_repeat_of_the_uncommitted_does_not_swallow_the_acknowledgement_of_the_committed() -> None:
    """TL-035: 1 to 3 are committed and their ACK was lost; the device sends 1 to 5 again in one read."""
    pair = opened(cards=5)
    pair.host.committed(BOOT, 3)
    pair.host.data_to_send(pair.now)  # lost
    pair.host.receive(wire(*[card(number) for number in range(1, 6)]), pair.now)
    assert acks(read(pair.host.data_to_send(pair.now))) == [3]


def test_a_commit_is_acknowledged_although_a_repeat_arrives_before_the_host_can_send() -> None:
    """TL-033, TL-035"""
    pair = opened(cards=5)
    pair.host.committed(BOOT, 3)
    pair.host.receive(wire(card(5)), pair.now)
    assert acks(read(pair.host.data_to_send(pair.now))) == [3]


def test_an_event_before_its_turn_is_dropped_and_comes_again() -> None:
    """TL-035"""
    pair = opened()
    pair.add_cards(3)
    pair.device.data_to_send(pair.now)  # lost
    assert pair.host.receive(wire(card(3), card(2)), pair.now) == []
    assert pair.host.counts.out_of_order == 2
    pair.go_on(1)
    assert pair.events == [1, 2, 3]


def test_an_event_of_another_boot_is_dropped() -> None:
    """TL-035"""
    pair = opened()
    assert pair.host.receive(wire(card(1, boot=BOOT + 1)), 0.0) == []
    assert pair.host.counts.unexpected == 1


def test_a_host_that_gets_only_later_events_for_8_seconds_begins_anew() -> None:
    """TL-036"""
    pair = opened()
    lost: list[object] = []
    for tenth in range(100):
        now = tenth / 10
        pair.host.receive(wire(card(7)), now)
        lost += pair.host.poll(now)
        pair.host.data_to_send(now)
        if lost:
            break
    assert now == pytest.approx(8.0, abs=0.11)
    assert lost == [DeviceLost("event 1 does not come, only later ones")]
    assert pair.host.phase == "hello"


def test_a_gap_that_is_filled_in_time_is_no_reason_to_begin_anew() -> None:
    """TL-036"""
    pair = opened()
    pair.host.receive(wire(card(2)), 0.0)
    pair.host.receive(wire(card(1)), 7.9)
    pair.host.receive(wire(card(3)), 7.95)
    assert pair.host.poll(8.5) == []
    pair.host.receive(wire(card(2)), 9.0)
    pair.host.receive(wire(card(3)), 11.0)
    assert pair.host.poll(13.9) == []


def test_a_gap_of_the_session_before_does_not_end_the_new_one() -> None:
    """TL-036"""
    pair = opened(cards=1)
    pair.host.receive(wire(card(3)), pair.now)
    pair.host.connected(pair.now)
    pair.talk()
    pair.go_on(20)
    assert [type(said) for said in pair.host_said if not isinstance(said, EventReceived)] == [Connected, Connected]


def test_the_devices_clock_may_wrap_and_orders_nothing() -> None:
    """TL-037"""
    pair = opened()
    for clock in (2**32 - 1, 2**32 + 7, 3):
        pair.device.add(CardEvent, clock, EIGHT_OF_SPADES, 0)
    pair.talk()
    events = [output.event for output in pair.host_said if isinstance(output, EventReceived)]
    assert [(event.number, event.clock_ms) for event in events] == [(1, 2**32 - 1), (2, 7), (3, 3)]


def test_a_card_code_that_is_no_card_is_counted_and_not_delivered() -> None:
    """TL-011, TL-040"""
    pair = opened()
    assert pair.host.receive(encode_frame(encode_message(card(1))[:-2] + b"\x0e\x00"), 0.0) == []
    assert pair.host.counts.bad_messages == 1
    assert pair.host.phase == "open"


@pytest.mark.parametrize("values", [(0x0E, 0), (300, 0), (-1, 0), (EIGHT_OF_SPADES, 256)], ids=repr)
def test_an_event_that_cannot_be_sent_is_refused_when_it_is_added(values: tuple[int, ...]) -> None:
    """TL-011, TL-032: once numbered it would block all behind it, and `data_to_send` would raise at every call."""
    device = opened_device()
    with pytest.raises(ValueError, match="CardEvent"):
        device.add(CardEvent, 0, *values)
    assert (device.queued, device.next_number) == (0, 1)
    device.data_to_send(0.0)


def test_a_restarted_device_is_a_new_boot_and_never_proven() -> None:
    """TL-021, TL-029: two cards were dealt and not delivered when the power went."""
    pair = opened(cards=2)
    pair.commit(2)
    pair.add_cards(2)
    pair.device = make_device(boot=BOOT + 1)
    pair.go_on(5)
    again = [said for said in pair.host_said if isinstance(said, Connected)][-1]
    assert not again.proven
    pair.add_cards(1)
    pair.talk()
    assert pair.host_said[-1] == EventReceived(BOOT + 1, card(1, boot=BOOT + 1))


def test_a_host_whose_journal_was_restored_from_an_older_copy_is_told_what_is_gone() -> None:
    """TL-029"""
    pair = opened(cards=5)
    pair.commit(5)
    pair.host = make_host(known=Known(BOOT, 2))
    pair.host.connected(pair.now)
    pair.talk()
    again = [said for said in pair.host_said if isinstance(said, Connected)][-1]
    assert not again.proven
    assert again.words == "events 3 to 5 are gone"
    pair.add_cards(1)
    pair.talk()
    assert pair.events[-1] == 6
