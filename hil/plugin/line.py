"""The cable between a bench's device and whoever drives it: a pty with a tap, faults and a plug in it.

Behind it is a simulated device or, through `far_end`, a real one. What passes is written down with its time.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final, Literal

from msgspec import Struct

from drivers.errors import DeviceError, TimedOut
from drivers.ports.base import Port
from drivers.simulated.cable import End
from drivers.simulated.faults import Faults
from drivers.simulated.pty_plug import Happened, PtyPlug
from hil.plugin.far_end import FarEnd

Way = Literal["to_host", "to_device", "opened", "closed"]
PLUG_S: Final = 10.0  # for the path to be there; it takes milliseconds
ON_THE_LINE: Final = ("bit_flip", "drop", "duplicate", "garbage", "stall", "unplug")  # any device behind it can have


class Chunk(Struct, frozen=True):
    """Some bytes that passed, or a host that came or went. `at` is monotonic seconds; `by_test` if no end said them
    but the test."""

    at: float
    way: Way
    data: bytes = b""
    by_test: bool = False


class Line:
    """`path` is the port to open. Lives in the bench's loop: call its methods there, but for `passed`."""

    def __init__(self, name: str, path: Path, end: End, faults: Faults, *, simulated: bool) -> None:
        self.name, self.path, self.faults, self.end, self.simulated = name, path, faults, end, simulated
        self.passed: list[Chunk] = []
        self.lost: DeviceError | None = None  # the real port's trouble, while it is gone
        self._was_out = False  # by the test, when the real port was lost
        self.news: Callable[[], None] = lambda: None
        self._plug: PtyPlug | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._tap: _Tap | None = None
        self._in = asyncio.Event()

    @property
    def is_open(self) -> bool:
        """Whether a host listens."""
        return self._plug is not None and self._plug.is_open

    async def start(self) -> None:
        """Raises DeviceError where the real device's port can't be opened."""
        if isinstance(self.end, FarEnd):
            self.simulated = await self.end.open() or self.simulated
            self._tasks.append(asyncio.create_task(self.end.run(), name=f"far end of {self.name}"))
        self._plug = PtyPlug(
            self.end, self.faults, self._told, link=self.path, simulated=self.simulated, through=self._tapped
        )
        self._tasks.append(asyncio.create_task(self._plug.run(), name=f"cable of {self.name}"))
        await self.plugged()

    async def stop(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def plugged(self) -> None:
        """Waits until the path is there."""
        try:
            async with asyncio.timeout(PLUG_S):
                await self._in.wait()
        except TimeoutError as error:
            raise TimedOut(f"the cable of {self.name} was not plugged in within {PLUG_S:g} s") from error

    async def unplugged(self) -> None:
        async with asyncio.timeout(PLUG_S):
            while self._in.is_set():
                await asyncio.sleep(0.005)

    def wake(self) -> None:
        if self._plug is not None:
            self._plug.wake()

    def gone(self, trouble: DeviceError | None) -> None:
        """The real port is lost: the host loses its own too, and finds it again when the real one is back."""
        if trouble is not None and self.lost is None:
            self._was_out = self.faults.is_on("unplug")
        self.lost = trouble
        if not self._was_out:  # a cable that a test pulled stays out when the port is back
            self.faults.switch("unplug", None if trouble is None else 1.0)
        self.news()

    async def tell_host(self, data: bytes) -> None:
        """As if the device had said it. Raises DeviceError where no host listens."""
        self._check_open("to its host")
        assert self._tap is not None
        await self._tap.write(data, by_test=True)

    def tell_device(self, data: bytes) -> None:
        """As if the host had said it."""
        self._check_open("in its host's place")
        self._note("to_device", data, by_test=True)
        self.end.receive(data, time.monotonic())
        self.wake()

    def _check_open(self, what: str) -> None:
        if not self.is_open:
            raise DeviceError(f"nobody has the port of {self.name} open, so nothing can be said {what}")

    def _told(self, what: Happened, path: str) -> None:
        match what:
            case "plugged_in":
                self._in.set()
            case "unplugged":
                self._in.clear()
            case "opened" | "closed":
                self._note(what)
        self.news()

    def _tapped(self, port: Port) -> Port:
        self._tap = _Tap(port, self._note)
        return self._tap

    def _note(self, way: Way, data: bytes = b"", by_test: bool = False) -> None:
        self.passed.append(Chunk(time.monotonic(), way, data, by_test))
        self.news()


class _Tap:
    """The device's side of the line, written down; a test may speak while the device does."""

    def __init__(self, port: Port, note: Callable[[Way, bytes, bool], None]) -> None:
        self.name, self._port, self._note = port.name, port, note
        self._turn = asyncio.Lock()

    async def read(self) -> bytes:
        data = await self._port.read()
        self._note("to_device", data, False)
        return data

    async def write(self, data: bytes, *, by_test: bool = False) -> None:
        async with self._turn:
            self._note("to_host", data, by_test)
            await self._port.write(data)

    async def close(self) -> None:
        await self._port.close()
