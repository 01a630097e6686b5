"""What any display must do, whatever is behind it. A rig is a display with eyes that look at it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import AbstractAsyncContextManager
from typing import Any, Final

import pytest

from drivers.base import Display, Text
from drivers.errors import DeviceError


class DisplayRig:
    """One display, and what was wrong with it."""

    display: Display
    errors: list[DeviceError]
    notices: bool = True  # that its cable is out; what is only written to can't

    def running(self) -> AbstractAsyncContextManager[None]:
        """Opened and served, again after every trouble; afterwards nothing of it is left."""
        raise NotImplementedError

    async def sees(self, text: str) -> None:
        """Until it is to be seen."""
        raise NotImplementedError

    async def sees_nothing(self) -> None:
        raise NotImplementedError

    async def sees_no_more(self, text: str) -> None:
        raise NotImplementedError

    async def until(self, reached: Callable[[], bool]) -> None:
        raise NotImplementedError

    async def unplug(self) -> None:
        raise NotImplementedError

    async def plug_in(self) -> None:
        raise NotImplementedError


Check = Callable[[DisplayRig], Coroutine[Any, Any, None]]


def numbered(number: int) -> Text:
    """A text whose every length has the number in it."""
    return Text(page=f"Limits: {number}", line=f"LIMITS {number}", short=f"{number}", digits=f"{number}")


def limits(number: int) -> dict[str, Text]:
    return {"limits": numbered(number)}


async def content_asked_before_the_sign_is_there_is_shown(rig: DisplayRig) -> None:
    rig.display.show(limits(1234))
    assert not rig.display.shown()
    async with rig.running():
        await rig.sees("1234")
        await rig.until(rig.display.shown)
    assert not rig.display.shown()
    assert not rig.errors


async def content_is_changed_and_cleared(rig: DisplayRig) -> None:
    async with rig.running():
        rig.display.show(limits(1234))
        await rig.sees("1234")
        rig.display.show(limits(5678))
        await rig.sees("5678")
        await rig.sees_no_more("1234")
        rig.display.show({})
        await rig.sees_nothing()
        await rig.until(rig.display.shown)


async def a_message_is_seen_and_afterwards_what_was_there_before(rig: DisplayRig) -> None:
    async with rig.running():
        rig.display.show(limits(1234))
        await rig.sees("1234")
        rig.display.show({**limits(1234), "message": numbered(9999)})
        await rig.sees("9999")
        rig.display.show(limits(1234))
        await rig.sees_no_more("9999")
        await rig.sees("1234")


async def of_a_hundred_changes_the_last_is_shown(rig: DisplayRig) -> None:
    async with rig.running():
        for number in range(1000, 1100):
            rig.display.show(limits(number))
            if number % 7 == 0:
                await asyncio.sleep(0)
        await rig.sees("1099")
        await rig.until(rig.display.shown)
        await rig.sees("1099")


async def a_slot_that_is_none_is_refused_and_changes_nothing(rig: DisplayRig) -> None:
    assert "there is no slot 'limit'" in rig.display.problems({"limit": numbered(1)})[0]
    async with rig.running():
        rig.display.show(limits(1234))
        with pytest.raises(ValueError, match="there is no slot 'limit'"):
            rig.display.show({"limit": numbered(1)})
        await rig.sees("1234")


async def it_is_shown_again_after_the_cable_was_out(rig: DisplayRig) -> None:
    async with rig.running():
        rig.display.show(limits(1234))
        await rig.sees("1234")
        await rig.unplug()
        if rig.notices:
            await rig.until(lambda: bool(rig.errors))
            await rig.until(lambda: not rig.display.shown())
        rig.display.show(limits(5678))
        await rig.plug_in()
        await rig.sees("5678")
        await rig.until(rig.display.shown)
    assert all(error.words and error.advice for error in rig.errors)


ALL: Final[tuple[Check, ...]] = (
    content_asked_before_the_sign_is_there_is_shown,
    content_is_changed_and_cleared,
    a_message_is_seen_and_afterwards_what_was_there_before,
    of_a_hundred_changes_the_last_is_shown,
    a_slot_that_is_none_is_refused_and_changes_nothing,
)
WITH_A_CABLE: Final[tuple[Check, ...]] = (it_is_shown_again_after_the_cable_was_out,)
