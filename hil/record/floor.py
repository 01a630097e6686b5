"""A recording through the whole daemon: the table of a configuration on a throw-away journal, its ports replaced.

What people entered at pages is in the recording and entered again. Refuses a configuration whose devices are not those
of the recording. Nothing is served: no page and no socket, so that it runs beside the real table.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import msgspec

from controller.config.model import TableConfig
from controller.daemon.crew import SHOE, Crew
from controller.daemon.daemon import Daemon
from controller.daemon.from_config import crew_from
from controller.daemon.runner import Change
from controller.rules.errors import Refused
from controller.table import inputs as i
from controller.table.state import DeviceMark, State
from controller.table.table import Table
from drivers.base import Device
from drivers.stream import stream_of
from hil.record.capture import BadCapture, Entered, Entry, Header
from hil.record.desk import lines_of, wire_up
from hil.record.player import Player
from hil.record.virtual import VirtualLoop

Told = Callable[[float, str, Change | str], None]  # when, who, and what the table made of it; text is about the replay
ROLES = {"dealer", "supervisor"}


def devices_of(crew: Crew) -> dict[str, Device]:
    return {SHOE: crew.shoe, **{name: display for name, (display, _) in crew.displays.items()}, **crew.consoles}


def misfits(config: TableConfig, header: Header) -> list[str]:
    """Why this configuration can't have been the table of that recording, in words; empty where it can."""
    streams = {name: stream_of(device) for name, device in devices_of(crew_from(config)(Table(config.setup()))).items()}
    recorded = {port.name: port for port in header.ports}
    words = []
    for name, port in recorded.items():
        stream = streams.get(name)
        if name not in streams:
            words.append(f"the recording has a {port.kind} {name!r}, and the configuration none of that name")
        elif stream is None:
            words.append(f"{name!r} has no port in the configuration; it had one when it was recorded")
        elif (stream.kind, stream.driver) != (port.kind, port.protocol):
            words.append(
                f"{name!r} is the {stream.kind} driver {stream.driver} in the configuration, and was the {port.kind} "
                f"driver {port.protocol} when it was recorded"
            )
    for name, stream in streams.items():
        if stream is not None and name not in recorded and stream.driver != "evdev":
            words.append(f"the configuration has a {stream.kind} {name!r}, and the recording none of that name")
    return words


async def replay(
    loop: VirtualLoop,
    config: TableConfig,
    journal: Path,
    header: Header,
    entries: Iterable[Entry],
    nonces: Mapping[str, list[bytes]],
    told: Told,
    *,
    until: float | None = None,
    at: Callable[[float], None],
) -> None:
    """Plays all of it into a new journal. `at` is told the time of each entry, the start as 0, and sets the loop's
    speed; the daemon starts and ends at its own. Raises what the daemon can't start for."""

    def fitted(crew: Crew) -> None:
        for name, device in devices_of(crew).items():
            if name in lines:
                wire_up(device, header.port(name), lines[name], loop)

    async def enter(entry: Entered) -> None:
        role, _, name = entry.who.partition(":")
        try:
            what = msgspec.convert(entry.what, i.FromPeople)
            if role not in ROLES:
                raise ValueError(f"there is no role {role!r}")
            await daemon.runner.enter(what, i.Actor(role, name))  # type: ignore[arg-type]  # it was looked at
        except Refused as refused:
            told(player.now, entry.who, f"the table refuses what it took in the recording: {refused.message}")
        except (ValueError, msgspec.ValidationError) as error:
            told(player.now, entry.who, f"what was entered is nothing this table knows: {error}")

    def say(who: str, what: Change | str) -> None:
        told(player.now, who, what)

    lines = lines_of(header, nonces, say, table=True)
    daemon = Daemon(config.setup(), journal, _crew(config, header, fitted), allow_simulated=True)
    running = asyncio.create_task(daemon.run())
    up = asyncio.create_task(daemon.ready.wait())
    await asyncio.wait((running, up), return_when=asyncio.FIRST_COMPLETED)
    if running.done():
        up.cancel()
        running.result()
        raise BadCapture("the daemon ended before it began")
    daemon.runner.listen(lambda change: say("table", change))
    player = Player(
        loop, lines, plugged=daemon.devices.plugged, entering=enter, busy=lambda: daemon.runner.busy or running.done()
    )
    try:
        at(0)
        await player.play(entries, until=until, at=at)
    finally:
        loop.at_speed(1.0)  # the journal's last words take their own time
        loop.while_busy(lambda: False)
        daemon.stop()
        await running
        await player.close()


def _crew(config: TableConfig, header: Header, fitted: Callable[[Crew], None]) -> Callable[[Table], Crew]:
    """As the configuration has it; the shoe knows what it knew when the recording began."""
    make = crew_from(config, fitted)
    shoe = next((port for port in header.ports if port.name == SHOE), None)
    known = None if shoe is None or shoe.known is None else DeviceMark(*shoe.known)

    def crew(table: Table) -> Crew:
        return make(table if known is None else Table(table.setup, State(marks={SHOE: known})))

    return crew
