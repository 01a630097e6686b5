"""Tells of a bad line without flooding anyone: what was no frame is counted, and put into words every few seconds."""

from __future__ import annotations

from typing import Final

from drivers.base import Noticed

EVERY_S: Final = 5.0  # a line that is bad all night must not fill a log


class Noise:
    """Counts what could not be used. The first is told at once, the rest together when their time has come."""

    def __init__(self) -> None:
        self.total = 0
        self._untold = 0
        self._reason = ""
        self._quiet_until = float("-inf")

    def add(self, reason: str, count: int = 1) -> None:
        self.total += count
        self._untold += count
        self._reason = reason

    def told(self, now: float) -> list[Noticed]:
        """What to say now, if anything."""
        if not self._untold or now < self._quiet_until:
            return []
        return self._tell(now)

    def rest(self) -> list[Noticed]:
        """The port is gone: what is still untold."""
        return self._tell(float("-inf")) if self._untold else []

    def next_time(self) -> float | None:
        return self._quiet_until if self._untold else None

    def _tell(self, now: float) -> list[Noticed]:
        count, self._untold = self._untold, 0
        self._quiet_until = now + EVERY_S
        pieces = "1 piece" if count == 1 else f"{count} pieces"
        return [Noticed(words=f"the line brought {pieces} that could not be used; the last: {self._reason}")]
