"""A whole table played by a bot and recorded, and its recording played again. Holds no test."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from msgspec import structs

from controller.config.load import load
from controller.config.model import TableConfig
from controller.daemon.bot import Bot
from controller.store.journal import JournalReader
from controller.table import inputs as i
from controller.table.events import MarkReached, decode_event
from controller.table.views import dealer_view
from drivers.simulated.byte_ends import ByteEnd
from drivers.simulated.panel_driver import SimulatedPanel
from drivers.simulated.shoe import LoadedShoe
from drivers.simulated.shoe_driver import SimulatedShoe
from hil.record import floor
from hil.record.capture import CaptureReader
from hil.record.rigging import RecordedTable
from hil.record.survey import survey
from hil.record.virtual import VirtualLoop, run
from tests.drivers.scripted import until

CONFIG = """\
[table]
name = "Recorded table"
seats = 3
currency = "$"
simulated = true

[game]
ruleset = "power_blackjack"

[limits.main]
min = "5"
max = "500"
step = "5"

[shoe]
driver = "simulated"
protocol = "{protocol}"
decks = 6
seed = {seed}

[[display]]
name = "sign"
shows = "limits"
driver = "simulated"
protocol = "{sign}"

[[display]]
name = "board"
shows = "results"
driver = "simulated"
protocol = "tm1637"

[[console]]
name = "keys"
driver = "simulated"

[journal]
path = "table.db"
"""
DEALER = i.Actor("dealer", "Ann")


def config_in(folder: Path, protocol: str, *, seed: int = 1, sign: str = "tablelink") -> TableConfig:
    path = folder / "table.toml"
    path.write_text(CONFIG.format(protocol=protocol, seed=seed, sign=sign))
    return load(path)


def record_table(config: TableConfig, capture: Path, rounds: int, faults: tuple[str, ...] = ()) -> None:
    asyncio.run(_record_table(config, capture, rounds, faults))


async def _record_table(config: TableConfig, capture: Path, rounds: int, faults: tuple[str, ...]) -> None:
    said: list[str] = []
    recorded = RecordedTable(config, capture, limit=10_000_000, keep=1, say=said.append)
    daemon = recorded.daemon
    daemon._surfaces = ()  # nobody looks at a page, and importing the web takes longer than the round
    running = asyncio.create_task(daemon.run())
    await until(lambda: daemon.ready.is_set() or running.done())
    if running.done():
        running.result()
    devices = {name: each.device for name, each in daemon.devices._supervisors.items()}
    shoe_device, panel = devices["shoe"], devices["keys"]
    assert isinstance(shoe_device, SimulatedShoe)
    assert isinstance(panel, SimulatedPanel)
    shoe = shoe_device.simulated_shoe
    if isinstance(shoe.end, ByteEnd) and shoe.end.gap_s:
        shoe.end.gap_s = 0.001
    try:
        await until(lambda: all(each.state == "ready" for each in daemon.devices.status()))
        await _play(daemon, shoe, panel, rounds, faults)
    finally:
        daemon.stop()
        await running
        recorded.end("enough")
    assert recorded.recorder is not None
    assert not recorded.recorder.trouble


async def _play(daemon: Any, shoe: LoadedShoe, panel: SimulatedPanel, rounds: int, faults: tuple[str, ...]) -> None:
    bot = Bot(1, seats=3, least="10")
    runner = daemon.runner
    for what in (i.OpenTable(), i.DealerIn("Ann"), i.Shoe("load"), *bot.wagers(), i.OpenRound()):
        await runner.enter(what, DEALER)
    while True:
        view = dealer_view(runner.table)
        if view.public.phase != "playing" and view.question is None:
            if view.public.round >= rounds:
                return
            for what in (*bot.wagers(), i.OpenRound()):
                await runner.enter(what, DEALER)
            continue
        what = bot.next(view, shoe.dealt)
        before = runner.table
        if what is None:
            for fault in faults:
                shoe.faults.switch(fault, 0.1)
            shoe.deal()
            for fault in faults:
                shoe.faults.switch(fault, None)
            await until(lambda before=before: runner.table is not before)  # type: ignore[misc]
        elif isinstance(what, i.Decision) and what.action in panel.keys:
            await panel.press(what.action)
            await until(lambda before=before: runner.table is not before)  # type: ignore[misc]
        else:
            await runner.enter(what, DEALER)


def replay_table(config: TableConfig, capture: Path, journal: Path, speed: float | None = None) -> list[str]:
    """What was told about the playing, as not being as it was."""
    otherwise: list[str] = []
    found = survey(capture)

    def told(t: float, who: str, what: Any) -> None:
        if isinstance(what, str):
            otherwise.append(f"{t:.3f} {who}: {what}")

    async def work(loop: VirtualLoop) -> None:
        with CaptureReader(capture) as reader:
            await floor.replay(
                loop, config, journal, found.header, reader, found.nonces, told, at=lambda t: loop.at_speed(speed)
            )

    run(work, 1.0)
    return otherwise


def events_in(journal: Path) -> list[Any]:
    """All that a journal holds, but for the wall clock, and for marks: where the first of them stands is how fast the
    first input was."""
    with JournalReader.of(journal) as reader:
        events = [(record.actor, decode_event(record.data)) for record in reader.after(0)]
    return [
        (actor, structs.replace(event, at=0) if hasattr(event, "at") else event)
        for actor, event in events
        if not isinstance(event, MarkReached)
    ]
