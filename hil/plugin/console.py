"""The fixture `console`: keys and lamps under their real driver, with fingers and eyes."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Final, cast

from drivers.base import Console, KeyPressed, Lamp
from hil.plugin.hands import OwnHand, PinHand
from hil.plugin.shoe import Moved
from hil.plugin.words import NotHeard

LOOK_S: Final = 0.02


class BenchConsole(Moved):
    @property
    def device(self) -> Console:
        """The driver, for what is not here. It lives in the bench's loop."""
        return cast(Console, self.watched.device)

    @property
    def keys(self) -> tuple[str, ...]:
        return self.device.keys

    def press(self, key: str) -> None:
        self._do(f"press {key}")

    def hold(self, key: str) -> None:
        self._do(f"hold {key}")

    def turn_key(self, on: bool) -> None:
        self._do(f"key {'on' if on else 'off'}")

    def expect_key(self, key: str, held: bool = False, within: float = 5.0) -> KeyPressed:
        """The next key that it tells is this one."""
        __tracebackhide__ = True
        event = self.expect_event(KeyPressed, within)
        told = f"{event.key}{', held' if event.held else ''}"
        if (event.key, event.held) != (key, held):
            raise NotHeard(f"{self.place.name} told {told}, not {key}{', held' if held else ''}")
        return event

    def light(self, lamps: Mapping[str, Lamp]) -> None:
        """The lamps by key; one that is missing is off."""
        self.watched.run(lambda: self.device.light(lamps))

    def expect_lamp(self, key: str, state: Lamp, within: float = 5.0) -> None:
        """As a person sees it."""
        __tracebackhide__ = True
        if not isinstance(self.hand, OwnHand | PinHand):
            answer = self.hand.look(f"is the lamp of {key} {state}? [y/n]")
            if not answer.lower().startswith("y"):
                raise NotHeard(f"the lamp of {key} is not {state}, says who looked")
            return
        end = time.monotonic() + within
        while (seen := self.hand.do("show").get("lamps", {}).get(key)) != state:
            if time.monotonic() > end:
                raise NotHeard(f"the lamp of {key} is not {state} within {within:g} s; it is {seen}")
            time.sleep(LOOK_S)
