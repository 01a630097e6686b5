"""Devices that break the rules of the handshake."""

from __future__ import annotations

from typing import Any

from firmware_protocol.tablelink.device import VERSION, DeviceLink
from firmware_protocol.tablelink.endpoint import framed
from firmware_protocol.tablelink.framing import encode_frame
from firmware_protocol.tablelink.messages import (
    Ack,
    Hello,
    Identity,
    NoSession,
    Ping,
    Ready,
    Resume,
)
from tests.hil.conformance.broken.bend import BentEnd, Sends, breaks


@breaks("020")
class Beacon(BentEnd):
    """It says NO_SESSION by itself while there is no session."""

    _next = 1.0

    def data_to_send(self, now: float) -> bytes:
        data = super().data_to_send(now)
        if not self._link.is_open and now >= self._next:
            self._next = now + 0.7
            data += framed(NoSession(), None)
        return data


@breaks("020")
class ForgetsNonce(Sends):
    """Its IDENTITY does not repeat the host's nonce."""

    def bend(self, body: bytes, now: float) -> bytes:
        return encode_frame(body[:17] + bytes(8) + body[25:] if body[0] == Identity.id else body)


@breaks("020")
class SendsUnasked(DeviceLink):
    """It sends events without a session."""

    _told = 0

    def data_to_send(self, now: float) -> bytes:
        data = super().data_to_send(now)
        if not self._open and not self._told_open and self._queue and self._told < self.next_number:
            self._told = self.next_number
            data += framed(self._queue[-1], None)
        return data


@breaks("021")
class SameBoot(BentEnd):
    """It has the same boot id after a restart."""

    def reboot(self) -> None:
        boot = self._link.boot
        super().reboot()
        self._link = self._start(boot)


@breaks("022")
class NothingWaits(DeviceLink):
    """Its IDENTITY says that no event waits, always."""

    def _identity(self, host_nonce: bytes, nonce: bytes) -> Identity:
        identity = super()._identity(host_nonce, nonce)
        return Identity(
            *(
                identity.next_event if name == "oldest_event" else getattr(identity, name)
                for name in Identity.__struct_fields__
            )
        )


@breaks("023")
class IgnoresOthers(DeviceLink):
    """It does not answer a HELLO whose versions it does not speak."""

    def _hello(self, hello: Hello) -> None:
        if hello.min_version <= VERSION <= hello.max_version:
            super()._hello(hello)


@breaks("024")
class HelloEnds(DeviceLink):
    """A HELLO ends its session."""

    def _hello(self, hello: Hello) -> None:
        super()._hello(hello)
        if hello.min_version <= VERSION <= hello.max_version:
            self._end_session()


@breaks("025")
class WrongToken(Sends):
    """READY has another token than its RESUME."""

    def bend(self, body: bytes, now: float) -> bytes:
        return encode_frame(body[:1] + b"\xee\xee" + body[3:] if body[0] == Ready.id else body)


@breaks("025")
class OnceOnly(DeviceLink):
    """It does not answer a repeated RESUME."""

    _hellos = 0

    def _hello(self, hello: Hello) -> None:
        self._hellos += 1
        super()._hello(hello)

    def _resume(self, message: Resume, seal: Any, now: float, out: list[Any]) -> None:
        if self._hellos or message.boot != self.boot:
            self._hellos = 0 if message.boot == self.boot else self._hellos
            super()._resume(message, seal, now, out)


@breaks("025")
class ObeysTheFuture(DeviceLink):
    """RESUME up to a number that it has not given makes it forget everything."""

    def _resume(self, message: Resume, seal: Any, now: float, out: list[Any]) -> None:
        if message.boot == self.boot and message.upto >= self.next_number:
            self._queue.clear()
        super()._resume(message, seal, now, out)


@breaks("026")
class AnyBoot(DeviceLink):
    """It takes a RESUME of any boot."""

    def _resume(self, message: Resume, seal: Any, now: float, out: list[Any]) -> None:
        super()._resume(Resume(message.token, self.boot, message.upto), seal, now, out)


@breaks("026")
class OtherBootEnds(DeviceLink):
    """A RESUME of another boot ends its session."""

    def _resume(self, message: Resume, seal: Any, now: float, out: list[Any]) -> None:
        super()._resume(message, seal, now, out)
        if message.boot != self.boot:
            self._end_session()


@breaks("027")
class NoWordForPing(DeviceLink):
    """Without a session it does not answer PING."""

    def _without_session(self, number: int) -> None:
        if number != Ping.id:
            super()._without_session(number)


@breaks("027")
class NoWordForAck(DeviceLink):
    """Without a session it does not answer ACK."""

    def _without_session(self, number: int) -> None:
        if number != Ack.id:
            super()._without_session(number)
