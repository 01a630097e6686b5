"""Puts a command into an Alpha sign's packet, and holds the protocol's bytes and waits; refuses what would not arrive.

A packet is NULs, SOH, type, address, STX, the command, ETX and a checksum if wanted, EOT.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import Final

NUL, SOH, STX, ETX, EOT, ESC = 0x00, 0x01, 0x02, 0x03, 0x04, 0x1B

NULLS: Final = 5  # the sign finds the baud rate from them; more do no harm
REPLY_NULLS: Final = 20  # what a sign sends before its own packets
BROADCAST: Final = "00"  # the address every sign answers to
RESPONSE: Final = "0"  # the type in a sign's own packets
MAX_PACKET: Final = 2048  # bytes, SOH to EOT: our own limit, far above any text a table shows

BAUD: Final = 9600
DATA_BITS: Final = 7  # 7E1; signs set to 7E2 and 8N1 exist: a setting
PARITY: Final = "E"
STOP_BITS: Final = 1

PACKET_GAP_S: Final = 0.5  # between two packets: twice what was reliable on a real sign
RELIABLE_GAP_S: Final = 0.25  # worked on a real sign
FAILED_GAP_S: Final = 0.1  # lost packets on a real sign
ERASE_WAIT_S: Final = 2.0  # after an erase, before anything else

_ADDRESS: Final = re.compile(r"[0-9A-F]{2}")


class SignType(Enum):
    """Which signs a packet is for."""

    ALL = "Z"
    BETABRITE = "^"
    ONE_LINE = "1"


def checksum(span: bytes) -> str:
    """The 16-bit sum of `span` (STX to ETX, both included) as four upper-case hexadecimal digits."""
    return f"{sum(span) & 0xFFFF:04X}"


def frame(
    command: bytes,
    *,
    sign_type: SignType = SignType.ALL,
    address: str = BROADCAST,
    checksum: bool = True,
    nulls: int = NULLS,
) -> bytes:
    """The whole packet for one command. With a checksum a damaged one is dropped by the sign instead of shown."""
    if nulls < NULLS:
        raise ValueError(f"An Alpha sign needs {NULLS} NULs before a packet to find the baud rate, not {nulls}.")
    return _packet(command, sign_type.value, check_address(address), checksum, nulls)


def reply(command: bytes) -> bytes:
    """What a sign sends when it has been asked: the same command that would write what was read."""
    return _packet(command, RESPONSE, BROADCAST, True, REPLY_NULLS)


def check_address(address: str) -> str:
    if not _ADDRESS.fullmatch(address):
        raise ValueError(
            f"An Alpha sign's address is two upper-case hexadecimal digits ({BROADCAST} for all), not {address!r}."
        )
    return address


def _packet(command: bytes, sign_type: str, address: str, checked: bool, nulls: int) -> bytes:
    if not command:
        raise ValueError("An Alpha packet needs a command.")
    framing = sorted({byte for byte in command if byte <= EOT})
    if framing:
        raise ValueError(f"An Alpha command can't hold the framing byte {framing[0]:02X}: the packet would end there.")
    body = bytes([STX]) + command
    if checked:
        body += bytes([ETX])
        body += _sum_of(body)
    packet = bytes([SOH]) + (sign_type + address).encode("ascii") + body + bytes([EOT])
    if len(packet) > MAX_PACKET:
        raise ValueError(f"This Alpha packet has {len(packet)} bytes; {MAX_PACKET} is the limit. Shorten the text.")
    return bytes(nulls) + packet


def _sum_of(span: bytes) -> bytes:
    return checksum(span).encode("ascii")
