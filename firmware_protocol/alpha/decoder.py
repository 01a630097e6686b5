"""Turns the bytes to or from an Alpha sign into values; what is no packet becomes `BadFrame`, and nothing raises.

NULs are filler: they come before every packet and can't be inside one, so one inside ends it.
"""

from __future__ import annotations

import re
from typing import Any, ClassVar

from firmware_protocol.alpha.commands import (
    ENTRY_CHARACTERS,
    NO_TIMES,
    PRIORITY_LABEL,
    MemoryFile,
    StringFile,
    TextFile,
)
from firmware_protocol.alpha.events import (
    MemoryConfigured,
    MemoryErased,
    PriorityReleased,
    PriorityText,
    ReadReply,
    RunSequence,
    SignPacket,
    SignString,
    SignText,
    SoftReset,
    UnknownCommand,
)
from firmware_protocol.alpha.frames import EOT, ESC, ETX, MAX_PACKET, NUL, RESPONSE, SOH, STX, checksum
from firmware_protocol.wire import BadFrame, Decoded

_NO_SOH = "bytes outside any packet (no SOH before them)"
_HEADER = re.compile(rb"\x01([\x20-\x7e])([0-9A-F]{2})\x02")
_CHECKSUM = re.compile(rb"[0-9A-F]{4}")
_ENTRY = re.compile(r"([\x20-\x7e])([AB])([LU])([0-9A-F]{4})([0-9A-F]{4})")


class Decoder:
    """Either direction: a packet of type '0' is a sign's reply, any other was sent to a sign."""

    max_kept: ClassVar[int] = MAX_PACKET

    def __init__(self) -> None:
        self._held = bytearray()
        self._in_packet = False
        self._start = 0  # offset of the first byte held
        self._at = 0  # offset of the byte being taken

    @property
    def kept(self) -> int:
        return len(self._held)

    def feed(self, data: bytes) -> list[Decoded]:
        found: list[Decoded] = []
        for byte in data:
            self._take(byte, found)
            self._at += 1
        return found

    def close(self) -> list[Decoded]:
        found: list[Decoded] = []
        self._cut_off(found)
        return found

    def _take(self, byte: int, found: list[Decoded]) -> None:
        if byte in (NUL, SOH):
            self._cut_off(found)
            if byte == NUL:
                return
            self._in_packet = True
        if not self._held:
            self._start = self._at
        self._held.append(byte)
        if byte == EOT and self._in_packet:
            data = self._let_go()
            found.append(read_packet(data, self._start))
        elif byte == EOT:
            self._cut_off(found)
        elif len(self._held) >= MAX_PACKET:
            reason = f"{MAX_PACKET} bytes and no end of packet (EOT)" if self._in_packet else _NO_SOH
            found.append(BadFrame(offset=self._start, reason=reason, data=self._let_go()))

    def _cut_off(self, found: list[Decoded]) -> None:
        if self._held:
            reason = "the packet breaks off before its end (EOT)" if self._in_packet else _NO_SOH
            found.append(BadFrame(offset=self._start, reason=reason, data=self._let_go()))

    def _let_go(self) -> bytes:
        data = bytes(self._held)
        self._held.clear()
        self._in_packet = False
        return data


def read_packet(packet: bytes, offset: int) -> SignPacket | BadFrame:
    """What one packet, SOH to EOT, says."""

    def bad(reason: str) -> BadFrame:
        return BadFrame(offset=offset, reason=reason, data=packet)

    header = _HEADER.match(packet)
    if not header:
        return bad("the packet does not begin with SOH, a type, two hexadecimal digits of address and STX")
    span = packet[header.end() - 1 : -1]
    end = span.find(ETX)
    if end >= 0:
        given = span[end + 1 :]
        span = span[: end + 1]
        if not _CHECKSUM.fullmatch(given):
            return bad("after ETX comes a checksum of four upper-case hexadecimal digits, then EOT")
        if checksum(span) != given.decode("ascii"):
            return bad(f"the checksum should be {checksum(span)} and is {given.decode('ascii')}")
    command = span[1:end] if end >= 0 else span[1:]
    if STX in command:
        return bad("a second STX inside the packet")
    envelope: dict[str, Any] = {
        "offset": offset,
        "sign_type": header[1].decode("ascii"),
        "address": header[2].decode("ascii"),
        "checked": end >= 0,
    }
    try:
        return _read_command(command, envelope)
    except ValueError as error:
        return UnknownCommand(reason=str(error), data=command, **envelope)


def _read_command(command: bytes, envelope: dict[str, Any]) -> SignPacket:
    code, label, data = command[:1].decode("latin-1"), command[1:2].decode("latin-1"), command[2:]
    if not code:
        raise ValueError("The packet holds no command.")
    if not label:
        raise ValueError(f"Command {code!r} has no label.")
    if envelope["sign_type"] == RESPONSE:
        return ReadReply(command=code, label=label, data=data, **envelope)
    if code == "A" and label == PRIORITY_LABEL and not data:
        return PriorityReleased(**envelope)
    if code == "A":
        position, mode, text = _read_mode(data)
        if label == PRIORITY_LABEL:
            return PriorityText(position=position, mode=mode, data=text, **envelope)
        return SignText(label=label, position=position, mode=mode, data=text, **envelope)
    if code == "G":
        return SignString(label=label, data=data, **envelope)
    if code == "E" and label == "$":
        return MemoryConfigured(files=_read_files(data), **envelope) if data else MemoryErased(**envelope)
    if code == "E" and label == "," and not data:
        return SoftReset(**envelope)
    if code == "E" and label == "." and data[:1] == b"S" and data[1:2] in (b"U", b"L"):
        return RunSequence(labels=data[2:].decode("latin-1"), locked=data[1:2] == b"L", **envelope)
    raise ValueError(f"Command {code!r} with {label!r} is not known here.")


def _read_mode(data: bytes) -> tuple[str | None, str | None, bytes]:
    if data[:1] != bytes([ESC]):
        return None, None, data
    length = 4 if data[2:3] == b"n" else 3  # mode n is a family, and a further byte says which
    if len(data) < length:
        raise ValueError("The text's position and mode break off.")
    return chr(data[1]), data[2:length].decode("latin-1"), data[length:]


def _read_files(data: bytes) -> tuple[MemoryFile, ...]:
    text = data.decode("latin-1")
    entries = [text[at : at + ENTRY_CHARACTERS] for at in range(0, len(text), ENTRY_CHARACTERS)]
    return tuple(_read_file(entry) for entry in entries)


def _read_file(entry: str) -> MemoryFile:
    found = _ENTRY.fullmatch(entry)
    if not found:
        raise ValueError(
            f"A memory configuration has {ENTRY_CHARACTERS} characters a file; {entry!r} is no such entry."
        )
    label, kind, lock, size, times = found.groups()
    if kind == "A":
        return TextFile(label, int(size, 16), locked=lock == "L", times=times)
    if lock != "L" or times != NO_TIMES:
        raise ValueError(f"A STRING's entry is locked (L) and ends in {NO_TIMES}; {entry!r} is not.")
    return StringFile(label, int(size, 16))
