"""The USB/IP messages that the kernel's virtual host controller speaks on its socket. Pure; refuses isochronous.

Every message begins with 48 bytes, big-endian; the eight of a control request's set-up are little-endian as on a wire.
https://docs.kernel.org/usb/usbip_protocol.html
"""

from __future__ import annotations

import struct
from typing import Final

from msgspec import Struct

HEADER_SIZE: Final = 48
CMD_SUBMIT, CMD_UNLINK, RET_SUBMIT, RET_UNLINK = 1, 2, 3, 4
TO_HOST: Final = 1  # the direction of a transfer; 0 is from it
NO_PACKETS: Final = (0, -1)  # of a transfer that is not isochronous

_BASIC: Final = struct.Struct(">IIIII")  # command, number, device, direction, endpoint
_SUBMIT: Final = struct.Struct(">IiiiI8s")  # flags, length, start frame, packets, interval, set-up
_RET_SUBMIT: Final = struct.Struct(">iiiii8x")  # status, length, start frame, packets, errors
_RET_UNLINK: Final = struct.Struct(">i24x")
_SETUP: Final = struct.Struct("<BBHHH")


class Request(Struct, frozen=True):
    """A control request's set-up."""

    kind: int  # direction, class and recipient, as bits
    number: int
    value: int
    index: int
    length: int

    @property
    def is_standard(self) -> bool:
        return self.kind & 0x60 == 0


class Submit(Struct, frozen=True):
    """Do a transfer: of `length` bytes, to or from the host."""

    number: int
    endpoint: int
    to_host: bool
    length: int
    setup: bytes

    @property
    def address(self) -> int:
        """The endpoint's address, as its descriptor has it."""
        return self.endpoint | (0x80 if self.to_host else 0)

    @property
    def request(self) -> Request:
        return Request(*_SETUP.unpack(self.setup))

    @property
    def follows(self) -> int:
        """How many bytes of data come behind the header."""
        return 0 if self.to_host else self.length


class Unlink(Struct, frozen=True):
    """Give a transfer up that is still under way."""

    number: int
    transfer: int


def read_header(header: bytes) -> Submit | Unlink:
    command, number, _, direction, endpoint = _BASIC.unpack_from(header)
    if command == CMD_UNLINK:
        return Unlink(number, int.from_bytes(header[20:24], "big"))
    if command != CMD_SUBMIT:
        raise ValueError(f"the kernel sends no USB/IP command {command}")
    _, length, _, packets, _, setup = _SUBMIT.unpack_from(header, _BASIC.size)
    if packets not in NO_PACKETS:
        raise ValueError("an isochronous transfer, which no device here has")
    return Submit(number, endpoint, direction == TO_HOST, length, setup)


def completed(transfer: Submit, status: int, data: bytes = b"") -> bytes:
    """The answer to a transfer; a status below 0 is an errno. A transfer from the host has taken all or nothing."""
    length = len(data) if transfer.to_host else transfer.length if status == 0 else 0
    return _BASIC.pack(RET_SUBMIT, transfer.number, 0, 0, 0) + _RET_SUBMIT.pack(status, length, 0, 0, 0) + data


def unlinked(unlink: Unlink, status: int) -> bytes:
    return _BASIC.pack(RET_UNLINK, unlink.number, 0, 0, 0) + _RET_UNLINK.pack(status)
