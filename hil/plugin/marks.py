"""The markers of bench tests: games, faults, hardware only. Refuses a wrong one at collection, all of them at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import pytest
from msgspec import Struct

from controller.rules.errors import Refused, RulesetError
from drivers.simulated.faults import Faults
from hil.plugin.bench_file import ROLES, BenchEntry, Role, load_rules_of
from hil.plugin.line import ON_THE_LINE
from hil.plugin.rig import Rig, roles_of
from hil.plugin.words import CantDo

MARKERS: Final = (
    "game(name, …): the table plays this game, or each of these; a file of your own ends in .toml",
    "fault(name, chance=1.0, device=None): switched on before the test; skipped where the bench can't have it",
    "hardware: only with real devices; skipped where one that the test uses is simulated",
)
OURS: Final = ("bench", *ROLES, "table", "wire", "power", "clock")


class FaultMark(Struct, frozen=True):
    name: str
    chance: float = 1.0
    device: Role | None = None


def games_of(marks: Iterator[pytest.Mark]) -> list[str]:
    """The nearest marker's; it takes the place of those around it."""
    nearest = next(marks, None)
    return [str(name) for name in nearest.args] if nearest is not None else []


def faults_of(item: pytest.Item) -> list[FaultMark]:
    return [_fault(mark) for mark in item.iter_markers("fault")]


def check(items: Sequence[pytest.Item]) -> None:
    """Raises UsageError with every marker that is wrong."""
    wrong = dict.fromkeys(f"{_place(item)}: {words}" for item in items for words in _mistakes(item))
    if wrong:
        raise pytest.UsageError("\n".join(wrong))


def skip_reason(item: pytest.Item, entry: BenchEntry) -> str:
    """Why this test can't be run on this bench, as far as the bench file tells; empty where it can."""
    roles = roles_of(entry, _fixtures(item))
    simulated = [role for role in roles if entry.devices[role].simulated]
    if simulated and item.get_closest_marker("hardware") is not None:
        return f"for hardware only, and the {' and '.join(simulated)} of the bench {entry.name} is simulated"
    for fault in faults_of(item):
        able = [role for role in roles if entry.devices[role].simulated or fault.name in ON_THE_LINE]
        if not able or (fault.device is not None and fault.device not in able):
            which = fault.device or " or ".join(roles)
            return f"the real {which} of the bench {entry.name} can't be given the fault {fault.name}"
    return ""


def switch_on(item: pytest.Item, rig: Rig) -> None:
    """What the markers of this test ask for. Raises CantDo."""
    marked = [place.name for place in rig.places.values() if place.is_simulated]
    if marked and item.get_closest_marker("hardware") is not None:
        raise CantDo(f"for hardware only, and at the port of {' and '.join(marked)} is a simulated device")
    for fault in faults_of(item):
        roles = (fault.device,) if fault.device is not None else rig.roles()
        places = [rig.place(role) for role in roles]
        place = next((each for each in places if fault.name in each.faults), None)
        if place is None:
            raise CantDo(f"no {' or '.join(roles)} of the bench {rig.entry.name} can be given the fault {fault.name}")
        place.switch(fault.name, fault.chance)
        rig.story.tell("the marker", f"{place.name}: fault {fault.name} {fault.chance:g}")


def game_id(game: str) -> str:
    return Path(game).stem


def _fault(mark: pytest.Mark) -> FaultMark:
    """Raises ValueError in words."""
    known = ("name", "chance", "device")
    given = dict(zip(known, mark.args, strict=False)) | dict(mark.kwargs)
    if len(mark.args) > len(known) or set(given) - set(known) or not isinstance(given.get("name"), str):
        raise ValueError('fault takes a name, a chance and a device: fault("misread", 0.1, device="shoe")')
    chance, device = given.get("chance", 1.0), given.get("device")
    if not isinstance(chance, int | float) or isinstance(chance, bool):
        raise ValueError(f"fault {given['name']!r}: a chance is a number above 0 and up to 1, not {chance!r}")
    Faults().switch(given["name"], float(chance))  # which refuses what there is not, with the nearest name
    if device is not None and device not in ROLES:
        raise ValueError(f"fault {given['name']!r}: there is no device {device!r}; there are {', '.join(ROLES)}")
    return FaultMark(given["name"], float(chance), device)


def _mistakes(item: pytest.Item) -> Iterator[str]:
    fixtures = _fixtures(item)
    for mark in item.iter_markers("fault"):
        try:
            fault = _fault(mark)
        except ValueError as error:
            yield str(error)
            continue
        if not fixtures.intersection(OURS):
            yield f"fault {fault.name!r}: this test uses no device; name a fixture such as shoe"
    for mark in item.iter_markers("game"):
        if not mark.args or mark.kwargs or not all(isinstance(name, str) for name in mark.args):
            yield 'game takes names: game("power_blackjack")'
            continue
        if "table" not in fixtures:
            yield "game: this test has no table; name the fixture table"
        for name in mark.args:
            try:
                load_rules_of(name, item.path.parent)
            except (Refused, RulesetError) as error:
                yield f"game: {error}"
    for mark in item.iter_markers("hardware"):
        if mark.args or mark.kwargs:
            yield "hardware takes no words: @pytest.mark.hardware"
        if not fixtures.intersection(OURS):
            yield "hardware: this test uses no device; name a fixture such as shoe"


def _fixtures(item: pytest.Item) -> set[str]:
    return set(getattr(item, "fixturenames", ()))


def _place(item: pytest.Item) -> str:
    path, line, name = item.location
    return f"{path}:{(line or 0) + 1}: {name.partition('[')[0]}"
