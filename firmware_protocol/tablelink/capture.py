"""TableLink as a capture reads: every frame as a value with its offset, seals shown and not checked, both ways mixed.

For people and tools that look at recorded bytes; a link uses `host` and `device` instead. Refuses nothing: what is no
frame or no message is a `BadFrame`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from firmware_protocol.shoe_events import CardRead, CutCardSeen, Misread
from firmware_protocol.tablelink import auth
from firmware_protocol.tablelink.framing import Frame, FrameDecoder, encode_frame
from firmware_protocol.tablelink.messages import (
    MESSAGES,
    BadMessage,
    CardEvent,
    CutCardEvent,
    Message,
    MisreadEvent,
    Unknown,
    card_event,
    decode_message,
    encode_message,
)
from firmware_protocol.wire import BadFrame, Capabilities, Decoded, event_name

TITLE = "TableLink (our own open protocol)"
GRADE = "ours: PROTOCOL.md is its text"
CAPABILITIES = Capabilities(
    suits=True, cut_card=True, sequence=True, acknowledged=True, checksum=True, answers=True, read_back=True
)
MISREAD_WORDS = {1: "no code found", 2: "damaged", 3: "two cards at once"}


class Said(Decoded, frozen=True, kw_only=True):
    """A message that is not one of the events all shoes have. `fields` are the message's own, bytes in hexadecimal."""

    message: str
    fields: dict[str, Any]
    sealed: bool = False


def message_name(kind: type[Message]) -> str:
    """`CutCardEvent` is `cut_card`, `NoSession` is `no_session`."""
    return event_name(kind.__name__).removesuffix("_event")


class CaptureDecoder:
    """Bytes of a capture to what was said."""

    max_kept: ClassVar[int] = FrameDecoder.max_kept

    def __init__(self) -> None:
        self._frames = FrameDecoder()

    @property
    def kept(self) -> int:
        return self._frames.kept

    def feed(self, data: bytes) -> list[Decoded]:
        return [_read(found) if isinstance(found, Frame) else found for found in self._frames.feed(data)]

    def close(self) -> list[Decoded]:
        return self._frames.close()


def _read(frame: Frame) -> Decoded:
    body, offset = frame.body, frame.offset
    sealed = auth.is_sealed(body)
    if sealed and len(body) <= auth.OVERHEAD:
        return BadFrame(offset=offset, reason="too short for its seal", data=body)
    try:
        message = decode_message(auth.unseal(body) if sealed else body)
    except BadMessage as error:
        return BadFrame(offset=offset, reason=str(error), data=body)
    match message:
        case CardEvent() if message.card != "??":
            return CardRead(offset=offset, card=message.card, sequence=str(message.number))
        case CardEvent():
            return Misread(offset=offset, reason="the card was not read")
        case MisreadEvent():
            return Misread(offset=offset, reason=MISREAD_WORDS.get(message.reason, f"reason {message.reason}"))
        case CutCardEvent():
            return CutCardSeen(offset=offset, sequence=str(message.number))
        case Unknown():
            return Said(
                offset=offset,
                message="unknown",
                fields={"id": message.number, "payload": message.payload.hex()},
                sealed=sealed,
            )
    fields = {name: _plain(getattr(message, name)) for name in message.__struct_fields__}
    return Said(offset=offset, message=message_name(type(message)), fields=fields, sealed=sealed)


def _plain(value: int | bytes) -> int | str:
    return value.hex() if isinstance(value, bytes) else value


def encode_said(said: Mapping[str, Any]) -> bytes:
    """The frame for what a capture would read, such as `{"event": "ping", "token": 1}`."""
    wanted = dict(said)
    name = wanted.pop("event", None)
    wanted.pop("offset", None)
    if name == "card_read":
        number = int(wanted.get("sequence") or 1)
        return encode_frame(encode_message(card_event(0, number, 0, str(wanted.get("card")))))
    kinds = {message_name(kind): kind for kind in MESSAGES.values()} | {"cut_card_seen": CutCardEvent}
    kind = kinds.get(str(name))
    if kind is None:
        raise ValueError(f"TableLink has no message {name!r}; it has {', '.join(kinds)}")
    values = [_field(kind, field, wanted.get(field)) for field in kind.__struct_fields__]
    return encode_frame(encode_message(kind(*values)))


def _field(kind: type[Message], name: str, value: object) -> int | bytes:
    """One field as the layout wants it: a number, or bytes written in hexadecimal; what is left out is zero."""
    wants_bytes = kind.__annotations__.get(name) == "bytes"
    try:
        if wants_bytes:
            return bytes.fromhex(str(value or ""))
        return int(str(value), 0) if value is not None else 0
    except ValueError:
        wanted = "bytes in hexadecimal" if wants_bytes else "a whole number"
        raise ValueError(f"{message_name(kind)}.{name}: {value!r} is not {wanted}") from None
