"""Reads a table's configuration whole: every section, then what they owe each other. Raises all problems at once."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from controller.config.chips import check_chips
from controller.config.devices import (
    Found,
    FoundDisplay,
    FoundShoe,
    check_names,
    read_consoles,
    read_displays,
    read_shoe,
)
from controller.config.game import NEEDED, read_game
from controller.config.limits import read_limits
from controller.config.model import (
    ConsoleSection,
    DisplaySection,
    ShoeSection,
    TableConfig,
    TableSection,
    setup_of,
)
from controller.config.part import Part
from controller.config.problems import BadConfig, Problem
from controller.config.sharing import check_pins, check_ports
from controller.config.sheet import Sheet
from controller.config.shoe import check_shoe
from controller.config.signs import check_signs
from controller.config.table import read_table
from controller.config.web import read_journal, read_web
from controller.rules.ruleset import Ruleset

PLACES: Final = (Path("table.toml"), Path("/etc/croupier/table.toml"))  # where a configuration is looked for
NEW: Final = "croupier check --print-default > table.toml writes one to start from"


def find(places: Iterable[Path] = PLACES) -> Path:
    """The configuration that is meant where none is named. Raises BadConfig where there is none."""
    looked = list(places)
    for path in looked:
        if os.path.exists(path):  # not path.exists(), which raises where it may not look
            return path
    words = f"there is no configuration, neither here nor as {' or '.join(map(str, looked[1:]))}; {NEW}"
    raise BadConfig([Problem(path=looked[0], message=words)])


def load(path: Path) -> TableConfig:
    """Raises BadConfig with everything that is wrong."""
    sheet = Sheet.read(path)
    top = Part(sheet, (), sheet.data)
    sections = _Sections(top)
    sections.check()
    if sheet.problems:
        raise BadConfig(sheet.problems)
    return sections.config()


class _Sections:
    """What was read of each section; None where it could not be."""

    def __init__(self, top: Part) -> None:
        table = top.table("table", needed="what the table is called, and how many seats it has")
        game = top.table("game", needed=NEEDED)
        shoe = top.table("shoe", needed='where the cards come from; driver = "simulated" needs no hardware')
        self.sheet, self.game = top.sheet, game
        self.table: TableSection | None = read_table(table) if table is not None else None
        self.rules: Ruleset | None = read_game(game) if game is not None else None
        self.limits = read_limits(top.table("limits"), top, self.table, self.rules)
        simulated = self.table is not None and self.table.simulated
        decks = self.rules.decks if self.rules is not None else 6
        self.shoe = read_shoe(shoe, decks=decks, simulated=simulated) if shoe is not None else None
        self.displays = read_displays(top.tables("display"), simulated=simulated)
        self.consoles = read_consoles(top.tables("console"), simulated=simulated)
        self.journal = read_journal(top.table("journal"), top)
        self.web, self.socket = read_web(top.table("web"), top, self.journal)
        top.finish()

    @property
    def devices(self) -> list[Found]:
        return [*([self.shoe] if self.shoe is not None else []), *self.displays, *self.consoles]

    def check(self) -> None:
        """What the sections owe each other, as far as they could be read."""
        check_names(self.devices)
        check_ports(self.devices)
        check_pins(self.devices)
        if self.rules is None:
            return
        if self.shoe is not None and self.game is not None:
            check_shoe(self.shoe, self.rules, self.game)
        if self.table is None:
            return
        if self.table.play.auto_stand_21 and not self.rules.may_stand_21:
            words = f"in {self.rules.name} a 21 may still be played on, or lies face down; leave auto_stand_21 out"
            self.sheet.wrong(("table", "auto_stand_21"), words)
        check_chips(self.sheet, self.table, self.rules, self.limits)
        check_signs(self.displays, setup_of(self.table, self.rules, self.limits))

    def config(self) -> TableConfig:
        """Only where nothing is wrong."""
        assert self.table is not None
        assert self.rules is not None
        assert self.shoe is not None
        return TableConfig(
            table=self.table,
            rules=self.rules,
            limits=self.limits,
            shoe=_shoe(self.shoe),
            displays=tuple(map(_display, self.displays)),
            consoles=tuple(map(_console, self.consoles)),
            journal=self.journal,
            socket=self.socket,
            web=self.web,
            path=self.sheet.path,
            notes=tuple(self.sheet.notes),
        )


def _shoe(found: FoundShoe) -> ShoeSection:
    return ShoeSection(
        name=found.name,
        driver=f"shoe.{found.driver_name}",
        settings=found.settings,
        address=_address(found),
        decks=found.decks,
    )


def _display(found: FoundDisplay) -> DisplaySection:
    return DisplaySection(
        name=found.name,
        driver=f"display.{found.driver_name}",
        settings=found.settings,
        address=_address(found),
        shows=found.shows,
    )


def _console(found: Found) -> ConsoleSection:
    return ConsoleSection(
        name=found.name, driver=f"console.{found.driver_name}", settings=found.settings, address=_address(found)
    )


def _address(found: Found) -> str:
    return found.device.address if found.device is not None else ""
