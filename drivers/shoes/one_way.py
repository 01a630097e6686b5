"""What the shoes that only talk have in common: a decoder on the line, and nothing ever sent back.

They keep nothing for us, so `proven` is never true: what was dealt while nobody listened is gone, and `Ready` says so.
Each driver adds what its own count, if it has one, can still show.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from drivers import base
from drivers.base import DeviceEvent, Ready, Said
from drivers.noise import Noise
from drivers.ports.base import LineSettings, Parity
from drivers.stream import Opener, StreamDevice
from firmware_protocol import shoe_events
from firmware_protocol.wire import BadFrame, Decoded, Decoder


class SerialSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where a shoe on a serial line is, and how the line is set; each driver gives the last four its own defaults."""

    port: str
    baud: int
    data_bits: int
    parity: Parity
    stop_bits: int

    def __post_init__(self) -> None:
        check_port(self.port)
        if self.baud < 1:
            raise ValueError(f"baud: a line has a speed above 0, such as 9600, not {self.baud}")
        if self.data_bits not in (7, 8):
            raise ValueError(f"data_bits: 7 or 8, not {self.data_bits}")
        if self.parity not in ("N", "E", "O"):
            raise ValueError(f"parity: N (none), E (even) or O (odd), not {self.parity!r}")
        if self.stop_bits not in (1, 2):
            raise ValueError(f"stop_bits: 1 or 2, not {self.stop_bits}")

    @property
    def line(self) -> LineSettings:
        return LineSettings(baud=self.baud, data_bits=self.data_bits, parity=self.parity, stop_bits=self.stop_bits)


def check_port(port: str) -> None:
    if not port.strip():
        raise ValueError('port: write where the device is, such as "/dev/ttyUSB0"; croupier devices lists them')


class OneWayLink:
    """A `drivers.link.Link` around a decoder. A new connection gets a new decoder."""

    handshake_s: float | None = None

    def __init__(self, decoder: Callable[[], Decoder], *, identity: str, words: str) -> None:
        self._make, self._identity, self._words = decoder, identity, words
        self._decoder = decoder()
        self._open = False
        self.noise = Noise()

    def opened(self, now: float) -> list[Said]:
        self._decoder, self._open = self._make(), True
        return [self._ready()]

    def receive(self, data: bytes, now: float) -> list[Said]:
        said: list[Said] = []
        for found in self._decoder.feed(data):
            said += self._take(found, now)
        return [*said, *self.noise.told(now)]

    def poll(self, now: float) -> list[Said]:
        return [*self.noise.told(now)]

    def data_to_send(self, now: float) -> bytes:
        """Nothing, ever."""
        return b""

    def next_time(self) -> float | None:
        return self.noise.next_time()

    def closed(self) -> list[Said]:
        if not self._open:
            return []
        self._open = False
        for found in self._decoder.close():
            if isinstance(found, BadFrame):  # all that can come of half a frame
                self.noise.add(found.reason)
        return [*self.noise.rest()]

    def _ready(self) -> Ready:
        return Ready(identity=self._identity, proven=False, words=self._words)

    def _take(self, found: Decoded, now: float) -> list[Said]:
        """What one thing on the line means; drivers with a count of their own look at it first."""
        if isinstance(found, BadFrame):
            self.noise.add(found.reason)
            return []
        return [as_event(found)]


def as_event(found: Decoded) -> DeviceEvent:
    """A shoe's event in the table's words."""
    match found:
        case shoe_events.CardRead():
            return base.CardRead(card=found.card, in_game=found.in_game, sequence=found.sequence)
        case shoe_events.Misread():
            return base.Misread(reason=found.reason, sequence=found.sequence)
        case shoe_events.CutCardSeen():
            return base.CutCardSeen(sequence=found.sequence)
        case shoe_events.ShoeStarted():
            return base.ShoeStarted(sequence=found.sequence)
        case shoe_events.StandBy():
            return base.StoodBy(sequence=found.sequence)
        case shoe_events.Attention():
            return base.AttentionAsked(reason=found.reason, card=found.card, sequence=found.sequence)
        case shoe_events.Error():
            return base.FaultReported(
                words=found.words, code=found.code, stopped=found.error_mode, sequence=found.sequence
            )
        case shoe_events.ErrorCleared():
            return base.FaultCleared(words=found.words, code=found.code, sequence=found.sequence)
        case shoe_events.LockChanged():
            return base.LockChanged(locked=found.locked, sequence=found.sequence)
        case shoe_events.Notice():
            words = f"{found.words} ({found.data})" if found.data else found.words
            return base.Noticed(words=words, sequence=found.sequence)
    raise TypeError(f"{type(found).__name__} is nothing a shoe says")


class OneWayShoe(StreamDevice):
    """A shoe that takes no orders: what the table asks of it has nowhere to go."""

    def __init__(self, link: OneWayLink, settings: SerialSettings, opener: Opener | None, *, driver: str) -> None:
        super().__init__(link, opener or _opener(settings), kind="shoe", driver=driver, address=settings.port)

    @property
    def can_lock(self) -> bool:
        return False

    def lock(self, locked: bool) -> None:
        pass

    def committed(self, event: DeviceEvent) -> None:
        pass


def _opener(settings: SerialSettings) -> Opener:
    from drivers.discovery.opener import opener_for

    return opener_for(settings.port, settings.line, None)
