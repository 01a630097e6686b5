"""Driver of the Angel Eye II-EX shoe: listens, follows the shoe's own count from 1 to 9, and never sends a byte.

A jump in the count is told before the event that shows it. Over an interruption the count proves little, because it
goes round every nine events; what it can show (that something *is* missing) is still told. What comes a second time
out of turn, as long as the line can have held a copy of it, is no card: a person is asked to look.
"""

from __future__ import annotations

from collections import deque
from typing import ClassVar, Final

from drivers import base
from drivers.base import DeviceEvent, Kind, Mark, Ready, Said
from drivers.ports.base import Parity
from drivers.shoes.one_way import OneWayLink, OneWayShoe, SerialSettings, as_event
from drivers.stream import Opener
from firmware_protocol import angel_eye, shoe_events
from firmware_protocol.wire import BadFrame, Decoded

IDENTITY: Final = "Angel Eye shoe"
FIRST: Final = "first contact: there is nothing to compare with, and this shoe counts only to nine"
AGAIN: Final = "this shoe counts only to nine: after an interruption nobody can tell whether nine events were missed"
LATE_COPY_S: Final = 1.0  # three copies are out within 0.15 s; a serial server may hold them back a while
OVERDRAW: Final = 2  # the shoe thinks in baccarat, where a hand has three cards at most
RAN_BACK: Final = (4, 5)  # at the exit, midway


class AngelEyeLink(OneWayLink):
    """Follows the count over all connections; a shoe that says it started begins a new one."""

    def __init__(self) -> None:
        super().__init__(angel_eye.Decoder, identity=IDENTITY, words=FIRST)
        self._last: str | None = None  # the number last heard
        self._heard_at = 0.0
        self._told: deque[tuple[DeviceEvent, float]] = deque(maxlen=len(angel_eye.SEQUENCES))  # the newest last
        self._opened_at = 0.0

    def opened(self, now: float) -> list[Said]:
        self._opened_at = now
        return super().opened(now)

    def _ready(self) -> Ready:
        return Ready(identity=self._identity, proven=False, words=FIRST if self._last is None else AGAIN)

    def _take(self, found: Decoded, now: float) -> list[Said]:
        if isinstance(found, BadFrame):
            self._count_unknown(found, now)
            return super()._take(found, now)
        if isinstance(found, shoe_events.Notice) and found.sequence is None:
            self.noise.add(found.words)  # a reply, and nobody asked: bytes without a check, as a bad line is full of
            return []
        event = as_event(found)
        number = event.sequence
        assert number is not None  # every event of this shoe has one
        if isinstance(found, shoe_events.ShoeStarted):
            self._last = None
            self._told.clear()
        missed = self._missed(number)
        if missed and self._may_be_a_copy(event, now):
            return self._repeated(event, now)
        self._last, self._heard_at = number, now
        self._told.append((event, now))
        return [*missed, *_worded(found, event)]

    def _missed(self, number: str) -> list[DeviceEvent]:
        """What a jump of the count says. Numbers that are none of ours are taken as they are: one site may differ."""
        last, known = self._last, angel_eye.SEQUENCES
        if last is None or last not in known or number not in known:
            return []
        missing = (known.index(number) - known.index(last) - 1) % len(known)
        if not missing:
            return []
        events = "1 event" if missing == 1 else f"{missing} events"
        return [
            base.EventsMissed(
                words=f"the shoe's count went from {last} to {number}: {events} did not arrive, or nine more"
            )
        ]

    def _may_be_a_copy(self, event: DeviceEvent, now: float) -> bool:
        """Whether this very event was told under this number, and the line may still have held a copy of it.

        A line keeps its order: it is late by a moment, or it waited in a serial server for us to connect and is the
        first thing we hear. Else the count went round, and the same card came again under the same number.
        """
        first = not self._told or self._told[-1][1] < self._opened_at
        return any(event == told and (first or now < at + LATE_COPY_S) for told, at in self._told)

    def _repeated(self, event: DeviceEvent, now: float) -> list[Said]:
        """The very same event under the same number, and not in its turn."""
        if event == self._told[-1][0] and now < self._heard_at + LATE_COPY_S:
            return []  # one of the three copies, come over a new connection
        card = event.card if isinstance(event, base.CardRead) else None
        words = f"the shoe's event {event.sequence} came again out of turn: a late copy, or events were missed"
        return [base.AttentionAsked(reason=words, card=card, sequence=event.sequence)]

    def _count_unknown(self, bad: BadFrame, now: float) -> None:
        """A sound frame that says nothing to us still has its place in the count. A stretch of noise has none, even
        where its last bytes happen to be the right check digits for all of it, and a damaged event is a missed one."""
        if angel_eye.is_unknown_event(bad.data) and not self._missed(number := chr(bad.data[1])):
            self._last, self._heard_at = number, now


def _worded(found: Decoded, event: DeviceEvent) -> list[Said]:
    """Errors that mean something else at a blackjack table."""
    code = found.code if isinstance(found, shoe_events.Error | shoe_events.ErrorCleared) else None
    if code == OVERDRAW:
        what = "reports" if isinstance(found, shoe_events.Error) else "takes back"
        words = f"the shoe {what} an overdraw: it counts as in baccarat, and nothing is wrong"
        return [base.Noticed(words=words, sequence=event.sequence)]
    if code in RAN_BACK and isinstance(found, shoe_events.Error):
        return [base.CardRanBack(sequence=event.sequence), event]
    return [event]


class AngelEyeShoe(OneWayShoe):
    KIND: ClassVar[Kind] = "shoe"
    TITLE: ClassVar[str] = angel_eye.TITLE
    GRADE: ClassVar[str] = angel_eye.GRADE
    CAPABILITIES: ClassVar[tuple[str, ...]] = ("suits", "cut card", "numbered from 1 to 9", "checked")
    SIMULATED: ClassVar[bool] = False

    class Settings(SerialSettings, frozen=True, kw_only=True):
        baud: int = angel_eye.BAUD
        data_bits: int = angel_eye.DATA_BITS
        parity: Parity = angel_eye.PARITY
        stop_bits: int = angel_eye.STOP_BITS

    def __init__(self, settings: Settings, *, known: Mark | None = None, opener: Opener | None = None) -> None:
        super().__init__(AngelEyeLink(), settings, opener, driver="angel_eye")
