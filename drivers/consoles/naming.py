"""What every console has in common: the names of keys and lamps, checked, and the words for what a key did.

Refuses a lamp that the console has not, and a state that no lamp has, with the nearest right word.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from typing import Final, get_args

from drivers.base import DeviceEvent, FaultCleared, FaultReported, KeyPressed, Lamp
from drivers.consoles.debounce import STUCK_S, Deed
from drivers.errors import BadSetting

BLINK_S: Final = 0.25  # on, and as long off: 2 Hz, which nobody overlooks and which harms nobody


def check_lamps(lamps: Mapping[str, Lamp], known: Iterable[str]) -> None:
    """Raises ValueError. A key without a lamp is no mistake: nothing lights then."""
    names = tuple(known)
    for name, state in lamps.items():
        if name not in names:
            raise ValueError(f"there is no lamp {name!r}{_nearest(name, names)}")
        if state not in get_args(Lamp):
            raise ValueError(f"lamp {name} cannot be {state!r}: lamps are {', '.join(get_args(Lamp))}")


def check_names(what: str, names: Iterable[str], known: Iterable[str]) -> None:
    """For settings that name keys: raises BadSetting for a name that no key has."""
    keys = tuple(known)
    for name in names:
        if name not in keys:
            raise BadSetting(f"{what}: there is no key {name!r}{_nearest(name, keys)}")


def _nearest(name: str, names: tuple[str, ...]) -> str:
    near = difflib.get_close_matches(name, names, n=1)
    return f"; did you mean {near[0]!r}?" if near else f": there are {', '.join(names) or 'none'}"


def is_lit(state: Lamp, now: float) -> bool:
    """All blinking lamps are lit together."""
    return state == "on" or (state == "blinking" and int(now / BLINK_S) % 2 == 0)


def next_blink(now: float) -> float:
    """The next moment at which `is_lit` changes for a blinking lamp."""
    return (int(now / BLINK_S) + 1) * BLINK_S


def told(key: str, deed: Deed) -> DeviceEvent:
    match deed:
        case "pressed" | "held":
            return KeyPressed(key=key, held=deed == "held")
        case "stuck":
            return FaultReported(words=f"key {key} has been down for {STUCK_S:.0f} seconds: it may be stuck")
        case "freed":
            return FaultCleared(words=f"key {key} came up again")
