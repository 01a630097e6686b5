"""What was found in the bytes to or from an Alpha sign, one value a packet; judges nothing."""

from __future__ import annotations

from firmware_protocol.alpha.commands import MemoryFile
from firmware_protocol.wire import Decoded


class SignPacket(Decoded, frozen=True, kw_only=True):
    """A whole packet: for which signs, and whether a checksum vouches for it."""

    sign_type: str
    address: str
    checked: bool


class SignText(SignPacket, frozen=True, kw_only=True):
    """A TEXT file was written. `position` and `mode` are None where the packet names none."""

    label: str
    position: str | None
    mode: str | None
    data: bytes


class PriorityText(SignPacket, frozen=True, kw_only=True):
    """A text over everything else; with no data in it the sign goes blank."""

    position: str | None
    mode: str | None
    data: bytes


class PriorityReleased(SignPacket, frozen=True, kw_only=True):
    pass


class SignString(SignPacket, frozen=True, kw_only=True):
    label: str
    data: bytes


class MemoryConfigured(SignPacket, frozen=True, kw_only=True):
    files: tuple[MemoryFile, ...]


class MemoryErased(SignPacket, frozen=True, kw_only=True):
    pass


class SoftReset(SignPacket, frozen=True, kw_only=True):
    pass


class RunSequence(SignPacket, frozen=True, kw_only=True):
    labels: str
    locked: bool


class ReadReply(SignPacket, frozen=True, kw_only=True):
    """A sign's answer: the command that would write what it was asked for."""

    command: str
    label: str
    data: bytes


class UnknownCommand(SignPacket, frozen=True, kw_only=True):
    """A whole packet with a command we do not know, or can't read: why, and the command."""

    reason: str
    data: bytes
