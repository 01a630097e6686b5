"""A bench in one test: its devices plugged in as the test asks for them, their fixtures, and putting all back.

Refuses what this bench has not with CantDo, and what is wrong with the bench itself with BenchBroken.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Final, TypeVar

from drivers.base import Device
from hil.plugin.bench_file import BenchEntry, Role
from hil.plugin.console import BenchConsole
from hil.plugin.hands import Hand, OwnHand, PinHand, Uncaptured, hand_of
from hil.plugin.loop import Loop
from hil.plugin.place import Place
from hil.plugin.power import Power
from hil.plugin.shoe import BenchShoe, Moved
from hil.plugin.sign import BenchSign
from hil.plugin.table import BenchTable
from hil.plugin.watched import Watched
from hil.plugin.wire import Wire
from hil.plugin.words import BenchBroken, CantDo, Story

Fixture = TypeVar("Fixture", bound=Moved)
BACK_S: Final = 10.0  # for a device to be there again behind a test that lost it


class Rig:
    """One test's bench. `asked` are the names of the fixtures that the test has."""

    def __init__(
        self,
        entry: BenchEntry,
        asked: Collection[str],
        *,
        game: str,
        uncaptured: Uncaptured,
    ) -> None:
        self.entry, self.asked, self.game = entry, frozenset(asked), game
        self.story = Story()
        self.loop = Loop()
        self.power = Power(self)
        self.places: dict[Role, Place] = {}
        self.wires: dict[Role, Wire] = {}
        self.the_table: BenchTable | None = None
        self._uncaptured = uncaptured
        self._watched: dict[Role, Watched] = {}
        self._moved: dict[Role, Moved] = {}
        self._folder = tempfile.TemporaryDirectory(prefix="croupier-bench-")  # a socket's path must be short

    @property
    def folder(self) -> Path:
        return Path(self._folder.name)

    @property
    def at_table(self) -> bool:
        return "table" in self.asked

    def roles(self) -> tuple[Role, ...]:
        """Of the devices that this test has to do with: with a table, all."""
        return roles_of(self.entry, self.asked)

    # What the fixtures are made of

    def place(self, role: Role) -> Place:
        """Plugged in. Raises CantDo where the bench has no such device, BenchBroken where it is gone."""
        if role not in self.places:
            entry = self.entry.devices.get(role)
            if entry is None:
                raise CantDo(f"the bench {self.entry.name} has no {role}: write [bench.{role}] for one")
            place = Place(f"{self.entry.name} {role}", entry, self.folder, self.loop)
            place.plug_in()
            self.places[role] = place
        return self.places[role]

    def shoe(self) -> BenchShoe:
        return self._fixture("shoe", BenchShoe)

    def sign(self) -> BenchSign:
        return self._fixture("sign", BenchSign)

    def console(self) -> BenchConsole:
        return self._fixture("console", BenchConsole)

    def wire(self, role: Role) -> Wire:
        if role not in self.wires:
            place = self.place(role)
            if place.line is None:
                raise CantDo(f"{place.name} has no wire: its driver {place.driver} works on pins or keys, not on bytes")
            alone = not self.at_table and role not in self.asked
            self.wires[role] = Wire(place.name, place.line, self.loop, self.story, alone=alone)
        return self.wires[role]

    def table(self) -> BenchTable:
        if self.the_table is None:
            if "shoe" not in self.entry.devices:
                raise CantDo(f"the bench {self.entry.name} has no shoe, and a table can't be without one")
            places = {role: self.place(role) for role in self.entry.devices}
            self.the_table = BenchTable(self.folder, places, self.game, self.story)
            self.the_table.start()
            self.the_table.wait_ready(max(BACK_S, self.entry.ready_s))
        return self.the_table

    def look_again(self, role: Role) -> None:
        if role in self._watched:
            self._watched[role].look_again()

    # The end

    def trouble(self) -> str:
        """Why this bench can't be tested on, after a test that failed: a device that does not come back. Tells
        nothing of what the test itself left out: that is put back first."""
        try:
            self._put_back()
            for role, watched in self._watched.items():
                line = self.places[role].line
                if line is not None and line.lost is not None:
                    raise BenchBroken(f"{watched.name}: {line.lost}")
                watched.await_ready(max(BACK_S, self.entry.ready_s))
            for place in self.places.values():
                if place.line is not None and place.line.lost is not None:
                    raise BenchBroken(f"{place.name}: {place.line.lost}")
        except BenchBroken as broken:
            return str(broken)
        return ""

    def close(self) -> None:
        """Everything ends, whatever did not begin."""
        ends: list[Callable[[], None]] = [self.power.put_back]
        if self.the_table is not None:
            ends.append(self.the_table.close)
        ends += [watched.stop for watched in self._watched.values()]
        ends += [wire.close for wire in self.wires.values()]
        ends += [place.close for place in self.places.values()]
        ends += [self.loop.close, self._folder.cleanup]
        troubles: list[BaseException] = []
        for end in ends:
            try:
                end()
            except Exception as error:  # the rest has to end all the same
                troubles.append(error)
        if troubles:
            raise troubles[0]

    def _put_back(self) -> None:
        self.power.put_back()
        for place in self.places.values():
            if place.line is not None and place.line.lost is None:
                faults = place.line.faults
                for fault in list(faults.on):
                    place.switch(fault, None)

    def _fixture(self, role: Role, kind: type[Fixture]) -> Fixture:
        known = self._moved.get(role)
        if known is None:
            place = self.place(role)
            watched = None if self.at_table else Watched(place, self.loop, self.story)
            device = watched.device if watched is not None else None
            known = kind(place, self.hand(place, device), watched, self.story, self.entry.ready_s)
            self._moved[role] = known
            if watched is not None:
                self._watched[role] = watched
                watched.start(self.entry.ready_s)
                if not place.entry.simulated:
                    watched.forget_old()
        assert isinstance(known, kind)
        return known

    def hand(self, place: Place, device: Device | None) -> Hand:
        """Who moves what is there; `device` is its driver, where that is in this process."""
        if place.simulated is not None:
            return OwnHand(place.simulated, self.loop)
        if place.entry.simulated:
            if device is None:
                raise CantDo(f"{place.name} is on simulated pins, which the table's daemon has in its own process")
            return PinHand(place.name, device, self.loop)
        person_s = float(self.entry.person_s)
        return hand_of(
            place.name, place.entry, self.entry.folder, self.loop, person_s=person_s, uncaptured=self._uncaptured
        )


def roles_of(entry: BenchEntry, asked: Collection[str]) -> tuple[Role, ...]:
    """The devices that a test with these fixtures has to do with; all, where it has a table or names none."""
    every = "table" in asked or not any(role in asked for role in entry.devices)
    return tuple(role for role in entry.devices if every or role in asked)
