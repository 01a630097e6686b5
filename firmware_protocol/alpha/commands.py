"""What a host may ask of an Alpha sign, as command bytes for `frame`; refuses what would blank or erase it by accident.

Results and limits belong in STRINGs: rewriting a STRING does not blink the sign, rewriting a TEXT does.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import Final

from msgspec import Struct

from firmware_protocol.alpha.content import (
    Colour,
    Content,
    StringCall,
    check_label,
    check_string_label,
    encode,
    parse,
)
from firmware_protocol.alpha.frames import ESC

STRING_BYTES: Final = 125  # the sign buffers a STRING, and has no more room
PRIORITY_BYTES: Final = 125
PRIORITY_LABEL: Final = "0"  # the priority file: always there, over everything else
ENTRY_CHARACTERS: Final = 11  # one file in a memory configuration
ALWAYS: Final = "FFFF"  # a TEXT file's times: whenever its turn comes
NO_TIMES: Final = "0000"  # what a STRING file has in their place

_TIMES = re.compile(r"[0-9A-F]{4}")


class Position(Enum):
    """Where a text stands; a one-line sign has to be told and does not care."""

    MIDDLE = " "
    TOP = '"'
    BOTTOM = "&"
    FILL = "0"


class Mode(Enum):
    """How a text appears."""

    ROTATE = "a"
    HOLD = "b"
    FLASH = "c"


class TextFile(Struct, frozen=True, tag="text", tag_field="kind"):
    """Room for a TEXT in the sign's memory. Unlocked: the sign's own remote control may edit it."""

    label: str
    size: int  # bytes
    locked: bool = False
    times: str = ALWAYS

    def __post_init__(self) -> None:
        check_label(self.label, "a TEXT file")
        if self.label == PRIORITY_LABEL:
            raise ValueError("The priority file '0' is always there: leave it out of the memory configuration.")
        if not 1 <= self.size <= 0xFFFF:
            raise ValueError(f"A TEXT file has 1 to 65535 bytes, not {self.size}.")
        if not _TIMES.fullmatch(self.times):
            raise ValueError(f"A TEXT file's times are four upper-case hexadecimal digits, not {self.times!r}.")

    def entry(self) -> str:
        return f"{self.label}A{'L' if self.locked else 'U'}{self.size:04X}{self.times}"


class StringFile(Struct, frozen=True, tag="string", tag_field="kind"):
    """Room for a STRING in the sign's memory; always locked, never timed."""

    label: str
    size: int = STRING_BYTES

    def __post_init__(self) -> None:
        check_string_label(self.label)
        if not 1 <= self.size <= STRING_BYTES:
            raise ValueError(f"A STRING file has 1 to {STRING_BYTES} bytes, not {self.size}.")

    def entry(self) -> str:
        return f"{self.label}BL{self.size:04X}{NO_TIMES}"


MemoryFile = TextFile | StringFile


def write_text(
    label: str,
    content: Content,
    *,
    position: Position | None = Position.MIDDLE,
    mode: Mode | None = Mode.HOLD,
    colour: Colour | None = None,
) -> bytes:
    """Writes a TEXT file. Position and mode may both be None: the sign then shows it in its own way."""
    check_label(label, "a TEXT file")
    if label == PRIORITY_LABEL:
        raise ValueError("The priority file '0' is written with write_priority and left with release_priority.")
    return _text(label, _coloured(content, colour), position, mode)


def write_priority(
    content: Content,
    *,
    position: Position | None = Position.MIDDLE,
    mode: Mode | None = Mode.HOLD,
    colour: Colour | None = None,
) -> bytes:
    """Shows this over everything else, until `release_priority`."""
    body = _coloured(content, colour)
    if all(isinstance(piece, Colour) for piece in parse(body)):
        raise ValueError("An empty priority text would blank the sign. To take it away, use release_priority.")
    if len(body) > PRIORITY_BYTES:
        raise ValueError(f"A priority text has at most {PRIORITY_BYTES} bytes; this one has {len(body)}.")
    return _text(PRIORITY_LABEL, body, position, mode)


def release_priority() -> bytes:
    """Takes the priority text away. Exactly these two bytes: with a mode and no text the sign goes blank instead."""
    return b"A0"


def write_string(label: str, content: Content) -> bytes:
    """Writes a STRING, which must be allocated, and which a TEXT shows where it holds a `StringCall`."""
    check_string_label(label)
    if not isinstance(content, str) and any(isinstance(piece, StringCall) for piece in content):
        raise ValueError(f"STRING {label!r} can't call a STRING: only a TEXT can.")
    body = encode(content)
    if len(body) > STRING_BYTES:
        raise ValueError(f"A STRING has at most {STRING_BYTES} bytes; this one for {label!r} has {len(body)}.")
    return b"G" + label.encode("ascii") + body


def configure_memory(*files: MemoryFile) -> bytes:
    """Divides the sign's memory into files; it takes effect only on a sign just erased (`erase`, then ERASE_WAIT_S)."""
    if not files:
        raise ValueError("A memory configuration without files would erase the sign. If that is meant, use erase.")
    labels = [file.label for file in files]
    twice = sorted({label for label in labels if labels.count(label) > 1})
    if twice:
        raise ValueError(f"A memory configuration names each file once, and {twice[0]!r} is there twice.")
    return b"E$" + "".join(file.entry() for file in files).encode("ascii")


def erase() -> bytes:
    """Erases everything the sign holds. For setting up only, never in normal running; wait ERASE_WAIT_S after it."""
    return b"E$"


def soft_reset() -> bytes:
    """Restarts the sign, which keeps its memory."""
    return b"E,"


def run_sequence(*labels: str, locked: bool = False) -> bytes:
    """Shows these TEXT files in this order, whatever their times."""
    if not labels:
        raise ValueError("A run sequence needs at least one TEXT file, else the sign shows nothing.")
    for label in labels:
        check_label(label, "a TEXT file in a run sequence")
        if label == PRIORITY_LABEL:
            raise ValueError("The priority file '0' has no place in a run sequence: it is over all of it.")
    return f"E.S{'L' if locked else 'U'}{''.join(labels)}".encode("ascii")


def _coloured(content: Content, colour: Colour | None) -> bytes:
    return (encode([colour]) if colour else b"") + encode(content)


def _text(label: str, body: bytes, position: Position | None, mode: Mode | None) -> bytes:
    start = b"A" + label.encode("ascii")
    if position is None and mode is None:
        return start + body
    if position is None or mode is None:
        raise ValueError("An Alpha text has a position and a mode, or neither: the sign reads them as one field.")
    return start + bytes([ESC]) + (position.value + mode.value).encode("ascii") + body
