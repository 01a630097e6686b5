"""Both ends of a TableLink on a perfect line, for tests of one rule at a time; bad lines are in channel.py."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count

from firmware_protocol.tablelink import auth
from firmware_protocol.tablelink.device import Described, DeviceLink, DeviceOutput
from firmware_protocol.tablelink.framing import Frame, FrameDecoder, encode_frame
from firmware_protocol.tablelink.host import EventReceived, HostLink, HostOutput, Known
from firmware_protocol.tablelink.messages import (
    CardEvent,
    Event,
    Hello,
    Identity,
    Message,
    Resume,
    decode_message,
    encode_message,
)

KEY = bytes(range(16))
OTHER_KEY = bytes(range(1, 17))
BOOT = 0xDEADBEEF
SHOE = Described(serial="SHOE-1", roles=1, capabilities=0x0007)
EIGHT_OF_SPADES = 0x38


def nonces(start: int = 1) -> Callable[[], bytes]:
    numbers: Iterator[int] = count(start)
    return lambda: next(numbers).to_bytes(8, "little")


def make_host(*, key: bytes | None = None, known: Known | None = None, baud: int = 115200) -> HostLink:
    return HostLink(fresh=nonces(1), key=key, known=known, baud=baud)


def make_device(
    *, key: bytes | None = None, boot: int = BOOT, baud: int = 115200, capacity: int = 32, described: Described = SHOE
) -> DeviceLink:
    return DeviceLink(described, boot=boot, fresh=nonces(0x1000), key=key, baud=baud, capacity=capacity)


def wire(*messages: Message) -> bytes:
    """Plain frames, as a stranger or an unauthenticated end would send them."""
    return b"".join(encode_frame(encode_message(message)) for message in messages)


def bodies(data: bytes) -> list[bytes]:
    decoder = FrameDecoder()
    found = decoder.feed(data) + decoder.close()
    assert all(isinstance(frame, Frame) for frame in found), found
    return [frame.body for frame in found if isinstance(frame, Frame)]


def read(data: bytes) -> list[Message]:
    """The messages in what an end sent; seals are taken off unchecked."""
    return [decode_message(auth.unseal(body) if auth.is_sealed(body) else body) for body in bodies(data)]


def card(number: int, *, boot: int = BOOT, code: int = EIGHT_OF_SPADES) -> CardEvent:
    return CardEvent(boot & 0xFFFF, number, 0, code, 0)


def events_in(outputs: list[HostOutput]) -> list[Event]:
    return [output.event for output in outputs if isinstance(output, EventReceived)]


class Pair:
    """A host and a device whose bytes arrive at once and whole. Keeps everything that was sent and said."""

    def __init__(self, host: HostLink | None = None, device: DeviceLink | None = None, now: float = 0.0) -> None:
        self.host = host or make_host()
        self.device = device or make_device()
        self.now = now
        self.host_sent: list[bytes] = []
        self.device_sent: list[bytes] = []
        self.host_said: list[HostOutput] = []
        self.device_said: list[DeviceOutput] = []
        self.host.connected(now)

    def talk(self) -> None:
        """Lets both ends send until neither has anything to say."""
        for _ in range(100):
            asked = self.host.data_to_send(self.now)
            if asked:
                self.host_sent.append(asked)
                self.device_said += self.device.receive(asked, self.now)
            answered = self.device.data_to_send(self.now)
            if answered:
                self.device_sent.append(answered)
                self.host_said += self.host.receive(answered, self.now)
            if not asked and not answered:
                return
        raise AssertionError("the ends never stop talking")

    def go_on(self, seconds: float) -> None:
        """Lets time pass, waking the ends only when they asked for it."""
        end = self.now + seconds
        for _ in range(20_000):
            times = [t for t in (self.host.next_time(), self.device.next_time()) if t is not None]
            if not times or min(times) > end:
                self.now = end
                return
            self.now = max(self.now + 1e-6, *[t for t in times if t == min(times)])
            self.host_said += self.host.poll(self.now)
            self.device_said += self.device.poll(self.now)
            self.talk()
        raise AssertionError("the ends want to be woken without end")

    def commit(self, upto: int) -> None:
        self.host.committed(self.device.boot, upto)
        self.talk()

    def add_cards(self, number: int) -> None:
        for _ in range(number):
            self.device.add(CardEvent, 0, EIGHT_OF_SPADES, 0)

    @property
    def events(self) -> list[int]:
        return [event.number for event in events_in(self.host_said)]

    def session(self) -> bytes:
        """The session key that both nonces on the wire make with KEY."""
        (hello,) = [m for m in read(b"".join(self.host_sent)) if isinstance(m, Hello)][-1:]
        (identity,) = [m for m in read(b"".join(self.device_sent)) if isinstance(m, Identity)][-1:]
        return auth.session_key(KEY, hello.nonce, identity.nonce)


def opened(
    *, key: bytes | None = None, known: Known | None = None, cards: int = 0, now: float = 0.0, capacity: int = 32
) -> Pair:
    """A pair with an open session, and that many cards dealt in it, delivered and not yet committed."""
    pair = Pair(make_host(key=key, known=known), make_device(key=key, capacity=capacity), now)
    pair.talk()
    assert pair.host.phase == "open"
    assert pair.device.is_open
    pair.add_cards(cards)
    pair.talk()
    return pair


def opened_device(*, cards: int = 0, upto: int = 0, capacity: int = 32, baud: int = 115200) -> DeviceLink:
    """A device alone, with cards in its queue and a plain session that was opened at time 0; its answers are gone."""
    device = make_device(capacity=capacity, baud=baud)
    for _ in range(cards):
        device.add(CardEvent, 0, EIGHT_OF_SPADES, 0)
    device.receive(wire(Hello(1, 1, bytes(8)), Resume(1, BOOT, upto)), 0.0)
    assert device.is_open
    return device
