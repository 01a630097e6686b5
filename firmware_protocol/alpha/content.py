"""What an Alpha sign shows: characters, colours and calls of STRINGs, to bytes and back; refuses what has no picture.

Nothing is replaced silently: on a limit sign a wrong character is worse than an error someone reads.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Final, assert_never

from msgspec import Struct

from firmware_protocol.alpha.frames import ESC

COLOUR: Final = 0x1C  # and one character
CALL_STRING: Final = 0x10  # and the STRING's label
UNREADABLE: Final = "\ufffd"  # stands for a byte above ASCII, whose picture depends on the sign


class Colour(Enum):
    """The colour of what follows."""

    RED = "1"
    GREEN = "2"
    AMBER = "3"


class StringCall(Struct, frozen=True):
    """Shows whatever the STRING holds at the time."""

    label: str


class Control(Struct, frozen=True):
    """A control code in received text that we do not send and the model does not show."""

    raw: bytes


Piece = str | Colour | StringCall
Content = str | Sequence[Piece]


def check_label(label: str, what: str) -> str:
    """A file's label is one printable ASCII character."""
    if len(label) != 1 or not " " <= label <= "~":
        raise ValueError(f"The label of {what} is one printable ASCII character, not {label!r}.")
    return label


def check_string_label(label: str) -> str:
    check_label(label, "a STRING")
    if label in "0?":
        raise ValueError(f"An Alpha sign has no STRING {label!r}: use another label, such as 'a'.")
    return label


def encode(content: Content) -> bytes:
    """The bytes that show it; characters outside printable ASCII are refused."""
    pieces: Sequence[Piece] = (content,) if isinstance(content, str) else content
    return b"".join(_encode_piece(piece) for piece in pieces)


def _encode_piece(piece: Piece) -> bytes:
    match piece:
        case str():
            return _encode_text(piece)
        case Colour():
            return bytes([COLOUR]) + piece.value.encode("ascii")
        case StringCall():
            return bytes([CALL_STRING]) + check_string_label(piece.label).encode("ascii")
        case _:
            assert_never(piece)


def _encode_text(text: str) -> bytes:
    for place, character in enumerate(text, 1):
        if not " " <= character <= "~":
            raise ValueError(
                f"An Alpha sign can't show {character!r} (character {place} of {text!r}): "
                "use letters, digits and signs of ASCII."
            )
    return text.encode("ascii")


def parse(data: bytes) -> tuple[Piece | Control, ...]:
    """The pieces of received text, in order; never fails."""
    pieces: list[Piece | Control] = []
    text = ""
    at = 0
    while at < len(data):
        byte = data[at]
        if byte >= 0x20:
            text += chr(byte) if byte < 0x7F else UNREADABLE
            at += 1
            continue
        if text:
            pieces.append(text)
            text = ""
        piece = _parse_code(data[at : at + 3])
        pieces.append(piece)
        at += len(piece.raw) if isinstance(piece, Control) else 2
    if text:
        pieces.append(text)
    return tuple(pieces)


def _parse_code(data: bytes) -> Colour | StringCall | Control:
    code, argument = data[0], data[1:2].decode("latin-1")
    if code == COLOUR and argument:
        try:
            return Colour(argument)
        except ValueError:
            return Control(data[:2])
    if code == CALL_STRING and argument:
        return StringCall(argument)
    if code == ESC:
        return Control(data)  # a new position and mode in the middle of a text
    return Control(data[:1])
