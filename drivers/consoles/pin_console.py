"""A console on the Pi's own pins: claims them, lights lamps, runs until closed. Keys are added by who derives."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from drivers.base import Kind, Lamp, Ready, Report, Said
from drivers.consoles.naming import check_lamps, is_lit, next_blink
from drivers.errors import PortClosed, PortLost
from drivers.pins import Pins

MISSED: Final = "pins remember nothing: what was done at the console before now is not known"


class PinConsole:
    """Fulfils `drivers.base.Console` but for its keys. `pins` gives the board's pins, when the device is opened."""

    kind: Kind = "console"

    def __init__(
        self,
        driver: str,
        *,
        pins: Callable[[], Pins],
        lamps: Mapping[str, int],
        others: Iterable[int] = (),
        lit_low: bool = False,
        simulated: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.driver, self.simulated = driver, simulated
        self._lamp_pins = dict(lamps)
        self._all_pins = (*self._lamp_pins.values(), *others)
        self.address = f"pins {', '.join(map(str, sorted(self._all_pins)))}"
        self._open_pins, self._clock, self._lit_low = pins, clock, lit_low
        self._pins: Pins | None = None
        self._openings = 0
        self._wanted: dict[str, Lamp] = {}
        self._lit: dict[str, bool] = {}
        self._wake = asyncio.Event()

    @property
    def keys(self) -> tuple[str, ...]:
        return ()

    def light(self, lamps: Mapping[str, Lamp]) -> None:
        check_lamps(lamps, {*self.keys, *self._lamp_pins})
        self._wanted = dict(lamps)
        self.wake()

    async def open(self) -> None:
        await self.close()
        pins = self._open_pins()
        self._openings += 1
        pins.claim(f"the console ({self.driver})", self._all_pins)
        self._pins = pins
        try:
            for pin in self._lamp_pins.values():
                pins.output(pin, self._lit_low)
            self._lit = dict.fromkeys(self._lamp_pins, False)
            self._set_up(pins)
        except BaseException:
            await self.close()
            raise

    async def serve(self, report: Report) -> None:
        pins, opening = self._pins, self._openings
        if pins is None:
            raise PortLost(f"the console on {self.address} is not open")
        name = "simulated pins" if self.simulated else self.address
        report(Ready(identity=f"console on {name}", proven=False, words=MISSED, simulated=self.simulated))
        for said in self._begin(pins, self._clock()):
            report(said)
        while self._pins is not None and self._openings == opening:
            self._wake.clear()
            now = self._clock()
            for said in self._look(pins, now):
                report(said)
            self._show(pins, now)
            await self._wait(now)
        raise PortClosed(f"the console on {self.address} was closed")

    async def close(self) -> None:
        pins, self._pins = self._pins, None
        self.wake()
        if pins is not None:
            pins.release(*self._all_pins)

    def wake(self) -> None:
        """Look at the pins and the lamps now."""
        self._wake.set()

    # For who derives

    def _set_up(self, pins: Pins) -> None:
        """Set up the pins that are no lamps."""

    def _begin(self, pins: Pins, now: float) -> list[Said]:
        """Listen, and tell what is to be told at the start."""
        return []

    def _look(self, pins: Pins, now: float) -> list[Said]:
        """What has happened, or what time has done."""
        return []

    def _due(self) -> list[float]:
        """When there is something to look at, if no edge comes before."""
        return []

    def _state(self, lamp: str, now: float) -> Lamp:
        return self._wanted.get(lamp, "off")

    # Lamps

    def _show(self, pins: Pins, now: float) -> None:
        for lamp, pin in self._lamp_pins.items():
            lit = is_lit(self._state(lamp, now), now)
            if lit is not self._lit[lamp]:
                pins.write(pin, lit is not self._lit_low)
                self._lit[lamp] = lit

    async def _wait(self, now: float) -> None:
        due = self._due()
        if any(self._state(lamp, now) == "blinking" for lamp in self._lamp_pins):
            due.append(next_blink(now))
        try:
            async with asyncio.timeout(max(0.0, min(due) - self._clock()) if due else None):
                await self._wake.wait()
        except TimeoutError:
            pass
