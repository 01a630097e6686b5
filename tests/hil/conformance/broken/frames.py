"""Devices that break the rules of frames."""

from __future__ import annotations

from cobs import cobs

from firmware_protocol.tablelink.framing import encode_frame
from firmware_protocol.tablelink.messages import (
    Ping,
    Ready,
)
from tests.hil.conformance.broken.bend import BentEnd, Sends, breaks


@breaks("001")
class NotCobs(Sends):
    """It sends a run that is no COBS behind each READY."""

    def bend(self, body: bytes, now: float) -> bytes:
        return encode_frame(body) + (b"\xff\x11\x22\0" if body[0] == Ready.id else b"")


@breaks("002")
class WrongCrc(Sends):
    """It sends a frame with a wrong CRC behind each READY."""

    def bend(self, body: bytes, now: float) -> bytes:
        return encode_frame(body) + (cobs.encode(b"\x09\x01\x02\x03\x04") + b"\0" if body[0] == Ready.id else b"")


@breaks("003")
class TooLong(Sends):
    """It sends 100 bytes without an end behind each READY."""

    def bend(self, body: bytes, now: float) -> bytes:
        return encode_frame(body) + (b"\x55" * 100 + b"\0" if body[0] == Ready.id else b"")


@breaks("001")
class DoubleZero(BentEnd):
    """It throws away what comes together with an empty frame."""

    def receive(self, data: bytes, now: float) -> None:
        super().receive(b"" if b"\0\0" in data else data, now)


@breaks("003")
class SmallBuffer(BentEnd):
    """It has no room for the longest SHOW."""

    def receive(self, data: bytes, now: float) -> None:
        super().receive(b"\0" if 50 < len(data) < 60 and data.endswith(b"\0") else data, now)


@breaks("004")
class AcceptsWrongCrc(BentEnd):
    """It does not look at the CRC."""

    def receive(self, data: bytes, now: float) -> None:
        for run in data.split(b"\0")[:-1] if data.count(b"\0") == 1 else ():
            try:
                content = cobs.decode(run)
                if len(content) == 5 and content[0] == Ping.id:
                    super().receive(encode_frame(content[:-2]), now)
                    return
            except cobs.DecodeError:
                pass
        super().receive(data, now)


@breaks("004", "095")
class Complains(BentEnd):
    """It answers a bad frame with an error message of its own."""

    _owed = 0

    def receive(self, data: bytes, now: float) -> None:
        before = self._link.counts.bad_frames
        super().receive(data, now)
        self._owed += self._link.counts.bad_frames - before

    def data_to_send(self, now: float) -> bytes:
        owed, self._owed = self._owed, 0
        return super().data_to_send(now) + encode_frame(b"\x7e\x01") * min(owed, 1)


@breaks("004")
class LosesTheNext(BentEnd):
    """A bad frame takes the next one with it."""

    _losing = False

    def receive(self, data: bytes, now: float) -> None:
        if self._losing:
            self._losing = False
            return
        before = self._link.counts.bad_frames
        super().receive(data, now)
        self._losing = self._link.counts.bad_frames > before


@breaks("005")
class WholeReadsOnly(BentEnd):
    """It takes a frame only if it comes in one read."""

    def receive(self, data: bytes, now: float) -> None:
        if data.endswith(b"\0"):
            super().receive(b"\0" + data, now)


@breaks("005", "020")
class OneFrameARead(BentEnd):
    """Of several frames in one read it takes the first one."""

    def receive(self, data: bytes, now: float) -> None:
        runs = [run for run in data.split(b"\0") if run]
        super().receive(runs[0] + b"\0" if data.endswith(b"\0") and runs else data, now)


@breaks("006")
class Overruns(BentEnd):
    """Endless noise makes it restart."""

    _run = 0

    def receive(self, data: bytes, now: float) -> None:
        self._run = 0 if b"\0" in data else self._run + len(data)
        if self._run > 1000:
            self.reboot()
            self._run = 0
        super().receive(data, now)
