"""The time of a bench: the real one. Ptys, boards and daemons keep no other, so nothing here can be wound forward."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final, TypeVar

from hil.plugin.words import NotHeard

T = TypeVar("T")
LOOK_S: Final = 0.02


class Clock:
    """The fixture `clock`."""

    def now(self) -> float:
        """Monotonic seconds, the same that captures and stories have."""
        return time.monotonic()

    def wait(self, seconds: float) -> None:
        """For silence that is itself the test. What can be awaited is awaited with `until`."""
        time.sleep(seconds)

    def until(self, reached: Callable[[], T], within: float = 5.0, what: str = "it") -> T:
        """What it comes to, as soon as that is true; raises NotHeard with the last that it came to."""
        __tracebackhide__ = True
        end = time.monotonic() + within
        while not (found := reached()):
            if time.monotonic() >= end:
                raise NotHeard(f"{what} did not happen within {within:g} s; the last look gave {found!r}")
            time.sleep(LOOK_S)
        return found
