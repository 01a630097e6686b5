"""A simulated device on a pty of its own, for any program that opens a serial port; tells when one comes and goes.

While no program has it open, the device is like one whose cable leads nowhere. The fault `unplug` takes the path away;
switched off, there is a path again, which may be another one: `link` is a symbolic link that always leads to it.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path
from typing import Final, Literal

from drivers.errors import BadSetting
from drivers.ports.base import Port
from drivers.ports.pty import PtyPair
from drivers.simulated.cable import Cable, End
from drivers.simulated.faults import Faults

PTYS: Final = "/dev/pts/"  # where a link of an earlier simulated device led
LOOK_S: Final = 0.02  # how soon a program that opened the path is noticed: nothing tells us
Happened = Literal["plugged_in", "opened", "closed", "unplugged"]


class PtyPlug:
    """`run` until it is cancelled; afterwards neither path nor link is left."""

    def __init__(
        self,
        end: End,
        faults: Faults,
        told: Callable[[Happened, str], None],
        *,
        link: Path | None = None,
        simulated: bool = True,
        through: Callable[[Port], Port] = lambda port: port,
    ) -> None:
        """`simulated` is said by a mark on the path: false only where hardware is behind it. `through` is put between
        the path and the cable, such as a tap."""
        self._end, self._faults, self._told, self._link = end, faults, told, link
        self._simulated, self._through = simulated, through
        self._cable: Cable | None = None

    @property
    def is_open(self) -> bool:
        """Whether a program listens."""
        return self._cable is not None

    def wake(self) -> None:
        """The device has something new to send."""
        if self._cable is not None:
            self._cable.wake()

    async def run(self) -> None:
        """Raises BadSetting where the link can't be made."""
        while True:
            pair = PtyPair(hold=False)
            try:
                if self._simulated:
                    pair.mark()
                self._make_link(pair.path)
                self._told("plugged_in", str(self._link or pair.path))
                await self._plugged_in(pair)
            finally:
                self._drop_link(pair.path)
                await pair.close()
            self._told("unplugged", str(self._link or pair.path))
            while self._faults.is_on("unplug"):
                await asyncio.sleep(LOOK_S)

    async def _plugged_in(self, pair: PtyPair) -> None:
        while not self._faults.is_on("unplug"):
            if not (pair.attached() or pair.spoken_to()):
                await asyncio.sleep(LOOK_S)
                continue
            self._cable = Cable(self._end, _Kept(self._through(pair.port)), self._faults)
            self._told("opened", pair.path)
            try:
                await self._cable.run()
            finally:
                self._cable = None
            self._told("closed", pair.path)

    def _make_link(self, path: str) -> None:
        if self._link is None:
            return
        try:
            if self._link.is_symlink():
                leads_to = os.readlink(self._link)
                if not leads_to.startswith(PTYS):  # udev's name of the real device may be what was typed
                    raise BadSetting(f"the link {self._link} leads to {leads_to} already: choose another name")
                self._link.unlink()
            self._link.symlink_to(path)
        except OSError as error:
            raise BadSetting(f"the link {self._link} can't be made: {error.strerror}") from error

    def _drop_link(self, path: str) -> None:
        """Only while it is ours: another simulated device may have taken the name over."""
        if self._link is not None and self._link.is_symlink() and os.readlink(self._link) == path:
            self._link.unlink()


class _Kept:
    """A port that outlives its cable: the program may open the path again."""

    def __init__(self, port: Port) -> None:
        self.name = port.name
        self._port = port

    async def read(self) -> bytes:
        return await self._port.read()

    async def write(self, data: bytes) -> None:
        await self._port.write(data)

    async def close(self) -> None:
        """Left to whoever made it."""
