"""What any console must do, whatever is behind it. A rig is a console with the hands and eyes of a person at it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any, Final

import pytest

from drivers.base import Console, FaultReported, KeyPressed, Lamp, Ready, Refused, Said
from drivers.errors import DeviceError

PATIENCE_S: Final = 20.0  # what is waited for takes milliseconds; a loaded machine may take longer
TAP, LONG = "hit", "undo"  # every rig with keys has these; the second means something else when it is held


class Rig:
    """What a rig can do. One without keys, lamps or a plug says so, and is left out where that is asked for."""

    name: str
    console: Console
    lamp_names: tuple[str, ...] = ()

    async def press(self, key: str, *, bounce: bool = False) -> None:
        raise NotImplementedError

    async def hold(self, key: str) -> None:
        raise NotImplementedError

    async def stick(self, key: str) -> None:
        """The key goes down and stays there for minutes."""
        raise NotImplementedError

    def lamps(self) -> dict[str, Lamp]:
        """As a person sees them."""
        raise NotImplementedError

    async def unplug(self) -> None:
        raise NotImplementedError

    async def replug(self) -> None:
        raise NotImplementedError

    def left_behind(self) -> list[str]:
        """What the closed console still holds, in words."""
        return []


RigMaker = Callable[[Path], AbstractAsyncContextManager[Rig]]


class Served:
    """A console that is open, and everything that it said."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.said: list[Said] = []
        self.over: asyncio.Task[None] | None = None
        self._news = asyncio.Event()

    def report(self, said: Said) -> None:
        self.said.append(said)
        self._news.set()

    @property
    def presses(self) -> list[tuple[str, bool]]:
        return [(said.key, said.held) for said in self.said if isinstance(said, KeyPressed)]

    async def until(self, true: Callable[[], bool]) -> None:
        async with asyncio.timeout(PATIENCE_S):
            while not true():
                self._news.clear()
                try:
                    async with asyncio.timeout(0.02):  # not everything that is waited for is said
                        await self._news.wait()
                except TimeoutError:
                    pass

    async def pressed(self, count: int) -> None:
        await self.until(lambda: len(self.presses) >= count)

    async def trouble(self) -> DeviceError:
        """What ends the serving."""
        assert self.over is not None
        async with asyncio.timeout(PATIENCE_S):
            try:
                await self.over
            except DeviceError as error:
                return error
        raise AssertionError("the console ended without a word")


@asynccontextmanager
async def serving(console: Console) -> AsyncIterator[Served]:
    """Opens it, waits until it is ready or refused, and closes it."""
    served = Served(console)
    await console.open()
    over = served.over = asyncio.create_task(console.serve(served.report))
    try:
        await served.until(lambda: any(isinstance(said, Ready | Refused) for said in served.said) or over.done())
        yield served
    finally:
        over.cancel()
        await asyncio.gather(over, return_exceptions=True)
        await console.close()


Check = Callable[[Rig], Coroutine[Any, Any, None]]


async def each_press_is_told_once(rig: Rig) -> None:
    async with serving(rig.console) as served:
        for count in range(1, 4):
            await rig.press(TAP)
            await served.pressed(count)
        await rig.press(LONG)
        await served.pressed(4)
        assert served.presses == [(TAP, False)] * 3 + [(LONG, False)]


async def a_bouncing_contact_is_one_press(rig: Rig) -> None:
    async with serving(rig.console) as served:
        for count in range(1, 6):
            await rig.press(TAP, bounce=True)
            await served.pressed(count)
        await rig.press(LONG, bounce=True)
        await served.until(lambda: (LONG, False) in served.presses)
        assert served.presses == [(TAP, False)] * 5 + [(LONG, False)]


async def a_long_press_is_told_once_and_is_no_short_one(rig: Rig) -> None:
    async with serving(rig.console) as served:
        await rig.hold(LONG)
        await served.pressed(1)
        await rig.press(TAP)
        await served.pressed(2)
        assert served.presses == [(LONG, True), (TAP, False)]


async def a_key_without_a_long_press_is_told_once_however_long(rig: Rig) -> None:
    async with serving(rig.console) as served:
        await rig.hold(TAP)
        await rig.press(LONG)
        await served.pressed(2)
        assert served.presses == [(TAP, False), (LONG, False)]


async def a_stuck_key_does_not_flood_and_others_still_work(rig: Rig) -> None:
    async with serving(rig.console) as served:
        await rig.stick(TAP)
        await served.pressed(1)
        await rig.press(LONG)
        await served.pressed(2)
        assert served.presses == [(TAP, False), (LONG, False)]
        assert sum(isinstance(said, FaultReported) for said in served.said) <= 1
        assert len(served.said) < 10


async def lamps_are_set_and_changed(rig: Rig) -> None:
    first, second = rig.lamp_names[:2]
    async with serving(rig.console) as served:
        rig.console.light({first: "on"})
        await served.until(lambda: rig.lamps()[first] == "on")
        assert rig.lamps()[second] == "off"
        rig.console.light({second: "blinking"})
        await served.until(lambda: rig.lamps()[first] == "off" and rig.lamps()[second] == "blinking")
        rig.console.light({})
        await served.until(lambda: set(rig.lamps().values()) == {"off"})


async def lamps_asked_for_before_it_is_there_are_shown_when_it_is(rig: Rig) -> None:
    first = rig.lamp_names[0]
    rig.console.light({first: "on"})
    async with serving(rig.console) as served:
        await served.until(lambda: rig.lamps()[first] == "on")


async def lamps_are_shown_again_after_a_reconnection(rig: Rig) -> None:
    first, second = rig.lamp_names[:2]
    async with serving(rig.console) as served:
        rig.console.light({first: "on"})
        await served.until(lambda: rig.lamps()[first] == "on")
    rig.console.light({second: "on"})
    async with serving(rig.console) as served:
        await served.until(lambda: rig.lamps()[second] == "on" and rig.lamps()[first] == "off")


async def an_unknown_lamp_is_refused_and_nothing_changes(rig: Rig) -> None:
    known = (*rig.lamp_names, *rig.console.keys)[0]
    async with serving(rig.console) as served:
        rig.console.light({known: "on"})
        for wrong in ({"teh_moon": "on", known: "off"}, {known: "green"}):
            with pytest.raises(ValueError, match=r"moon|green"):
                rig.console.light(wrong)  # type: ignore[arg-type]
        if rig.lamp_names:
            await served.until(lambda: rig.lamps()[known] == "on")


async def it_opens_again_and_again(rig: Rig) -> None:
    for _ in range(3):
        async with serving(rig.console) as served:
            await served.until(lambda: any(isinstance(said, Ready) for said in served.said))


async def closing_it_ends_the_serving_in_words(rig: Rig) -> None:
    async with serving(rig.console) as served:
        await rig.console.close()
        error = await served.trouble()
        assert str(error)
        await rig.console.close()


async def an_unplugged_one_says_so_and_comes_back(rig: Rig) -> None:
    async with serving(rig.console) as served:
        await rig.unplug()
        error = await served.trouble()
        assert error.words
        assert error.advice
    with pytest.raises(DeviceError) as missing:
        await rig.console.open()
    assert missing.value.words
    assert missing.value.advice
    await rig.replug()
    async with serving(rig.console) as served:
        await rig.press(TAP)
        await served.pressed(1)
        assert served.presses == [(TAP, False)]


WITH_KEYS: Final[tuple[Check, ...]] = (
    each_press_is_told_once,
    a_bouncing_contact_is_one_press,
    a_long_press_is_told_once_and_is_no_short_one,
    a_key_without_a_long_press_is_told_once_however_long,
    a_stuck_key_does_not_flood_and_others_still_work,
)
WITH_LAMPS: Final[tuple[Check, ...]] = (
    lamps_are_set_and_changed,
    lamps_asked_for_before_it_is_there_are_shown_when_it_is,
    lamps_are_shown_again_after_a_reconnection,
)
WITH_A_PLUG: Final[tuple[Check, ...]] = (an_unplugged_one_says_so_and_comes_back,)
ALL: Final[tuple[Check, ...]] = (
    an_unknown_lamp_is_refused_and_nothing_changes,
    it_opens_again_and_again,
    closing_it_ends_the_serving_in_words,
)
