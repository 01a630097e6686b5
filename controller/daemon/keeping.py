"""Keeps the parts of a daemon going: one that breaks down is told and begun again, and stops no other.

The same failure is told once and then counted: a line for every try has filled SD cards overnight.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Final

AGAIN_S: Final = 1.0  # before a part that broke down is begun again; then twice as long each time
AGAIN_MOST_S: Final = 30.0
HELD_S: Final = 60.0  # a part that went on for so long begins again as if it had never failed
END_S: Final = 6.0  # for a part to end when it is told to: a port may take five to close

_log = logging.getLogger(__name__)

Started = Callable[[], None]
Work = Callable[[Started], Awaitable[None]]  # goes on until it is cancelled, and says when it has started


class EndedByItself(RuntimeError):
    """A part that goes on for ever came to an end."""


class Failures:
    """Tells each failure of each part once, with its traceback, and again when it has come ten, a hundred, … times."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[str, str]] = Counter()

    def tell(self, who: str, what: str, error: Exception) -> bool:
        """Whether it was told."""
        cause = _cause(error)
        self._counts[who, cause] += 1
        count = self._counts[who, cause]
        if count == 1:
            _log.error("%s %s", who, what, exc_info=error)
        elif str(count).strip("0") == "1":
            _log.error("%s %s, %d times now for the same reason (%s)", who, what, count, cause)
        else:
            return False
        return True


def _cause(error: Exception) -> str:
    """What and where, without the message: that may hold a number that is another one each time."""
    at, place = error.__traceback__, ""
    while at is not None:
        place, at = f" in {at.tb_frame.f_code.co_name}, line {at.tb_lineno}", at.tb_next
    return f"{type(error).__name__}{place}"


class Part:
    """One part that is kept going. Where it `must_start`, `up` is done when it has started for the first time; it holds
    the OSError of a first start that found something for a person to change: an address that is taken, a file that
    may not be read."""

    def __init__(
        self,
        name: str,
        work: Work,
        failures: Failures,
        *,
        must_start: bool = False,
        on_failure: Callable[[Exception], None] = lambda error: None,
    ) -> None:
        self.name, self.left = name, False
        self.up: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._work, self._failures, self._on_failure = work, failures, on_failure
        if not must_start:
            self._started()

    async def keep(self) -> None:
        """Until it is cancelled. Raises no Exception. `left` says afterwards whether the part did not end in time."""
        delay = AGAIN_S
        while True:
            began = time.monotonic()
            try:
                await self._once()
                raise EndedByItself(f"{self.name} came to an end")
            except OSError as error:
                if not self.up.done():
                    self.up.set_exception(error)
                    return
                self._failed(error)
            except Exception as error:
                self._failed(error)
                self._started()  # a bug; the table goes on without this part until it is mended
            if time.monotonic() - began > HELD_S:
                delay = AGAIN_S
            await asyncio.sleep(delay)
            delay = min(2 * delay, AGAIN_MOST_S)

    async def _once(self) -> None:
        """A task of its own, so that one that does not end when it is told to can be left behind."""
        task = asyncio.ensure_future(self._work(self._started))
        task.add_done_callback(_look_at_outcome)
        try:
            await asyncio.wait((task,))
        finally:
            if not task.done():
                task.cancel()
                await asyncio.wait((task,), timeout=END_S)
                self.left = not task.done()
                if self.left:
                    _log.error("%s did not end within %g seconds and is left behind", self.name, END_S)
        if task.cancelled():
            raise EndedByItself(f"{self.name} was cancelled by nobody")
        task.result()

    def _started(self) -> None:
        if not self.up.done():
            self.up.set_result(None)

    def _failed(self, error: Exception) -> None:
        self._failures.tell(self.name, "broke down and is begun again", error)
        self._on_failure(error)


def _look_at_outcome(task: asyncio.Future[None]) -> None:
    if not task.cancelled():
        task.exception()
