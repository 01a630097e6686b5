"""Both ends of a MAX7219 display of eight digits; refuses text that segments can't show. Pure.

The host end is a tuple of 16-bit words (register, data), each sent in its own chip select; nothing can be read back.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from firmware_protocol.segments import ALL_LIT, POINT, Cell, cells, read, right
from firmware_protocol.wire import Capabilities

TITLE: Final = "MAX7219, eight digits over SPI"
GRADE: Final = "C: one public code base. Not tried on a real display."
CAPABILITIES: Final = Capabilities()

DIGITS: Final = 8
BRIGHTEST: Final = 15
INTENSITY: Final = 8  # half: a full one on all digits is more than many a Pi's supply likes

NO_OPERATION, DECODE, BRIGHTNESS, SCAN_LIMIT, SHUTDOWN, TEST = 0x00, 0x09, 0x0A, 0x0B, 0x0C, 0x0F

Words = tuple[int, ...]


def word(register: int, data: int) -> int:
    if not 0 <= register <= 0x0F or not 0 <= data <= 0xFF:
        raise ValueError(f"A MAX7219 word has a register 0 to 15 and data 0 to 255, not {register} and {data}.")
    return register << 8 | data


def initialise(intensity: int = INTENSITY) -> Words:
    """All eight digits, segments as given (no decoding), no test, brightness 0 to 15, on."""
    return word(SCAN_LIMIT, DIGITS - 1), word(DECODE, 0), word(TEST, 0), *brightness(intensity), *lit()


def brightness(intensity: int) -> Words:
    if not 0 <= intensity <= BRIGHTEST:
        raise ValueError(f"The MAX7219's brightness is 0 to {BRIGHTEST}, not {intensity}.")
    return (word(BRIGHTNESS, intensity),)


def lit() -> Words:
    return (word(SHUTDOWN, 1),)


def dark() -> Words:
    """Turns the display off; it keeps its digits."""
    return (word(SHUTDOWN, 0),)


def lamp_test(on: bool) -> Words:
    """Every segment lit, whatever else is set."""
    return (word(TEST, int(on)),)


def show(text: str, *, first_digit_left: bool = False) -> Words:
    """Up to eight characters, to the right, points on the digits before them; all eight digits are written.

    Register 1 is the rightmost digit on the usual module, the leftmost with `first_digit_left`.
    """
    shown = right(text, cells(text, points=True), DIGITS)
    if not first_digit_left:
        shown.reverse()
    return tuple(word(register, _to_chip(cell)) for register, cell in enumerate(shown, 1))


def transfers(words: Iterable[int]) -> tuple[bytes, ...]:
    """The bytes of each word, for one chip select each."""
    return tuple(each.to_bytes(2, "big") for each in words)


def _to_chip(cell: Cell) -> int:
    return _mirror(cell.shape) | (POINT if cell.point else 0)


def _mirror(seven_bits: int) -> int:
    """The chip has segment a in bit 6 and g in bit 0; shapes have it the other way round."""
    return int(f"{seven_bits & ALL_LIT:07b}"[::-1], 2)


class Max7219:
    """The chip and its eight digits, as switched on: shut down, one digit, least bright."""

    def __init__(self, *, first_digit_left: bool = False) -> None:
        self._first_digit_left = first_digit_left
        self.registers = bytearray(16)
        self.faults = 0  # transfers that are no whole word, and settings that the model does not have

    def transfer(self, data: bytes) -> None:
        """One chip select. The chip takes the last 16 bits it got; the rest went on to a next chip."""
        if len(data) < 2:
            self.faults += 1
        else:
            self.load(int.from_bytes(data[-2:], "big"))

    def load(self, each: int) -> None:
        register, data = each >> 8 & 0x0F, each & 0xFF  # the chip does not look at the four highest bits
        unknown = register in (0x0D, 0x0E) or (register == DECODE and data)
        if unknown:
            self.faults += 1
        elif register != NO_OPERATION:
            self.registers[register] = data

    @property
    def on(self) -> bool:
        return bool(self.registers[SHUTDOWN] & 1)

    @property
    def testing(self) -> bool:
        return bool(self.registers[TEST] & 1)

    @property
    def brightness(self) -> int:
        return self.registers[BRIGHTNESS] & BRIGHTEST

    def shown(self) -> str:
        """Eight characters, with a full stop after each whose point is lit; empty while shut down."""
        if self.testing:
            return "8." * DIGITS
        if not self.on:
            return ""
        limit = self.registers[SCAN_LIMIT] & 7
        digits = [_seen(self.registers[digit + 1] if digit <= limit else 0) for digit in range(DIGITS)]
        return "".join(digits if self._first_digit_left else reversed(digits))


def _seen(data: int) -> str:
    return read(_mirror(data)) + ("." if data & POINT else "")
