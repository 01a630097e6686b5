"""The fixture `power`: cables pulled and plugged in, supplies cut and restored, the daemon killed and started again.

A cable can be pulled at every device that has one: the bench's own is between. A real device's supply is cut by the
programs that the bench file names; without them, the test that asks for it is skipped.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from hil.plugin.bench_file import Role
from hil.plugin.hands import run_command
from hil.plugin.words import CantDo

if TYPE_CHECKING:
    from hil.plugin.rig import Rig


class Power:
    def __init__(self, rig: Rig) -> None:
        self._rig = rig
        self.off: list[Role] = []  # whose supply is cut now

    def unplug(self, role: Role = "shoe") -> None:
        """The cable is out when this returns; the device keeps its supply."""
        place = self._rig.place(role)
        place.switch("unplug", 1.0)
        self._tell(f"the cable of {place.name} is out")
        if place.line is not None:
            self._rig.loop.run(place.line.unplugged())

    def plug_in(self, role: Role = "shoe") -> None:
        place = self._rig.place(role)
        place.switch("unplug", None)
        self._tell(f"the cable of {place.name} is in")
        if place.line is not None:
            self._rig.loop.run(place.line.plugged())
        self._rig.look_again(role)

    def cut(self, role: Role = "shoe") -> None:
        """The device's supply is gone, and what it only kept in its memory."""
        place, supply = self._rig.place(role), self._rig.entry.supply
        if place.simulated is not None:
            self.unplug(role)
            end = place.simulated.end
            self._rig.loop.call(end.reboot)
        elif supply is None:
            raise CantDo(f"nothing cuts the supply of {place.name}: write [bench.power] with cut and restore")
        else:
            self._tell(f"the supply of {place.name} is cut")
            run_command(supply.cut, self._rig.entry.folder, "cutting the power")
        self.off.append(role)

    def restore(self, role: Role = "shoe") -> None:
        place, supply = self._rig.place(role), self._rig.entry.supply
        self.off.remove(role)
        if place.simulated is not None:
            self.plug_in(role)
        elif supply is not None:
            self._tell(f"the supply of {place.name} is restored")
            run_command(supply.restore, self._rig.entry.folder, "restoring the power")
            self._rig.look_again(role)

    @contextmanager
    def out(self, role: Role = "shoe") -> Iterator[None]:
        """The cable is out while this lasts."""
        self.unplug(role)
        try:
            yield
        finally:
            self.plug_in(role)

    def cut_table(self) -> None:
        """The machine of the daemon loses its power: it is killed between two instructions."""
        self._rig.table().kill()

    def restore_table(self) -> None:
        self._rig.table().restart()

    def put_back(self) -> None:
        """What a test left out or off, so that the next one finds its device."""
        for role in list(self.off):
            self.restore(role)

    def _tell(self, words: str) -> None:
        self._rig.story.tell("power", words)
