"""Where each key of a TOML text is written, which the standard library's parser does not tell.

Only for texts that parser has already accepted: the scanner trusts the syntax and looks for keys alone.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping

Path = tuple[str, ...]


def key_lines(text: str) -> dict[Path, int]:
    """The line (from 1) of every key path and table header; keys inside inline tables count for their table."""
    scanner = _Scanner(text)
    scanner.run()
    return scanner.lines


def line_of(lines: Mapping[Path, int], path: Path) -> int | None:
    """The line of a path, or of the nearest table around it."""
    while path:
        if path in lines:
            return lines[path]
        path = path[:-1]
    return None


class _Scanner:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.lines: dict[Path, int] = {}

    def run(self) -> None:
        table: Path = ()
        while self._skip_blank():
            line = self.text.count("\n", 0, self.at) + 1
            if self.text[self.at] == "[":
                start = self.at
                self._skip_header()
                table = self._path(self.text[start : self.at].strip("[] \t"))
                self._note(table, line)
            else:
                start = self.at
                self._skip_to("=")
                path = table + self._path(self.text[start : self.at])
                self._note(path, line)
                self.at += 1
                self._skip_value()

    def _note(self, path: Path, line: int) -> None:
        """A path is where it is first written, a table around it where it is first implied."""
        for end in range(1, len(path) + 1):
            self.lines.setdefault(path[:end], line)

    def _skip_blank(self) -> bool:
        """Go to the next statement; False at the end of the text."""
        while self.at < len(self.text):
            char = self.text[self.at]
            if char == "#":
                self._skip_to("\n")
            elif char.isspace():
                self.at += 1
            else:
                return True
        return False

    def _skip_header(self) -> None:
        depth = 0
        while True:
            char = self.text[self.at]
            if char in "\"'":
                self._skip_string()
                continue
            depth += {"[": 1, "]": -1}.get(char, 0)
            self.at += 1
            if depth == 0:
                return

    def _skip_to(self, wanted: str) -> None:
        while self.at < len(self.text) and self.text[self.at] != wanted:
            if wanted == "=" and self.text[self.at] in "\"'":
                self._skip_string()
            else:
                self.at += 1

    def _skip_string(self) -> None:
        quote = self.text[self.at]
        mark = quote * 3 if self.text.startswith(quote * 3, self.at) else quote
        self.at += len(mark)
        while not self.text.startswith(mark, self.at):
            self.at += 2 if quote == '"' and self.text[self.at] == "\\" else 1
        self.at += len(mark)
        while len(mark) == 3 and self.text.startswith(quote, self.at):
            self.at += 1  # a long string may end in one or two quotes of its own

    def _skip_value(self) -> None:
        depth = 0
        while self.at < len(self.text):
            char = self.text[self.at]
            if char in "\"'":
                self._skip_string()
                continue
            if char == "#":
                self._skip_to("\n")
                continue
            depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(char, 0)
            if char == "\n" and depth == 0:
                return
            self.at += 1

    @staticmethod
    def _path(key: str) -> Path:
        """The parts of a dotted key, read by the real parser so that quoting is right."""
        found: list[str] = []
        table: object = tomllib.loads(f"{key} = 0")
        while isinstance(table, dict):
            name, table = next(iter(table.items()))
            found.append(name)
        return tuple(found)
