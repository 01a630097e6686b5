"""A clock that a test puts forward, so that a long press takes no time."""

from __future__ import annotations

import asyncio
import time


class Clock:
    """Runs as the real one does, and jumps. A driver notices a jump when something wakes it."""

    def __init__(self) -> None:
        self._ahead = 0.0

    def __call__(self) -> float:
        return time.monotonic() + self._ahead

    async def pause(self, seconds: float) -> None:
        """In place of a sleep: the time is over at once, and everyone has a turn."""
        self._ahead += seconds
        await asyncio.sleep(0)
