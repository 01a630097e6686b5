"""Devices that break the rules of events: numbering, keeping, re-sending."""

from __future__ import annotations

from typing import Any

from firmware_protocol.tablelink import timing
from firmware_protocol.tablelink.device import DeviceLink
from firmware_protocol.tablelink.endpoint import framed
from firmware_protocol.tablelink.framing import encode_frame
from firmware_protocol.tablelink.messages import (
    Ack,
    CardEvent,
)
from tests.hil.conformance.broken.bend import BentEnd, Sends, breaks


@breaks("030")
class WrongBoot(Sends):
    """Its events bear another boot."""

    def bend(self, body: bytes, now: float) -> bytes:
        return encode_frame(bytes([body[0], body[1] ^ 1]) + body[2:] if body[0] == CardEvent.id else body)


@breaks("030", "032")
class Gaps(DeviceLink):
    """It leaves a number out now and then."""

    def add(self, kind: Any, clock_ms: int, *values: int) -> int:
        if self._open and self.next_number % 10 == 0 and len(self._queue) > 1:
            self._queue.append(kind(self.boot & 0xFFFF, self.next_number + 1, clock_ms, *values))
            self.next_number += 2
            return self.next_number - 1
        return super().add(kind, clock_ms, *values)

    @property
    def oldest(self) -> int:
        return self._queue[0].number if self._queue else self.next_number

    def _forget(self, upto: int) -> bool:
        before = len(self._queue)
        while self._queue and self._queue[0].number <= upto < self.next_number:
            self._queue.popleft()
            self._sent = max(0, self._sent - 1)
        return len(self._queue) < before


@breaks("031", "074")
class ForgetsWhenLost(DeviceLink):
    """It forgets its events when the host is lost."""

    def _end_session(self) -> None:
        super()._end_session()
        self._queue.clear()


@breaks("032")
class Overwrites(DeviceLink):
    """A full queue drops the newest card, and the shoe goes on."""

    def add(self, kind: Any, clock_ms: int, *values: int) -> int:
        if len(self._queue) >= 12:
            return self.next_number
        return super().add(kind, clock_ms, *values)


@breaks("032")
class StaysStopped(BentEnd):
    """Once stopped, it never goes on."""

    _stuck = False

    @property
    def must_stop(self) -> bool:
        self._stuck = self._stuck or super().must_stop
        return self._stuck


@breaks("033")
class AnyAck(DeviceLink):
    """It obeys an ACK of another boot."""

    def _obey(self, message: Any, seal: Any, now: float, out: list[Any]) -> None:
        if isinstance(message, Ack):
            message = Ack(self.boot & 0xFFFF, message.upto)
        super()._obey(message, seal, now, out)


@breaks("033")
class FutureAck(DeviceLink):
    """It obeys an ACK of a number that it has not given."""

    def _acknowledge(self, upto: int, now: float) -> None:
        super()._acknowledge(min(upto, self.next_number - 1), now)


@breaks("033", "032")
class IgnoresAck(DeviceLink):
    """It forgets by RESUME only."""

    def _acknowledge(self, upto: int, now: float) -> None:
        pass


@breaks("034")
class NeverAgain(DeviceLink):
    """It sends nothing again by itself."""

    def data_to_send(self, now: float) -> bytes:
        data = super().data_to_send(now)
        self._resend_at = None
        return data


@breaks("034")
class OldestOnly(DeviceLink):
    """It sends only the oldest event again."""

    def poll(self, now: float) -> list[Any]:
        sent, at = self._sent, self._resend_at
        out = super().poll(now)
        if at is not None and now >= at and self._open:
            self._again = True
            self._kept = sent
        return out

    _again = False
    _kept = 0

    def data_to_send(self, now: float) -> bytes:
        if self._again and self._kept:
            self._again, self._sent, self._resend_at = False, self._kept, now + self._wait_s
            return framed(self._queue[0], self._seal) + super().data_to_send(now)
        return super().data_to_send(now)


@breaks("034")
class SteadyTime(DeviceLink):
    """Its re-send time does not grow."""

    def poll(self, now: float) -> list[Any]:
        out = super().poll(now)
        self._wait_s = self._resend_s
        return out


@breaks("037")
class SecondsClock(BentEnd):
    """Its clock counts seconds."""

    def add(self, kind: Any, *values: int) -> None:
        clock = self.clock
        self.clock = lambda: clock() / 1000
        super().add(kind, *values)
        self.clock = clock


@breaks("038", capacity=64)
class WideWindow(DeviceLink):
    """It has up to 64 events on the way."""

    def data_to_send(self, now: float) -> bytes:
        data = super().data_to_send(now)
        if self._open and self._sent == timing.WINDOW:
            more = list(self._queue)[timing.WINDOW :]
            data += b"".join(framed(event, self._seal) for event in more if event.number > self._told)
            self._told = max([self._told, *(event.number for event in more)])
        return data

    _told = 0
