"""Two ports joined in memory: what one writes the other reads. For simulated devices and for tests; leaves no trace."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from drivers.errors import PortClosed, PortLost
from drivers.ports.base import READ_SIZE

CAPACITY: Final = 4096  # bytes on the way in one direction, as a tty's buffer; a writer waits for room


class _Pipe:
    """One direction."""

    def __init__(self) -> None:
        self.held = bytearray()
        self.changed = asyncio.Event()  # set anew at every change; who waits looks again

    def notify(self) -> None:
        self.changed.set()
        self.changed = asyncio.Event()


class MemoryPort:
    """One end of a pair; see `memory_pair`."""

    def __init__(self, name: str, inbound: _Pipe, outbound: _Pipe) -> None:
        self.name = name
        self._in, self._out = inbound, outbound
        self._closed = False
        self.peer: MemoryPort | None = None

    async def read(self) -> bytes:
        await self._until(self._in, lambda: bool(self._in.held), "read")
        data = bytes(self._in.held[:READ_SIZE])
        del self._in.held[:READ_SIZE]
        self._in.notify()
        return data

    async def write(self, data: bytes) -> None:
        rest = memoryview(bytes(data))
        while True:
            self._check("write")
            if not rest:
                return
            await self._until(self._out, lambda: len(self._out.held) < CAPACITY, "write")
            room = CAPACITY - len(self._out.held)
            self._out.held += rest[:room]
            rest = rest[room:]
            self._out.notify()

    async def close(self) -> None:
        if not self._closed:
            self._closed = True
            self._in.notify()
            self._out.notify()

    def _check(self, doing: str) -> None:
        if self._closed:
            raise PortClosed(f"{self.name} was closed during a {doing}")
        if self.peer is None or self.peer._closed:
            raise PortLost(f"{self.name} hung up", advice="Plug it in again; it comes back by itself")

    async def _until(self, pipe: _Pipe, possible: Callable[[], bool], doing: str) -> None:
        """Waits until it is possible. What the far side sent before it hung up can still be read."""
        while True:
            changed = pipe.changed
            if self._closed:
                raise PortClosed(f"{self.name} was closed during a {doing}")
            if doing == "read" and possible():
                return
            self._check(doing)
            if possible():
                return
            await changed.wait()


def memory_pair(name: str = "memory") -> tuple[MemoryPort, MemoryPort]:
    """Both ends of a new line."""
    one_way, other_way = _Pipe(), _Pipe()
    near = MemoryPort(name, one_way, other_way)
    far = MemoryPort(f"{name} (far end)", other_way, one_way)
    near.peer, far.peer = far, near
    return near, far
