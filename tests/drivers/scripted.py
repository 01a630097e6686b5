"""A device that does what a test wrote down for each try, a clock that only a test moves, and who heard what."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Literal

from msgspec import Struct

from drivers.base import Kind, Ready, Report, Said
from drivers.device_state import StateChanged
from drivers.supervisor import Heard, Supervisor

READY = Ready(identity="shoe A1", proven=True, words="nothing was missed")
Step = Exception | Literal["works", "hangs", "returns", "deaf", "cancelled"]


class Try(Struct, frozen=True, kw_only=True):
    """One connection: how `open` goes, what is reported then, how `serve` ends. What is "deaf" can't be cancelled."""

    open: Step = "works"
    says: Sequence[Said] = ()
    then: Step = "hangs"


class ScriptedDevice:
    """Follows its tries; the last one is repeated for ever."""

    kind: Kind = "shoe"
    driver = "scripted"
    address = "/dev/scripted"

    def __init__(self, *tries: Try, close: Step = "works", simulated: bool = False) -> None:
        self.tries, self.close_step, self.simulated = tries, close, simulated
        self.opens = self.closes = 0
        self.is_open = False
        self.report: Report | None = None
        self.end = asyncio.Event()  # set: whatever hangs or is deaf ends
        self.gone: asyncio.Future[None] | None = None  # how a test ends a `serve` that hangs

    @property
    def _try(self) -> Try:
        return self.tries[min(self.opens, len(self.tries)) - 1]

    async def open(self) -> None:
        self.opens += 1
        await self._do(self._try.open)
        self.is_open = True

    async def serve(self, report: Report) -> None:
        self.report = report
        for said in self._try.says:
            report(said)
            await asyncio.sleep(0)
        if self._try.then == "hangs":
            self.gone = asyncio.get_running_loop().create_future()
            await self.gone
        await self._do(self._try.then)

    async def close(self) -> None:
        self.closes += 1
        self.is_open = False
        await self._do(self.close_step)

    def lose(self, error: Exception) -> None:
        assert self.gone is not None
        self.gone.set_exception(error)

    async def _do(self, step: Step) -> None:
        await asyncio.sleep(0)
        match step:
            case Exception():
                raise step
            case "cancelled":
                raise asyncio.CancelledError
            case "hangs":
                await self.end.wait()
            case "deaf":
                while not self.end.is_set():
                    try:
                        await self.end.wait()
                    except asyncio.CancelledError:
                        continue
            case _:
                pass


class FakeTime:
    """A clock that goes on only in pauses. After `pauses` of them it stands still until `more` is called."""

    def __init__(self, pauses: int = 0) -> None:
        self.now = 1000.0
        self.delays: list[float] = []
        self._left = asyncio.Semaphore(pauses)

    def clock(self) -> float:
        return self.now

    def more(self, pauses: int = 1) -> None:
        for _ in range(pauses):
            self._left.release()

    async def pause(self, wake: asyncio.Event, seconds: float) -> None:
        """As `wait_or_wake`: the time goes on, or somebody wakes it before."""
        self.delays.append(seconds)
        tasks = [asyncio.ensure_future(self._left.acquire()), asyncio.ensure_future(wake.wait())]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            if not wake.is_set():
                self.now += seconds
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)


class Table:
    """Keeps what it is told, in order."""

    def __init__(self) -> None:
        self.changes: list[StateChanged] = []
        self.heard: list[Heard] = []
        self.order: list[StateChanged | Heard] = []

    def on_change(self, change: StateChanged) -> None:
        self.changes.append(change)
        self.order.append(change)

    def on_event(self, heard: Heard) -> None:
        self.heard.append(heard)
        self.order.append(heard)

    @property
    def states(self) -> list[str]:
        return [change.state for change in self.changes]

    @property
    def words(self) -> list[str]:
        return [change.words for change in self.changes]


def supervise(
    device: ScriptedDevice,
    time: FakeTime,
    table: Table,
    *,
    name: str = "shoe",
    allow_simulated: bool = False,
    open_s: float = 30.0,
    close_s: float = 0.05,
) -> Supervisor:
    return Supervisor(
        name,
        device,
        on_event=table.on_event,
        on_change=table.on_change,
        allow_simulated=allow_simulated,
        clock=time.clock,
        pause=time.pause,
        open_s=open_s,
        close_s=close_s,
    )


async def until(condition: Callable[[], bool], seconds: float = 20.0) -> None:
    """Waits for it; fails when it does not come in a time that even a loaded machine keeps."""
    async with asyncio.timeout(seconds):
        while not condition():
            await asyncio.sleep(0.001)


def others() -> set[str]:
    """The names of all tasks but this one."""
    return {task.get_name() for task in asyncio.all_tasks() if task is not asyncio.current_task()}
