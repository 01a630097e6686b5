"""Reads bench.toml: which devices are on which bench, whose hand deals, what cuts their power. Opens nothing.

Refuses a wrong file with all its mistakes at once, each with file, line and what is allowed, as a table's
configuration is refused. No file at all is one simulated bench.
"""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Final, Literal, get_args

from msgspec import Struct

from controller.config.devices import Found, read_device
from controller.config.part import Part
from controller.config.problems import BadConfig, Problem
from controller.config.sharing import check_pins, check_ports
from controller.config.sheet import Sheet
from controller.rules.errors import Refused, RulesetError
from drivers.base import Kind
from drivers.errors import BadSetting
from drivers.ports.addresses import AutoAddress, parse_address

Role = Literal["shoe", "sign", "console"]
Hand = Literal["person", "none"]
ROLES: Final[tuple[Role, ...]] = get_args(Role)
HANDS: Final[tuple[Hand, ...]] = get_args(Hand)
KINDS: Final[dict[Role, Kind]] = {"shoe": "shoe", "sign": "display", "console": "console"}
GAME: Final = "power_blackjack"  # where neither the bench nor a test names one
READY_S: Final = 10  # twice the handshake of the slowest board
PERSON_S: Final = 60  # for a person to read, find the card and deal it
DEFAULT: Final = """\
[[bench]]
name = "simulated"
[bench.shoe]
driver = "simulated"
[bench.sign]
driver = "simulated"
[bench.console]
driver = "simulated"
"""


class DeviceEntry(Struct, frozen=True, kw_only=True):
    """One device of a bench. `stimulus` is a port, `command` a program's words, that moves it in a person's place."""

    role: Role
    found: Found
    hand: Hand
    stimulus: str
    command: tuple[str, ...]

    @property
    def simulated(self) -> bool:
        return self.found.driver is not None and self.found.driver.SIMULATED


class Supply(Struct, frozen=True, kw_only=True):
    """The programs that take the power from a bench's devices, and give it back."""

    cut: tuple[str, ...]
    restore: tuple[str, ...]


class BenchEntry(Struct, frozen=True, kw_only=True):
    """One bench, by the name that the ids of its tests have."""

    name: str
    folder: Path  # where its commands are run: the file's own
    devices: dict[Role, DeviceEntry]
    supply: Supply | None
    game: str
    ready_s: int
    person_s: int
    screenshots: bool


def read_benches(path: Path | None) -> tuple[BenchEntry, ...]:
    """Raises BadConfig with everything that is wrong."""
    if path is None:
        return read_text(DEFAULT, Path("bench.toml"))
    if not path.exists():
        words = "there is no such bench file; without --bench the devices are simulated"
        raise BadConfig([Problem(path=path, message=words)])
    return _benches(Sheet.read(path))


def read_text(text: str, path: Path) -> tuple[BenchEntry, ...]:
    """As if the text stood in that file. Raises BadConfig."""
    return _benches(Sheet(path, text))


def _benches(sheet: Sheet) -> tuple[BenchEntry, ...]:
    top = Part(sheet, (), sheet.data)
    parts = top.tables("bench")
    if "bench" not in top.data:
        sheet.wrong((), 'there is no [[bench]]: write one with a name and a [bench.shoe] with driver = "…"')
    entries = [_bench(part) for part in parts]
    top.finish()
    _check_names(parts, entries)
    found = [device.found for entry in entries for device in entry.devices.values()]
    check_ports(found)
    check_pins(found)
    if sheet.problems:
        raise BadConfig(sheet.problems)
    return tuple(entries)


def _check_names(parts: list[Part], entries: list[BenchEntry]) -> None:
    taken: dict[str, Part] = {}
    for part, entry in zip(parts, entries, strict=True):
        other = taken.setdefault(entry.name, part)
        if other is not part and entry.name:
            part.wrong("name", f"{entry.name!r} is also the name of another bench{part.sheet.line(other.at('name'))}")


def _bench(part: Part) -> BenchEntry:
    name = part.text("name", needed='what it is called in the ids of tests, such as name = "left"').strip()
    devices = {role: _device(below, role, name) for role in ROLES if (below := part.table(role)) is not None}
    supply = part.table("power")
    entry = BenchEntry(
        name=name,
        folder=part.folder,
        devices=devices,
        supply=_supply(supply) if supply is not None else None,
        game=_game(part),
        ready_s=part.number("ready_s", READY_S, 1, 600),
        person_s=part.number("person_s", PERSON_S, 1, 3600),
        screenshots=part.flag("screenshots", True),
    )
    if not devices and not any(role in part.data for role in ROLES):
        part.sheet.wrong(part.path, f"has no device: write [bench.{'] or [bench.'.join(ROLES)}]", at_value=False)
    part.finish()
    return entry


def _device(part: Part, role: Role, bench: str) -> DeviceEntry:
    hand = part.choice("hand", HANDS)
    stimulus, command = part.text("stimulus"), _command(part, "stimulus_command")
    if stimulus and command:
        part.wrong("stimulus_command", "there is a stimulus already: one of the two moves the device")
    if stimulus:
        _check_stimulus(part, stimulus)
    found = read_device(part, KINDS[role], f"{bench} {role}", True, {"decks": 6} if role == "shoe" else {})
    if found.driver is not None and found.driver.SIMULATED:
        for key in ("hand", "stimulus", "stimulus_command"):
            if key in part.data:
                part.wrong(key, "is for real devices: a simulated one is moved by the bench itself")
    return DeviceEntry(
        role=role,
        found=found,
        hand=hand,
        stimulus=stimulus,
        command=command,
    )


def _check_stimulus(part: Part, address: str) -> None:
    try:
        if isinstance(parse_address(address), AutoAddress):
            part.wrong("stimulus", "can't be auto: a stimulus does not say what it is; name its port")
    except BadSetting as error:
        part.wrong("stimulus", str(error))


def _supply(part: Part) -> Supply:
    needed = 'such as "uhubctl -l 1-1 -p 2 -a {0}"'
    cut = _command(part, "cut", needed=f"the program that takes the power away, {needed.format('off')}")
    restore = _command(part, "restore", needed=f"the program that gives it back, {needed.format('on')}")
    part.finish()
    return Supply(cut=cut, restore=restore)


def _command(part: Part, key: str, *, needed: str = "") -> tuple[str, ...]:
    """A program and its words, as a shell would part them; no shell runs it."""
    text = part.text(key, needed=needed)
    try:
        return tuple(shlex.split(text))
    except ValueError as error:
        part.wrong(key, f"can't be parted into words: {error}")
        return ()


def _game(part: Part) -> str:
    game = part.text("game", GAME)
    try:
        load_rules_of(game, part.folder)
    except (Refused, RulesetError) as error:
        part.wrong("game", str(error))
    return game


def load_rules_of(game: str, folder: Path) -> str:
    """What a table's configuration is told: a game's name, or a file's whole path. Raises for what is no game."""
    from controller.library import load_file, load_game

    if not game.endswith(".toml"):
        load_game(game)
        return game
    path = folder / game
    load_file(path)
    return str(path.absolute())
