"""Devices that break the rules of versions."""

from __future__ import annotations

from firmware_protocol.tablelink.device import VERSION, DeviceLink
from firmware_protocol.tablelink.framing import encode_frame
from firmware_protocol.tablelink.messages import (
    Hello,
    Identity,
    Ready,
    Refused,
)
from tests.hil.conformance.broken.bend import Sends, breaks


@breaks("090")
class ExactVersion(DeviceLink):
    """It takes only a HELLO that offers nothing but its version."""

    def _hello(self, hello: Hello) -> None:
        if hello.min_version <= VERSION < hello.max_version:
            self._answer(Refused(1, VERSION, VERSION), None)
        else:
            super()._hello(hello)


@breaks("090")
class OtherVersion(Sends):
    """IDENTITY has a version that nobody offered."""

    def bend(self, body: bytes, now: float) -> bytes:
        return encode_frame(body[:1] + b"\x03" + body[2:] if body[0] == Identity.id else body)


@breaks("095")
class Chatters(Sends):
    """It sends a message of its own behind each READY."""

    def bend(self, body: bytes, now: float) -> bytes:
        return encode_frame(body) + (encode_frame(b"\x60hello") if body[0] == Ready.id else b"")
