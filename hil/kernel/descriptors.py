"""The USB descriptors our devices answer with (USB 2.0, chapter 9, and CDC 1.2 for a serial one). Values to bytes."""

from __future__ import annotations

import struct
from typing import Final

from msgspec import Struct

DEVICE, CONFIGURATION, STRING = 1, 2, 3
INTERFACE, ENDPOINT, CLASS_INTERFACE = 4, 5, 0x24
BULK, INTERRUPT = 2, 3
VENDOR_CLASS, COMMUNICATION_CLASS, DATA_CLASS = 0xFF, 0x02, 0x0A
ENGLISH_US: Final = 0x0409
MAX_PACKET: Final = 64  # bytes, the most at full speed


class Identity(Struct, frozen=True, kw_only=True):
    """Who a device says it is. `device_class` 0 leaves it to the interfaces."""

    vendor: int
    product: int
    serial: str
    maker: str = "Croupier"
    name: str = "Card shoe"
    device_class: int = 0

    def device(self) -> bytes:
        """USB 2.0, one configuration; strings 1, 2 and 3 are maker, name and serial."""
        head = struct.pack("<BBHBBBB", 18, DEVICE, 0x0200, self.device_class, 0, 0, MAX_PACKET)
        return head + struct.pack("<HHHBBBB", self.vendor, self.product, 0x0100, 1, 2, 3, 1)

    def string(self, index: int) -> bytes | None:
        """None where there is no such string: the device stalls."""
        if index == 0:
            return struct.pack("<BBH", 4, STRING, ENGLISH_US)
        texts = (self.maker, self.name, self.serial)
        if index > len(texts):
            return None
        text = texts[index - 1].encode("utf-16-le")
        return bytes([2 + len(text), STRING]) + text


def endpoint(address: int, kind: int = BULK, size: int = MAX_PACKET, interval: int = 0) -> bytes:
    return struct.pack("<BBBBHB", 7, ENDPOINT, address, kind, size, interval)


def interface(number: int, *endpoints: bytes, codes: tuple[int, int, int], extra: bytes = b"") -> bytes:
    """`codes` are class, subclass and protocol; `extra` the descriptors of the class."""
    return struct.pack("<BBBBBBBBB", 9, INTERFACE, number, 0, len(endpoints), *codes, 0) + extra + b"".join(endpoints)


def configuration(*interfaces: bytes) -> bytes:
    """The only one, powered by the bus with 100 mA."""
    body = b"".join(interfaces)
    return struct.pack("<BBHBBBBB", 9, CONFIGURATION, 9 + len(body), len(interfaces), 1, 0, 0x80, 50) + body


def vendor_bulk(inbound: int, outbound: int) -> bytes:
    """One interface of the maker's own kind, with a pipe each way."""
    return configuration(interface(0, endpoint(inbound), endpoint(outbound), codes=(VENDOR_CLASS, 0, 0)))


def serial_line(inbound: int, outbound: int, notices: int) -> bytes:
    """An abstract-control modem: what Linux makes a ttyACM of. It takes line coding, line state and break."""
    functional = (
        struct.pack("<BBBH", 5, CLASS_INTERFACE, 0x00, 0x0110),  # header: CDC 1.10
        struct.pack("<BBBBB", 5, CLASS_INTERFACE, 0x01, 0, 1),  # calls: not managed
        struct.pack("<BBBB", 4, CLASS_INTERFACE, 0x02, 0x06),  # abstract control: line coding and state, break
        struct.pack("<BBBBB", 5, CLASS_INTERFACE, 0x06, 0, 1),  # union: interface 1 belongs to 0
    )
    control = interface(
        0, endpoint(notices, INTERRUPT, 16, 4), codes=(COMMUNICATION_CLASS, 2, 1), extra=b"".join(functional)
    )
    return configuration(control, interface(1, endpoint(inbound), endpoint(outbound), codes=(DATA_CLASS, 0, 0)))
