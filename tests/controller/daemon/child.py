"""A table's process for the proofs by killing: told and telling a line at a time, and killed where it is asked to be.

A line `!POINT` arms one point; the next time the process comes there it kills itself as `kill -9` would.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sqlite3
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from controller.cli.orphans import end_with_parent
from controller.daemon.crew import Crew
from controller.daemon.daemon import Daemon
from controller.daemon.runner import Change
from controller.rules.errors import Refused
from controller.store import database
from controller.store.journal import Journal
from controller.table.inputs import Actor, FromPeople
from controller.table.state import encode_state
from controller.table.table import Table
from controller.table.views import public_view
from drivers.base import Mark
from drivers.registry import make
from drivers.tablelink_link import TableLinkLink
from firmware_protocol.tablelink import timing
from tests.controller.daemon.golden import Golden

POINTS = (
    "before the commit",
    "after the commit",
    "before the acknowledgement",
    "after the acknowledgement",
    "before the sign is told",
    "before the board is told",
    "after the board is told",
)
PATIENCE_S = 60.0  # for the shoe's link: a busy machine starves both ends for seconds, and a lost link is a fault told
GAP_S = 0.25  # between two packets for the sign: the simulated one loses those that come sooner, as a real one does


class Trap:
    """`armed` is the point at which the process ends."""

    def __init__(self) -> None:
        self.armed = ""

    def at(self, point: str) -> None:
        if point and point == self.armed:
            os.kill(os.getpid(), signal.SIGKILL)

    def around(self, work: Callable[..., Any], before: str, after: str) -> Callable[..., Any]:
        def done(*args: Any, **more: Any) -> Any:
            self.at(before)
            result = work(*args, **more)
            self.at(after)
            return result

        return done

    def into_the_journal(self) -> None:
        """Between the rows and SQLite's COMMIT, and when it has come back."""
        connect = database.connect

        def trapped(path: Path) -> sqlite3.Connection:
            connection = connect(path)
            connection.set_trace_callback(lambda sql: self.at("before the commit" if sql == "COMMIT" else ""))
            return connection

        database.connect = trapped
        Journal.append = self.around(Journal.append, "", "after the commit")  # type: ignore[method-assign]


def crew_on(folder: Path, trap: Trap) -> Callable[[Table], Crew]:
    def crew(table: Table) -> Crew:
        mark = table.state.marks.get("shoe")
        known = None if mark is None else Mark(mark.boot, mark.number)
        shoe: Any = make("shoe", "tablelink", {"port": str(folder / "shoe")}, known=known, allow_simulated=True)
        sign_settings = {"port": str(folder / "sign"), "packet_gap_s": GAP_S, "data_bits": 8, "parity": "N"}  # a pty
        sign: Any = make("display", "alpha_sign", sign_settings, allow_simulated=True)
        board: Any = make("display", "escpos", {"port": str(folder / "board")}, allow_simulated=True)
        shoe.committed = trap.around(shoe.committed, "before the acknowledgement", "after the acknowledgement")
        sign.show = trap.around(sign.show, "before the sign is told", "")
        board.show = trap.around(board.show, "before the board is told", "after the board is told")
        return Crew(shoe=shoe, displays={"sign": (sign, "limits"), "board": (board, "results")}, consoles={})

    return crew


async def main(folder: Path, case: str) -> None:
    trap, journal = Trap(), folder / "table.db"
    trap.into_the_journal()
    timing.LOST_S = TableLinkLink.handshake_s = PATIENCE_S  # type: ignore[misc]
    daemon = Daemon(Golden(case).setup, journal, crew_on(folder, trap), allow_simulated=True)
    running = asyncio.create_task(daemon.run())
    ready = asyncio.ensure_future(daemon.ready.wait())
    await asyncio.wait((running, ready), return_when=asyncio.FIRST_COMPLETED)
    if running.done():
        running.result()  # what keeps it from starting is told at once, and not as silence
    runner = daemon.runner

    def tell(change: Change) -> None:
        table = runner.table
        state: Any = json.loads(encode_state(table.state))
        said = {"state": state, "public": msgspec.to_builtins(public_view(table), str_keys=True)}
        print(json.dumps(said), flush=True)

    while daemon.devices.status()[0].state != "ready" or "shoe" not in runner.table.state.marks:
        await asyncio.sleep(0.002)
    runner.listen(tell)
    tell(Change((), ()))
    lines: asyncio.Queue[str] = asyncio.Queue()
    loop = asyncio.get_running_loop()

    def read() -> None:
        for line in sys.stdin:
            loop.call_soon_threadsafe(lines.put_nowait, line)

    threading.Thread(target=read, daemon=True).start()
    while not running.done():
        line = await lines.get()
        if line.startswith("!"):
            trap.armed = line[1:].strip()
            print(json.dumps({"armed": trap.armed}), flush=True)
            continue
        try:
            await runner.enter(msgspec.json.decode(line, type=FromPeople), Actor("supervisor", "Sam"))
        except Refused as refused:
            print(json.dumps({"refused": refused.code}), flush=True)


if __name__ == "__main__":
    end_with_parent()
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2]))
