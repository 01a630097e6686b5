"""The C device with keys, on bad lines, and beside the Python device whatever comes."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_protocol.tablelink import auth, messages
from firmware_protocol.tablelink.device import HostConnected, HostLost
from firmware_protocol.tablelink.framing import encode_frame
from firmware_protocol.tablelink.host import DeviceRefused, Known
from firmware_protocol.tablelink.messages import (
    Ack,
    CardEvent,
    Ping,
    Resume,
    Show,
    encode_message,
)
from tests.firmware_protocol.c.common import (
    EIGHT,
    KEY,
    NEEDS_GCC,
    OTHER_KEY,
    VECTORS,
    framed,
    opened,
    vector,
)
from tests.firmware_protocol.c.harness import (
    BOOT,
    SLOTS,
    CDevice,
    Pipe,
    Table,
    Twin,
    cut,
)

pytestmark = NEEDS_GCC


# Keys


@pytest.mark.parametrize(
    ("device_key", "host_key", "words"),
    [
        (KEY, OTHER_KEY, "another key"),
        (KEY, None, "wants its key"),
        (None, KEY, "the device uses none"),
    ],
)
def test_without_the_right_key_there_is_no_session(
    pipe: Pipe, device_key: bytes | None, host_key: bytes | None, words: str
) -> None:
    table = Table(Twin(pipe, key=device_key), key=host_key).run(8000)
    assert table.connections == []
    [refused] = [output for output in table.from_host if isinstance(output, DeviceRefused)]
    assert words in refused.words
    assert table.from_device == []


def test_a_keyed_device_obeys_no_plain_frame_but_hello(pipe: Pipe) -> None:
    table = opened(pipe, key=KEY)
    table.device.add(CardEvent, 0, EIGHT, 0)
    table.device.data_to_send(table.now)
    for message in (Ack(BOOT & 0xFFFF, 1), Ping(1), Show(0, 1, b"x")):
        assert table.device.receive(framed(message), table.now) == []
        assert table.device.data_to_send(table.now) == b""
    table.device.receive(framed(Resume(1, BOOT, 1)), table.now)
    assert table.device.data_to_send(table.now) == vector("refused, key")
    state = table.device.state()
    assert (state["queued"], state["unsealed"]) == (1, 4)


def test_replayed_and_reordered_frames_change_nothing(pipe: Pipe) -> None:
    table = opened(pipe, key=KEY)
    recorded: list[bytes] = []
    table.host.show(0, b"one")

    def listening(data: bytes) -> bytes:
        recorded.append(data)
        return data

    table.run(3000, to_device=listening)
    table.host.show(0, b"two")
    table.run(1000)
    before = table.device.state()
    shown = len(table.from_device)
    for data in [*recorded, *reversed(recorded)]:
        assert table.device.receive(data, table.now) == []
        assert table.device.data_to_send(table.now) == b""
    assert len(table.from_device) == shown
    assert table.device.state()["forged"] > before["forged"]
    later = Twin(pipe, boot=BOOT, key=KEY, nonce=b"\0\0\0\0\7\0\0\0")  # the same boot id by mistake: still safe
    for data in recorded:
        assert later.receive(data, table.now) == []
    assert later.state()["open"] == 0


def test_a_session_whose_counter_is_nearly_used_up_is_replaced(pipe: Pipe) -> None:
    """C alone: it looks before each frame, Python before each batch, so C ends the session a call earlier."""
    table = Table(CDevice(pipe, key=KEY), key=KEY, known=Known(BOOT, 0)).run(100)
    pipe.ask(f"H {0xFFFFFFFF - 1024}")
    table.device.add(CardEvent, 0, EIGHT, 0)
    assert table.run(20).numbers == [1]
    table.device.add(CardEvent, 0, EIGHT, 0)
    table.run(3000)
    assert table.numbers == [1, 2]
    assert table.from_device == [HostConnected(), HostLost(), HostConnected()]
    assert [connection.proven for connection in table.connections] == [True, True]


def test_a_device_compiled_without_keys_works_and_takes_no_sealed_frame(plain_pipe: Pipe) -> None:
    table = opened(plain_pipe)
    table.device.add(CardEvent, 0, EIGHT, 0)
    assert table.run(100).numbers == [1]
    sealed = auth.seal(encode_message(Ping(1)), bytes(32), auth.FROM_HOST, 0)
    table.device.receive(encode_frame(sealed), table.now)
    assert table.device.data_to_send(table.now) == b""
    assert table.device.state()["forged"] == 1
    with pytest.raises(ValueError, match="refuses"):
        CDevice(plain_pipe, key=KEY)


# Chance

FAULTS = ("good", "good", "good", "lost", "flipped", "cut short", "twice", "noise", "late")


class BadLine:
    """Does to each burst of bytes what it is told, then what comes by itself is good."""

    def __init__(self, faults: list[tuple[str, int]]) -> None:
        self.faults = faults
        self.late = b""

    def __call__(self, data: bytes) -> bytes:
        if not data:
            return data
        fault, place = self.faults.pop() if self.faults else ("good", 0)
        place %= len(data)
        late, self.late = self.late, b""
        match fault:
            case "lost":
                data = b""
            case "flipped":
                data = data[:place] + bytes([data[place] ^ (1 << place % 8)]) + data[place + 1 :]
            case "cut short":
                data = data[:place]
            case "twice":
                data += data
            case "noise":
                data = data[:place] + random.Random(place).randbytes(place % 90) + data[place:]
            case "late":
                data, self.late = b"", data
        return data + late  # what is late comes behind its successor: out of order


faults = st.lists(st.tuples(st.sampled_from(FAULTS), st.integers(0, 255)), max_size=60)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(keyed=st.booleans(), down=faults, up=faults, cards=st.lists(st.integers(1, 8), max_size=12))
def test_over_any_bad_line_every_event_arrives_once_and_in_order(
    pipe: Pipe, keyed: bool, down: list[tuple[str, int]], up: list[tuple[str, int]], cards: list[int]
) -> None:
    key = KEY if keyed else None
    table = Table(Twin(pipe, key=key), key=key, known=Known(BOOT, 0))
    to_device, to_host = BadLine(down), BadLine(up)
    added = 0
    for several in cards:
        for _ in range(several):
            added += table.device.add(CardEvent, 0, EIGHT, 0) > 0
        table.run(600, step=100, to_device=to_device, to_host=to_host)
    for _ in range(60):
        if not (to_device.faults or to_host.faults):
            break
        table.run(1000, step=100, to_device=to_device, to_host=to_host)
    table.run(9200, step=100, to_device=to_device, to_host=to_host)  # TL-074
    assert table.numbers == list(range(1, added + 1))
    assert all(connection.proven for connection in table.connections)
    assert table.device.state()["queued"] == 0


def random_frame(chance: random.Random, seal: tuple[bytes, int] | None = None) -> bytes:
    """A right frame with a body of chance: half of them right messages but for their values."""
    body = bytearray(chance.randbytes(chance.randint(1, 52)))
    if chance.random() < 0.7:
        body = bytearray.fromhex(chance.choice(VECTORS["frames"] + VECTORS["bad_messages"])["body"])
        if len(body) > 1 and chance.random() < 0.7:
            body[chance.randrange(1, len(body))] = chance.randrange(256)
    if body[0] & 0x7F == Show.id and len(body) > 1:
        body[1] = chance.choice(SLOTS)  # the Python device has all slots, the C device these
    if seal:
        body[0] &= 0x7F
        return encode_frame(auth.seal(bytes(body[:52]), seal[0], auth.FROM_HOST, seal[1]))
    return encode_frame(bytes(body))


@pytest.mark.parametrize("keyed", [False, True])
@pytest.mark.parametrize("seed", range(8))
def test_both_devices_send_the_same_bytes_whatever_comes(pipe: Pipe, keyed: bool, seed: int) -> None:
    """A host, a bad line, a stranger who knows the format and sometimes the session key, and hands on the shoe."""
    chance = random.Random(seed)
    key = chance.randbytes(chance.randint(16, 32)) if keyed else None
    baud = chance.choice([9600, 19200, 57600, 115200])
    boot = chance.getrandbits(32)
    twin = Twin(pipe, boot=boot, key=key, baud=baud, clock=chance.getrandbits(32))
    table = Table(twin, key=key, baud=baud)
    held: list[bytes] = []
    for _ in range(1200):
        match chance.randrange(12):
            case 0 | 1:
                kind = chance.choice(messages.EVENT_CLASSES)
                fields = len(kind.__struct_fields__) - 3
                twin.add(kind, chance.getrandbits(32), *(EIGHT, chance.randrange(256))[:fields])
            case 2 | 3:
                twin.add(CardEvent, table.now, EIGHT, 0)
            case 4:
                table.host.show(chance.choice(SLOTS), chance.randbytes(chance.randint(0, 48)))
            case 5:
                seal = table.host._seal
                sealed = (seal.session, seal.counter + chance.randint(0, 2)) if seal else None
                held.append(random_frame(chance, sealed if chance.random() < 0.8 else None))
            case 6:
                held.append(chance.randbytes(chance.randint(1, 100)))
            case 7:
                held.append(framed(Resume(chance.getrandbits(16), boot, chance.randrange(3 * twin.python.next_number))))
            case 8 if held:
                data = b"".join(chance.choices(held, k=1 if keyed else 3))
                place = chance.randrange(len(data) + 1)
                twin.receive(data[:place], table.now)
                if chance.random() < 0.8:
                    twin.receive(data[place:], table.now)
                if keyed or chance.random() < 0.5:
                    twin.data_to_send(table.now)
            case 9:
                bend = chance.choice((bytes, bytes, bytes, cut))
                step = chance.choice((1, 7, 50, 281, 1000))
                table.run(step * chance.randint(1, 5), step=step, to_device=bend, to_host=bend)
            case 10 if chance.random() < 0.1:
                twin.disconnected()
            case _:
                table.committing = chance.random() < 0.8
                twin.data_to_send(table.now)
                table.run(40)
        twin.state()
    assert len(table.connections) >= 2
    assert len(table.journal) > 20


@pytest.mark.parametrize("seed", range(3))
def test_noise_breaks_nothing_and_a_session_is_possible_after_it(pipe: Pipe, plain_pipe: Pipe, seed: int) -> None:
    chance = random.Random(seed)
    for running, key in ((plain_pipe, None), (pipe, None), (pipe, KEY)):
        device = CDevice(running, key=key)
        for number in range(40):
            device.add(CardEvent, number, EIGHT, 0)
        for now in range(60):
            parts = [chance.randbytes(chance.randint(1, 200)) for _ in range(20)]
            few = bytes(chance.choice(b"\0\0\1\2\3\x08\x18\x80\x88") for _ in range(2000))  # many short frames
            frames = [random_frame(chance) for _ in range(20)]
            device.receive(b"".join(parts) + few + b"".join(frames), 100 * now)
            assert all(len(frame) <= 68 and frame[-1] == 0 for frame in device.frames_to_send(100 * now))
            device.poll(100 * now)
        assert device.state()["bad_frames"] > 100
        table = Table(device, key=key, now=20_000).run(8000)
        assert table.connections
        assert table.numbers == list(range(table.numbers[0], 33)) if table.numbers else True
