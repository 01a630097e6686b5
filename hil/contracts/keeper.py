"""Runs one device as a supervisor would, in the simplest way: opens, hears, closes and tries again, and keeps it all.

For contracts, which want to see every error that a supervisor would put into words. Waits for conditions only.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final, TypeVar

from drivers.base import Device, DeviceEvent, Ready, Said
from drivers.errors import DeviceError

WAIT_S: Final = 30.0  # a loaded machine; nothing that is waited for takes a tenth of it
AGAIN_S: Final = 0.005  # between two tries
Event = TypeVar("Event", bound=DeviceEvent)


class Keeper:
    """`said` and `errors` are all there were, in order."""

    def __init__(self, device: Device, *, patience_s: float = WAIT_S) -> None:
        self.device = device
        self.said: list[Said] = []
        self.errors: list[DeviceError] = []
        self._patience_s = patience_s
        self._changed = asyncio.Event()
        self._running: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._running = asyncio.create_task(self._keep())

    async def stop(self) -> None:
        if self._running is not None:
            self._running.cancel()
            await asyncio.gather(self._running, return_exceptions=True)
        await self.device.close()

    async def until(self, reached: Callable[[], bool]) -> None:
        try:
            async with asyncio.timeout(self._patience_s):
                while not reached():
                    changed = self._changed
                    try:
                        async with asyncio.timeout(0.02):  # what the device does without a word is looked at too
                            await changed.wait()
                    except TimeoutError:
                        pass
        except TimeoutError:
            raise AssertionError(f"it did not happen; said {self.said[-8:]}, errors {self.errors[-3:]}") from None

    async def ready(self, times: int = 1) -> None:
        await self.until(lambda: len(self.readies) >= times)

    @property
    def readies(self) -> list[Ready]:
        return [each for each in self.said if isinstance(each, Ready)]

    def told(self, kind: type[Event]) -> list[Event]:
        return [each for each in self.said if isinstance(each, kind)]

    def hear(self, said: Said) -> None:
        self.said.append(said)
        self._notify()

    async def _keep(self) -> None:
        while True:
            try:
                await self.device.open()
                await self.device.serve(self.hear)
            except DeviceError as error:
                self.errors.append(error)
                self._notify()
            await self.device.close()
            await asyncio.sleep(AGAIN_S)

    def _notify(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()
