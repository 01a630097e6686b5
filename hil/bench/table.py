"""The table that is measured: `python -m hil.bench.table JOURNAL SHOE SIGN COMMITS` is a daemon with a bot at it.

It says `card` on a line whenever it waits for one and `load` when it wants a full shoe, and deals nothing itself.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from controller.daemon.bot import Bot
from controller.daemon.crew import Crew
from controller.daemon.daemon import Daemon
from controller.library import load_game
from controller.table import inputs as i
from controller.table.decisions import decide
from controller.table.events import Event
from controller.table.limits import BetLimits
from controller.table.state import Setup
from controller.table.table import Table
from controller.table.views import dealer_view
from drivers.registry import make

DEALER: Final = i.Actor("dealer", "bot")
SHOE: Final = i.Actor("device", "shoe")
BAUD: Final = 115200  # of the sign: at its usual 9600 a card would wait for the line of the one before
COMMITS: Final = 600  # after so many SQLite's log has come to its end once and is written over from then on
NOW: Final = 1_800_000_000


def setup() -> Setup:
    return Setup("Benchmark", load_game("blackjack"), seats=5, currency="$", limits={"main": BetLimits(10, 500, 5)})


def used_up(table: Table) -> bool:
    """Whether the shoe is to be changed: it is between rounds, and a quarter of the cards is left."""
    return table.round is None and table.state.shoe.count > table.setup.rules.decks * 39


def play(table: Table, pile: Callable[[], Iterator[str]], seed: int) -> Iterator[tuple[i.Actor, Event]]:
    """Rounds without end, in memory: what happens at a table, with who did it."""
    bot = Bot(seed, seats=table.setup.seats, least="10")
    cards = pile()
    waiting: list[i.Input] = [i.OpenTable(), i.Shoe("load"), *bot.wagers()]
    while True:
        if used_up(table):
            cards = pile()
            waiting.append(i.Shoe("load"))
        what = waiting.pop(0) if waiting else bot.next(dealer_view(table), ())
        actor, what = (DEALER, what) if what is not None else (SHOE, i.CardLeftShoe(next(cards)))
        for event in decide(table, what, actor, NOW):
            table.apply(event)
            yield actor, event


async def _play(daemon: Daemon, commits: int) -> None:
    """The bot at the running table."""
    await daemon.ready.wait()
    runner, bot = daemon.runner, Bot(1, seats=daemon.setup.seats, least="10")
    changed = asyncio.Event()
    runner.listen(lambda change: changed.set())
    while not all(device.state == "ready" for device in daemon.devices.status()):
        await asyncio.sleep(0.01)
    for what in (i.OpenTable(), *bot.wagers(), *[i.Wager(1, "10")] * commits, i.Shoe("load")):
        await runner.enter(what, DEALER)
    while True:
        if used_up(runner.table):
            await runner.enter(i.Shoe("load"), DEALER)
            print("load", flush=True)
        now = bot.next(dealer_view(runner.table), ())
        if now is not None:
            await runner.enter(now, DEALER)
            continue
        count = runner.table.state.shoe.count
        print("card", flush=True)
        while runner.table.state.shoe.count == count:
            changed.clear()
            await changed.wait()


def _crew(shoe: str, sign: str) -> Crew:
    reader: Any = make("shoe", "tablelink", {"port": shoe}, allow_simulated=True)
    display: Any = make("display", "escpos", {"port": sign, "baud": BAUD})
    return Crew(shoe=reader, displays={"sign": (display, "results")}, consoles={})


async def _run(journal: Path, shoe: str, sign: str, commits: int) -> None:
    daemon = Daemon(setup(), journal, lambda table: _crew(shoe, sign), allow_simulated=True)
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(daemon.run())
        tasks.create_task(_play(daemon, commits))


if __name__ == "__main__":
    asyncio.run(_run(Path(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4])))
