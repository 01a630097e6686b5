"""A port that somebody listens in on: bytes pass unchanged, and every chunk, the opening and the end are told.

What goes to the device is told before it is handed over, so that no answer stands before its question. What is told
to must be quick and raise nothing: the table waits for it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from msgspec import Struct

from drivers.errors import PortClosed, PortLost
from drivers.ports.base import Port
from drivers.stream import Opener

Direction = Literal["from_device", "to_device"]


class PortOpened(Struct, frozen=True):
    """`simulated`: the port is marked as one with no hardware behind it."""

    words: str
    simulated: bool = False


class Passed(Struct, frozen=True):
    """Bytes that went through the port at once."""

    direction: Direction
    data: bytes


class PortEnded(Struct, frozen=True):
    """No more bytes before it is opened again. `lost`: the far side went away, we did not close it."""

    words: str
    lost: bool


Happened = PortOpened | Passed | PortEnded
Tell = Callable[[Happened], None]


class TappedPort:
    """Fulfils `drivers.ports.base.Port`."""

    def __init__(self, port: Port, tell: Tell) -> None:
        self.name = port.name
        self.simulated = bool(getattr(port, "simulated", False))  # only a tty can tell
        self._port, self._tell = port, tell
        self._over = False
        tell(PortOpened(f"{port.name} is open", self.simulated))

    async def read(self) -> bytes:
        try:
            data = await self._port.read()
        except (PortLost, PortClosed) as error:
            self._end(str(error), lost=isinstance(error, PortLost))
            raise
        if not self._over:
            self._tell(Passed("from_device", data))
        return data

    async def write(self, data: bytes) -> None:
        """A port whose writer finds it lost may still have last words to read: the reader tells the end."""
        if data and not self._over:
            self._tell(Passed("to_device", bytes(data)))
        await self._port.write(data)

    async def close(self) -> None:
        self._end(f"{self.name} was closed", lost=False)
        await self._port.close()

    def _end(self, words: str, *, lost: bool) -> None:
        if not self._over:
            self._over = True
            self._tell(PortEnded(words, lost))


def tapped(opener: Opener, tell: Tell) -> Opener:
    """Opens the same port, with somebody listening in."""

    async def open_tapped() -> Port:
        return TappedPort(await opener(), tell)

    return open_tapped
