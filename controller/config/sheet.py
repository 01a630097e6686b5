"""A configuration file as it is read: its text, its data, its places, and the problems found so far.

Refuses at once (`BadConfig`) only what can't be read at all: no file, no UTF-8, no TOML. Everything else is noted,
so that all mistakes are told together.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from controller.config import places
from controller.config.places import Places, Spot, spot
from controller.config.problems import BadConfig, Problem, printable

LARGEST: Final = 1_000_000  # bytes: a configuration has a few thousand, and /dev/zero has no end

LARGE: Final = 2**63  # TOML's whole numbers have 64 bits
LARGE_WORDS: Final = "is too large for a number in TOML; write an amount as a text in quotes"


class Sheet:
    """One file. `wrong` keeps a problem, `note` what is worth knowing and none; `data` is what the file holds."""

    def __init__(self, path: Path, text: str) -> None:
        self.path = path
        self.text = text.replace("\r\n", "\n")
        self.problems: list[Problem] = []
        self.notes: list[Problem] = []
        self._lines = self.text.split("\n")
        try:
            self.data: dict[str, Any] = tomllib.loads(self.text)
            self._places = Places(self.text)
        except tomllib.TOMLDecodeError as error:
            raise BadConfig([self._syntax(error)]) from error
        except (ValueError, RecursionError) as error:  # a number too long to convert, lists too deep to follow
            raise BadConfig([Problem(path=path, message=f"not TOML that can be read: {error}")]) from error
        too_large = [self._about(key, LARGE_WORDS, at_value=True) for key in _large_numbers((), self.data)]
        if too_large:  # some are too long even to be told in words
            raise BadConfig(too_large)

    @classmethod
    def read(cls, path: Path) -> Sheet:
        try:
            with path.open("rb") as file:
                raw = file.read(LARGEST + 1)
        except OSError as error:
            words = f"can't be read: {error.strerror}"
            if isinstance(error, FileNotFoundError):
                words = "there is no such file; croupier check --print-default prints one to start from"
            raise BadConfig([Problem(path=path, message=words)]) from error
        except ValueError as error:  # a name that no file can have
            raise BadConfig([Problem(path=path, message=f"can't be read: {error}")]) from error
        if len(raw) > LARGEST:
            raise BadConfig([Problem(path=path, message=f"is no configuration: it has more than {LARGEST} bytes")])
        try:
            return cls(path, raw.decode("utf-8-sig"))  # some editors put a mark before the text
        except UnicodeDecodeError as error:
            data: bytes = error.object  # without that mark
            before = data[: error.start].decode("utf-8", "replace")
            at = spot(before, len(before))
            words = f"not UTF-8 text: the byte {data[error.start]:02X} is no character there; save the file as UTF-8"
            raise BadConfig([Problem(path=path, message=words, line=at.line, column=at.column)]) from error

    def wrong(self, key: places.Path, message: str, *, at_value: bool = True) -> None:
        """A problem with what a key holds, or (`at_value=False`) with the key itself."""
        self.problems.append(self._about(key, message, at_value))

    def says(self, key: places.Path) -> bool:
        return key in self._places.paths()

    def note(self, key: places.Path, message: str) -> None:
        self.notes.append(self._about(key, message, at_value=True))

    def line(self, key: places.Path) -> str:
        """As in " (line 12)", to tell of a second place; empty where it is not written."""
        where = self._places.value(key)
        return f" (line {where.line})" if where else ""

    def _about(self, key: places.Path, message: str, at_value: bool) -> Problem:
        where = self._places.value(key) if at_value else self._places.key(key)
        words = ".".join(part for part in key if isinstance(part, str))  # the line shows which of several it is
        return self._at(where, f"{words}: {message}" if words else message, ".".join(map(str, key)))

    def _at(self, where: Spot | None, message: str, key: str = "") -> Problem:
        message = printable(message)
        if where is None:
            return Problem(path=self.path, message=message, key=key)
        text = self._lines[where.line - 1]
        return Problem(path=self.path, message=message, line=where.line, column=where.column, key=key, line_text=text)

    def _syntax(self, error: tomllib.TOMLDecodeError) -> Problem:
        found = re.search(r"\s*\(at (?:line (\d+), column (\d+)|end of document)\)$", str(error))
        words = "not TOML: " + (str(error)[: found.start()] if found else str(error))
        if found and found[1]:
            return self._at(Spot(int(found[1]), int(found[2])), words)
        end = len(self.text.rstrip("\n"))
        return self._at(spot(self.text, end), words)


def _large_numbers(key: places.Path, value: Any) -> Iterator[places.Path]:
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _large_numbers((*key, name), inner)
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _large_numbers((*key, number), inner)
    elif isinstance(value, int) and not -LARGE <= value < LARGE:
        yield key
