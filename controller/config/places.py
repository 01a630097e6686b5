"""Where every key and value of a TOML text is written, entries of `[[arrays]]` and inline tables included.

Only for texts that the standard parser has accepted, with plain line ends: the scanner trusts the syntax.
"""

from __future__ import annotations

import tomllib
from typing import Final

from msgspec import Struct

Path = tuple[str | int, ...]  # ("display", 1, "port"): the second [[display]]'s port
_SPACE: Final = " \t"
_BLANK: Final = " \t\n"
_BARE: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-")


class Spot(Struct, frozen=True):
    """A place in a text, both counted from 1; the column counts characters."""

    line: int
    column: int


class Places:
    """Asked by path: `key(path)` is where its last part is written, `value(path)` where what it holds begins."""

    def __init__(self, text: str) -> None:
        self._text = text
        scanner = _Scanner(text)
        scanner.run()
        self._keys, self._values = scanner.keys, scanner.values

    def key(self, path: Path) -> Spot | None:
        """Of the nearest table around it, where the path itself is not written; None where none of it is."""
        while path:
            if path in self._keys:
                return spot(self._text, self._keys[path])
            if path in self._values:
                return spot(self._text, self._values[path])
            path = path[:-1]
        return None

    def value(self, path: Path) -> Spot | None:
        """A table under a header has no value of its own: its name in the header is meant."""
        return spot(self._text, self._values[path]) if path in self._values else self.key(path)

    def paths(self) -> frozenset[Path]:
        return frozenset(self._keys) | frozenset(self._values)


def spot(text: str, offset: int) -> Spot:
    return Spot(text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset))


class _Scanner:
    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0
        self.keys: dict[Path, int] = {}
        self.values: dict[Path, int] = {}
        self._entries: dict[Path, int] = {}  # [[array]] → how many entries it has so far

    def run(self) -> None:
        table: Path = ()
        while self._skip_blank():
            if self.text[self.at] == "[":
                table = self._header()
            else:
                self._pair(table)

    def _header(self) -> Path:
        brackets = 2 if self.text.startswith("[[", self.at) else 1
        self.at += brackets
        parts = self._key()
        self.at += brackets
        path: Path = ()
        for number, (name, offset) in enumerate(parts, 1):
            path = (*path, name)
            self.keys.setdefault(path, offset)
            if brackets == 2 and number == len(parts):
                self._entries[path] = self._entries.get(path, 0) + 1
            if path in self._entries:
                path = (*path, self._entries[path] - 1)
                self.keys.setdefault(path, offset)
        return path

    def _pair(self, table: Path) -> None:
        path = table
        for name, offset in self._key():
            path = (*path, name)
            self.keys.setdefault(path, offset)
        self.at += 1  # the equals sign
        self._skip(_SPACE)
        self._value(path)

    def _key(self) -> list[tuple[str, int]]:
        """The parts of a dotted key with their offsets; stops behind it and the spaces after it."""
        parts: list[tuple[str, int]] = []
        while True:
            self._skip(_SPACE)
            start = self.at
            if self.text[start] in "\"'":
                self._skip_string()
                name = next(iter(tomllib.loads(f"{self.text[start : self.at]} = 0")))  # the parser knows the escapes
            else:
                while self.text[self.at] in _BARE:
                    self.at += 1
                name = self.text[start : self.at]
            parts.append((name, start))
            self._skip(_SPACE)
            if self.text[self.at] != ".":
                return parts
            self.at += 1

    def _value(self, path: Path) -> None:
        self.values.setdefault(path, self.at)
        match self.text[self.at]:
            case '"' | "'":
                self._skip_string()
            case "[":
                self._list(path)
            case "{":
                self._inline_table(path)
            case _:
                while self.at < len(self.text) and self.text[self.at] not in ",]}\n#":
                    self.at += 1

    def _list(self, path: Path) -> None:
        self.at += 1
        count = 0
        while self._skip_blank() and self.text[self.at] != "]":
            self._value((*path, count))
            count += 1
            self._skip_blank()
            self.at += self.text[self.at] == ","
        self.at += 1

    def _inline_table(self, path: Path) -> None:
        self.at += 1
        while self._skip_blank() and self.text[self.at] != "}":
            self._pair(path)
            self._skip_blank()
            self.at += self.text[self.at] == ","
        self.at += 1

    def _skip(self, characters: str) -> None:
        while self.at < len(self.text) and self.text[self.at] in characters:
            self.at += 1

    def _skip_blank(self) -> bool:
        """Over spaces, line ends and comments; False at the end of the text."""
        while True:
            self._skip(_BLANK)
            if self.at >= len(self.text):
                return False
            if self.text[self.at] != "#":
                return True
            end = self.text.find("\n", self.at)
            self.at = len(self.text) if end < 0 else end

    def _skip_string(self) -> None:
        quote = self.text[self.at]
        mark = quote * 3 if self.text.startswith(quote * 3, self.at) else quote
        self.at += len(mark)
        while not self.text.startswith(mark, self.at):
            self.at += 2 if quote == '"' and self.text[self.at] == "\\" else 1
        self.at += len(mark)
        if len(mark) == 3:
            for _ in range(2):  # a long string may end in one or two quotes of its own
                self.at += self.text.startswith(quote, self.at)
