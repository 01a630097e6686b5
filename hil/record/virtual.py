"""An event loop whose clock stands still while somebody works, and runs at any speed while all wait.

A recording that is played again must meet the same time-outs at the same moments, however slow this machine and
however fast the playing: so time goes by only where every task of the loop waits for it. While `busy` says so (bytes
are under way through the kernel, a disk is asked in a thread) it does not go by either.
"""

from __future__ import annotations

import asyncio
import selectors
import time
from collections.abc import Callable
from typing import Any, Final

LOOK_S: Final = 0.002  # real seconds between two looks at something that is busy
STUCK_S: Final = 30.0  # real seconds: busy for so long is stuck, and time goes on


class _Waiting(selectors.DefaultSelector):
    """The selector of the loop: its waits are the only moments in which time goes by."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0
        self.speed: float | None = 1.0  # None: as fast as can be
        self.busy: Callable[[], bool] = lambda: False
        self._busy_since: float | None = None

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None or timeout <= 0:
            return super().select(timeout)
        if self._is_busy():
            return super().select(LOOK_S)
        if self.speed is None:
            ready = super().select(0)
            self.now += 0 if ready else timeout
            return ready
        began = time.monotonic()
        ready = super().select(timeout / self.speed)
        passed = (time.monotonic() - began) * self.speed
        self.now += min(timeout, passed) if ready else timeout
        return ready

    def _is_busy(self) -> bool:
        if not self.busy():
            self._busy_since = None
            return False
        now = time.monotonic()
        self._busy_since = now if self._busy_since is None else self._busy_since
        return now - self._busy_since < STUCK_S


class VirtualLoop(asyncio.SelectorEventLoop):
    """`time()` begins at 0. Until `busy` is set, only what the loop itself waits for counts."""

    def __init__(self, speed: float | None) -> None:
        self._waiting = _Waiting()
        super().__init__(self._waiting)
        self._waiting.speed = speed

    def time(self) -> float:
        return self._waiting.now

    def at_speed(self, speed: float | None) -> None:
        """None is as fast as can be."""
        self._waiting.speed = speed

    def while_busy(self, busy: Callable[[], bool]) -> None:
        self._waiting.busy = busy


def run(work: Callable[[VirtualLoop], Any], speed: float | None) -> Any:
    """What the coroutine that `work` makes returns."""
    with asyncio.Runner(loop_factory=lambda: VirtualLoop(speed)) as runner:
        loop = runner.get_loop()
        assert isinstance(loop, VirtualLoop)
        return runner.run(work(loop))
