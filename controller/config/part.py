"""One table of a configuration file, read key by key: what is missing, of the wrong kind or unknown is told in words.

Nothing is refused here: a wrong key is noted on the sheet, and its default stands in for it so that reading goes on.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from controller.config import places
from controller.config.sheet import Sheet
from controller.rules.errors import nearest
from controller.rules.money import Money, parse_amount

Word = TypeVar("Word", bound=str)


class Part:
    """One table of the file, whose keys are taken one by one; `finish` notes those that nobody asked for."""

    def __init__(self, sheet: Sheet, path: places.Path, data: Mapping[str, Any]) -> None:
        self.sheet, self.path, self.data = sheet, path, data
        self._known: list[str] = []

    @property
    def folder(self) -> Path:
        """What paths in the file are relative to."""
        return self.sheet.path.absolute().parent

    def at(self, *key: str | int) -> places.Path:
        return (*self.path, *key)

    def wrong(self, key: str, message: str) -> None:
        self.sheet.wrong(self.at(key), message)

    def take(self, key: str, *, needed: str = "") -> Any:
        """What the key holds, or None; where it is `needed`, its absence is noted with those words."""
        self._known.append(key)
        if key not in self.data and needed:
            self.sheet.wrong(self.path, f"lacks {key}: {needed}", at_value=False)
        return self.data.get(key)

    def table(self, key: str, *, needed: str = "") -> Part | None:
        value, header = self.take(key), f"[{'.'.join(map(str, self.at(key)))}]"
        if isinstance(value, Mapping):
            return Part(self.sheet, self.at(key), value)
        if value is None and needed:
            self.sheet.wrong(self.path, f"there is no {header}: {needed}", at_value=False)
        elif isinstance(value, list):
            self.wrong(key, f"there is only one of it: write {header}, with single brackets")
        elif value is not None:
            self.wrong(key, f"must be a table under {header}, not {kind_of(value)}")
        return None

    def tables(self, key: str) -> list[Part]:
        value = self.take(key)
        if value is None:
            return []
        if isinstance(value, Mapping):
            self.sheet.wrong(self.at(key), f"there may be several: write [[{key}]], with double brackets")
            return [Part(self.sheet, self.at(key), value)]
        if not isinstance(value, list):
            self.wrong(key, f"must be tables under [[{key}]], not {kind_of(value)}")
            return []
        parts = []
        for number, each in enumerate(value):
            if isinstance(each, Mapping):
                parts.append(Part(self.sheet, self.at(key, number), each))
            else:
                self.sheet.wrong(self.at(key, number), f"must be a table under [[{key}]], not {kind_of(each)}")
        return parts

    def text(self, key: str, default: str = "", *, needed: str = "") -> str:
        value = self.take(key, needed=needed)
        if value is None:
            return default
        if not isinstance(value, str):
            self.wrong(key, f"must be a text in quotes, not {kind_of(value)}")
        elif needed and not value.strip():
            self.wrong(key, f"is empty: {needed}")
        elif not value.isprintable():
            self.wrong(key, "holds characters that nobody can see, such as a line end")
        else:
            return value
        return default

    def file(self, key: str) -> Path | None:
        """A path, relative to the configuration's own folder; whether anything is there nobody has looked."""
        value = self.text(key)
        if value.startswith("~"):
            self.wrong(key, "can't begin with ~, which only a shell understands; write the whole path")
            return None
        if self.data.get(key) == "":
            self.wrong(key, "is empty: write a path, or leave the key out")
        return self.folder / value if value else None

    def money(self, key: str, default: Money | None = None, *, needed: str = "") -> Money | None:
        """An exact amount above nothing; None where there is none."""
        value = self.take(key, needed=needed)
        return default if value is None else self.amount(key, value)

    def amount(self, key: str, value: object, *, at: places.Path = ()) -> Money | None:
        """`value` as an amount; `at` is its place below the key."""
        words = ""
        if isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool)):
            try:
                amount = parse_amount(value)
            except ValueError as error:
                words = str(error)
            else:
                if amount > 0:
                    return amount
                words = f"must be more than 0, not {value}"
        else:
            words = f'must be an exact amount in quotes, such as "10" or "7.50", not {kind_of(value)}'
        self.sheet.wrong((*self.at(key), *at), words)
        return None

    def flag(self, key: str, default: bool) -> bool:
        value = self.take(key)
        if value is None or isinstance(value, bool):
            return default if value is None else value
        self.wrong(key, f"must be true or false, not {kind_of(value)}")
        return default

    def number(self, key: str, default: int, low: int, high: int) -> int:
        value = self.take(key)
        if value is None:
            return default
        if isinstance(value, bool) or not isinstance(value, int):
            self.wrong(key, f"must be a whole number from {low} to {high}, not {kind_of(value)}")
        elif not low <= value <= high:
            self.wrong(key, f"must be a whole number from {low} to {high}, not {value}")
        else:
            return value
        return default

    def choice(self, key: str, allowed: tuple[Word, ...], *, needed: str = "") -> Word:
        """One of these words; the first of them stands in for a wrong one."""
        value = self.text(key, needed=needed)
        if value and value not in allowed:
            self.wrong(key, unknown(f"can't be {value!r}", value, allowed))
        return next((word for word in allowed if word == value), allowed[0])

    def finish(self) -> None:
        for key in self.data:
            if key not in self._known:
                self.sheet.wrong(self.at(key), unknown("there is no such key", key, self._known), at_value=False)


def unknown(said: str, word: str, allowed: tuple[str, ...] | list[str]) -> str:
    """The sentence about a wrong word: what is allowed, and which one was perhaps meant."""
    near = nearest(word, allowed)
    return f"{said}; allowed: {', '.join(allowed)}" + (f"; did you mean {near!r}?" if near else "")


def kind_of(value: object) -> str:
    """What a value is, in the words of someone who writes TOML."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return "a text"
    if isinstance(value, int):
        return f"the number {value}"
    if isinstance(value, list):
        return "a list"
    if isinstance(value, Mapping):
        return "a table"
    return "a number with a point" if type(value).__name__ == "float" else "a date or time"
