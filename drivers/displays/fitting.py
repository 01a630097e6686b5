"""Chooses what a display shows: the longest of a text's four lengths that fits it, in characters it has pictures for.

Refuses to cut a text, to break a word and to replace a character where the meaning would change: what does not fit in
any length is a problem in words, and stays blank.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from typing import Final, Literal, Protocol

from msgspec import Struct

from drivers.base import SLOTS, Content, Text, check_slot
from firmware_protocol import segments

Rows = tuple[str, ...]
Length = Literal["page", "line", "short", "digits"]

FIRST_SERVED: Final = ("message", "result", "limits", "rules")  # who gets room first where there is not enough
QUOTED: Final = 40  # characters of a text in words about it

_SPACES: Final = dict.fromkeys("\u00a0\u2007\u2009\u200a\u202f", " ")
_DASHES: Final = dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-")
_ALIKE: Final = {
    **_SPACES,
    **_DASHES,
    **dict.fromkeys("\u2018\u2019\u2032", "'"),
    **dict.fromkeys("\u201c\u201d\u201e\u2033", '"'),
    "…": "...",
    "×": "x",
    "€": "EUR",
    "ß": "ss",
    "æ": "ae",
    "Æ": "AE",
    "œ": "oe",
    "Œ": "OE",
    "ø": "o",
    "Ø": "O",
    "ł": "l",
    "Ł": "L",
}
_TRANSLATED: Final = str.maketrans(_ALIKE)
_SUITS: Final = {"♠": "S", "♥": "H", "♦": "D", "♣": "C"}
# A suit alone is no letter anyone would understand; after a rank it makes the card's two-letter name.
_CARD: Final = re.compile(r"\b(10|[2-9TJQKA])([♠♥♦♣])[\ufe0e\ufe0f]?")
_SEPARATOR: Final = re.compile(r"(?<=\s)[·•|](?=\s)")  # between spaces it only parts; elsewhere it could be a product


class DoesNotFit(ValueError):
    """This display can't show this; the words say what it lacks."""


class Face(Protocol):
    """What a display has room for."""

    @property
    def words(self) -> str:
        """As in "4 digits" or "2 rows of 20 characters"."""

    @property
    def rows(self) -> int: ...

    def forms(self, text: Text) -> list[tuple[Length, str]]:
        """The lengths that may be shown here and are not empty, the longest first."""

    def lay(self, form: str) -> Rows:
        """The rows that show it. Raises DoesNotFit."""


class Page(Struct, frozen=True, kw_only=True):
    """A display of characters in rows; `size` limits the bytes of a row where it is the bytes that count."""

    rows: int
    columns: int
    ascii_only: bool = True
    size: int | None = None

    @property
    def words(self) -> str:
        rows = "" if self.rows == 1 else f"{self.rows} rows of "
        room = f"{rows}{self.columns} characters"
        return room if self.size is None else f"{room} and {self.size} bytes"

    def forms(self, text: Text) -> list[tuple[Length, str]]:
        return _not_empty(text)

    def lay(self, form: str) -> Rows:
        words = (in_ascii(form) if self.ascii_only else _printable(form)).split()
        made: list[str] = []
        for word in words:
            longer = f"{made[-1]} {word}" if made else word
            if made and self._has_room(longer):
                made[-1] = longer
            elif len(made) < self.rows and self._has_room(word):
                made.append(word)
            else:
                raise DoesNotFit("it is too long")
        return tuple(made)

    def _has_room(self, row: str) -> bool:
        return len(row) <= self.columns and (self.size is None or len(row.encode()) <= self.size)


class Digits(Struct, frozen=True, kw_only=True):
    """A display of seven segments. `check` is the chip's own refusal: it raises ValueError for what it can't show.

    `digits` was written for such displays. A longer form is taken only where the segments are read as what it says:
    an ace of spades, `AS`, would be read as A5.
    """

    count: int
    check: Callable[[str], object]
    rows: int = 1

    @property
    def words(self) -> str:
        return f"{self.count} digits"

    def forms(self, text: Text) -> list[tuple[Length, str]]:
        """Nothing where `digits` is empty: blank is then what is meant."""
        if not text.digits.strip():
            return []
        return [each for each in _not_empty(text) if each[0] == "digits" or _reads_as_written(each[1])]

    def lay(self, form: str) -> Rows:
        row = _one_line(form)
        try:
            self.check(row)
        except ValueError as error:
            raise DoesNotFit(_as_reason(str(error))) from error
        return (row,) if row else ()


def _reads_as_written(form: str) -> bool:
    try:
        row = _one_line(form)
        return segments.as_seen(row).casefold() == row.casefold()
    except ValueError:
        return False


def _as_reason(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:].rstrip(".")


def _one_line(form: str) -> str:
    return " ".join(in_ascii(form).split())


def _not_empty(text: Text) -> list[tuple[Length, str]]:
    lengths: tuple[Length, ...] = ("page", "line", "short", "digits")
    return [(length, form) for length, form in zip(lengths, text.by_length, strict=True) if form.strip()]


def choose(text: Text, face: Face, name: str = "the display") -> Rows:
    """The rows of the longest form that fits; none where the text is blank here on purpose. Raises DoesNotFit."""
    return _fitting(text, face, name)[0]


def _fitting(text: Text, face: Face, name: str) -> list[Rows]:
    """The rows of every form that fits, the longest first; one of no rows where blank is meant."""
    forms = face.forms(text)
    if not forms:
        return [()]
    fitting: list[Rows] = []
    reasons: list[tuple[Length, str, str]] = []
    for length, form in forms:
        try:
            fitting.append(face.lay(form))
        except DoesNotFit as why_not:
            reasons.append((length, form, str(why_not)))
    if fitting:
        return fitting
    length, form, reason = reasons[-1]
    raise DoesNotFit(
        f"{quoted(form)} does not fit on {name}, which has {face.words}: {reason}; give a shorter or plainer `{length}`"
    )


def problems(content: Content, face: Face, name: str) -> list[str]:
    """What can't be shown in any length on the display of that name, in words."""
    found: list[str] = []
    for slot, text in content.items():
        try:
            check_slot(slot)
            choose(text, face, name)
        except DoesNotFit as error:
            whose = f"{slot}'" if slot.endswith("s") else f"{slot}'s"
            found.append(f"the {whose} text {error}")
        except ValueError as error:
            found.append(f"{name}: {error}")
    return found


class Fitted(Struct, frozen=True, kw_only=True):
    """What a display shows of a content: its rows by slot, and what it can't show."""

    rows: Mapping[str, Rows]
    problems: tuple[str, ...] = ()


def each_alone(content: Content, face: Face, name: str) -> Fitted:
    """Every slot has a face of its own."""
    rows: dict[str, Rows] = {}
    for slot in SLOTS:
        if slot in content:
            try:
                rows[slot] = choose(content[slot], face)
            except DoesNotFit:
                rows[slot] = ()
    return Fitted(rows=rows, problems=tuple(problems(content, face, name)))


def together(content: Content, face: Face, name: str) -> Fitted:
    """All slots share one face. A message stands alone; else each gets a row before one gets two, then the rest."""
    forms: dict[str, list[Rows]] = {}
    for slot in FIRST_SERVED:
        if slot in content:
            try:
                forms[slot] = [rows for rows in _fitting(content[slot], face, name) if rows]
            except DoesNotFit:
                forms[slot] = []
    if forms.get("message"):
        forms = {"message": forms["message"]}
    left = face.rows
    chosen: dict[str, Rows] = {}
    for slot, fitting in forms.items():
        least = min(fitting, key=len, default=())
        if least and len(least) <= left:
            chosen[slot] = least
            left -= len(least)
    for slot, least in chosen.items():
        longest = next(rows for rows in forms[slot] if len(rows) - len(least) <= left)
        left -= len(longest) - len(least)
        chosen[slot] = longest
    in_order: dict[str, Rows] = {slot: chosen[slot] for slot in SLOTS if slot in chosen}
    return Fitted(rows=in_order, problems=tuple(problems(content, face, name)))


def in_ascii(text: str) -> str:
    """The text in printable ASCII, replacing only what means the same. Raises DoesNotFit for what has no such form."""
    plain = _printable(text)
    if plain.isascii():
        return plain
    plain = _CARD.sub(lambda card: card[1] + _SUITS[card[2]], plain)
    plain = _SEPARATOR.sub("-", plain).translate(_TRANSLATED)
    plain = _without_accents(plain)
    strange = next((character for character in plain if not character.isascii()), None)
    if strange is not None:
        raise DoesNotFit(f"it has no picture for {strange!r}")
    return plain


def _without_accents(text: str) -> str:
    """Letters without their accents. Only letters: without its stroke ≠ would be =."""
    made: list[str] = []
    for character in unicodedata.normalize("NFC", text):
        apart = unicodedata.normalize("NFD", character)
        base, marks = apart[0], apart[1:]
        # Class 1 are the strokes laid over a character: a letter crossed out is not the letter.
        above_or_below = bool(marks) and all(unicodedata.combining(mark) > 1 for mark in marks)
        made.append(base if base.isascii() and base.isalpha() and above_or_below else character)
    return "".join(made)


def _printable(text: str) -> str:
    """White space as plain spaces; other control characters, and what is no character, are refused."""
    spaced = "".join(" " if character.isspace() else character for character in text)
    for character in spaced:
        if not character.isprintable():
            raise DoesNotFit(f"{character!r} is no character anyone can see")
    return spaced


def quoted(text: str) -> str:
    return repr(text if len(text) <= QUOTED else text[: QUOTED - 1] + "…")
