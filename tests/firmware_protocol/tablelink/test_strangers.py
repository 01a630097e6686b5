"""Whatever arrives is counted or obeyed: no bytes and no messages make an end raise, grow or chatter."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from firmware_protocol.tablelink import auth
from firmware_protocol.tablelink.device import DeviceLink
from firmware_protocol.tablelink.endpoint import Counts
from firmware_protocol.tablelink.framing import Frame, FrameDecoder, encode_frame
from firmware_protocol.tablelink.host import Connected, EventReceived, HostLink
from firmware_protocol.tablelink.messages import (
    MESSAGES,
    Ack,
    CardEvent,
    Identity,
    Message,
    Ready,
    Resume,
    Unknown,
    encode_message,
)
from tests.firmware_protocol.tablelink.ends import (
    BOOT,
    EIGHT_OF_SPADES,
    KEY,
    make_device,
    make_host,
    opened,
    opened_device,
    read,
    wire,
)
from tests.firmware_protocol.tablelink.test_messages import EVERY

GARBAGE = st.lists(st.binary(max_size=100), max_size=6)
SMALL = st.integers(1, 3)


def is_noise(stream: bytes) -> bool:
    return not any(isinstance(found, Frame) for found in FrameDecoder().feed(stream))


@given(GARBAGE)
def test_a_damaged_line_does_not_get_better_by_talking_more(pieces: list[bytes]) -> None:
    """TL-004, TL-095: a device answers no noise, with a session and without."""
    for device in (make_device(), opened_device(), make_device(key=KEY), opened(key=KEY).device):
        device.data_to_send(0.0)
        for piece in pieces:
            assert device.receive(piece, 0.0) == [] or not is_noise(b"".join(pieces))
        assert device.data_to_send(0.0) == b"" or not is_noise(b"".join(pieces))


@given(GARBAGE)
def test_noise_is_counted_by_both_ends_and_ends_no_session(pieces: list[bytes]) -> None:
    """TL-004, TL-095"""
    pair = opened()
    expected = sum(1 for run in b"".join(pieces).split(b"\0")[:-1] if run)
    for end in (pair.host, pair.device):
        for piece in pieces:
            end.receive(piece, 0.0)
        end.receive(b"\0", 0.0)
        assert end.counts.bad_frames in (expected, expected + 1) or not is_noise(b"".join(pieces))
    pair.add_cards(1)
    pair.talk()
    assert pair.events == [1] or not is_noise(b"".join(pieces))


def test_messages_of_a_later_version_are_counted_and_end_no_session() -> None:
    """TL-012: plain, and in an authenticated session with its seal on."""
    pair = opened()
    pair.host.receive(wire(Unknown(0x7E, b"??")), 0.0)
    pair.device.receive(wire(Unknown(0x7E, b"??")), 0.0)
    assert (pair.host.counts.unknown, pair.device.counts.unknown) == (1, 1)
    pair.go_on(5)
    assert pair.host.phase == "open"
    pair = opened(key=KEY)
    strange = auth.seal(b"\x7e??", pair.session(), auth.FROM_HOST, 1000)
    pair.device.receive(encode_frame(strange), 0.0)
    assert pair.device.counts == Counts(unknown=1)
    assert pair.device.is_open


def test_a_message_of_the_wrong_length_is_counted_and_ends_no_session() -> None:
    """TL-011"""
    pair = opened()
    for end in (pair.host, pair.device):
        for kind in MESSAGES.values():
            end.receive(encode_frame(bytes([kind.id]) + bytes(60)), 0.0)
        assert end.counts.bad_messages == len(MESSAGES)
        assert end.data_to_send(0.0) == b""
    assert pair.host.phase == "open"
    assert pair.device.is_open


def to_host(host: HostLink) -> st.SearchStrategy[Message]:
    """Anything a device could say, often with the nonce, token and boot that the host waits for."""
    boot = st.sampled_from([BOOT, BOOT + 1])
    answer = st.builds(
        lambda boot, oldest, waiting: Identity(
            1, 1, 7, boot, oldest + waiting, oldest, host._nonce, bytes(8), 1, 0, 0, b"S"
        ),
        boot,
        SMALL,
        SMALL,
    )
    ready = st.builds(lambda boot, first: Ready(host._token, boot, first), boot, SMALL)
    event = st.builds(lambda number: CardEvent(BOOT & 0xFFFF, number, 0, EIGHT_OF_SPADES, 0), SMALL)
    return st.one_of(answer, answer, ready, ready, event, EVERY)


@given(st.data())
def test_no_sequence_of_messages_makes_a_host_raise(data: st.DataObject) -> None:
    """TL-011, TL-012: a device with any firmware, at any time; events come in order whatever it says."""
    host = make_host()
    host.connected(0.0)
    last = 0
    for step in range(data.draw(st.integers(1, 12))):
        now = step * data.draw(st.sampled_from([0.1, 1.0, 4.0]))
        for said in host.receive(wire(data.draw(to_host(host))), now) + host.poll(now):
            if isinstance(said, Connected):
                last = last if said.proven else 0
            if isinstance(said, EventReceived):
                assert last in (0, said.event.number - 1)
                last = said.event.number
                if data.draw(st.booleans()):
                    host.committed(said.boot, said.event.number)
        assert len(host.data_to_send(now)) <= 4 * 68
        host.next_time()


def to_device(device: DeviceLink) -> st.SearchStrategy[Message]:
    resume = st.builds(Resume, SMALL, st.sampled_from([BOOT, BOOT + 1]), st.integers(0, 6))
    ack = st.builds(Ack, st.just(BOOT & 0xFFFF), st.integers(0, 6))
    return st.one_of(resume, ack, EVERY)


@given(st.data())
def test_no_sequence_of_messages_makes_a_device_raise_or_lose_its_place(data: st.DataObject) -> None:
    """TL-031, TL-033: whatever a host asks, the queue is the numbers from the oldest to the next."""
    device = make_device()
    acknowledged = 0
    for step in range(data.draw(st.integers(1, 12))):
        now = step * data.draw(st.sampled_from([0.1, 1.0, 4.0]))
        if data.draw(st.booleans()):
            device.add(CardEvent, 0, EIGHT_OF_SPADES, 0)
        message = data.draw(to_device(device))
        device.receive(wire(message), now)
        device.poll(now)
        assert device.oldest >= acknowledged + 1
        if device.oldest > acknowledged + 1:
            assert isinstance(message, Ack | Resume)
            assert message.upto == device.oldest - 1
        acknowledged = device.oldest - 1
        for sent in read(device.data_to_send(now)):
            if isinstance(sent, CardEvent):
                assert device.oldest <= sent.number < device.next_number
        assert device.queued == device.next_number - device.oldest
        device.next_time()


@given(st.lists(EVERY, max_size=10), st.lists(st.integers(1, 60), max_size=10))
def test_an_end_gives_the_same_however_its_bytes_are_cut(messages: list[Message], cuts: list[int]) -> None:
    """TL-005: the same outputs and counts, at both ends."""
    stream = wire(*messages)
    for make in (lambda: opened().host, lambda: opened().device):
        whole, cut = make(), make()
        at_once = whole.receive(stream, 0.0)
        pieces, rest = [], stream
        for size in cuts:
            pieces.append(rest[:size])
            rest = rest[size:]
        assert [said for piece in [*pieces, rest] for said in cut.receive(piece, 0.0)] == at_once
        assert cut.counts == whole.counts


def test_a_new_connection_begins_with_a_clean_decoder() -> None:
    """TL-004: half a frame of the old connection must not spoil the first of the new one."""
    pair = opened()
    half = wire(Ready(1, BOOT, 1))[:5]
    pair.host.receive(half, 0.0)
    pair.device.receive(half, 0.0)
    pair.host.disconnected()
    pair.device.disconnected()
    pair.host.connected(0.0)
    pair.talk()
    assert pair.host.phase == "open"
    assert encode_message(Ready(1, BOOT, 1))
    assert pair.host.counts.bad_frames == pair.device.counts.bad_frames == 0
