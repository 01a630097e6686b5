"""A port on a file descriptor, read and written in the event loop: what a tty, a pty and a TCP socket have in common.

The kernel's buffers are the only ones: a read takes what is there, a write waits for room.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import select
from typing import Final

from drivers.errors import DeviceError, PortClosed, PortLost
from drivers.ports.base import CLOSE_S, READ_SIZE

_GONE: Final = select.POLLHUP | select.POLLERR | select.POLLRDHUP | select.POLLNVAL


class DescriptorPort:
    """Owns a non-blocking descriptor. Who derives from it says how it is given up and what its errors mean."""

    def __init__(self, name: str, fd: int) -> None:
        self.name = name
        self._fd = fd
        self._loop = asyncio.get_running_loop()
        self._reader: asyncio.Future[None] | None = None
        self._writer: asyncio.Future[None] | None = None
        self._closing: asyncio.Future[None] | None = None

    @property
    def closed(self) -> bool:
        return self._closing is not None

    async def read(self) -> bytes:
        while True:
            self._check("read")
            try:
                data = os.read(self._fd, READ_SIZE)
            except BlockingIOError:
                await self._readable()
            except OSError as error:
                raise self._lost(error) from error
            else:
                if not data:
                    raise self._lost(None)
                return data

    async def write(self, data: bytes) -> None:
        rest = memoryview(data)
        while True:
            self._check("write")
            if self._hung_up():
                raise self._lost(None)
            if not rest:
                return
            written = self.push(rest)
            rest = rest[written:]
            if not written:
                await self.writable()

    def push(self, data: bytes | memoryview) -> int:
        """Hands over as many bytes as there is room for now."""
        try:
            return os.write(self._fd, data)
        except BlockingIOError:
            return 0
        except OSError as error:
            raise self._lost(error) from error

    async def close(self) -> None:
        if self._closing is None:
            # Before the descriptor is closed: afterwards its number may be another port's.
            self._loop.remove_reader(self._fd)
            self._loop.remove_writer(self._fd)
            self._closing = asyncio.ensure_future(self._give_up(self._fd))  # ends even if who waits is cancelled
            for waiting in (self._reader, self._writer):
                _wake(waiting)
        # A close that hangs in its driver goes on in its own thread: nobody waits for it any longer.
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(CLOSE_S):
                await asyncio.shield(self._closing)

    async def _give_up(self, fd: int) -> None:
        os.close(fd)

    def _lost(self, error: OSError | None) -> DeviceError:
        """What an error, or the end of the stream, means in words."""
        why = f" ({error.strerror})" if error is not None and error.strerror else ""
        return PortLost(f"{self.name} hung up{why}", advice="Plug it in again; it comes back by itself")

    def _check(self, doing: str) -> None:
        if self._closing is not None:
            raise PortClosed(f"{self.name} was closed during a {doing}")

    def _hung_up(self) -> bool:
        """Asked before a write: a socket takes bytes for a far side that has already gone."""
        poll = select.poll()
        poll.register(self._fd, select.POLLRDHUP)
        return any(events & _GONE for _, events in poll.poll(0))

    async def _readable(self) -> None:
        self._reader = self._loop.create_future()
        self._loop.add_reader(self._fd, _wake, self._reader)
        try:
            await self._reader
        finally:
            self._reader = None
            if self._closing is None:
                self._loop.remove_reader(self._fd)

    async def writable(self) -> None:
        """Waits until `push` can do something, or there is something else to notice."""
        self._writer = self._loop.create_future()
        self._loop.add_writer(self._fd, _wake, self._writer)
        try:
            await self._writer
        finally:
            self._writer = None
            if self._closing is None:
                self._loop.remove_writer(self._fd)


def _wake(waiting: asyncio.Future[None] | None) -> None:
    if waiting is not None and not waiting.done():
        waiting.set_result(None)
