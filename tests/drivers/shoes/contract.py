"""What the shoe contract stands on: a driver and its simulator joined by a real line, run as a supervisor would.

A line is made anew at each opening, as a cable that is plugged in again. Everything waits for a condition; nothing
sleeps and hopes.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from drivers.base import Mark, Shoe
from drivers.ports.base import LineSettings, Port
from drivers.ports.memory import memory_pair
from drivers.ports.opening import open_port
from drivers.ports.pty import PtyPair
from drivers.shoes.angel_eye import AngelEyeShoe
from drivers.shoes.bee_tek import BeeTekShoe
from drivers.shoes.line_reader import LineReaderShoe
from drivers.shoes.tablelink import TableLinkShoe
from drivers.simulated.byte_ends import ByteEnd, plain_card_map
from drivers.simulated.faults import Faults
from drivers.simulated.pile import shuffled
from drivers.simulated.plug import Plug
from drivers.simulated.shoe import LoadedShoe, shoe_end
from drivers.simulated.shoe_driver import SimulatedShoe
from drivers.stream import Opener
from hil.contracts.shoe import ShoeRig

WAIT_S = 30.0  # a loaded machine; nothing here takes a tenth of it
GAP_S = 0.001  # between the Angel Eye's copies: the order is what counts here
SHOES = ("tablelink", "angel_eye", "bee_tek", "line_reader", "simulated")
LINES = ("memory", "pty")
TELLS_CUT_CARD = ("tablelink", "angel_eye", "line_reader", "simulated")
KEEPS_EVENTS = ("tablelink", "simulated")


class Shared:
    """The device's side of a line, on which a test may make noise while the device talks."""

    def __init__(self, port: Port) -> None:
        self.name, self._port, self._turn = port.name, port, asyncio.Lock()

    async def read(self) -> bytes:
        return await self._port.read()

    async def write(self, data: bytes) -> None:
        async with self._turn:
            await self._port.write(data)

    async def close(self) -> None:
        await self._port.close()


async def pty_line() -> tuple[Port, Port]:
    pair = PtyPair(hold=False)
    try:
        return await open_port(pair.path, LineSettings()), pair.port
    except BaseException:
        await pair.close()
        raise


async def memory_line() -> tuple[Port, Port]:
    return memory_pair()


def make_driver(name: str, opener: Opener, known: Mark | None = None) -> Shoe:
    match name:
        case "tablelink":
            return TableLinkShoe(TableLinkShoe.Settings(port="bench"), known=known, opener=opener)
        case "angel_eye":
            return AngelEyeShoe(AngelEyeShoe.Settings(port="bench"), known=known, opener=opener)
        case "bee_tek":
            return BeeTekShoe(BeeTekShoe.Settings(port="bench"), known=known, opener=opener)
    settings = LineReaderShoe.Settings(port="bench", cards="")
    return LineReaderShoe(settings, known=known, opener=opener, cards=plain_card_map())


class Rig(ShoeRig):
    """One simulated shoe at its table."""

    def __init__(self, name: str, line: str, *, seed: int = 1, cut_card: int = 0, commits: bool = True) -> None:
        self.name, self.keeps_events = name, name in KEEPS_EVENTS
        self.far: Shared | None = None
        self._line = pty_line if line == "pty" else memory_line
        self._plug: Plug | None = None
        if name == "simulated":
            settings = SimulatedShoe.Settings(decks=2, seed=seed, cut_card=cut_card)
            simulated = SimulatedShoe(settings, pair=self._pair)
            device: Shoe = simulated
            self.shoe = simulated.simulated_shoe
        else:
            faults = Faults(seed)
            end = shoe_end(name, faults)
            self._plug = Plug(end, faults, pair=self._pair)
            end.woken = self._plug.wake
            self.shoe = LoadedShoe(end, faults, shuffled(2, seed, cut_card))
            device = make_driver(name, self._plug.open)
        super().__init__(device, commits=commits)
        self.faults = self.shoe.faults
        if isinstance(self.shoe.end, ByteEnd) and self.shoe.end.gap_s:
            self.shoe.end.gap_s = GAP_S

    async def _pair(self) -> tuple[Port, Port]:
        near, far = await self._line()
        self.far = Shared(far)
        return near, self.far

    # Running

    async def stop(self) -> None:
        await super().stop()
        if self._plug is not None:
            await self._plug.close()

    async def restart_host(self, known: Mark | None) -> None:
        """The table's program ends and starts again; the shoe stays as it is."""
        assert self._plug is not None
        await self.stop()
        self.device = make_driver(self.name, self._plug.open, known)
        self.start()

    @property
    def dealt(self) -> list[str]:
        return self.shoe.dealt

    async def deal_one(self) -> None:
        await self.until(lambda: not self.shoe.stopped)
        self.shoe.deal()

    async def unplug(self) -> None:
        errors = len(self.errors)
        self.faults.switch("unplug", 1)
        await self.until(lambda: len(self.errors) > errors)

    async def plug_in(self) -> None:
        times = len(self.readies)
        self.faults.switch("unplug", None)
        await self.ready(times + 1)


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


@asynccontextmanager
async def running(
    name: str, line: str, *, seed: int = 1, cut_card: int = 0, commits: bool = True
) -> AsyncIterator[Rig]:
    """A rig that is ready; afterwards nothing of it is left: no task, no open file."""
    tasks, files = asyncio.all_tasks(), open_files()
    rig = Rig(name, line, seed=seed, cut_card=cut_card, commits=commits)
    rig.start()
    try:
        await rig.ready()
        yield rig
    finally:
        await rig.stop()
    left = asyncio.all_tasks() - tasks
    assert not left, f"tasks are left behind: {left}"
    await _settled(lambda: open_files() <= files)


async def _settled(reached: Callable[[], bool]) -> None:
    """A tty is closed aside, in a thread."""
    async with asyncio.timeout(WAIT_S):
        while not reached():
            await asyncio.sleep(0.005)
