"""A daemon from a table's configuration: its setup, its devices by their drivers' names, its web."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, cast

from controller.config.model import DeviceSection, TableConfig
from controller.daemon.crew import SHOE, Crew
from controller.daemon.daemon import Daemon
from controller.table.table import Table
from drivers.base import Console, Device, Display, Kind, Mark, Shoe
from drivers.registry import make

if TYPE_CHECKING:
    from controller.daemon.keeping import Started


def daemon_from(config: TableConfig, fitted: Callable[[Crew], None] | None = None) -> Daemon:
    """Nothing is opened yet. What `run` raises is said there. `fitted` sees the devices before the first is opened."""

    async def web(daemon: Daemon, started: Started) -> None:
        from controller.daemon.web import serve_web  # only now: it takes longer to import than all the rest

        await serve_web(config, daemon, started)

    return Daemon(
        config.setup(),
        config.journal,
        crew_from(config, fitted),
        allow_simulated=config.table.simulated,
        surfaces=[("the web", web)],
    )


def crew_from(config: TableConfig, fitted: Callable[[Crew], None] | None = None) -> Callable[[Table], Crew]:
    """Raises BadSetting when it is called, in words, for a device that can't be made: a library that is missing."""

    def device(kind: Kind, section: DeviceSection, known: Mark | None = None) -> Device:
        simulated = config.table.simulated
        return make(kind, section.driver_name, section.settings, known=known, allow_simulated=simulated)

    def crew(table: Table) -> Crew:
        mark = table.state.marks.get(SHOE)
        known = None if mark is None else Mark(mark.boot, mark.number)
        made = Crew(
            shoe=cast(Shoe, device("shoe", config.shoe, known)),
            displays={each.name: (cast(Display, device("display", each)), each.shows) for each in config.displays},
            consoles={each.name: cast(Console, device("console", each)) for each in config.consoles},
        )
        if fitted is not None:
            fitted(made)
        return made

    return crew
