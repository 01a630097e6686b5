"""Both ends of a TM1637 display of four digits and a colon; refuses text that segments can't show. Pure.

The host end is a tuple of transactions (bytes between a start and a stop), and `pins` for the two lines. The device
end watches the lines, pulls DIO low to acknowledge, and counts what should not happen instead of raising.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import Enum
from typing import Final, NamedTuple

from firmware_protocol.segments import POINT, cells, read, right
from firmware_protocol.wire import Capabilities

TITLE: Final = "TM1637, four digits on two pins"
GRADE: Final = "A: the chip's data sheet. Not tried on a real display."
CAPABILITIES: Final = Capabilities()

DIGITS: Final = 4
REGISTERS: Final = 6  # C0 to C5; four of them have digits on the usual module
COLON_DIGIT: Final = 1  # counted from 0: whose eighth bit is the colon
BRIGHTEST: Final = 7
WRITE_DATA: Final = 0x40
FIXED_ADDRESS: Final = 0x04  # with WRITE_DATA: every byte goes to the same register
FIRST_ADDRESS: Final = 0xC0
DISPLAY: Final = 0x80
DISPLAY_ON: Final = 0x08
ACK_BIT: Final = 8  # bits before it: a byte

Transactions = tuple[bytes, ...]


class Pins(NamedTuple):
    """The levels of both lines. `released`: the host lets DIO go (a resistor holds it high) for the chip to answer."""

    clk: int
    dio: int
    released: bool = False


def show(text: str, *, brightness: int = BRIGHTEST) -> Transactions:
    """Up to four characters, to the right; `12:30` lights the colon."""
    left, colon, rest = text.partition(":")
    if colon and (len(left) > COLON_DIGIT + 1 or len(rest) != DIGITS - COLON_DIGIT - 1):
        raise ValueError(f"The colon stands before the last two digits: 12:30 can be shown, {text!r} can't.")
    shown = [cell.shape for cell in right(text, cells(left + rest, points=False), DIGITS)]
    if colon:
        shown[COLON_DIGIT] |= POINT
    return (bytes([WRITE_DATA]), bytes([FIRST_ADDRESS, *shown]), *lit(brightness))


def lit(brightness: int = BRIGHTEST) -> Transactions:
    """Turns the display on, or changes its brightness (0 to 7), and leaves what it shows."""
    if not 0 <= brightness <= BRIGHTEST:
        raise ValueError(f"The TM1637's brightness is 0 to {BRIGHTEST}, not {brightness}.")
    return (bytes([DISPLAY | DISPLAY_ON | brightness]),)


def dark() -> Transactions:
    """Turns the display off; it keeps its digits."""
    return (bytes([DISPLAY]),)


def pins(transactions: Iterable[bytes]) -> Iterator[Pins]:
    """Both lines step by step, one change a step; where `released` and CLK high, DIO should be read as 0 (the ACK)."""
    yield Pins(1, 1)
    for transaction in transactions:
        yield Pins(1, 0)
        yield Pins(0, 0)
        for byte in transaction:
            yield from _byte(byte)
        yield Pins(1, 0)
        yield Pins(1, 1)


def _byte(byte: int) -> Iterator[Pins]:
    """Eight bits, the lowest first, and the ACK; CLK is low before and after, and DIO low after."""
    for place in range(8):
        level = byte >> place & 1
        yield Pins(0, level)
        yield Pins(1, level)
        yield Pins(0, level)
    yield Pins(0, 1, released=True)
    yield Pins(1, 1, released=True)
    yield Pins(0, 1, released=True)
    yield Pins(0, 0)


class _Command(Enum):
    """What the first byte of a transaction made of the rest."""

    AWAITED = "awaited"
    ADDRESS = "address"
    DONE = "done"


class Tm1637:
    """The chip and its four digits. `step` takes the host's levels and gives DIO as it is on the line."""

    def __init__(self) -> None:
        self.registers = bytearray(REGISTERS)
        self.on = False
        self.brightness = 0
        self.faults = 0  # line changes and commands that should not be
        self._clk = self._dio = 1
        self._started = False
        self._bits = 0  # clocked in so far in this byte
        self._byte = 0
        self._pulling = False  # DIO down, to acknowledge
        self._command = _Command.AWAITED
        self._address = 0
        self._fixed = False

    def step(self, clk: int, dio: int) -> int:
        """The host sets both lines (a released DIO is 1); returns DIO's level, 0 where either end holds it down."""
        level = 0 if self._pulling else dio
        if clk != self._clk and level != self._dio:
            self.faults += 1  # which line was first is anyone's guess: CLK is taken to be
        if clk != self._clk:
            self._clk = clk
            if clk:
                self._clock_in(level)
            else:
                self._clock_falls()
        elif level != self._dio and clk:
            self._condition(level)
        self._dio = 0 if self._pulling else dio
        return self._dio

    def shown(self) -> str:
        """Four characters, with the colon where it is lit; empty while the display is off."""
        if not self.on:
            return ""
        digits = [read(lit) for lit in self.registers[:DIGITS]]
        if self.registers[COLON_DIGIT] & POINT:
            digits.insert(COLON_DIGIT + 1, ":")
        return "".join(digits)

    def _clock_in(self, level: int) -> None:
        if self._started and self._bits < ACK_BIT:
            self._byte |= level << self._bits
        self._bits += self._started

    def _clock_falls(self) -> None:
        if self._bits == ACK_BIT:
            self._pulling = True
            self._take(self._byte)
        elif self._bits > ACK_BIT:
            self._pulling = False
            self._bits = self._byte = 0

    def _condition(self, level: int) -> None:
        """DIO changed while CLK was high: down is a start, up a stop."""
        # The clock that ends in a stop has put one bit in; any more were a byte that is lost now.
        if self._started == (level == 0) or (level and self._bits != 1):
            self.faults += 1
        self._started = level == 0
        self._command = _Command.AWAITED
        self._bits = self._byte = 0

    def _take(self, byte: int) -> None:
        if self._command is _Command.ADDRESS and self._address < REGISTERS:
            self.registers[self._address] = byte
            self._address += not self._fixed
            return
        if self._command is not _Command.AWAITED:
            self.faults += 1
        elif FIRST_ADDRESS <= byte < FIRST_ADDRESS + REGISTERS:
            self._address = byte - FIRST_ADDRESS
            self._command = _Command.ADDRESS
            return
        elif byte & ~FIXED_ADDRESS == WRITE_DATA:
            self._fixed = bool(byte & FIXED_ADDRESS)
        elif byte & 0xF0 == DISPLAY:
            self.on = bool(byte & DISPLAY_ON)
            self.brightness = byte & BRIGHTEST
        else:
            self.faults += 1
        self._command = _Command.DONE
