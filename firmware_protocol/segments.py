"""The shapes that seven segments can make, for every such display; refuses characters that have none.

A shape is seven bits, bit 0 for segment a to bit 6 for g, in the usual lettering: a on top, clockwise to f, g across
the middle. Several characters share a shape (0 and O, 5 and S, 1 and I); reading a shape back gives the digit.
"""

from __future__ import annotations

from typing import Final

from msgspec import Struct

POINT: Final = 0x80  # the eighth bit: a point or a colon, where the display has one
BLANK: Final = 0
ALL_LIT: Final = 0x7F

# fmt: off
_LIT: Final = {
    "0": "abcdef", "1": "bc", "2": "abdeg", "3": "abcdg", "4": "bcfg",
    "5": "acdfg", "6": "acdefg", "7": "abc", "8": "abcdefg", "9": "abcdfg",
    " ": "", "-": "g", "_": "d", "=": "dg",
    "A": "abcefg", "b": "cdefg", "C": "adef", "c": "deg", "d": "bcdeg", "E": "adefg", "F": "aefg", "G": "acdef",
    "H": "bcefg", "h": "cefg", "I": "bc", "i": "c", "J": "bcde", "L": "def", "n": "ceg", "O": "abcdef", "o": "cdeg",
    "P": "abefg", "q": "abcfg", "r": "eg", "S": "acdfg", "t": "defg", "U": "bcdef", "u": "cde", "y": "bcdfg",
}
# fmt: on
SHAPES: Final = {
    character: sum(1 << "abcdefg".index(segment) for segment in segments) for character, segments in _LIT.items()
}
_CHARACTERS: Final = {shape: character for character, shape in reversed(SHAPES.items())}
LETTERS: Final = " ".join(sorted({character.upper() for character in SHAPES if character.isalpha()}))
UNREADABLE: Final = "?"  # a shape that is no character


class Cell(Struct, frozen=True):
    """One digit of a display: its shape, and whether the point after it is lit."""

    shape: int
    point: bool = False


def shape(character: str) -> int:
    """The shape of one character; a letter without one takes the shape of its other case (N is shown as n)."""
    for candidate in (character, character.swapcase()):
        if character.isascii() and candidate in SHAPES:
            return SHAPES[candidate]
    raise ValueError(
        f"Seven segments can't show {character!r}: they have digits, space, - _ = and the letters {LETTERS}."
    )


def cells(text: str, *, points: bool) -> list[Cell]:
    """One cell a character; where the display has points, a full stop lights the one after the character before."""
    made: list[Cell] = []
    for character in text:
        if character != "." or not points:
            made.append(Cell(shape(character)))
        elif made and not made[-1].point:
            made[-1] = Cell(made[-1].shape, point=True)
        else:
            made.append(Cell(BLANK, point=True))
    return made


def right(text: str, made: list[Cell], digits: int) -> list[Cell]:
    """The cells moved to the right end of a display of so many digits."""
    if len(made) > digits:
        raise ValueError(f"The display has {digits} digits; {text!r} needs {len(made)}.")
    return [Cell(BLANK)] * (digits - len(made)) + made


def read(lit: int) -> str:
    """The character a shape is read as, UNREADABLE where it is none; the eighth bit is left out."""
    return _CHARACTERS.get(lit & ALL_LIT, UNREADABLE)


def as_seen(text: str) -> str:
    """The text as the segments show it: "OPEN" is seen as "0PEn"."""
    return "".join(character if character in ".:" else read(shape(character)) for character in text)
