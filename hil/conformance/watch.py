"""What every frame from a device is held to, whichever rule is being tried: form, identity, numbers, seals.

Pure. Each breach is a rule's id and words; a breach is nobody's opinion but the frame's.
"""

from __future__ import annotations

from collections.abc import Iterator

from firmware_protocol.tablelink.framing import TOO_LONG
from firmware_protocol.tablelink.messages import (
    CAPABILITY_BITS,
    ROLES,
    Ack,
    Event,
    Hello,
    Identity,
    Message,
    NoSession,
    Ping,
    Ready,
    Refused,
    Resume,
    Show,
    Unknown,
)
from hil.conformance.reading import name_of

Breach = tuple[str, str]
_OF_THE_HOST = (Hello, Resume, Ping, Ack, Show)


def bad_frame(reason: str) -> Breach:
    """Which rule a run of bytes from the device breaks."""
    if reason == "wrong CRC":
        return "TL-002", "it sent a frame with a wrong CRC"
    if reason == TOO_LONG:
        return "TL-003", f"it sent {reason}"
    return "TL-001", f"it sent a run of bytes that is no frame: {reason}"


def bad_message(words: str) -> Breach:
    """Which rule a body breaks that is no message."""
    for sign, rule in (("serial", "TL-015"), ("card code", "TL-040"), ("oldest", "TL-022"), ("count from 1", "TL-030")):
        if sign in words:
            return rule, f"it sent a message that can't be: {words}"
    return "TL-011", f"it sent a message that fits no layout: {words}"


class Watch:
    """Remembers what later frames are compared with."""

    def __init__(self) -> None:
        self.nonces: set[bytes] = set()  # that our HELLOs carried
        self.offered = range(256)  # versions of the last HELLO
        self._serial = b""
        self._made: dict[bytes, bytes] = {}  # the device's nonces, with the host's of the same IDENTITY
        self._highest: int | None = None  # event number in this session; None while the line is not to be trusted

    def session_began(self, first_event: int | None) -> None:
        self._highest = None if first_event is None else first_event - 1

    def message(self, message: Message, boot: int | None, *, keyed: bool) -> Iterator[Breach]:
        match message:
            case Identity():
                yield from self._identity(message)
                if keyed and self._made.setdefault(message.nonce, message.host_nonce) != message.host_nonce:
                    yield "TL-086", f"the device nonce {message.nonce.hex()} came a second time"
            case Ready():
                self.session_began(message.first_event)  # here, because the first event may come in the same read
            case Event():
                if boot is not None and message.boot_low != boot & 0xFFFF:
                    yield "TL-030", f"event {message.number} bears boot …{message.boot_low:04X}, and it is {boot:08X}"
                if self._highest is not None:
                    if message.number > self._highest + 1:
                        yield "TL-030", f"event {message.number} came after {self._highest}: a gap"
                    self._highest = max(self._highest, message.number)
            case Unknown():
                yield "TL-095", f"it sent the id {message.number:02X}, which PROTOCOL.md does not have"
            case _ if isinstance(message, _OF_THE_HOST):
                yield "TL-095", f"it sent {name_of(message)}, which is the host's to send"

    def _identity(self, identity: Identity) -> Iterator[Breach]:
        if self.nonces and identity.host_nonce not in self.nonces:
            yield "TL-020", f"IDENTITY bears the host nonce {identity.host_nonce.hex()}, which no HELLO had"
        if identity.roles & ~sum(ROLES) or not identity.roles:
            yield "TL-013", f"roles {identity.roles:02X}: only bits 0 to 2 have a meaning, and one must be set"
        if strange := identity.capabilities & ~sum(CAPABILITY_BITS):
            yield "TL-014", f"capabilities {identity.capabilities:04X}: the bits {strange:04X} must be 0"
        if identity.version not in self.offered:
            offered = f"{self.offered.start} to {self.offered.stop - 1}"
            yield "TL-090", f"IDENTITY has version {identity.version}, and the HELLO offered {offered}"
        if self._serial and identity.serial != self._serial:
            yield "TL-015", f"its serial was {self._serial.decode()}, and is {identity.serial.decode()} now"
        self._serial = identity.serial


def seal_breach(message: Message, *, sealed: bool, keyed: bool) -> Breach | None:
    """Which messages must be authenticated, and which must not be (TL-010, TL-083)."""
    if not keyed:
        return ("TL-010", f"{name_of(message)} has bit 7 set, and there is no key here") if sealed else None
    plain_always = isinstance(message, NoSession | Refused)
    if sealed and plain_always:
        return "TL-083", f"{name_of(message)} came authenticated"
    if not sealed and not plain_always:
        return "TL-083", f"{name_of(message)} came plain"
    return None
