"""What stands in a frame, in words for a person who looks at bytes. Pure."""

from __future__ import annotations

from typing import Final

from firmware_protocol.tablelink.auth import OVERHEAD, is_sealed, unseal
from firmware_protocol.tablelink.card_code import card_text, is_card_code
from firmware_protocol.tablelink.messages import (
    BadMessage,
    CardEvent,
    Event,
    Identity,
    Message,
    Show,
    Shown,
    Unknown,
    decode_message,
)
from firmware_protocol.wire import event_name

MOST_RAW: Final = 48  # bytes of what is no frame that are worth showing


def name_of(message: Message) -> str:
    """As PROTOCOL.md calls it: `CUT_CARD`."""
    return event_name(type(message).__name__.removesuffix("Event")).upper()


def message_words(message: Message) -> str:
    """`PING token 0007`."""
    match message:
        case Unknown():
            return f"unknown id {message.number:02X}, {len(message.payload)} bytes"
        case CardEvent():
            card = card_text(message.code) if is_card_code(message.code) else "no card"
            return f"{_event(message)}: {card}, flags {message.flags}"
        case Event():
            rest = [f"{field} {getattr(message, field)}" for field in message.__struct_fields__[3:]]
            return f"{_event(message)}{': ' if rest else ''}{', '.join(rest)}"
        case Show() | Shown():
            content = f", {message.content!r}"[:70] if isinstance(message, Show) else ""
            return f"{name_of(message)} slot {message.slot:02X}, revision {message.revision}{content}"
        case Identity():
            return (
                f"IDENTITY version {message.version}, roles {'+'.join(message.role_names) or message.roles}, "
                f"serial {message.serial.decode('ascii', 'replace')}, boot {message.boot:08X}, next "
                f"{message.next_event}, oldest {message.oldest_event}, host nonce {message.host_nonce.hex()}"
            )
    fields = [f"{name.replace('_', ' ')} {_value(name, getattr(message, name))}" for name in message.__struct_fields__]
    return f"{name_of(message)} {', '.join(fields)}".strip()


def body_words(body: bytes) -> str:
    """A body, sealed or not, sound or not."""
    if not is_sealed(body):
        return _plain(body)
    if len(body) < 1 + OVERHEAD:
        return "marked as authenticated, and too short for it"
    counter = int.from_bytes(body[-OVERHEAD : 4 - OVERHEAD], "little")
    return f"{_plain(unseal(body))} [authenticated, counter {counter}]"


def _plain(body: bytes) -> str:
    try:
        return message_words(decode_message(body))
    except BadMessage as error:
        return f"no message: {error}"


def _event(message: Event) -> str:
    return f"{name_of(message)} {message.number}, boot …{message.boot_low:04X}, clock {message.clock_ms} ms"


def _value(name: str, value: object) -> str:
    if isinstance(value, bytes):
        return value.hex() or "-"
    if isinstance(value, int) and name == "boot":
        return f"{value:08X}"
    if isinstance(value, int) and name in ("token", "boot_low"):
        return f"{value:04X}"
    return str(value)
