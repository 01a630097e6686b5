"""Devices that break the rules of messages."""

from __future__ import annotations

from typing import Any

from firmware_protocol.tablelink.auth import is_sealed, unseal
from firmware_protocol.tablelink.device import Described, DeviceLink
from firmware_protocol.tablelink.framing import decode_frame, encode_frame
from firmware_protocol.tablelink.messages import (
    AUTHENTICATED,
    CardEvent,
    Hello,
    Identity,
    Pong,
)
from tests.hil.conformance.broken.bend import BentEnd, Sends, breaks


@breaks("010")
class TakesAnySeal(BentEnd):
    """Without a key, it takes authenticated frames as if they were plain."""

    def receive(self, data: bytes, now: float) -> None:
        for run in data.split(b"\0")[:-1]:
            try:
                body = decode_frame(run)
            except ValueError:
                continue
            if is_sealed(body) and len(body) > 13:
                data = encode_frame(unseal(body))
        super().receive(data, now)


@breaks("010")
class MarksPlain(Sends):
    """It sets bit 7 in PONG without any key."""

    def bend(self, body: bytes, now: float) -> bytes:
        marked = body[0] == Pong.id
        return encode_frame(bytes([body[0] | AUTHENTICATED]) + body[1:] + bytes(12) if marked else body)


@breaks("011")
class FillsUp(BentEnd):
    """It takes half a PING for a whole one."""

    def receive(self, data: bytes, now: float) -> None:
        super().receive(encode_frame(b"\x08\x01\x00") if data == encode_frame(b"\x08\x01") else data, now)


@breaks("012")
class UnknownEnds(DeviceLink):
    """An unknown id ends its session."""

    def _take(self, body: bytes, now: float, out: list[Any]) -> None:
        super()._take(body, now, out)
        if body[0] in (0x07, 0x30):
            self._end_session()


@breaks("013")
class MoreRoles(Sends):
    """It sets a role that there is not."""

    def bend(self, body: bytes, now: float) -> bytes:
        return encode_frame(body[:2] + bytes([body[2] | 0x10]) + body[3:] if body[0] == Identity.id else body)


@breaks("014")
class MoreCapabilities(Sends):
    """It sets a capability that there is not."""

    def bend(self, body: bytes, now: float) -> bytes:
        return encode_frame(body[:4] + bytes([body[4] | 0x80]) + body[5:] if body[0] == Identity.id else body)


@breaks("015")
class OtherSerials(DeviceLink):
    """Its serial is another one each time."""

    def _hello(self, hello: Hello) -> None:
        self.described = Described(serial=f"N{hello.nonce.hex()}"[-10:], roles=1, capabilities=7)
        super()._hello(hello)


@breaks("015")
class BadSerial(Sends):
    """Its serial has a space, so that no host can take its IDENTITY."""

    def bend(self, body: bytes, now: float) -> bytes:
        return encode_frame(body[:-1] + b" " if body[0] == Identity.id else body)


@breaks("040")
class OtherSuits(DeviceLink):
    """It takes spades for diamonds."""

    def add(self, kind: Any, clock_ms: int, *values: int) -> int:
        if kind is CardEvent and values[0] >> 4 == 3:
            values = (values[0] & 0x1F, *values[1:])
        return super().add(kind, clock_ms, *values)


@breaks("040")
class NoSuchCode(Sends):
    """It sends a card code that does not exist, and the right card behind it."""

    def bend(self, body: bytes, now: float) -> bytes:
        bad = encode_frame(body[:11] + b"\x0f\x00") if body[0] == CardEvent.id else b""
        return bad + encode_frame(body)
