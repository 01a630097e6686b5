"""Which drivers there are, by kind and name; each is imported when asked for, so that a laptop needs no Pi library.

A driver is a class with the attributes of `DriverClass`. A third party adds its own through the entry-point group
`croupier.drivers`, under the name `kind.name`. Refuses names and settings that are none, with the nearest right word.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Final, Protocol, cast, get_args

from msgspec import Struct

from drivers.base import Device, Kind, Mark
from drivers.errors import BadSetting
from drivers.settings import converted, joined, nearest

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

__all__ = ["BadSetting", "DriverClass", "DriverInfo", "describe", "load", "make", "names"]

GROUP: Final = "croupier.drivers"
_OURS: Final = {
    "shoe.tablelink": "drivers.shoes.tablelink:TableLinkShoe",
    "shoe.angel_eye": "drivers.shoes.angel_eye:AngelEyeShoe",
    "shoe.bee_tek": "drivers.shoes.bee_tek:BeeTekShoe",
    "shoe.line_reader": "drivers.shoes.line_reader:LineReaderShoe",
    "shoe.simulated": "drivers.simulated.shoe_driver:SimulatedShoe",
    "display.tablelink": "drivers.displays.tablelink:TableLinkDisplay",
    "display.alpha_sign": "drivers.displays.alpha_sign:AlphaSignDisplay",
    "display.escpos": "drivers.displays.escpos:EscPosDisplay",
    "display.tm1637": "drivers.displays.tm1637:Tm1637Display",
    "display.max7219": "drivers.displays.max7219:Max7219Display",
    "display.terminal": "drivers.displays.terminal:TerminalDisplay",
    "display.simulated": "drivers.simulated.sign_driver:SimulatedSign",
    "console.gpio_keys": "drivers.consoles.gpio_keys:GpioKeys",
    "console.tablelink": "drivers.consoles.tablelink:TableLinkPanel",
    "console.evdev": "drivers.consoles.evdev:EvdevKeypad",
    "console.tower_light": "drivers.consoles.tower_light:TowerLight",
    "console.simulated": "drivers.simulated.panel_driver:SimulatedPanel",
}


KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
OURS: Final = "croupier"


class DriverClass(Protocol):
    """What the registry asks of a driver's class. `Settings` is a msgspec Struct that forbids unknown fields."""

    KIND: ClassVar[Kind]
    TITLE: ClassVar[str]
    GRADE: ClassVar[str]  # what the driver rests on, as the README explains the grades
    CAPABILITIES: ClassVar[tuple[str, ...]]  # in words: "suits", "cut card", "numbered", …
    SIMULATED: ClassVar[bool]
    Settings: ClassVar[type[Struct]]

    def __call__(self, settings: Any, *, known: Mark | None = None) -> Device: ...


class DriverInfo(Struct, frozen=True, kw_only=True):
    """A driver as `croupier devices drivers` lists it. Where there is a `problem`, it cannot be used."""

    kind: str
    name: str
    title: str = ""
    grade: str = ""
    capabilities: tuple[str, ...] = ()
    simulated: bool = False
    origin: str
    problem: str = ""


def names(kind: Kind) -> tuple[str, ...]:
    """The drivers of a kind, ours and those of third parties, in the order of the alphabet. Imports none."""
    ours = {full for full in _OURS if full.startswith(f"{kind}.")}
    theirs = {entry.name for entry in _third_party() if entry.name.startswith(f"{kind}.") and not _misnamed(entry)}
    return tuple(sorted(full.partition(".")[2] for full in ours | theirs))


def load(kind: Kind, name: str) -> DriverClass:
    """The driver's class. Raises BadSetting in words where there is none, or where it cannot be loaded."""
    full = f"{kind}.{name}"
    if full in _OURS:
        return _loaded(full, _OURS[full], OURS)
    entries = [entry for entry in _third_party() if entry.name == full]
    if not entries:
        raise BadSetting(f"there is no {kind} driver {name!r}; {nearest(name, names(kind))}")
    if len(entries) > 1:
        raise BadSetting(f"{full} is offered by {joined(map(_origin, entries))}; uninstall all but one of them")
    return _loaded(full, entries[0].value, _origin(entries[0]))


def make(
    kind: Kind,
    name: str,
    settings: Mapping[str, Any],
    *,
    known: Mark | None = None,
    allow_simulated: bool = False,
) -> Device:
    """The device as it is configured, not yet opened. `known` is where the journal's knowledge of it ends."""
    driver = load(kind, name)
    if driver.SIMULATED and not allow_simulated:
        real = [other for other in names(kind) if other != "simulated"]
        raise BadSetting(
            f"{kind}.{name} is a simulated device, and this table does not say simulated = true. "
            f"Choose a real driver ({joined(real, 'or')}), or write simulated = true in the table's configuration"
        )
    try:
        return driver(converted(f"{kind}.{name}", driver.Settings, settings), known=known)
    except BadSetting:
        raise
    except ValueError as error:
        raise BadSetting(f"{kind}.{name}: {error}") from error
    except ImportError as error:
        raise BadSetting(_not_importable(f"{kind}.{name}", error)) from error


def describe() -> list[DriverInfo]:
    """Every driver there is, those that cannot be used too, with the reason. Imports all of them."""
    infos = [_info(full, target, OURS) for full, target in _OURS.items()]
    entries = _third_party()
    for entry in entries:
        problem = _misnamed(entry)
        others = [other for other in entries if other.name == entry.name and other is not entry]
        if not problem and others:
            problem = f"{joined(map(_origin, others))} offers a driver of the same name: uninstall one of them"
        infos.append(_info(entry.name, entry.value, _origin(entry), problem))
    return infos


# Third parties


def _third_party() -> list[EntryPoint]:
    from importlib.metadata import entry_points  # here: it takes longer to import than all of ours together

    return sorted(entry_points(group=GROUP), key=lambda entry: (entry.name, _origin(entry)))


def _origin(entry: EntryPoint) -> str:
    return entry.dist.name if entry.dist is not None else "an unknown distribution"


def _misnamed(entry: EntryPoint) -> str:
    """Why nobody can ask for a driver by this name, or nothing."""
    kind, _, name = entry.name.partition(".")
    if kind not in KINDS or not name:
        return f"{entry.name!r} is no driver's name: it is the kind ({joined(KINDS, 'or')}), a dot, and a name"
    if entry.name in _OURS:
        return f"{entry.name} is a driver of croupier itself and cannot be replaced: give it a name of its own"
    return ""


# Loading


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_texts(value: Any) -> bool:
    return isinstance(value, tuple) and all(map(_is_text, value))


def _is_settings(value: Any) -> bool:
    return isinstance(value, type) and issubclass(value, Struct) and value.__struct_config__.forbid_unknown_fields


_ATTRIBUTES: Final[dict[str, tuple[Callable[[Any], bool], str]]] = {
    "KIND": (_is_text, "a text"),
    "TITLE": (_is_text, "a text"),
    "GRADE": (_is_text, "a text"),
    "CAPABILITIES": (_is_texts, "a tuple of texts"),
    "SIMULATED": (lambda value: isinstance(value, bool), "True or False"),
    "Settings": (_is_settings, "a msgspec Struct with forbid_unknown_fields"),
}


def _loaded(full: str, target: str, origin: str) -> DriverClass:
    whose = full if origin == OURS else f"{full} (of {origin})"
    module, _, attribute = target.partition("[")[0].partition(":")  # behind [ an entry point may name its extras
    try:
        found: Any = importlib.import_module(module.strip())
        for part in attribute.strip().split("."):
            found = getattr(found, part)
    except ImportError as error:
        raise BadSetting(_not_importable(whose, error)) from error
    except Exception as error:  # a third party's module may do anything; it must not take the others with it
        raise BadSetting(f"{whose} cannot be loaded: {type(error).__name__}: {error}") from error
    wrong = _wrong_attributes(found, full.partition(".")[0])
    if wrong:
        raise BadSetting(f"{whose} is no driver: {'; '.join(wrong)}")
    return cast(DriverClass, found)


def _not_importable(whose: str, error: ImportError) -> str:
    words = f"{whose} cannot be loaded: {error}"
    if error.name and error.name.partition(".")[0] not in ("drivers", "firmware_protocol"):
        words += f". Install what it needs: a library that has {error.name}"
        if error.name.partition(".")[0] in ("RPi", "lgpio"):
            words += '; on a Raspberry Pi: pip install "croupier-table[pi]"'
    return words


def _wrong_attributes(found: Any, kind: str) -> list[str]:
    if not isinstance(found, type):
        return ["it is no class"]
    missing = [name for name in _ATTRIBUTES if not hasattr(found, name)]
    wrong = [f"it lacks {joined(missing)}"] if missing else []
    for name, (is_right, words) in _ATTRIBUTES.items():
        if name not in missing and not is_right(getattr(found, name)):
            wrong.append(f"its {name} is not {words}")
    its_kind = getattr(found, "KIND", kind)
    if its_kind != kind:
        wrong.append(f"its KIND is {its_kind!r}")
    return wrong


def _info(full: str, target: str, origin: str, problem: str = "") -> DriverInfo:
    kind, _, name = full.partition(".")
    if not problem:
        try:
            driver = _loaded(full, target, origin)
        except BadSetting as error:
            problem = str(error)
        else:
            return DriverInfo(
                kind=kind,
                name=name,
                title=driver.TITLE,
                grade=driver.GRADE,
                capabilities=driver.CAPABILITIES,
                simulated=driver.SIMULATED,
                origin=origin,
            )
    return DriverInfo(kind=kind, name=name, origin=origin, problem=problem)
