"""Runs what may block in a thread of its own, with a time limit, so that the event loop never waits for a device.

Not asyncio's pool: its threads stay for ever, and one call that hangs in the kernel would use one of them up.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class _Call(Generic[T]):
    """One call: its result goes to whoever waits for it, or to `late` if nobody waits any more."""

    def __init__(self, work: Callable[[], T], late: Callable[[T], object] | None) -> None:
        self._work, self._late = work, late
        self._loop = asyncio.get_running_loop()
        self.ended: asyncio.Future[None] = self._loop.create_future()
        self._lock = threading.Lock()
        self._abandoned = False
        self._result: list[T] = []
        self._error: BaseException | None = None
        self.thread = threading.Thread(
            target=self._run, name=f"aside: {getattr(work, '__name__', 'call')}", daemon=True
        )

    def _run(self) -> None:
        try:
            result = self._work()
        except BaseException as error:
            self._error = error
        else:
            with self._lock:
                abandoned = self._abandoned
                self._result.append(result)
            if abandoned and self._late is not None:
                self._late(result)
        try:
            self._loop.call_soon_threadsafe(self._end)
        except RuntimeError:
            return  # the event loop is closed: nobody waits

    def _end(self) -> None:
        self.thread.join()  # its last act was to call us
        if not self.ended.done():
            self.ended.set_result(None)

    def result(self) -> T:
        if self._error is not None:
            raise self._error
        return self._result[0]

    def abandon(self) -> None:
        with self._lock:
            self._abandoned = True
            result = list(self._result)
        late = self._late
        if result and late is not None:  # it ended between the last look and now
            threading.Thread(target=late, args=result, daemon=True).start()


async def aside(work: Callable[[], T], *, limit_s: float | None = None, late: Callable[[T], object] | None = None) -> T:
    """What `work` returns or raises; TimeoutError after `limit_s`.

    A call that came too late, or whose waiter was cancelled, still runs to its end by itself: `late` is then given
    its result, in the thread, to undo it.
    """
    call = _Call(work, late)
    call.thread.start()
    try:
        async with asyncio.timeout(limit_s):
            await call.ended
    except BaseException:
        call.abandon()
        raise
    return call.result()


def started(work: Callable[[], None]) -> asyncio.Future[None]:
    """Starts `work`, which raises nothing, and goes on; the future says when it has ended, to any number of waiters."""
    call = _Call(work, None)
    call.thread.start()
    return call.ended
