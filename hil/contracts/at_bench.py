"""The rigs of the contracts on a bench's devices: dealt from, pressed and looked at by whoever is at the bench.

Refuses with CantDo what nobody at the bench can do; that check is then skipped with its words.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from itertools import cycle
from typing import Any, Final, cast

from drivers.base import Console, Display, Lamp, Mark, Ready, Shoe
from drivers.simulated.pile import DECK
from hil.contracts.console import Rig as ConsoleRig
from hil.contracts.display import DisplayRig
from hil.contracts.keeper import WAIT_S, Keeper
from hil.contracts.shoe import ShoeRig
from hil.plugin.bench_file import Role
from hil.plugin.hands import Hand, OwnHand, PinHand
from hil.plugin.line import Line
from hil.plugin.place import Place
from hil.plugin.rig import Rig
from hil.plugin.words import CantDo

KEEPING: Final = "kept until committed"  # among a shoe driver's capabilities
LONGEST_S: Final = 3600.0  # a person may be dealing


class Cabled:
    """A place at which the cable can be pulled."""

    def __init__(self, rig: Rig, role: Role) -> None:
        self.rig, self.place = rig, rig.place(role)
        self.patience_s = WAIT_S + (rig.entry.person_s if not self.place.entry.simulated else 0)

    @property
    def line(self) -> Line:
        if self.place.line is None:
            raise CantDo(f"{self.place.name} is on pins: it has no cable to be pulled")
        return self.place.line

    async def out(self) -> None:
        self.line.faults.switch("unplug", 1.0)
        await self.line.unplugged()

    async def back(self) -> None:
        self.line.faults.switch("unplug", None)
        await self.line.plugged()


class BenchShoe(ShoeRig):
    def __init__(self, rig: Rig) -> None:
        self._at = Cabled(rig, "shoe")
        super().__init__(cast(Shoe, self._at.place.make()), patience_s=self._at.patience_s)
        self._hand = rig.hand(self._at.place, None)
        self._dealt: list[str] = []
        self._next = cycle(DECK[::5])
        self.keeps_events = KEEPING in _capabilities(self._at.place)

    @property
    def dealt(self) -> Sequence[str]:
        return self._dealt

    async def deal_one(self) -> None:
        card = next(self._next)
        await asyncio.to_thread(self._hand.do, f"deal {card}")
        self._dealt.append(card)

    async def ready(self, times: int = 1) -> None:
        await super().ready(times)
        if self._at.place.line is not None:  # who only talks is ready as soon as the port is open
            await self.until(lambda: self._at.line.is_open)

    async def unplug(self) -> None:
        errors = len(self.errors)
        await self._at.out()
        await self.until(lambda: len(self.errors) > errors)

    async def plug_in(self) -> None:
        times = len(self.readies)
        await self._at.back()
        await self.ready(times + 1)

    async def restart_host(self, known: Mark | None) -> None:
        await self.stop()
        self.device = cast(Shoe, self._at.place.make(known))
        self.start()
        await self.ready()


class BenchDisplay(DisplayRig):
    def __init__(self, rig: Rig) -> None:
        self._at = Cabled(rig, "sign")
        self.display = cast(Display, self._at.place.make())
        self._keeper = Keeper(self.display, patience_s=self._at.patience_s)
        self.errors = self._keeper.errors
        self._hand = rig.hand(self._at.place, self.display)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        self._keeper.start()
        try:
            yield
        finally:
            await self._keeper.stop()

    async def sees(self, text: str) -> None:
        await self._looks(f"does it show {text}? [y/n]", lambda shown: text in shown)

    async def sees_nothing(self) -> None:
        await self._looks("is it blank? [y/n]", lambda shown: not shown.strip())

    async def sees_no_more(self, text: str) -> None:
        await self._looks(f"does it show anything but {text}? [y/n]", lambda shown: text not in shown)

    async def until(self, reached: Callable[[], bool]) -> None:
        await self._keeper.until(reached)

    async def unplug(self) -> None:
        await self._at.out()

    async def plug_in(self) -> None:
        await self._at.back()

    async def _looks(self, question: str, fits: Callable[[str], bool]) -> None:
        if not isinstance(self._hand, OwnHand | PinHand):
            answer = await asyncio.to_thread(self._hand.look, question)
            assert answer.lower().startswith("y"), f"{question} {answer}"
            return
        async with asyncio.timeout(self._at.patience_s):
            while not fits(await asyncio.to_thread(self._hand.look, question)):
                await asyncio.sleep(0.02)


class BenchConsole(ConsoleRig):
    def __init__(self, rig: Rig) -> None:
        self._at = Cabled(rig, "console")
        self.console = cast(Console, self._at.place.make())
        self._hand = rig.hand(self._at.place, self.console)
        self.lamp_names = self.console.keys

    async def press(self, key: str, *, bounce: bool = False) -> None:
        if bounce:
            raise CantDo("nobody at a bench can make a contact bounce at will")
        await self._do(f"press {key}")

    async def hold(self, key: str) -> None:
        await self._do(f"hold {key}")

    async def stick(self, key: str) -> None:
        raise CantDo("nobody at a bench holds a key down for minutes")

    def lamps(self) -> dict[str, Lamp]:
        if not isinstance(self._hand, OwnHand | PinHand):
            raise CantDo("lamps are looked at by the bench itself only where they are simulated")
        return dict(lamps_of(self._hand, self._at.place))

    async def unplug(self) -> None:
        await self._at.out()

    async def replug(self) -> None:
        await self._at.back()

    async def _do(self, order: str) -> None:
        await asyncio.to_thread(self._hand.do, order)


def lamps_of(hand: Hand, place: Place) -> dict[str, Lamp]:
    """Asked in the bench's own loop, so not through the hand, which would wait for it."""
    if isinstance(hand, PinHand):
        return hand.lamps()
    lamps: dict[str, Lamp] = place.simulated.state()["lamps"] if place.simulated is not None else {}
    return lamps


async def on(rig: ShoeRig, check: Callable[[ShoeRig], Coroutine[Any, Any, None]]) -> None:
    """The check on a shoe that is ready; the driver is closed behind it."""
    rig.start()
    try:
        await rig.ready()
        assert isinstance(rig.said[0], Ready)
        await check(rig)
    finally:
        await rig.stop()


def _capabilities(place: Place) -> tuple[str, ...]:
    from drivers import registry

    return registry.load("shoe", place.driver).CAPABILITIES
