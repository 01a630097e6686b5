"""A scanner that types: an input device's keys as the characters that a US keyboard has on them, given as a port.

Most barcode and RFID readers on USB are keyboards to the kernel. Grabbed, what one types reaches no login on the same
machine. A key that is no character here, or a moment in which the kernel dropped some, stands as `?`: such a line is in
no card map, and so a misread that a person sees.
"""

from __future__ import annotations

from typing import Final

from drivers.consoles.input_events import CODES, DOWN, UP, InputParser, KeyMoved
from drivers.consoles.input_port import FOLDER, Calls, InputPort, open_input
from drivers.ports.base import Port

UNKNOWN: Final = "?"
_NAMED: Final = {
    "MINUS": "-",
    "EQUAL": "=",
    "LEFTBRACE": "[",
    "RIGHTBRACE": "]",
    "SEMICOLON": ";",
    "APOSTROPHE": "'",
    "GRAVE": "`",
    "BACKSLASH": "\\",
    "COMMA": ",",
    "DOT": ".",
    "SLASH": "/",
    "SPACE": " ",
    "ENTER": "\n",
    "KPENTER": "\n",
    "KPMINUS": "-",
    "KPPLUS": "+",
    "KPDOT": ".",
    "KPSLASH": "/",
    "KPASTERISK": "*",
    "KPEQUAL": "=",
    "KPCOMMA": ",",
    **{f"KP{digit}": str(digit) for digit in range(10)},
}
PLAIN: Final = {
    code: _NAMED.get(name, name.lower()) for name, code in CODES.items() if name in _NAMED or len(name) == 1
}
_SHIFTED: Final = str.maketrans("1234567890-=[];'`\\,./", '!@#$%^&*()_+{}:"~|<>?')
SHIFTS: Final = frozenset({CODES["LEFTSHIFT"], CODES["RIGHTSHIFT"]})
_ON_THE_PAD: Final = frozenset(code for name, code in CODES.items() if name.startswith("KP"))  # shift changes none
_SILENT: Final = frozenset(
    CODES[name] for name in ("LEFTCTRL", "RIGHTCTRL", "LEFTALT", "CAPSLOCK", "NUMLOCK", "SCROLLLOCK")
)


def is_typed(address: str) -> bool:
    """Whether the address of a reader is an input device's."""
    return address.startswith(("name:", f"{FOLDER}/"))


class Typist:
    """From the kernel's events to text. Pure."""

    def __init__(self) -> None:
        self._parser = InputParser()
        self._shifts: set[int] = set()

    def receive(self, data: bytes) -> bytes:
        return "".join(self._typed(move) for move in self._parser.receive(data)).encode("ascii")

    def _typed(self, move: object) -> str:
        if not isinstance(move, KeyMoved):
            self._shifts.clear()
            return UNKNOWN
        if move.code in SHIFTS:
            (self._shifts.discard if move.value == UP else self._shifts.add)(move.code)
            return ""
        if move.value != DOWN or move.code in _SILENT:  # a scanner types each character anew, and repeats none
            return ""
        character = PLAIN.get(move.code, UNKNOWN)
        if self._shifts and move.code not in _ON_THE_PAD:
            return character.upper().translate(_SHIFTED)
        return character


class TypedPort:
    """Fulfils `drivers.ports.base.Port`."""

    def __init__(self, device: InputPort) -> None:
        self.name = device.name
        self._device, self._typist = device, Typist()

    async def read(self) -> bytes:
        while not (text := self._typist.receive(await self._device.read())):
            pass
        return text

    async def write(self, data: bytes) -> None:
        await self._device.write(data)

    async def close(self) -> None:
        await self._device.close()


async def open_typed(address: str, *, calls: Calls | None = None) -> Port:
    """The scanner at `/dev/input/by-id/…`, or with a name: `name:Its Name`."""
    return TypedPort(await open_input(address, frozenset(PLAIN), calls=calls, what="scanner"))
