"""What screens are told of a table: each view once as a whole, then only what changed in it, numbered for itself.

A change that alters nothing in a view's bytes is neither sent nor numbered there, so that what a reader may not know
does not show in his numbers either. A screen that does not keep up is dropped and comes back by itself; the table and
the other screens wait for nobody. A view that no screen looks at costs nothing.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import Counter, deque
from collections.abc import Mapping
from typing import Any, Final, Self

import msgspec
from msgspec import Struct

from controller.surfaces.web.desk import Desk
from controller.surfaces.web.problems import rejected
from controller.surfaces.web.views import See
from controller.table.state import State
from controller.table.table import Table

RING: Final = 256  # changes that are kept for a screen that was away: minutes of a busy table
WAITING: Final = 64  # messages that may wait for one screen: a minute of beats
KEPT: Final = 2048  # changes that may wait for their time at a screen that is told late
SCREENS: Final = 200

_log = logging.getLogger(__name__)


class Snapshot(Struct, frozen=True, tag_field="type", tag="snapshot"):
    """A view as a whole. `number` counts the changes of this view since the start that `boot` names."""

    boot: str
    number: int
    view: str
    simulated: bool
    state: msgspec.Raw


class Changed(Struct, frozen=True, tag_field="type", tag="change"):
    """The fields of the view that are different now, each whole."""

    number: int
    set: dict[str, msgspec.Raw]


class Beat(Struct, frozen=True, tag_field="type", tag="beat"):
    """The table is alive. `at` is its wall clock in seconds."""

    at: float


class Farewell(Struct, frozen=True):
    """Why a screen is dropped: a WebSocket close code, and words of at most 123 bytes."""

    code: int
    words: str


TOO_SLOW: Final = Farewell(1013, "too slow: too much was waiting to be sent; connect again")
ENDING: Final = Farewell(1012, "the table's daemon is ending; connect again")
BROKEN: Final = Farewell(1011, "this view can't be made; the daemon's log says why")


class Since(Struct, frozen=True):
    """Where a screen left off: the boot and the number of the last message that it has."""

    boot: str
    number: int

    @classmethod
    def read(cls, text: str) -> Self:
        """`BOOT:NUMBER`; raises Rejected."""
        boot, _, number = text.rpartition(":")
        if not boot or not (number.isascii() and number.isdigit()) or len(number) > 18:
            raise rejected(
                "bad_query", f"since={text!r} is not BOOT:NUMBER, as in a snapshot and the changes behind it."
            )
        return cls(boot, int(number))


class Screen:
    """Somebody who looks at a view. `gone` is done when the hub has dropped it."""

    def __init__(self, view: str) -> None:
        self.view = view
        self.gone: asyncio.Future[Farewell] = asyncio.get_running_loop().create_future()
        self._waiting: asyncio.Queue[str] = asyncio.Queue(WAITING)

    def offer(self, text: str) -> bool:
        """A view or a change of it. Whether the screen still keeps up."""
        return self.beat(text)

    def beat(self, text: str) -> bool:
        try:
            self._waiting.put_nowait(text)
        except asyncio.QueueFull:
            return False
        return True

    async def next(self) -> str:
        return await self._waiting.get()

    def drop(self, why: Farewell) -> None:
        if not self.gone.done():
            self.gone.set_result(why)


class LateScreen(Screen):
    """One that learns of everything `delay` seconds later; only beats come at once, because they tell nothing."""

    def __init__(self, view: str, delay: float) -> None:
        super().__init__(view)
        self._delay = delay
        self._kept: deque[tuple[float, str]] = deque()
        self._time = asyncio.get_running_loop().time

    def offer(self, text: str) -> bool:
        self._kept.append((self._time() + self._delay, text))
        return len(self._kept) <= KEPT

    async def next(self) -> str:
        while True:
            due = self._kept[0][0] if self._kept else self._time() + self._delay  # before it nothing can be due
            if self._kept and due <= self._time():
                return self._kept.popleft()[1]
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout_at(due):
                    return await super().next()


class _Channel:
    """One view: how it is now, and what led there."""

    def __init__(self, name: str, see: See) -> None:
        self.name, self._see = name, see
        self.number = 0
        self.whole = b""
        self.screens: set[Screen] = set()
        self._fields: dict[str, msgspec.Raw] = {}
        self._seen: State | None = None
        self._ring: deque[str] = deque(maxlen=RING)

    def look(self, table: Table) -> str | None:
        """The message about what changed, if something did."""
        if table.state is self._seen:
            return None
        whole = msgspec.json.encode(self._see(table))
        self._seen = table.state
        if whole == self.whole:
            return None
        fields = msgspec.json.decode(whole, type=dict[str, msgspec.Raw])
        news = {name: value for name, value in fields.items() if self._fields.get(name) != value}
        self.number, self.whole, self._fields = self.number + 1, whole, fields
        text = msgspec.json.encode(Changed(self.number, news)).decode()
        self._ring.append(text)
        return text

    def behind(self, number: int) -> list[str] | None:
        """The changes behind this number; None where they are not kept, or it was never reached."""
        missed = self.number - number
        if not 0 <= missed <= len(self._ring):
            return None
        return list(self._ring)[len(self._ring) - missed :]


class Hub:
    """`start` it in a running loop, `beat` it each second, `close` it. Calls nobody: screens take what is theirs."""

    def __init__(self, desk: Desk, views: Mapping[str, See]) -> None:
        self.dropped = 0  # screens that did not keep up
        self._desk = desk
        self._channels = {name: _Channel(name, see) for name, see in views.items()}

    def start(self) -> None:
        self._desk.running.listen(self._changed)

    def close(self) -> None:
        """Tells every screen."""
        self._desk.running.forget(self._changed)
        for channel in self._channels.values():
            self._drop(channel, ENDING)

    def watched(self) -> Counter[str]:
        """How many screens each view has."""
        return Counter({name: len(channel.screens) for name, channel in self._channels.items()})

    def snapshot(self, view: str) -> bytes:
        channel = self._channels[view]
        self._look(channel, self._desk.running.table)
        desk = self._desk
        return msgspec.json.encode(
            Snapshot(desk.boot, channel.number, view, desk.simulated, msgspec.Raw(channel.whole))
        )

    def join(self, view: str, since: Since | None, delay: float = 0) -> tuple[Screen, list[str]]:
        """A screen, and what it is told first: nothing where that has a delay too. Raises Rejected where there are
        too many."""
        if self.watched().total() >= SCREENS:
            words = f"{SCREENS} screens look at this table already; no more are let in."
            raise rejected("too_many_screens", words, headers={"Retry-After": "10"})
        whole = self.snapshot(view).decode()
        channel = self._channels[view]
        missed = channel.behind(since.number) if since is not None and since.boot == self._desk.boot else None
        first = [whole] if missed is None else missed
        screen = LateScreen(view, delay) if delay else Screen(view)
        channel.screens.add(screen)
        if not delay:
            return screen, first
        for text in first:
            screen.offer(text)
        return screen, []

    def leave(self, screen: Screen) -> None:
        self._channels[screen.view].screens.discard(screen)

    def beat(self) -> None:
        text = msgspec.json.encode(Beat(self._desk.now())).decode()
        for channel in self._channels.values():
            self._drop_slow(channel, [each for each in channel.screens if not each.beat(text)])

    def _changed(self, change: Any) -> None:
        """Later in this turn of the loop, so that the shoe and the signs come first."""
        asyncio.get_running_loop().call_soon(self._look_at_all, self._desk.running.table)

    def _look_at_all(self, table: Table) -> None:
        for channel in self._channels.values():
            if channel.screens:
                try:
                    self._look(channel, table)
                except Exception:
                    _log.exception("the %s view can't be made; its screens are dropped", channel.name)
                    self._drop(channel, BROKEN)

    def _look(self, channel: _Channel, table: Table) -> None:
        text = channel.look(table)
        if text is not None:
            self._drop_slow(channel, [each for each in channel.screens if not each.offer(text)])

    def _drop_slow(self, channel: _Channel, slow: list[Screen]) -> None:
        for screen in slow:
            self.dropped += 1
            channel.screens.discard(screen)
            screen.drop(TOO_SLOW)

    def _drop(self, channel: _Channel, why: Farewell) -> None:
        for screen in channel.screens:
            screen.drop(why)
        channel.screens.clear()
