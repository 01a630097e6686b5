"""Joins a simulated device's end to a port, with the faults of the line between them.

The device end is pure, so this is where a simulated device gets its clock. A cable that is pulled (the fault `unplug`)
ends and closes its port, at whatever moment; who made the ports makes new ones when it is plugged in again.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Protocol

from drivers.errors import PortClosed, PortLost
from drivers.ports.base import Port
from drivers.simulated.faults import Faults


class End(Protocol):
    """The device's end of a protocol, as `firmware_protocol` has them, behind one face."""

    def connected(self, now: float) -> None: ...

    def receive(self, data: bytes, now: float) -> None: ...

    def data_to_send(self, now: float) -> bytes: ...

    def next_time(self) -> float | None: ...

    def disconnected(self) -> None: ...


class Cable:
    """Runs a device end on a port until the port or the device goes away."""

    def __init__(self, end: End, port: Port, faults: Faults, clock: Callable[[], float] = time.monotonic) -> None:
        self._end, self._port, self._faults, self._clock = end, port, faults, clock
        self._changed = asyncio.Event()  # a new one at every change; who waits looks again

    def wake(self) -> None:
        """The device has something new to send, or a fault was switched: look again."""
        self._changed.set()
        self._changed = asyncio.Event()

    async def run(self) -> None:
        """Returns when the far side hung up or the cable was pulled; closes the port."""
        self._end.connected(self._clock())
        self._faults.watch(self.wake)
        tasks = [asyncio.create_task(work) for work in (self._read(), self._write(), self._pulled())]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        except (PortLost, PortClosed):
            pass
        finally:
            for task in tasks:
                task.cancel()
            try:
                await asyncio.gather(*tasks, return_exceptions=True)
            finally:  # even if this is cancelled while it ends by itself
                self._faults.unwatch(self.wake)
                self._end.disconnected()
                await self._port.close()

    async def _read(self) -> None:
        while True:
            data = await self._port.read()
            await self._while_on("stall")
            data = self._faults.spoil(data)
            if data:
                self._end.receive(data, self._clock())
            self.wake()
            await asyncio.sleep(0)

    async def _write(self) -> None:
        while True:
            changed = self._changed
            await self._while_on("stall")
            data = self._faults.spoil(self._end.data_to_send(self._clock()))
            if data:
                await self._port.write(data)
            due = self._end.next_time()
            try:
                async with asyncio.timeout(None if due is None else max(0.0, due - self._clock())):
                    await changed.wait()
            except TimeoutError:
                pass

    async def _pulled(self) -> None:
        while not self._faults.is_on("unplug"):
            await self._changed.wait()

    async def _while_on(self, fault: str) -> None:
        while self._faults.is_on(fault):
            await self._changed.wait()
