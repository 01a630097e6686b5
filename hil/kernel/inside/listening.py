"""Runs a device of ours in a test and remembers what it said; waits for conditions, never for a time."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Final, TypeVar

from drivers.base import CardRead, Device, KeyPressed, Report, Said
from drivers.errors import DeviceError

PATIENCE_S: Final = 20.0  # on a loaded machine
Kind = TypeVar("Kind", bound=Said)


class Listener:
    """What a device has said so far, and how its serving ended."""

    def __init__(self, device: Device, then: Report) -> None:
        self.said: list[Said] = []
        self._device, self._then = device, then
        self._serving: asyncio.Task[None] | None = None

    async def open(self) -> None:
        await self._device.open()
        self._serving = asyncio.create_task(self._device.serve(self._hear))

    def _hear(self, said: Said) -> None:
        self.said.append(said)
        self._then(said)

    async def close(self) -> None:
        await self._device.close()
        if self._serving is not None:
            await asyncio.wait([self._serving], timeout=PATIENCE_S)
            assert self._serving.done()
            self._serving.exception()  # looked at: a device that was closed says so

    def of(self, kind: type[Kind]) -> list[Kind]:
        return [each for each in self.said if isinstance(each, kind)]

    @property
    def cards(self) -> list[str]:
        return [event.card for event in self.of(CardRead)]

    @property
    def keys(self) -> list[tuple[str, bool]]:
        """Each key with whether it was held."""
        return [(event.key, event.held) for event in self.of(KeyPressed)]

    async def until(self, true: Callable[[], bool], what: str) -> None:
        """Waits; fails at once where the serving has ended."""
        await until(lambda: true() or (self._serving is not None and self._serving.done()), what)
        if not true() and self._serving is not None:
            self._serving.result()
        assert true(), what

    async def trouble(self) -> DeviceError:
        """How the serving ended by itself."""
        assert self._serving is not None
        await asyncio.wait([self._serving], timeout=PATIENCE_S)
        assert self._serving.done(), "the device is still being served"
        ended = self._serving.exception()
        assert isinstance(ended, DeviceError), ended
        return ended


async def until(true: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + PATIENCE_S
    while not true():
        assert time.monotonic() < end, f"waited {PATIENCE_S:.0f} seconds for {what}"
        await asyncio.sleep(0.005)


@asynccontextmanager
async def served(device: Device, then: Report = lambda _: None) -> AsyncIterator[Listener]:
    """`then` is told everything too."""
    listener = Listener(device, then)
    try:
        await listener.open()
        yield listener
    finally:
        await listener.close()
