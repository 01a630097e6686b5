"""What is wrong in a configuration, each mistake with its place: file, line, column, the line itself and a caret."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from msgspec import Struct

WIDEST: Final = 160  # characters of a line that are shown; a longer one is cut around the place


class Problem(Struct, frozen=True, kw_only=True):
    """One mistake. `line` and `column` count from 1, and are None where the mistake is what is not written."""

    path: Path
    message: str
    line: int | None = None
    column: int | None = None
    key: str = ""  # as in limits.main.min; empty where it is about the whole file
    line_text: str = ""

    @property
    def place(self) -> str:
        parts = (printable(str(self.path)), self.line, self.column)
        return ":".join(str(part) for part in parts if part is not None)

    def __str__(self) -> str:
        """`file:line:col: message`, and below it the line and a caret under the place."""
        said = f"{self.place}: {self.message}"
        if self.line is None or self.column is None or not self.line_text.strip():
            return said
        shown, before = _cut(self.line_text, self.column - 1)
        return f"{said}\n  {_visible(shown)}\n  {''.join(map(_blank, before))}^"


class BadConfig(Exception):
    """A configuration that can't be used, with all that is wrong in it, in the order of its lines."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(sorted(problems, key=lambda each: (each.line or 0, each.column or 0)))
        super().__init__("\n".join(map(str, self.problems)))


def printable(text: str) -> str:
    """The text, fit for any screen: a file's name in it may hold bytes that are no text at all."""
    return text.encode("utf-8", "replace").decode()


def _cut(line: str, before: int) -> tuple[str, str]:
    """The part of a line that is shown, and what of it stands before the place."""
    start = max(0, before - WIDEST // 2) if len(line) > WIDEST else 0
    return line[start : start + WIDEST], line[start:before]


def _visible(line: str) -> str:
    return "".join(each if each == "\t" or each.isprintable() else "\ufffd" for each in line)


def _blank(character: str) -> str:
    """As wide as the character above it: a tab for a tab, two spaces for a wide one, none for a mark."""
    if character == "\t":
        return "\t"
    if unicodedata.combining(character):
        return ""
    return "  " if unicodedata.east_asian_width(character) in "WF" else " "
