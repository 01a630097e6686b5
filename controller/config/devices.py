"""The sections [shoe], [[display]] and [[console]]: drivers by name, their settings checked by the drivers themselves.

A driver tells one mistake at a time; it is asked again without it, so that all are told, each at its key.
"""

from __future__ import annotations

from typing import Any, Final, get_args

import msgspec
from msgspec import Struct

from controller.config.culprit import culprit
from controller.config.model import Shows
from controller.config.part import Part
from drivers import registry
from drivers.base import Device, Kind
from drivers.registry import BadSetting, DriverClass

SHOWS: Final[tuple[Shows, ...]] = get_args(Shows)
SHOE: Final = "shoe"  # the name of the one device that every table has
FILES: Final = ("cards", "key_file")  # settings that name a file: relative to the configuration, as all paths in it


class Found(Struct, frozen=True, kw_only=True):
    """A device of the file. Without `driver` nobody knows its driver, without `device` its settings are wrong."""

    kind: Kind
    name: str
    driver_name: str
    part: Part
    settings: dict[str, Any]
    driver: DriverClass | None = None
    device: Device | None = None


class FoundDisplay(Found, frozen=True, kw_only=True):
    shows: Shows


class FoundShoe(Found, frozen=True, kw_only=True):
    decks: int


def read_shoe(part: Part, *, decks: int, simulated: bool) -> FoundShoe:
    """`decks` of the game, where the shoe says no other number."""
    counted = part.number("decks", decks, 1, 8)
    found = read_device(part, "shoe", SHOE, simulated, {"decks": counted})
    return FoundShoe(**_fields(found), decks=counted)


def read_displays(parts: list[Part], *, simulated: bool) -> list[FoundDisplay]:
    found = []
    for part in parts:
        name = part.text("name", needed='what it is called, such as name = "sign"').strip()
        shows = part.choice("shows", SHOWS, needed=f"what it shows: {' or '.join(SHOWS)}")
        found.append(FoundDisplay(**_fields(read_device(part, "display", name, simulated, {})), shows=shows))
    return found


def read_consoles(parts: list[Part], *, simulated: bool) -> list[Found]:
    found = []
    for number, part in enumerate(parts, 1):
        needed = "give it a name, or leave the key out" if "name" in part.data else ""
        name = part.text("name", "console" if number == 1 else f"console {number}", needed=needed).strip()
        found.append(read_device(part, "console", name, simulated, {}))
    return found


def check_names(devices: list[Found]) -> None:
    """Every device is known by its name: in the journal, on the pages, at the command line."""
    taken: dict[str, Found] = {}
    for each in devices:
        other = taken.setdefault(each.name, each)
        if other is each or not each.name:
            continue
        if each.name == SHOE:
            each.part.wrong("name", "is what the table calls its shoe; give it another name")
        else:
            where = each.part.sheet.line(other.part.at("name"))
            each.part.wrong("name", f"{each.name!r} is also the name of another {other.kind}{where}")


def _fields(found: Found) -> dict[str, Any]:
    return {field: getattr(found, field) for field in found.__struct_fields__}


def read_device(part: Part, kind: Kind, name: str, simulated: bool, ours: dict[str, Any]) -> Found:
    """`ours` are keys of the section itself; a driver that has a setting of that name is given it too."""
    called = part.text("driver", needed=f"what kind of {kind} it is: {_known(part, kind)}")
    driver = _driver(part, kind, called, simulated) if called else None
    if driver is None:
        return Found(kind=kind, name=name, driver_name=called, part=part, settings={})
    given: dict[str, Any] = {}
    for field in msgspec.structs.fields(driver.Settings):
        key = field.encode_name
        if key in ours:
            given[key] = ours[key]
            continue
        value = part.take(key, needed=f"{kind}.{called} can't do without it" if field.required else "")
        if value is not None:
            given[key] = str(part.folder / value) if key in FILES and isinstance(value, str) and value else value
    part.finish()
    device = _device(part, kind, called, driver, given)
    return Found(kind=kind, name=name, driver_name=called, part=part, settings=given, driver=driver, device=device)


def _known(part: Part, kind: Kind) -> str:
    """Asked only where it will be told: looking for the drivers of third parties takes time at every start."""
    return "" if part.data.get("driver") else ", ".join(registry.names(kind))


def _driver(part: Part, kind: Kind, called: str, simulated: bool) -> DriverClass | None:
    try:
        driver = registry.load(kind, called)
    except BadSetting as error:
        part.wrong("driver", str(error))
        return None
    if driver.SIMULATED and not simulated:
        try:
            registry.make(kind, called, {})
        except BadSetting as error:
            part.wrong("driver", str(error))
    return driver


def _device(part: Part, kind: Kind, called: str, driver: DriverClass, settings: dict[str, Any]) -> Device | None:
    """The device, not opened; None where its settings are wrong, all of which are then told."""
    fields = {field.encode_name: field for field in msgspec.structs.fields(driver.Settings)}
    missing = {key: None for key, field in fields.items() if field.required and key not in settings}
    given, told = dict(settings), set[str]()
    while True:
        wrong = next((key for key, value in given.items() if not _converts(value, fields[key].type)), None)
        if wrong is None and missing:
            return None
        # The wrong one first, and something in the place of what is missing: the driver tells the first it comes to.
        tried = given if wrong is None else {wrong: given[wrong], **given, **missing}
        try:
            device = registry.make(kind, called, tried, allow_simulated=True)
        except BadSetting as error:
            words = str(error).removeprefix(f"{kind}.{called}").removeprefix(f".{wrong}").lstrip(": ")
            path = (wrong,) if wrong is not None else culprit(words, settings)
            words = words.removeprefix(f"{path[0]}: ") if path else words
        except Exception as error:  # a third party's driver may do anything; here it must be told, as all else
            words = f"{kind}.{called} broke down over its settings: {type(error).__name__}: {error}"
            path = ("driver",)
        else:
            return None if told else device
        if words not in told:
            part.sheet.wrong(part.at(*path), words)
        key = str(path[0]) if path else ""
        if key not in given or words in told or (wrong is None and fields[key].required):
            return None
        told.add(words)
        del given[key]
        if fields[key].required:
            missing[key] = None


def _converts(value: Any, type_: Any) -> bool:
    try:
        msgspec.convert(value, type_)
    except (msgspec.ValidationError, OverflowError, ValueError):
        return False
    return True
