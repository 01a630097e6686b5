"""The kit's end of the stimulus line on a port: an order out, its answer back, in bounded time."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from drivers.errors import PortLost
from hil.stimulus import ANSWER_S, MAX_ANSWER, Answer, Lines, NotAnOrder, Order, on_the_line, parse_answer

if TYPE_CHECKING:
    from drivers.ports.base import Port

PATIENCE: float = 3 * ANSWER_S  # a loaded machine on the other side is late, not gone


class StimulusLine:
    """Raises PortLost, in words, where nothing sensible answers."""

    def __init__(self, port: Port, name: str) -> None:
        self.name = name
        self._port = port
        self._lines = Lines(MAX_ANSWER)
        self._waiting: list[str] = []

    async def obey(self, order: Order) -> Answer:
        self._waiting.clear()  # a late answer to an order before is none to this
        try:
            async with asyncio.timeout(PATIENCE):
                await self._port.write(on_the_line(order))
                while not self._waiting:
                    self._waiting += self._lines.feed(await self._port.read())
        except TimeoutError:
            raise PortLost(
                f"the stimulus line {self.name} did not answer {str(order)!r} within {PATIENCE:.0f} s",
                advice="Does the device read the orders of hil/stimulus.py there?",
            ) from None
        try:
            return parse_answer(self._waiting[0])
        except NotAnOrder as error:
            raise PortLost(f"the stimulus line {self.name} answered {str(order)!r} strangely: {error}") from error

    async def close(self) -> None:
        await self._port.close()
