"""The messages of TableLink: frozen values, one table of id and layout, to bytes and back (TL-010 to TL-019).

A body is an id byte and a payload; integers are little-endian. Unknown ids are kept as `Unknown`; a known id with a
payload that does not fit its layout raises `BadMessage`.
"""

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from firmware_protocol.tablelink.card_code import card_code, card_text, is_card_code

NONCE_SIZE: Final = 8
MAX_SERIAL: Final = 15
MAX_CONTENT: Final = (
    48  # of a SHOW: the largest body less id, slot, revision, and the counter and tag of authentication
)
AUTHENTICATED: Final = 0x80  # in the id byte: a counter and a tag end the body

# Roles and capabilities, as bits of IDENTITY
ROLE_SHOE, ROLE_SIGN, ROLE_PANEL = 1, 2, 4
ROLES: Final = {ROLE_SHOE: "shoe", ROLE_SIGN: "sign", ROLE_PANEL: "panel"}
CAPABILITY_BITS: Final = {
    0x0001: "suits",
    0x0002: "cut_card",
    0x0004: "lock",
    0x0008: "lamps",
    0x0010: "text",
    0x0020: "keys",
    0x0040: "self_test",
    0x0080: "needs_key",
    0x0100: "keeps_queue",
    0x0200: "simulated",
}
NEEDS_KEY: Final = 0x0080
SIMULATED: Final = 0x0200


class BadMessage(ValueError):
    """A body that is no message: empty, or of the wrong length for its id, or with a value that cannot be."""


class Message(Struct, frozen=True, gc=False):
    """Anything sent. `id` and `layout` are the protocol's; a layout ending in `*` has a tail of plain bytes."""

    id: ClassVar[int] = 0
    layout: ClassVar[str] = ""
    tail: ClassVar[range] = range(1)  # how long the plain bytes at the end may be


class Hello(Message, frozen=True, gc=False):
    """Host: who is there? I speak these versions."""

    id = 0x01
    layout = "BB8s"
    min_version: int
    max_version: int
    nonce: bytes


class Identity(Message, frozen=True, gc=False):
    """Device: I am. Answers one HELLO, whose nonce it repeats."""

    id = 0x02
    layout = "BBHIII8s8sBBB"
    tail = range(1, MAX_SERIAL + 1)
    version: int
    roles: int
    capabilities: int
    boot: int
    next_event: int
    oldest_event: int
    host_nonce: bytes
    nonce: bytes
    major: int
    minor: int
    patch: int
    serial: bytes

    @property
    def role_names(self) -> tuple[str, ...]:
        return tuple(name for bit, name in ROLES.items() if self.roles & bit)

    @property
    def firmware(self) -> str:
        return f"{self.major}.{self.minor}.{self.patch}"


class Resume(Message, frozen=True, gc=False):
    """Host: of that boot I have everything up to here; go on. READY repeats the token."""

    id = 0x03
    layout = "HII"
    token: int
    boot: int
    upto: int


class Ready(Message, frozen=True, gc=False):
    """Device: the session is open; the next event you get has this number."""

    id = 0x04
    layout = "HII"
    token: int
    boot: int
    first_event: int


class Refused(Message, frozen=True, gc=False):
    """Device: not with you. Reason 1: no common version (mine follow); 2: this device wants its key."""

    id = 0x05
    layout = "BBB"
    reason: int
    min_version: int
    max_version: int


class NoSession(Message, frozen=True, gc=False):
    """Device: I have no session with you (I restarted, or lost you); say HELLO."""

    id = 0x06


class Ping(Message, frozen=True, gc=False):
    id = 0x08
    layout = "H"
    token: int


class Pong(Message, frozen=True, gc=False):
    id = 0x09
    layout = "H"
    token: int


class Ack(Message, frozen=True, gc=False):
    """Host: every event of that boot up to this number is safe; forget it."""

    id = 0x10
    layout = "HI"
    boot_low: int
    upto: int


class Show(Message, frozen=True, gc=False):
    """Host: this slot's content is now this. Slots: 00-3F texts, 40-7F lamps, 80 the shoe's lock (TL-061)."""

    id = 0x18
    layout = "BH"
    tail = range(MAX_CONTENT + 1)
    slot: int
    revision: int
    content: bytes


class Shown(Message, frozen=True, gc=False):
    """Device: this slot shows this revision."""

    id = 0x19
    layout = "BH"
    slot: int
    revision: int


class Event(Message, frozen=True, gc=False):
    """Something that happened at the device: numbered within a boot, with the device's clock, kept until safe."""

    boot_low: int  # the low 16 bits of the boot id: a frame that outlived a restart is nobody's event
    number: int
    clock_ms: int


class CardEvent(Event, frozen=True, gc=False):
    """A card left the shoe. Flag 1: read at a second try."""

    id = 0x20
    layout = "HIIBB"
    code: int
    flags: int

    @property
    def card(self) -> str:
        return card_text(self.code)


class MisreadEvent(Event, frozen=True, gc=False):
    """A card left the shoe unread. Reason 1: no code found; 2: damaged; 3: two cards at once."""

    id = 0x21
    layout = "HIIB"
    reason: int


class CutCardEvent(Event, frozen=True, gc=False):
    id = 0x22
    layout = "HII"


class LidEvent(Event, frozen=True, gc=False):
    id = 0x23
    layout = "HIIB"
    open: int


class EmptyEvent(Event, frozen=True, gc=False):
    id = 0x24
    layout = "HII"


class JamEvent(Event, frozen=True, gc=False):
    """A jam began (1) or was cleared (0)."""

    id = 0x25
    layout = "HIIB"
    jammed: int


class BackfeedEvent(Event, frozen=True, gc=False):
    """A card was pushed back into the shoe."""

    id = 0x26
    layout = "HII"


class KeyEvent(Event, frozen=True, gc=False):
    """A key of a panel. Action 0: released; 1: pressed; 2: held."""

    id = 0x27
    layout = "HIIBB"
    key: int
    action: int


class TamperEvent(Event, frozen=True, gc=False):
    id = 0x28
    layout = "HIIB"
    kind: int


class PowerEvent(Event, frozen=True, gc=False):
    """Kind 1: the supply is low; 2: it is good again; 3: running on battery."""

    id = 0x29
    layout = "HIIB"
    kind: int


class SelfTestEvent(Event, frozen=True, gc=False):
    """0 is passed; anything else is the device's own number of what failed."""

    id = 0x2A
    layout = "HIIB"
    result: int


class Unknown(Message, frozen=True, gc=False):
    """A message of a later version: counted and left alone (TL-012)."""

    number: int
    payload: bytes


EVENT_CLASSES: Final[tuple[type[Event], ...]] = (
    CardEvent,
    MisreadEvent,
    CutCardEvent,
    LidEvent,
    EmptyEvent,
    JamEvent,
    BackfeedEvent,
    KeyEvent,
    TamperEvent,
    PowerEvent,
    SelfTestEvent,
)
_OTHER_CLASSES: Final[tuple[type[Message], ...]] = (
    Hello,
    Identity,
    Resume,
    Ready,
    Refused,
    NoSession,
    Ping,
    Pong,
    Ack,
    Show,
    Shown,
)
MESSAGES: Final[dict[int, type[Message]]] = {kind.id: kind for kind in (*_OTHER_CLASSES, *EVENT_CLASSES)}
_LAYOUTS: Final = {number: struct.Struct("<" + kind.layout) for number, kind in MESSAGES.items()}


def _wrong(message: Message) -> str | None:
    """What a message of the right length holds that cannot be (TL-011)."""
    match message:
        case Hello() if len(message.nonce) != NONCE_SIZE:
            return f"a nonce has {NONCE_SIZE} bytes"
        case Identity():
            if len(message.host_nonce) != NONCE_SIZE or len(message.nonce) != NONCE_SIZE:
                return f"a nonce has {NONCE_SIZE} bytes"
            if not 1 <= message.oldest_event <= message.next_event:
                return "events count from 1, and the oldest comes before the next"
            if not all(0x21 <= byte <= 0x7E for byte in message.serial):
                return "a serial is printable ASCII"
        case Ready() if message.first_event < 1:
            return "events count from 1"
        case CardEvent() if not is_card_code(message.code):
            return f"0x{message.code:02X} is no card code"
        case Event() if message.number < 1:
            return "events count from 1"
        case Unknown() if not 0 <= message.number < AUTHENTICATED or message.number in MESSAGES:
            return f"{message.number} is no unknown id"
    return None


def encode_message(message: Message) -> bytes:
    """The body of a message. Raises BadMessage where a value does not fit its field."""
    wrong = _wrong(message)
    if wrong is not None:
        raise BadMessage(f"{type(message).__name__}: {wrong}")
    if isinstance(message, Unknown):
        return bytes([message.number]) + message.payload
    layout = _LAYOUTS[message.id]
    values = [getattr(message, name) for name in message.__struct_fields__]
    tail = b""
    if message.tail != range(1):
        tail = values.pop()
        if len(tail) not in message.tail:
            raise BadMessage(f"{type(message).__name__}: {len(tail)} bytes do not fit")
    try:
        return bytes([message.id]) + layout.pack(*values) + tail
    except struct.error as error:
        raise BadMessage(f"{type(message).__name__}: {error}") from error


def decode_message(body: bytes) -> Message:
    """The message in a body without its authentication; raises BadMessage."""
    if not body:
        raise BadMessage("an empty body")
    number = body[0]
    kind = MESSAGES.get(number)
    if kind is None:
        return Unknown(number, body[1:])
    layout = _LAYOUTS[number]
    extra = len(body) - 1 - layout.size
    if extra not in kind.tail:
        raise BadMessage(f"{kind.__name__}: {len(body) - 1} bytes of payload do not fit")
    values = layout.unpack_from(body, 1)
    message = kind(*values) if kind.tail == range(1) else kind(*values, body[1 + layout.size :])
    wrong = _wrong(message)
    if wrong is not None:
        raise BadMessage(f"{kind.__name__}: {wrong}")
    return message


def card_event(boot: int, number: int, clock_ms: int, card: str, flags: int = 0) -> CardEvent:
    return CardEvent(boot & 0xFFFF, number, clock_ms, card_code(card), flags)
