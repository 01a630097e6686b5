"""Wires a table: journal, table, devices and surfaces in one task group, started in order and ended in order.

Start: journal, the table as the journal has it, devices, surfaces, READY. End, each in bounded time: surfaces, so that
nobody enters anything into a table that is ending; devices, and what they said is kept; a snapshot; the journal.
"""

from __future__ import annotations

import asyncio
import functools
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Final

from controller.daemon.crew import Crew, Devices
from controller.daemon.keeping import Failures, Part, Started
from controller.daemon.notify import Notifier
from controller.daemon.runner import Runner, recover
from controller.store.journal import Journal
from controller.store.writer import JournalWriter
from controller.table.state import Setup
from controller.table.table import Table
from controller.table.views import public_view

LOOK_S: Final = 1.0  # between two looks at what is due
START_S: Final = 10.0  # for a surface to start; then the table begins without it
JOURNAL_S: Final = 8.0  # for the last snapshot and for closing: a sleepy disk takes seconds to wake

_log = logging.getLogger(__name__)

Surface = Callable[["Daemon", Started], Awaitable[None]]  # goes on until it is cancelled; says when it has started


class Daemon:
    """One table. `run` until `stop`; afterwards every port, file and socket is closed, but for what is named in
    `left`: that did not end in its time, and keeps a thread or a task of the program alive."""

    def __init__(
        self,
        setup: Setup,
        journal: Path,
        crew: Callable[[Table], Crew],
        *,
        allow_simulated: bool = False,
        surfaces: Sequence[tuple[str, Surface]] = (),
        notifier: Notifier | None = None,
    ) -> None:
        """`crew` makes the devices; it gets the table, because a shoe is told where the journal's knowledge ends."""
        self.setup, self.journal_path, self.simulated = setup, journal, allow_simulated
        self._crew, self._surfaces = crew, surfaces
        self._notifier = notifier if notifier is not None else Notifier()
        self._failures = Failures()
        self._stop = asyncio.Event()
        self.ready = asyncio.Event()
        self.left: list[str] = []
        self.started = time.time()
        self.boot: str
        self.runner: Runner
        self.devices: Devices

    def stop(self) -> None:
        self._stop.set()

    async def run(self) -> None:
        """Raises JournalError, BadSetting of a device, or the OSError of a surface that can't start; nothing is left
        running then."""
        journal = await asyncio.to_thread(Journal.open, self.journal_path)
        writer = JournalWriter(journal)
        try:
            table = recover(self.setup, journal)  # before the writer is given anything to do
            self.boot = journal.boot
            self.runner = Runner(table, writer)
            self.devices = Devices(self._crew(table), self.runner, self._failures, allow_simulated=self.simulated)
            self.devices.show()
            await self._run_parts()
            await self._in_time("the last snapshot", self.runner.finish())
        finally:
            await self._in_time("the journal", writer.close())

    # Parts

    async def _run_parts(self) -> None:
        devices, part = self.devices, functools.partial(Part, failures=self._failures)
        clock, hearing = part("the clock", self._look), part("the table", devices.hear)
        supervised = [part("hot-plug", devices.look_for_plugs)] + [
            part(
                name,
                functools.partial(devices.supervise, name),
                on_failure=functools.partial(devices.unsupervised, name),
            )
            for name in devices.names
        ]
        surfaces = [part(name, functools.partial(work, self), must_start=True) for name, work in self._surfaces]
        refused: OSError | None = None
        async with asyncio.TaskGroup() as group:
            running = _Running(group)
            try:
                running.begin(clock, hearing, *supervised, *surfaces)
                await self._all_up(surfaces)
                self._say_ready()
                await self._stop.wait()
            except OSError as error:
                refused = error
            finally:
                self._notifier.stopping()
                await running.end(*surfaces)
                await running.end(*supervised)
                await devices.drain()
                await running.end(hearing, clock)
                self.left += [each.name for each in running.parts if each.left]
        if refused is not None:
            raise refused

    async def _all_up(self, surfaces: Sequence[Part]) -> None:
        """Raises what a person must see to before this table can start."""
        waiting = [each.up for each in surfaces]
        if not waiting:
            return
        stop = asyncio.ensure_future(self._stop.wait())
        try:
            async with asyncio.timeout(START_S):
                for up in waiting:
                    await asyncio.wait((up, stop), return_when=asyncio.FIRST_COMPLETED)
                    if stop.done():
                        return
                    up.result()
        except TimeoutError:
            late = ", ".join(each.name for each in surfaces if not each.up.done())
            _log.error("%s did not start within %g seconds; the table begins without", late, START_S)
        finally:
            stop.cancel()

    def _say_ready(self) -> None:
        if not self._stop.is_set():
            self.ready.set()
            self._notifier.ready(self._words())
            _log.info("ready: %s", self._words())

    async def _look(self, started: Started) -> None:
        """What is due is done. The watchdog is fed by a look that went through the table, the disk included, while
        what the devices say is being taken. A journal that takes nothing but answers is no reason to start again."""
        started()
        every = min(LOOK_S, self._notifier.watchdog_s / 2 or LOOK_S)
        words = ""
        while True:
            await self.runner.look()
            if self.devices.goes_on():
                self._notifier.alive()
            if (now := self._words()) != words:
                words = now
                self._notifier.status(words)
            await asyncio.sleep(every)

    def _words(self) -> str:
        view = public_view(self.runner.table)
        trouble = f"; {self.runner.trouble}" if self.runner.trouble else ""
        return f"{view.table}, {view.game}: round {view.round}, waiting for {view.awaiting}{trouble}"

    async def _in_time(self, what: str, work: Awaitable[None]) -> None:
        task = asyncio.ensure_future(work)
        await asyncio.wait((task,), timeout=JOURNAL_S)
        if task.done():
            task.result()
        else:
            _log.error("%s took longer than %g seconds and is left; it is whole all the same", what, JOURNAL_S)
            self.left.append(what)


class _Running:
    """The parts that were begun, each a task of the group."""

    def __init__(self, group: asyncio.TaskGroup) -> None:
        self.parts: dict[Part, asyncio.Task[None]] = {}
        self._group = group

    def begin(self, *parts: Part) -> None:
        for each in parts:
            self.parts[each] = self._group.create_task(each.keep(), name=each.name)

    async def end(self, *parts: Part) -> None:
        tasks = [self.parts[each] for each in parts if each in self.parts]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
