"""Plays a recording's device side on a pty for each port, in virtual time, and hangs up where it was lost.

Each piece that a device sent is read by the real driver before the next one goes out, so that every piece comes as it
came then. A host that begins its session later than recorded is waited for, because no answer comes before a question.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Final

from drivers.errors import DeviceError, PortNotFound
from drivers.ports.base import LineSettings, Port
from drivers.ports.pty import PtyPair
from drivers.ports.tapped import Happened, Passed, PortEnded, TappedPort
from drivers.ports.tty import open_tty
from hil.record.capture import Chunk, Ended, Entered, Entry, Gone, Opened
from hil.record.host_end import HostEnd
from hil.record.virtual import VirtualLoop

MOMENT_S: Final = 1e-6  # gone by, everybody has done what there was to do
OPEN_S: Final = 12.0  # a supervisor that was not told tries again each ten seconds
SPEAK_S: Final = 1.0  # for the host to begin the session that it began in the recording
CLOSE_S: Final = 0.25  # for the host to close what it closed itself in the recording


class Line:
    """One recorded port on a pty. `open` is an `Opener` for the real driver."""

    def __init__(self, name: str, address: str, host: HostEnd, *, patient: bool) -> None:
        """`address`: what the port is called in words, as it was. `patient`: opening always waits for the recording to
        open it; else not while it is lost there."""
        self.name, self.address, self.host = name, address, host
        self.is_open = False  # by the host
        self.unread = 0  # bytes on the way to the host
        self._patient = patient
        self._pair: PtyPair | None = None
        self._plugged = asyncio.Event()
        self._draining: asyncio.Task[None] | None = None
        self._lost = False

    async def open(self) -> Port:
        if self._patient or not self._lost:
            await self._plugged.wait()
        pair = self._pair
        if pair is None:
            raise PortNotFound(f"{self.address} is not there: it was lost in the recording as well")
        port = TappedPort(await open_tty(pair.path, LineSettings(), name=self.address), self._happened)
        self.is_open = True
        return port

    def plug_in(self, *, simulated: bool) -> None:
        self.host.opened()
        self._pair = PtyPair()
        if simulated:
            self._pair.mark()
        self._draining = asyncio.create_task(_drained(self._pair.port), name=f"draining {self.name}")
        self._plugged.set()

    async def send(self, data: bytes) -> None:
        if self._pair is None or not self.is_open:
            return
        self.unread += len(data)
        await self._pair.port.write(data)

    def out_of_reach(self, *, lost: bool) -> None:
        """Nobody can open it from now on; who has it open keeps it."""
        self._lost = lost
        self._plugged.clear()

    async def pull_out(self) -> None:
        """The hang-up. The bytes before it were read, where anybody reads."""
        self._plugged.clear()
        pair, self._pair = self._pair, None
        if self._draining is not None:
            self._draining.cancel()
            await asyncio.gather(self._draining, return_exceptions=True)
        if pair is not None:
            await pair.close()
        self.unread = 0

    def _happened(self, happened: Happened) -> None:
        match happened:
            case Passed(direction="from_device"):
                self.unread = max(0, self.unread - len(happened.data))
            case Passed():
                self.host.said(happened.data)
            case PortEnded():
                self.is_open, self.unread = False, 0


class Player:
    """`play` goes through a recording once. `plugged` is told when a port is there; `closing` closes one for the host,
    where it is not the host's own doing; `entering` enters what people did."""

    def __init__(
        self,
        loop: VirtualLoop,
        lines: Mapping[str, Line],
        *,
        plugged: Callable[[], None] = lambda: None,
        closing: Callable[[str], Awaitable[None]] | None = None,
        entering: Callable[[Entered], Awaitable[None]] | None = None,
        busy: Callable[[], bool] = lambda: False,
    ) -> None:
        self._loop, self._lines = loop, lines
        self._plugged, self._closing, self._entering = plugged, closing, entering
        self._began = loop.time()
        loop.while_busy(lambda: busy() or self._under_way())

    @property
    def now(self) -> float:
        """Seconds since the recording began."""
        return self._loop.time() - self._began

    async def play(self, entries: Iterable[Entry], *, until: float | None, at: Callable[[float], None]) -> None:
        """`at` is told the time of each entry before it is played."""
        for entry in entries:
            if until is not None and entry.t > until:
                await self._time_is(until)
                break
            at(entry.t)
            await self._time_is(entry.t)
            await self._play(entry)
        await asyncio.sleep(MOMENT_S)

    async def close(self) -> None:
        self._loop.while_busy(lambda: False)
        for line in self._lines.values():
            await line.pull_out()

    async def _time_is(self, t: float) -> None:
        while (rest := t - self.now) > 0:
            await asyncio.sleep(rest)

    async def _play(self, entry: Entry) -> None:
        match entry:
            case Opened():
                await self._open(self._lines[entry.port], simulated=entry.simulated)
            case Chunk(direction="to_device"):
                self._lines[entry.port].host.recorded(entry.data)
            case Chunk():
                await self._send(self._lines[entry.port], entry.data)
            case Gone():
                await self._end(self._lines[entry.port], lost=entry.lost)
            case Entered():
                if self._entering is not None:
                    await asyncio.sleep(MOMENT_S)
                    await self._entering(entry)
            case Ended():
                pass

    async def _open(self, line: Line, *, simulated: bool) -> None:
        await line.pull_out()  # where the host closed it
        line.plug_in(simulated=simulated)
        self._plugged()
        await self._until(lambda: line.is_open, OPEN_S)

    async def _send(self, line: Line, data: bytes) -> None:
        if not await self._until(line.host.spoke, SPEAK_S):
            line.host.gave_up()
        with contextlib.suppress(DeviceError):  # the host closed meanwhile, which is told as what it said
            await line.send(data)
        await self._until(lambda: not line.unread, MOMENT_S)

    async def _end(self, line: Line, *, lost: bool) -> None:
        """What the host closed itself it closes itself again: a table that goes on here does not close as it ended."""
        line.host.closed()
        line.out_of_reach(lost=lost)
        if lost:
            await line.pull_out()
            await self._until(lambda: not line.is_open, CLOSE_S)
        elif not await self._until(lambda: not line.is_open, CLOSE_S) and self._closing is not None:
            await self._closing(line.name)

    async def _until(self, true: Callable[[], bool], limit_s: float) -> bool:
        """Looks again whenever everybody waits; in virtual time. Seldomer and seldomer, so that what comes at once is
        seen at once, and a long wait is not all looking."""
        end, pause = self._loop.time() + limit_s, MOMENT_S
        while not true():
            if self._loop.time() > end:
                return False
            await asyncio.sleep(pause)
            pause = min(2 * pause, max(MOMENT_S, limit_s / 100))
        return True

    def _under_way(self) -> bool:
        """Bytes through the kernel, ports being opened and closed beside the loop."""
        if any(line.unread and line.is_open for line in self._lines.values()):
            return True
        return any(thread.name.startswith("aside: ") for thread in threading.enumerate())


async def _drained(port: Port) -> None:
    """What the host says is known from its own side; here it must only leave room."""
    with contextlib.suppress(DeviceError):
        while True:
            await port.read()
