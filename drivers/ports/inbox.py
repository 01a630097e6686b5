"""Bytes on their way from a thread to the event loop, never more than CAPACITY: the thread waits for room."""

from __future__ import annotations

import asyncio
import threading
from typing import Final

from drivers.errors import DeviceError
from drivers.ports.base import READ_SIZE

CAPACITY: Final = 16384  # bytes


class Inbox:
    """One thread puts, one task takes. Made in the event loop."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._changed = threading.Condition()
        self._held = bytearray()
        self._end: DeviceError | None = None
        self._waiting: asyncio.Future[None] | None = None

    @property
    def end(self) -> DeviceError | None:
        """Why nothing more will come."""
        return self._end

    def put(self, data: bytes) -> bool:
        """In the thread: waits for room; False once there is no use in going on."""
        with self._changed:
            while len(self._held) >= CAPACITY and self._end is None:
                self._changed.wait()
            if self._end is not None:
                return False
            self._held += data
        return self._tell()

    def finish(self, error: DeviceError) -> None:
        """From anywhere: the first reason counts. What is held can still be taken."""
        with self._changed:
            self._end = self._end or error
            self._changed.notify_all()
        self._tell()

    async def take(self) -> bytes:
        """1 to READ_SIZE bytes, or raises the reason why nothing more comes."""
        while True:
            with self._changed:
                if self._held:
                    data = bytes(self._held[:READ_SIZE])
                    del self._held[:READ_SIZE]
                    self._changed.notify_all()
                    return data
                if self._end is not None:
                    raise self._end.with_traceback(None)  # it may be raised again and again
                self._waiting = self._loop.create_future()
            try:
                await self._waiting
            finally:
                self._waiting = None

    def _tell(self) -> bool:
        try:
            self._loop.call_soon_threadsafe(self._wake)
        except RuntimeError:
            return False  # the event loop is closed: nobody will ever take anything
        return True

    def _wake(self) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)
