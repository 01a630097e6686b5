"""A bench's device under its real driver and the project's own supervisor, with everything that it said.

Refuses to go on with a device that is not ready in its time: that is a broken bench, told in the supervisor's words.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from typing import Final, TypeVar

from drivers.base import DeviceEvent, Ready
from drivers.supervisor import Heard, StateChanged, Supervisor
from hil.plugin.loop import Loop
from hil.plugin.place import Place
from hil.plugin.words import BenchBroken, NotHeard, Story, in_words

T = TypeVar("T")
QUIET_S: Final = 0.2  # after that a device has told what it had kept
OLD_S: Final = 3.0  # a full queue takes less; a shoe that somebody is dealing from never ends
LOOK_S: Final = 0.02  # what happens without a word is looked at so often


class Watched:
    """`events` and `changes` are in the order heard. Its methods are for the test's thread."""

    def __init__(self, place: Place, loop: Loop, story: Story) -> None:
        self.place, self.device = place, place.make()
        self.events: list[DeviceEvent] = []
        self.changes: list[StateChanged] = []
        self.on_event: Callable[[DeviceEvent], None] = lambda event: None  # in the loop, for each that is heard
        self._loop, self._story = loop, story
        self._news = threading.Condition()
        self._read = 0  # events that the test has seen
        self._supervisor: Supervisor | None = None

    @property
    def name(self) -> str:
        return self.place.name

    @property
    def ready(self) -> Ready | None:
        """What it said of itself, while it is ready."""
        newest = self.changes[-1] if self.changes else None
        line = self.place.line
        if newest is None or newest.state != "ready" or (line is not None and not line.is_open):
            return None  # a device that only talks is ready as soon as its port is open, and heard a little later
        return next((each.ready for each in reversed(self.changes) if each.ready is not None), None)

    def start(self, within: float) -> None:
        self._loop.run(self._start())
        self.await_ready(within)

    def await_ready(self, within: float) -> None:
        """Raises BenchBroken where it is not ready in time, with what was last said of it."""
        self.look_again()
        if self._wait(lambda: self.ready is not None, within):
            return
        last = next((each for each in reversed(self.changes) if each.state not in ("searching", "connecting")), None)
        last = last or (self.changes[-1] if self.changes else None)
        words = in_words(last) if last is not None else "nothing was heard of it"
        raise BenchBroken(f"{self.name} was not ready within {within:g} s; {words}")

    def look_again(self) -> None:
        """As when something was plugged in: it is tried at once."""
        if self._supervisor is not None:
            self._loop.call(self._supervisor.plugged)

    def stop(self) -> None:
        if self._supervisor is not None:
            self._loop.run(self._supervisor.stop())

    def expect(self, fits: Callable[[DeviceEvent], bool], within: float, what: str) -> DeviceEvent:
        """The next event that fits, of those that the test has not seen; those before it count as seen."""
        __tracebackhide__ = True

        def index() -> int | None:
            return next((at for at in range(self._read, len(self.events)) if fits(self.events[at])), None)

        if not self._wait(lambda: index() is not None, within):
            unseen = ", ".join(map(in_words, self.events[self._read :])) or "nothing"
            raise NotHeard(
                f"{self.name}: {what} did not come within {within:g} s; it said {unseen}\n{self._story.tail()}"
            )
        at = index()
        assert at is not None
        self._read = at + 1
        return self.events[at]

    def until(self, reached: Callable[[], bool], within: float, what: str) -> None:
        __tracebackhide__ = True
        if not self._wait(reached, within):
            raise NotHeard(f"{self.name}: {what} did not happen within {within:g} s\n{self._story.tail()}")

    def until_told(self, seconds: float) -> None:
        """Until there is an event that the test has not seen, or so long."""
        self._wait(lambda: bool(self.unseen()), seconds)

    def forget_old(self) -> None:
        """What the device kept from before this test, and tells at its first contact, is no part of the test."""
        end = time.monotonic() + OLD_S
        self.until_told(QUIET_S)
        while self.unseen() and time.monotonic() < end:
            with self._news:
                self.events.clear()
            self.until_told(QUIET_S)

    def run(self, function: Callable[[], T]) -> T:
        """Asks the driver something, in the loop where it lives."""
        return self._loop.call(function)

    def unseen(self) -> list[DeviceEvent]:
        return self.events[self._read :]

    # Inside

    async def _start(self) -> None:
        self._supervisor = Supervisor(
            self.name, self.device, on_event=self._heard, on_change=self._changed, allow_simulated=True
        )
        self._supervisor.start()
        await asyncio.sleep(0)

    def _heard(self, heard: Heard) -> None:
        self._story.tell(self.name, in_words(heard.event))
        self.on_event(heard.event)
        with self._news:
            self.events.append(heard.event)
            self._news.notify_all()

    def _changed(self, change: StateChanged) -> None:
        self._story.tell(self.name, in_words(change))
        with self._news:
            self.changes.append(change)
            self._news.notify_all()

    def _wait(self, reached: Callable[[], bool], within: float) -> bool:
        end = time.monotonic() + within
        while not reached():
            left = end - time.monotonic()
            if left <= 0:
                return False
            with self._news:
                self._news.wait(min(left, LOOK_S))
        return True
