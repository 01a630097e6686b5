"""What a configuration says, once it is found good: frozen values that the daemon is wired from. Checks nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from msgspec import Struct

from controller.config.problems import Problem
from controller.rules.engine.inputs import PlaySettings
from controller.rules.money import Money
from controller.rules.ruleset import Ruleset
from controller.table.limits import BetLimits
from controller.table.state import Setup
from drivers.base import Kind

Shows = Literal["limits", "results"]
Worth = Literal["cash", "play", "points"]


class TableSection(Struct, frozen=True, kw_only=True):
    """`money` says what chips are worth: cash, nothing (play money), or points, which have no currency.

    `chips` are the values in the tray, the smallest first; empty where nothing was said.
    """

    name: str
    seats: int = 7
    money: Worth = "cash"
    currency: str = ""
    chips: tuple[Money, ...] = ()
    wagers: bool = True
    simulated: bool = False
    burns: bool = False
    lone_dealer: bool = False
    play: PlaySettings = PlaySettings()


class DeviceSection(Struct, frozen=True, kw_only=True):
    """`driver` is the full name, `"shoe.angel_eye"`; `settings` go to `drivers.registry.make` as they are.

    `address` is the device's own word for where it is: a port, or its pins.
    """

    name: str
    driver: str
    settings: dict[str, Any]
    address: str = ""

    @property
    def driver_name(self) -> str:
        """As `drivers.registry.make` wants it: without the kind."""
        return self.driver.partition(".")[2]


class ShoeSection(DeviceSection, frozen=True, kw_only=True):
    decks: int


class DisplaySection(DeviceSection, frozen=True, kw_only=True):
    shows: Shows


class ConsoleSection(DeviceSection, frozen=True, kw_only=True):
    pass


class WebSection(Struct, frozen=True, kw_only=True):
    """Where pages are served. With a certificate there is also its key. `insecure`: beyond this machine without one."""

    host: str
    port: int
    certificate: Path | None = None
    key: Path | None = None
    insecure: bool = False
    framed_by: tuple[str, ...] = ()  # other sites that may show our pages in a frame
    hotspot: Path | None = None  # the file with the table's own network; it comes and goes with that
    hotspot_on_sign: bool = False


class TableConfig(Struct, frozen=True, kw_only=True):
    """`path` is the file it was read from; None where it was made in a program. `notes` are worth knowing, not wrong.

    `socket` is the Unix socket for this machine's own commands; there is one with and without a `web` section.
    """

    table: TableSection
    rules: Ruleset
    limits: dict[str, BetLimits]
    shoe: ShoeSection
    displays: tuple[DisplaySection, ...] = ()
    consoles: tuple[ConsoleSection, ...] = ()
    journal: Path
    socket: Path
    web: WebSection | None = None
    path: Path | None = None
    notes: tuple[Problem, ...] = ()

    @property
    def devices(self) -> tuple[tuple[Kind, DeviceSection], ...]:
        displays: tuple[tuple[Kind, DeviceSection], ...] = tuple(("display", each) for each in self.displays)
        consoles: tuple[tuple[Kind, DeviceSection], ...] = tuple(("console", each) for each in self.consoles)
        return (("shoe", self.shoe), *displays, *consoles)

    def setup(self) -> Setup:
        """What the table itself is set up as."""
        return setup_of(self.table, self.rules, self.limits)


def setup_of(table: TableSection, rules: Ruleset, limits: dict[str, BetLimits]) -> Setup:
    return Setup(
        name=table.name,
        rules=rules,
        seats=table.seats,
        currency=table.currency,
        money=table.money,
        chips=table.chips,
        wagers=table.wagers,
        limits=limits,
        burns=table.burns,
        lone_dealer=table.lone_dealer,
        settings=table.play,
    )
