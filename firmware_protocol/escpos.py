"""Both ends of an ESC/POS customer (pole) display of 2 lines of 20; refuses text that would run over. Pure.

The host end is functions that give bytes. `PoleDisplay` is the device; `Decoder` reads a capture of what was sent.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Final

from msgspec import Struct

from firmware_protocol.wire import BadFrame, Capabilities, Decoded

TITLE: Final = "ESC/POS customer display, 2×20"
GRADE: Final = "A: public manuals. Not tried on a real display."
CAPABILITIES: Final = Capabilities()

BAUD: Final = 9600  # usual: a setting
DATA_BITS: Final = 8
PARITY: Final = "N"
STOP_BITS: Final = 1

COLUMNS: Final = 20
ROWS: Final = 2
BRIGHTEST: Final = 4
STEADY: Final = 0  # blink: not at all
DARK: Final = 255  # blink: always off
BLINK_UNIT_MS: Final = 50  # so long times n on, as long off

ESC, US, CLEAR, HOME = 0x1B, 0x1F, 0x0C, 0x0B
MAX_TEXT: Final = COLUMNS * ROWS  # characters in one TextWritten
MAX_NOISE: Final = 128  # bytes of noise in one BadFrame


def initialise() -> bytes:
    """Clears the display and sets it as it is when switched on."""
    return bytes([ESC, 0x40])


def clear() -> bytes:
    return bytes([CLEAR])


def home() -> bytes:
    return bytes([HOME])


def overwrite_mode() -> bytes:
    """New characters replace old ones, and nothing scrolls."""
    return bytes([US, 0x01])


def move(x: int, y: int) -> bytes:
    """Column `x` from 1 to 20, line `y` 1 or 2."""
    if not 1 <= x <= COLUMNS or not 1 <= y <= ROWS:
        raise ValueError(f"The pole display has columns 1 to {COLUMNS} and lines 1 to {ROWS}: no place ({x}, {y}).")
    return bytes([US, 0x24, x, y])


def brightness(level: int) -> bytes:
    if not 1 <= level <= BRIGHTEST:
        raise ValueError(f"The pole display's brightness is 1 to {BRIGHTEST}, not {level}.")
    return bytes([US, 0x58, level])


def blink(n: int) -> bytes:
    """On and off by turns, `n` × BLINK_UNIT_MS each; STEADY ends it, DARK turns the display off."""
    if not STEADY <= n <= DARK:
        raise ValueError(f"The pole display's blinking is {STEADY} to {DARK}, not {n}.")
    return bytes([US, 0x45, n])


def text(words: str) -> bytes:
    """At most one line of printable ASCII."""
    if len(words) > COLUMNS:
        raise ValueError(f"A line of the pole display has {COLUMNS} characters; {words!r} has {len(words)}.")
    for place, character in enumerate(words, 1):
        if not " " <= character <= "~":
            raise ValueError(f"The pole display can't show {character!r} (character {place} of {words!r}): use ASCII.")
    return words.encode("ascii")


def lines(top: str, bottom: str) -> bytes:
    """Sets the display up and shows two lines, whatever it showed or was set to before."""
    return initialise() + overwrite_mode() + clear() + move(1, 1) + text(top) + move(1, 2) + text(bottom)


def refresh(top: str, bottom: str) -> bytes:
    """Writes two lines over the old ones without clearing, so that nothing flickers; only after `lines`."""
    return move(1, 1) + text(top).ljust(COLUMNS) + move(1, 2) + text(bottom).ljust(COLUMNS)


class DisplayInitialised(Decoded, frozen=True, kw_only=True):
    pass


class DisplayCleared(Decoded, frozen=True, kw_only=True):
    pass


class CursorHomed(Decoded, frozen=True, kw_only=True):
    pass


class CursorMoved(Decoded, frozen=True, kw_only=True):
    x: int
    y: int


class OverwriteSet(Decoded, frozen=True, kw_only=True):
    pass


class BrightnessSet(Decoded, frozen=True, kw_only=True):
    level: int


class BlinkSet(Decoded, frozen=True, kw_only=True):
    n: int


class TextWritten(Decoded, frozen=True, kw_only=True):
    """Characters that came one after another, at most MAX_TEXT of them."""

    text: str


class _Cut(Struct, frozen=True):
    """One command, one character, or one byte that is neither; `event` is None for the latter two."""

    offset: int
    data: bytes
    event: Decoded | None = None

    @property
    def is_text(self) -> bool:
        return self.event is None and 0x20 <= self.data[0] <= 0x7E


_LENGTHS: Final = {b"\x1b\x40": 2, b"\x1f\x01": 2, b"\x1f\x24": 4, b"\x1f\x58": 3, b"\x1f\x45": 3}


class _Cutter:
    """Cuts the stream into commands and single bytes; holds a command until it is whole."""

    def __init__(self) -> None:
        self.held = b""
        self._at = 0

    def feed(self, data: bytes) -> Iterator[_Cut]:
        for byte in memoryview(data).tobytes():  # refuses a str before anything changes
            yield from self._take(byte)
            self._at += 1

    def close(self) -> Iterator[_Cut]:
        yield from self._break_off()

    def _take(self, byte: int) -> Iterator[_Cut]:
        if byte in (ESC, US) and self.held[:2] != b"\x1f\x45":  # in a blink, and only there, both are numbers too
            yield from self._break_off()
        if not self.held and byte not in (ESC, US):
            event = {CLEAR: DisplayCleared, HOME: CursorHomed}.get(byte)
            yield _Cut(self._at, bytes([byte]), event and event(offset=self._at))
            return
        self.held += bytes([byte])
        start = self._at + 1 - len(self.held)
        if len(self.held) > 1 and self.held[:2] not in _LENGTHS:
            data, self.held = self.held, b""
            yield _Cut(start, data, BadFrame(offset=start, reason=f"unknown command {data.hex(' ')}", data=data))
        elif len(self.held) > 1 and len(self.held) == _LENGTHS[self.held[:2]]:
            data, self.held = self.held, b""
            yield _Cut(start, data, _read(data, start))

    def _break_off(self) -> Iterator[_Cut]:
        if self.held:
            data, self.held = self.held, b""
            start = self._at - len(data)
            yield _Cut(start, data, BadFrame(offset=start, reason="the command breaks off", data=data))


def _read(command: bytes, offset: int) -> Decoded:
    try:
        match command[1], *command[2:]:
            case (0x40,):
                return DisplayInitialised(offset=offset)
            case (0x01,):
                return OverwriteSet(offset=offset)
            case 0x24, x, y:
                move(x, y)
                return CursorMoved(offset=offset, x=x, y=y)
            case 0x58, level:
                brightness(level)
                return BrightnessSet(offset=offset, level=level)
            case _:
                return BlinkSet(offset=offset, n=command[2])
    except ValueError as error:
        return BadFrame(offset=offset, reason=str(error), data=command)


class Decoder:
    """Reads what is sent to the display. Characters in a row are told together, when the row ends."""

    max_kept: ClassVar[int] = MAX_NOISE + 4

    def __init__(self) -> None:
        self._cutter = _Cutter()
        self._row: list[_Cut] = []

    @property
    def kept(self) -> int:
        return len(self._row) + len(self._cutter.held)

    def feed(self, data: bytes) -> list[Decoded]:
        return [event for cut in self._cutter.feed(data) for event in self._take(cut)]

    def close(self) -> list[Decoded]:
        found = [event for cut in self._cutter.close() for event in self._take(cut)]
        return found + list(self._end_row())

    def _take(self, cut: _Cut) -> Iterator[Decoded]:
        if cut.event:
            yield from self._end_row()
            yield cut.event
            return
        if self._row and self._row[0].is_text != cut.is_text:
            yield from self._end_row()
        self._row.append(cut)
        if len(self._row) >= (MAX_TEXT if cut.is_text else MAX_NOISE):
            yield from self._end_row()

    def _end_row(self) -> Iterator[Decoded]:
        if not self._row:
            return
        first, data = self._row[0], b"".join(cut.data for cut in self._row)
        self._row.clear()
        if first.is_text:
            yield TextWritten(offset=first.offset, text=data.decode("ascii"))
        else:
            yield BadFrame(offset=first.offset, reason="neither a command nor printable ASCII", data=data)


class PoleDisplay:
    """The device end: 2×20 cells and a cursor. What it does not understand changes nothing and is counted."""

    def __init__(self) -> None:
        self._cutter = _Cutter()
        self.not_understood = 0
        self._switch_on()

    def receive(self, data: bytes) -> None:
        for cut in self._cutter.feed(data):
            self._obey(cut)

    def shown(self) -> tuple[str, str]:
        """Both lines, each of 20 characters; a dark display shows blanks."""
        if self.blink == DARK:
            return " " * COLUMNS, " " * COLUMNS
        return "".join(self._cells[:COLUMNS]), "".join(self._cells[COLUMNS:])

    @property
    def cursor(self) -> tuple[int, int]:
        """Column and line, from 1."""
        return self._cursor % COLUMNS + 1, self._cursor // COLUMNS + 1

    def _switch_on(self) -> None:
        self._cells = [" "] * (COLUMNS * ROWS)
        self._cursor = 0
        self.brightness = BRIGHTEST
        self.blink = STEADY
        self.overwrite = False  # until told: what a display does by itself differs

    def _obey(self, cut: _Cut) -> None:
        match cut.event:
            case DisplayInitialised():
                self._switch_on()
            case DisplayCleared():
                self._cells = [" "] * (COLUMNS * ROWS)
                self._cursor = 0
            case CursorHomed():
                self._cursor = 0
            case CursorMoved(x=x, y=y):
                self._cursor = (y - 1) * COLUMNS + x - 1
            case OverwriteSet():
                self.overwrite = True
            case BrightnessSet(level=level):
                self.brightness = level
            case BlinkSet(n=n):
                self.blink = n
            case None if cut.is_text:
                self._cells[self._cursor] = chr(cut.data[0])
                self._cursor = (self._cursor + 1) % (COLUMNS * ROWS)
            case _:
                self.not_understood += 1
