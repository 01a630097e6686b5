"""Where a simulated device is plugged in: gives the host's driver a port each time it opens, with a cable behind it.

While the fault `unplug` is on there is nothing to open. One host at a time, as on a real cable; one that has just
closed its port is given a moment to be gone.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from drivers.errors import PortBusy, PortNotFound
from drivers.ports.base import CLOSE_S, Port
from drivers.ports.memory import memory_pair
from drivers.simulated.cable import Cable, End
from drivers.simulated.faults import Faults

Pair = Callable[[], Awaitable[tuple[Port, Port]]]  # the host's port and the device's


class Plug:
    """`open` is an `Opener` for a stream driver. `close` ends the cable; no task is left behind it."""

    def __init__(self, end: End, faults: Faults, *, name: str = "simulated", pair: Pair | None = None) -> None:
        self.name, self.faults = name, faults
        self._end, self._pair = end, pair
        self._cable: Cable | None = None
        self._far: Port | None = None
        self._running: asyncio.Task[None] | None = None

    async def open(self) -> Port:
        if self.faults.is_on("unplug"):
            raise PortNotFound(f"{self.name}: the simulated cable is out", advice="Switch the fault unplug off")
        if self._running is not None and not (await asyncio.wait((self._running,), timeout=CLOSE_S))[0]:
            raise PortBusy(f"{self.name} is open already", advice="Close it first")
        near, far = await self._pair() if self._pair is not None else memory_pair(self.name)
        self._far, self._cable = far, Cable(self._end, far, self.faults)
        self._running = asyncio.create_task(self._cable.run())
        try:
            await asyncio.sleep(0)  # the cable begins first: what the device says from now on has somewhere to go
        except asyncio.CancelledError:
            await near.close()
            raise
        return near

    def wake(self) -> None:
        """The device has something new to send."""
        if self._cable is not None:
            self._cable.wake()

    async def close(self) -> None:
        running, self._running, self._cable = self._running, None, None
        if running is not None:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)
        if self._far is not None:
            await self._far.close()  # a cable that was cancelled before it began has not
