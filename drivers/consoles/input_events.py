"""The kernel's input events, as read from /dev/input/event*: bytes in, key moves out. Pure; knows keys by name.

Sizes differ between 32-bit and 64-bit systems, as the kernel's `struct input_event` begins with two longs. Anything
that is no key is left out; when the kernel says that it dropped events, everything up to the next report is too.
"""

from __future__ import annotations

import difflib
import struct
from typing import Final

from msgspec import Struct

from drivers.errors import BadSetting

NATIVE: Final = struct.Struct("llHHi")  # seconds, microseconds, type, code, value, as this machine's program sees them
EV_SYN, EV_KEY = 0, 1  # this and the following from linux/input-event-codes.h
SYN_REPORT, SYN_DROPPED = 0, 3
UP, DOWN, REPEATED = 0, 1, 2
KEY_MAX: Final = 0x2FF
KEYS_SIZE: Final = KEY_MAX // 8 + 1  # bytes of a set of keys, one bit each

_ROWS: Final = {  # first code of a run → the names from there
    1: "ESC 1 2 3 4 5 6 7 8 9 0 MINUS EQUAL BACKSPACE TAB Q W E R T Y U I O P LEFTBRACE RIGHTBRACE ENTER LEFTCTRL",
    30: "A S D F G H J K L SEMICOLON APOSTROPHE GRAVE LEFTSHIFT BACKSLASH Z X C V B N M COMMA DOT SLASH RIGHTSHIFT",
    55: "KPASTERISK LEFTALT SPACE CAPSLOCK F1 F2 F3 F4 F5 F6 F7 F8 F9 F10 NUMLOCK SCROLLLOCK",
    71: "KP7 KP8 KP9 KPMINUS KP4 KP5 KP6 KPPLUS KP1 KP2 KP3 KP0 KPDOT",
    87: "F11 F12",
    96: "KPENTER RIGHTCTRL KPSLASH",
    102: "HOME UP PAGEUP LEFT RIGHT END DOWN PAGEDOWN INSERT DELETE",
    117: "KPEQUAL",
    121: "KPCOMMA",
    140: "CALC",
    179: "KPLEFTPAREN KPRIGHTPAREN",
}
CODES: Final = {name: first + at for first, row in _ROWS.items() for at, name in enumerate(row.split())}


class KeyMoved(Struct, frozen=True):
    """A key went down, came up, or repeats because it is still down."""

    code: int
    value: int


class MovesLost(Struct, frozen=True):
    """The kernel's buffer ran over: ask which keys are down now."""


def key_code(key: str | int) -> int:
    """The code of a key by its name in linux/input-event-codes.h, with or without KEY_, or by its number."""
    if isinstance(key, int):
        if not 1 <= key <= KEY_MAX:
            raise BadSetting(f"{key} is no key: codes are 1 to {KEY_MAX}")
        return key
    name = key.upper().removeprefix("KEY_")
    if name not in CODES:
        near = difflib.get_close_matches(name, CODES, n=1)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise BadSetting(f"there is no key {key!r}{hint} (names are as in KP1, KPENTER, BACKSPACE; or a key's number)")
    return CODES[name]


def keys_in(bits: bytes) -> frozenset[int]:
    """The codes whose bits are set, as the kernel gives a set of keys."""
    return frozenset(8 * at + bit for at, byte in enumerate(bits) for bit in range(8) if byte >> bit & 1)


class InputParser:
    """Cuts a stream into events; keeps less than one event between two pieces."""

    def __init__(self, layout: struct.Struct = NATIVE) -> None:
        self._layout = layout
        self._kept = b""
        self._dropping = False

    def receive(self, data: bytes) -> list[KeyMoved | MovesLost]:
        data = self._kept + data
        whole = len(data) - len(data) % self._layout.size
        self._kept = data[whole:]
        out: list[KeyMoved | MovesLost] = []
        for _, _, kind, code, value in self._layout.iter_unpack(data[:whole]):
            if kind == EV_SYN and code == SYN_DROPPED:
                self._dropping = True
            elif self._dropping:
                if kind == EV_SYN and code == SYN_REPORT:
                    self._dropping = False
                    out.append(MovesLost())
            elif kind == EV_KEY and value in (UP, DOWN, REPEATED):
                out.append(KeyMoved(code, value))
        return out

    def forget(self) -> None:
        """A new connection: half an event of the old one is worth nothing."""
        self._kept, self._dropping = b"", False
