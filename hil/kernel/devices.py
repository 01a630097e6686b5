"""The USB devices of the tests: a TableLink shoe with bulk pipes, and one behind a serial line (CDC-ACM)."""

from __future__ import annotations

import struct
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final, Literal

from msgspec import Struct

from drivers.simulated.tablelink_end import TableLinkEnd
from firmware_protocol.tablelink.card_code import card_code
from firmware_protocol.tablelink.messages import CardEvent
from hil.kernel.descriptors import COMMUNICATION_CLASS, Identity, serial_line, vendor_bulk
from hil.kernel.usb_device import UsbDevice, wait_until
from hil.kernel.usbip import Request

VENDOR: Final = 0x1209  # pid.codes, for open hardware
BULK_PRODUCT: Final = 0xCA4D
SERIAL_PRODUCT: Final = 0xCA4E
BULK_IN, BULK_OUT, NOTICES = 0x81, 0x01, 0x83

SET_LINE_CODING, GET_LINE_CODING, SET_LINE_STATE, SEND_BREAK = 0x20, 0x21, 0x22, 0x23
_CODING: Final = struct.Struct("<IBBB")
_PARITIES: Final[dict[int, Literal["N", "O", "E"]]] = {0: "N", 1: "O", 2: "E"}


class LineCoding(Struct, frozen=True):
    """How the host has set the line, as the device was told."""

    baud: int
    data_bits: int
    parity: Literal["N", "O", "E"]
    stop_bits: int

    @classmethod
    def read(cls, data: bytes) -> LineCoding:
        baud, stops, parity, data_bits = _CODING.unpack(data)
        return cls(baud, data_bits, _PARITIES[parity], 2 if stops == 2 else 1)


class LineState(Struct, frozen=True):
    dtr: bool
    rts: bool


class LineBreak(Struct, frozen=True):
    on: bool


class _Shoe(UsbDevice):
    """A device end of TableLink behind two bulk pipes. Its queue outlives the cable, as in a shoe with a battery."""

    end: TableLinkEnd

    def deal(self, *cards: str) -> None:
        """Cards leave the shoe."""
        with self.lock:
            for card in cards:
                self.end.add(CardEvent, card_code(card), 0)

    def configured(self) -> None:
        self.end.connected(time.monotonic())

    def received(self, endpoint: int, data: bytes) -> None:
        if endpoint == BULK_OUT:
            self.end.receive(data, time.monotonic())

    def tick(self, now: float) -> None:
        data = self.end.data_to_send(now)
        if data:
            self.to_host(BULK_IN, data)

    def unplugged(self) -> None:
        self.end.disconnected()


class BulkShoe(_Shoe):
    """TableLink over a maker's own interface: what `usb:1209:CA4D` finds."""

    def __init__(self, serial: str = "KERNEL-A") -> None:
        super().__init__(Identity(vendor=VENDOR, product=BULK_PRODUCT, serial=serial), vendor_bulk(BULK_IN, BULK_OUT))
        self.end = TableLinkEnd("shoe", serial=serial)


class BulkEcho(UsbDevice):
    """Sends back what it gets; for trying the pipes alone."""

    def __init__(self, serial: str = "ECHO-A") -> None:
        super().__init__(Identity(vendor=VENDOR, product=BULK_PRODUCT, serial=serial), vendor_bulk(BULK_IN, BULK_OUT))

    def received(self, endpoint: int, data: bytes) -> None:
        self.to_host(BULK_IN, data)


class _SerialDevice(UsbDevice):
    """What Linux makes a ttyACM of; remembers everything the host asked of the line."""

    def __init__(self, serial: str) -> None:
        identity = Identity(
            vendor=VENDOR, product=SERIAL_PRODUCT, serial=serial, name="Serial shoe", device_class=COMMUNICATION_CLASS
        )
        super().__init__(identity, serial_line(BULK_IN, BULK_OUT, NOTICES))
        self.coding = LineCoding(9600, 8, "N", 1)
        self.state = LineState(False, False)
        self.asked: list[LineCoding | LineState | LineBreak] = []

    def plug(self) -> None:
        """Returns when the kernel has made its tty, too."""
        super().plug()
        wait_until(lambda: any(self._ttys()), "a tty of the serial device")

    @property
    def tty(self) -> str:
        """Its name in /dev now."""
        return next(f"/dev/{entry.name}" for entry in self._ttys())

    def _ttys(self) -> Iterator[Path]:
        return self.folder.glob("*/tty/ttyACM*")

    def answer(self, request: Request, data: bytes) -> bytes | None:
        match request.number:
            case n if n == SET_LINE_CODING:
                self.coding = LineCoding.read(data)
                self.asked.append(self.coding)
            case n if n == GET_LINE_CODING:
                code = next(number for number, letter in _PARITIES.items() if letter == self.coding.parity)
                stops = 2 if self.coding.stop_bits == 2 else 0
                return _CODING.pack(self.coding.baud, stops, code, self.coding.data_bits)
            case n if n == SET_LINE_STATE:
                self.state = LineState(bool(request.value & 1), bool(request.value & 2))
                self.asked.append(self.state)
            case n if n == SEND_BREAK:
                self.asked.append(LineBreak(request.value != 0))
            case _:
                return None
        return b""


class SerialEcho(_SerialDevice):
    """Sends back what it gets; for trying the line alone."""

    def __init__(self, serial: str = "LINE-A") -> None:
        super().__init__(serial)

    def received(self, endpoint: int, data: bytes) -> None:
        self.to_host(BULK_IN, data)


class SerialShoe(_SerialDevice, _Shoe):
    """TableLink behind a USB serial line."""

    def __init__(self, serial: str = "LINE-SHOE") -> None:
        super().__init__(serial)
        self.end = TableLinkEnd("shoe", serial=serial)
