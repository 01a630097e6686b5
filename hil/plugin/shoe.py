"""The fixture `shoe`: a shoe under its real driver, a hand that deals from it, and what it told, awaited with limits.

In a test that has the fixture `table` the daemon has the shoe: it can be dealt from, and the table is asked what came.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, cast

from drivers.base import CardRead, DeviceEvent, Ready, Shoe
from drivers.simulated.pile import check_card
from hil.plugin.hands import Hand
from hil.plugin.place import Place
from hil.plugin.watched import Watched
from hil.plugin.words import BenchBroken, NotHeard, Story, in_words

Event = TypeVar("Event", bound=DeviceEvent)


class AtTheTable(Exception):
    """The daemon has the device in this test."""


class Moved:
    """What all fixtures of devices have: a place, a hand, a driver unless the daemon has it."""

    def __init__(self, place: Place, hand: Hand, watched: Watched | None, story: Story, ready_s: float) -> None:
        self.place, self.hand, self._watched, self._story, self._ready_s = place, hand, watched, story, ready_s

    @property
    def simulated(self) -> bool:
        return self.place.is_simulated

    @property
    def watched(self) -> Watched:
        if self._watched is None:
            raise AtTheTable(f"the table's daemon has {self.place.name} in this test: ask the table what it heard")
        return self._watched

    @property
    def ready(self) -> Ready | None:
        """What the device said of itself, while it is ready; None while it is not."""
        return self.watched.ready

    @property
    def events(self) -> list[DeviceEvent]:
        """Everything it told in this test."""
        return list(self.watched.events)

    def await_ready(self, within: float | None = None) -> Ready:
        """After it was lost on purpose. Raises BenchBroken where it does not come back."""
        self.watched.await_ready(self._ready_s if within is None else within)
        ready = self.watched.ready
        if ready is None:
            raise BenchBroken(f"{self.place.name} was ready and lost again at once")
        return ready

    def await_lost(self, within: float = 10.0) -> None:
        """Until its driver noticed that it is gone."""
        self.watched.until(lambda: self.watched.ready is None, within, "losing it")

    def fault(self, name: str, chance: float | None = 1.0) -> None:
        """Switch a named fault on, or off with None. A device that can't have it skips the test."""
        self.place.switch(name, chance)
        self._story.tell("the test", f"{self.place.name}: fault {name} {'off' if chance is None else chance}")

    def expect_event(
        self, what: type[Event], within: float = 5.0, fits: Callable[[Event], bool] = lambda event: True
    ) -> Event:
        """The next event of this kind that the test has not seen yet; those before it count as seen."""

        __tracebackhide__ = True

        def fitting(event: DeviceEvent) -> bool:
            return isinstance(event, what) and fits(event)

        return cast(Event, self.watched.expect(fitting, self._patience(within), f"{what.__name__}"))

    def nothing_more(self, within: float = 0.2) -> None:
        """It tells nothing that the test has not seen, and goes on so for so long."""
        __tracebackhide__ = True
        self.watched.until_told(within)
        if unseen := self.watched.unseen():
            raise NotHeard(f"{self.place.name} should be quiet, and said {', '.join(map(in_words, unseen))}")

    def _patience(self, within: float) -> float:
        return within + self.hand.patience_s

    def _do(self, order: str) -> dict[str, object]:
        self._story.tell("the hand", f"{self.place.name}: {order}")
        done = self.hand.do(order)
        if done.get("words"):
            self._story.tell("the hand", str(done["words"]))
        return done


class BenchShoe(Moved):
    """`commits`: whether each event is acknowledged as soon as it is told, as a table with a fast journal does."""

    commits = True

    def __init__(self, place: Place, hand: Hand, watched: Watched | None, story: Story, ready_s: float) -> None:
        super().__init__(place, hand, watched, story, ready_s)
        if watched is not None:
            watched.on_event = self._heard

    @property
    def device(self) -> Shoe:
        """The driver, for what is not here. It lives in the bench's loop."""
        return cast(Shoe, self.watched.device)

    @property
    def cards(self) -> list[str]:
        """Every card that it told in this test."""
        return [event.card for event in self.watched.events if isinstance(event, CardRead)]

    def deal(self, card: str | None = None) -> str | None:
        """The next card leaves the shoe, or this one; which it is, where that is known before it is read.

        Raises NotDone where a simulated shoe lets none out.
        """
        asked = check_card(card) if card is not None else None
        done = self._do(f"deal {asked}" if asked else "deal")
        cards = done.get("cards")
        return asked or (str(cards[0]) if isinstance(cards, list) and cards else None)

    def expect_card(self, card: str | None = None, within: float = 5.0) -> CardRead:
        """The next card that it tells is this one."""
        __tracebackhide__ = True
        event = self.expect_event(CardRead, within)
        if card is not None and event.card != check_card(card):
            raise NotHeard(f"{self.place.name} told {event.card}, not {card}\n{self._story.tail()}")
        return event

    def cut_card(self) -> None:
        self._do("cut")

    def lid(self, is_open: bool) -> None:
        self._do(f"lid {'open' if is_open else 'close'}")

    def jam(self, jammed: bool) -> None:
        self._do(f"jam {'on' if jammed else 'off'}")

    def load(self) -> None:
        """Fill it anew."""
        self._do("load")

    def commit(self, event: DeviceEvent) -> None:
        """The table has it in its journal, for a test that sets `commits` to False."""
        self.watched.run(lambda: self.device.committed(event))

    def lock(self, locked: bool) -> None:
        self.watched.run(lambda: self.device.lock(locked))

    def _heard(self, event: DeviceEvent) -> None:
        if self.commits:
            self.device.committed(event)
