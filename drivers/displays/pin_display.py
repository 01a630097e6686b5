"""A display of digits on the Pi's own pins: claims them, shows the newest content, shows it again now and then.

Bits are moved in the event loop, a few at a time, and not in a thread: the chips wait for ever between two edges, a
cancelled transfer stops at a known place, and no thread is left behind with the pins in its hands.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Final

from drivers.base import Content, Kind, Noticed, Ready, Report, check_slot
from drivers.displays.fitting import Digits, Fitted, problems, together
from drivers.errors import PortClosed, PortLost
from drivers.pins import Pins

STEPS: Final = 24  # pin steps between two turns of the others: well below a millisecond on any Pi


class PinDisplay:
    """Fulfils `drivers.base.Display`. `pins` gives the board's pins when the device is opened."""

    kind: Kind = "display"

    def __init__(
        self,
        driver: str,
        *,
        numbers: tuple[int, ...],
        face: Digits,
        words: str,
        refresh_s: float,
        pins: Callable[[], Pins],
        simulated: bool = False,
    ) -> None:
        self.driver, self.simulated = driver, simulated
        self.address = f"pins {', '.join(map(str, numbers[:-1]))} and {numbers[-1]}"
        self.name = f"the {driver} display on {self.address}"
        self._numbers, self._face, self._words = numbers, face, words
        self._refresh_s, self._open_pins = refresh_s, pins
        self._pins: Pins | None = None
        self._openings = 0
        self._fitted = Fitted(rows={})
        self._untold: tuple[str, ...] = ()
        self._has: str | None = None  # what was last written whole
        self._wake = asyncio.Event()

    def show(self, content: Content) -> None:
        for slot in content:
            check_slot(slot)
        fitted = together(content, self._face, self.name)
        if fitted.problems != self._fitted.problems:
            self._untold = fitted.problems
        self._fitted = fitted
        self._wake.set()

    def problems(self, content: Content) -> list[str]:
        return problems(content, self._face, self.name)

    def shown(self) -> bool:
        return self._has == self._text and not self._fitted.problems

    async def open(self) -> None:
        await self.close()
        pins = self._open_pins()
        pins.claim(self.name, self._numbers)
        self._pins = pins
        self._openings += 1
        try:
            self._set_up(pins)
        except BaseException:
            await self.close()
            raise

    async def serve(self, report: Report) -> None:
        """Ready comes after the first writing: a chip that answers has then answered."""
        pins, opening = self._pins, self._openings
        if pins is None:
            raise PortLost(f"{self.name} is not open")
        told = False
        try:
            while True:
                self._wake.clear()
                text = self._text
                for step in self._write(pins, text):
                    if step % STEPS == 0:
                        await asyncio.sleep(0)
                        self._check_open(opening)
                self._has = text
                if not told:
                    told = True
                    report(Ready(identity=self.name, proven=False, words=self._words, simulated=self.simulated))
                untold, self._untold = self._untold, ()
                for words in untold:
                    report(Noticed(words=words))
                await self._wait()
                self._check_open(opening)
        finally:
            self._has = None

    async def close(self) -> None:
        pins, self._pins = self._pins, None
        self._has = None
        self._wake.set()
        if pins is not None:
            pins.release(*self._numbers)

    # For who derives

    def _set_up(self, pins: Pins) -> None:
        raise NotImplementedError

    def _write(self, pins: Pins, text: str) -> Iterator[int]:
        """Writes it bit by bit and counts the steps. Raises PortLost where the chip does not answer."""
        raise NotImplementedError

    # Inside

    @property
    def _text(self) -> str:
        return "".join(row for rows in self._fitted.rows.values() for row in rows)

    def _check_open(self, opening: int) -> None:
        if self._pins is None or self._openings != opening:
            raise PortClosed(f"{self.name} was closed")

    async def _wait(self) -> None:
        try:
            async with asyncio.timeout(self._refresh_s):
                await self._wake.wait()
        except TimeoutError:
            pass
