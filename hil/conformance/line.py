"""What the kit speaks over: a real port on the real clock, or a device's end in memory on a clock of its own.

On its own clock nothing waits: a silence of three seconds takes as long as the device needs to notice it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Final, Protocol

from drivers.errors import DeviceError, PortBusy, PortClosed, PortLost, PortNotFound

if TYPE_CHECKING:
    from drivers.ports.base import Port
    from drivers.simulated.cable import End

WRITE_S: Final = 5.0  # a device that takes no bytes for so long is stuck
AGAIN_S: Final = 0.3  # between two tries to open a port that comes back
STEP_S: Final = 0.05  # of the clock in memory, where the device names no nearer time
Opening = Callable[[], Awaitable["Port"]]


class Line(Protocol):
    """Bytes both ways, and the time."""

    name: str

    @property
    def now(self) -> float: ...

    async def send(self, data: bytes) -> None: ...

    async def receive(self, seconds: float) -> bytes:
        """What came, as soon as something does; nothing if that took longer."""

    async def reopen(self, seconds: float) -> None:
        """The far side restarted and its port may have gone with it: have it again, or raise DeviceError."""

    async def close(self) -> None: ...


class PortLine:
    """A port, opened anew if the device takes it away while it restarts."""

    def __init__(self, name: str, port: Port, opening: Opening) -> None:
        self.name = name
        self._port, self._opening = port, opening

    @classmethod
    async def open(cls, name: str, opening: Opening) -> PortLine:
        return cls(name, await opening(), opening)

    @property
    def now(self) -> float:
        return time.monotonic()

    async def send(self, data: bytes) -> None:
        try:
            async with asyncio.timeout(WRITE_S):
                await self._port.write(data)
        except TimeoutError:
            raise PortLost(f"{self.name} takes no bytes for {WRITE_S:.0f} s") from None

    async def receive(self, seconds: float) -> bytes:
        try:
            async with asyncio.timeout(max(0.0, seconds)):
                return await self._port.read()
        except TimeoutError:
            return b""

    async def reopen(self, seconds: float) -> None:
        await self._port.close()
        end = self.now + seconds
        while True:
            try:
                self._port = await self._opening()
                return
            except (PortNotFound, PortLost, PortBusy):
                if self.now >= end:
                    raise
            await asyncio.sleep(AGAIN_S)

    async def close(self) -> None:
        await self._port.close()


class EndLine:
    """A device's end in this process. Time passes only while somebody waits for bytes."""

    def __init__(self, end: End, name: str = "in memory", *, step_s: float = STEP_S) -> None:
        self.name = name
        self.unplugged = False
        self._end, self._step_s, self._now = end, step_s, 0.0
        end.connected(0.0)

    @property
    def now(self) -> float:
        return self._now

    async def send(self, data: bytes) -> None:
        self._check()
        self._end.receive(data, self._now)

    async def receive(self, seconds: float) -> bytes:
        deadline = self._now + max(0.0, seconds)
        while True:
            await asyncio.sleep(0)  # whoever helps has a turn
            self._check()
            data = self._end.data_to_send(self._now)
            if data:
                return data
            if self._now >= deadline:
                return b""
            due = self._end.next_time()
            step = self._step_s if due is None else min(max(due - self._now, 0.001), self._step_s)
            self._now = min(deadline, self._now + step)

    async def reopen(self, seconds: float) -> None:
        self._check()

    async def close(self) -> None:
        self._end.disconnected()

    def _check(self) -> None:
        if self.unplugged:
            raise PortLost(f"{self.name} hung up")


LOST: Final[tuple[type[DeviceError], ...]] = (PortLost, PortClosed)
