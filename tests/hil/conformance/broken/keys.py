"""Devices that break the rules of authentication."""

from __future__ import annotations

from typing import Any

from firmware_protocol.tablelink.auth import Opener, unseal
from firmware_protocol.tablelink.device import VERSION, DeviceLink
from firmware_protocol.tablelink.framing import encode_frame
from firmware_protocol.tablelink.messages import (
    AUTHENTICATED,
    Hello,
    Identity,
    NoSession,
    Ping,
    Refused,
)
from tests.hil.conformance.broken.bend import KEY, BentEnd, Sends, breaks


@breaks("080", "081", key=KEY)
class OtherKey(BentEnd):
    """It makes its session key from another key."""

    def _start(self, boot: int) -> DeviceLink:
        self._key = bytes(range(1, 17))
        return super()._start(boot)


class _Lax(Opener):
    def open(self, body: bytes) -> bytes | None:
        self.last = -1
        return super().open(body)


@breaks("082", key=KEY)
class Replays(DeviceLink):
    """It takes a frame that it had already."""

    def _hello(self, hello: Hello) -> None:
        super()._hello(hello)
        if self._offered is not None:
            self._offered.opener = _Lax(self._offered.session, b"H")


@breaks("082", key=KEY)
class CountsNothing(DeviceLink):
    """Its own counter stays where it is."""

    def data_to_send(self, now: float) -> bytes:
        data = super().data_to_send(now)
        if self._seal is not None:
            self._seal.counter = min(self._seal.counter, 2)
        return data


class _Blind(Opener):
    def open(self, body: bytes) -> bytes | None:
        return unseal(body) if len(body) > 13 else None


@breaks("010", "082", "087", key=KEY)
class AnyTag(DeviceLink):
    """It does not look at the tag."""

    def _hello(self, hello: Hello) -> None:
        super()._hello(hello)
        if self._offered is not None:
            self._offered.opener = _Blind(self._offered.session, b"H")


@breaks("083", key=KEY)
class PlainIdentity(Sends):
    """Its IDENTITY is plain."""

    def bend(self, body: bytes, now: float) -> bytes:
        return encode_frame(unseal(body) if body[0] == Identity.id | AUTHENTICATED else body)


@breaks("084", key=KEY)
class AnswersPlain(DeviceLink):
    """It answers a plain PING although it has a key."""

    def _take(self, body: bytes, now: float, out: list[Any]) -> None:
        if body[0] == Ping.id and len(body) == 3 and self._open:
            self._answer(NoSession(), None)
        super()._take(body, now, out)


@breaks("084", key=KEY)
class IgnoresPlainResume(DeviceLink):
    """It does not refuse a plain RESUME."""

    def _answer(self, message: Any, seal: Any) -> None:
        if not (isinstance(message, Refused) and message.reason == 2):
            super()._answer(message, seal)


@breaks("084", key=KEY)
class HidesItsKey(DeviceLink):
    """It does not say that it wants its key."""

    def _identity(self, host_nonce: bytes, nonce: bytes) -> Identity:
        identity = super()._identity(host_nonce, nonce)
        values = {name: getattr(identity, name) for name in Identity.__struct_fields__}
        return Identity(**{**values, "capabilities": identity.capabilities & ~0x80})


@breaks("086", key=KEY)
class SameNonce(BentEnd):
    """Its nonce begins anew with each start."""

    def _fresh(self) -> bytes:
        return super()._fresh()[4:] + bytes(4)

    def reboot(self) -> None:
        super().reboot()
        self._nonces = 0


@breaks("024", "087", key=KEY)
class OfferReplaces(DeviceLink):
    """An offered session takes the place of the open one at once."""

    def _hello(self, hello: Hello) -> None:
        super()._hello(hello)
        if self._open and hello.min_version <= VERSION <= hello.max_version:
            self._seal = self._offered
