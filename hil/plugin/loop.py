"""An event loop in a thread of its own, in which a bench's devices live while tests run as plain functions."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from typing import Any, Final, TypeVar

T = TypeVar("T")
LONGEST_S: Final = 120.0  # what is run here has limits of its own; this one ends a bench that hangs


class Loop:
    """`run` gives what the work comes to, or raises what it raises; `close` leaves no task and no thread."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="bench", daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, T], *, within: float = LONGEST_S) -> T:
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result(within)
        except BaseException:
            future.cancel()  # Ctrl-C in the test's thread, too
            raise

    def call(self, function: Callable[[], T]) -> T:
        """In the loop's thread, where the devices are."""

        async def called() -> T:
            return function()

        return self.run(called())

    def close(self) -> None:
        self.run(_end_all())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


async def _end_all() -> None:
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
