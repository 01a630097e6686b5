"""Devices that break the rules of being alive, and of times."""

from __future__ import annotations

from typing import Any

from firmware_protocol.tablelink import timing
from firmware_protocol.tablelink.device import DeviceLink
from firmware_protocol.tablelink.endpoint import framed
from firmware_protocol.tablelink.framing import encode_frame
from firmware_protocol.tablelink.messages import (
    Pong,
)
from tests.hil.conformance.broken.bend import BentEnd, Sends, breaks


@breaks("050")
class NoPong(DeviceLink):
    """It never answers PING."""

    def _answer(self, message: Any, seal: Any) -> None:
        if not isinstance(message, Pong):
            super()._answer(message, seal)


@breaks("050")
class OtherPong(DeviceLink):
    """PONG has a token of its own."""

    def _answer(self, message: Any, seal: Any) -> None:
        super()._answer(Pong(message.token ^ 1) if isinstance(message, Pong) else message, seal)


@breaks("050")
class PongTwice(Sends):
    """It answers each PING twice."""

    def bend(self, body: bytes, now: float) -> bytes:
        frame = encode_frame(body)
        return frame * 2 if body[0] == Pong.id else frame


@breaks("051", "073")
class NeverLost(DeviceLink):
    """It never gives its host up."""

    def poll(self, now: float) -> list[Any]:
        self._heard = now
        return super().poll(now)


@breaks("051")
class EchoesKeep(DeviceLink):
    """Echoes of its own frames keep its session open."""

    def _obey(self, message: Any, seal: Any, now: float, out: list[Any]) -> None:
        super()._obey(message, seal, now, out)
        if self._open:
            self._heard = now


class _LostAfter(DeviceLink):
    after = 3.0

    def poll(self, now: float) -> list[Any]:
        real = timing.LOST_S
        try:
            timing.LOST_S = self.after  # type: ignore[misc]
            return super().poll(now)
        finally:
            timing.LOST_S = real  # type: ignore[misc]


@breaks("073")
class LostLate(_LostAfter):
    """It gives its host up after 5 s."""

    after = 5.0


@breaks("073")
class LostSoon(_LostAfter):
    """It gives its host up after 1.8 s."""

    after = 1.8


@breaks("051")
class GoesOnSending(DeviceLink):
    """It sends events on after its host is lost."""

    _next = 0.0

    def data_to_send(self, now: float) -> bytes:
        data = super().data_to_send(now)
        if self._open:
            self._next = now + 1.0
        elif self._queue and 0 < self._next <= now < self._heard + 6:
            self._next = now + 0.5
            data += framed(self._queue[0], None)
        return data


@breaks("070")
class SlowFirst(DeviceLink):
    """It waits 3 s before it sends an event again."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self._resend_s = self._wait_s = 3.0


@breaks("071")
class NoLimit(DeviceLink):
    """Its re-send time doubles without a limit."""

    def poll(self, now: float) -> list[Any]:
        wait, again = self._wait_s, self._resend_at is not None and now >= self._resend_at
        out = super().poll(now)
        if again and self._open:
            self._wait_s = wait * 2
        return out


@breaks("074")
class NeverBack(BentEnd):
    """A line full of noise leaves it deaf for twelve seconds."""

    _until = 0.0
    _bad = 0

    def receive(self, data: bytes, now: float) -> None:
        if len(data) == 200:  # the noise of a broken line
            self._bad += 1
        if self._bad == 8:
            self._until, self._bad = now + 12.0, 0
        if now >= self._until:
            super().receive(data, now)
