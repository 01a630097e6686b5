"""How long to wait before the next try: half a second at first, doubling, never more than ten. Pure; never gives up."""

from __future__ import annotations

from typing import Final

FIRST_S: Final = 0.5  # a USB device that resets is back in about this time
LONGEST_S: Final = 10.0  # what a dealer will wait for where no hot-plug tells of the device: a serial server
STEADY_S: Final = 10.0  # ready for this long: the next loss is a new story


class BackOff:
    """The delays of one device. A device that comes and goes is not steady, and is tried ever more slowly."""

    def __init__(self, first_s: float = FIRST_S, longest_s: float = LONGEST_S) -> None:
        self._first, self._longest = first_s, longest_s
        self._next = first_s

    def delay(self) -> float:
        """Before the next try; asking doubles the one after."""
        delay, self._next = self._next, min(2 * self._next, self._longest)
        return delay

    def was_ready(self, seconds: float) -> None:
        if seconds >= STEADY_S:
            self._next = self._first

    def plugged(self) -> None:
        """Something was plugged in: its port may take a moment to get its name and owner, so try often again."""
        self._next = self._first
