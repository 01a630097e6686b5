"""What belongs to a table: the configuration and every file that it names, there or not. Reads only."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from controller.config.devices import FILES
from controller.config.part import Part
from controller.config.problems import BadConfig
from controller.config.sheet import Sheet
from controller.config.web import read_journal
from controller.people.book import people_path
from controller.surfaces.web.token_file import token_path

SECRET: Final = ("people", "token", "key", "journal")


class Item(Struct, frozen=True):
    """A file of the table. `place` is where it goes below a folder: as below the configuration's, or its name."""

    role: str  # "configuration", "journal", "people", "token", "ruleset", "cards", "certificate", "key"
    path: Path
    place: str


def items_of(config: Path) -> tuple[str, list[Item]]:
    """The table's name, and its files, there or not. Raises BadConfig where nobody can know what belongs to it."""
    sheet = Sheet.read(config)
    top = Part(sheet, (), sheet.data)
    journal = read_journal(top.table("journal"), top)
    if sheet.problems:
        raise BadConfig(sheet.problems)
    folder = config.absolute().parent
    found: dict[Path, str] = {config.absolute(): "configuration", journal: "journal"}
    found[people_path(journal)] = "people"
    found[token_path(journal)] = "token"
    for role, path in _named(sheet.data, folder):
        found.setdefault(path, role)
    taken: set[str] = set()
    items = []
    for path, role in found.items():
        place = _place(path, folder, taken)
        taken.add(place)
        items.append(Item(role, path, place))
    table = sheet.data.get("table")
    return str(table.get("name", "")) if isinstance(table, Mapping) else "", items


def _named(data: Mapping[str, Any], folder: Path) -> Iterator[tuple[str, Path]]:
    game, web = data.get("game"), data.get("web")
    if isinstance(game, Mapping) and isinstance(called := game.get("ruleset"), str) and called.endswith(".toml"):
        yield from (("ruleset", path) for path in _layers(folder / called))
    if isinstance(web, Mapping):
        for key in ("certificate", "key"):
            if isinstance(web.get(key), str) and web[key]:
                yield key, folder / web[key]
    for section in ("shoe", "display", "console"):
        value = data.get(section)
        for device in value if isinstance(value, list) else [value]:
            if not isinstance(device, Mapping):
                continue
            for key in FILES:
                if isinstance(device.get(key), str) and device[key]:
                    yield ("key" if key == "key_file" else key), folder / device[key]


def _layers(path: Path) -> Iterator[Path]:
    """A house's ruleset, and the house's files that it extends."""
    seen: list[Path] = []
    while path not in seen:
        seen.append(path)
        yield path
        try:
            base = tomllib.loads(path.read_text(encoding="utf-8")).get("extends")
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError):
            return
        if not isinstance(base, str) or not base.endswith(".toml"):
            return
        path = path.parent / base


def _place(path: Path, folder: Path, taken: set[str]) -> str:
    try:
        place = str(path.relative_to(folder)) if ".." not in path.parts else path.name
    except ValueError:
        place = path.name
    number = 2
    while place in taken:
        place = f"{number}-{path.name}"
        number += 1
    return place
