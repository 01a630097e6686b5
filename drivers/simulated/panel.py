"""Models of a key panel: fingers on keys that bounce and stick, a key switch, and lamps that can be asked.

One is a panel's firmware behind TableLink, one a set of keys and lamps wired to simulated pins. Refuses unknown keys.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from typing import Final, Protocol

from drivers.base import Lamp
from drivers.consoles.debounce import Contact
from drivers.simulated.faults import Faults
from drivers.simulated.pins import SimulatedPins
from drivers.simulated.tablelink_end import TableLinkEnd

PRESS_S: Final = 0.06  # a quick finger
DEBOUNCE_S: Final = 0.02
BOUNCE_S: Final = 0.001  # between two flips of a bad contact; all of them together stay below the debounce time
MOST_FLIPS: Final = 8
BLINKING_S: Final = 0.6  # a lamp that went on and off in this time blinks
RELEASED, PRESSED, HELD = 0, 1, 2
LAMP_STATES: Final[tuple[Lamp, ...]] = ("off", "on", "blinking")

Pause = Callable[[float], Awaitable[None]]


class Panel(Protocol):
    """What a person does at a panel, and sees. Each call returns when the finger is off the key."""

    async def press(self, key: str) -> None: ...

    async def hold(self, key: str) -> None: ...

    async def turn_key(self, on: bool) -> None: ...

    def lamps(self) -> dict[str, Lamp]: ...


class _Keys:
    """Which keys there are, how their contacts close, and which of them stick."""

    def __init__(self, keys: Mapping[str, int], faults: Faults) -> None:
        self.numbers = dict(keys)
        self.stuck: list[str] = []
        self._faults = faults
        self._chance = random.Random(faults.seed)

    def takes(self, key: str) -> bool:
        """Whether a finger moves this key at all. Raises ValueError for one that the panel has not."""
        if key not in self.numbers:
            raise ValueError(f"there is no key {key!r}: there are {', '.join(self.numbers)}")
        return key not in self.stuck

    def comes_up(self, key: str) -> bool:
        if self._faults.strikes("stuck_key"):
            self.stuck.append(key)
        return key not in self.stuck

    def freed(self) -> list[str]:
        """The keys that came up because the fault is off."""
        if self._faults.is_on("stuck_key"):
            return []
        free, self.stuck = self.stuck, []
        return free

    def moves(self, down: bool) -> list[bool]:
        """The levels of a contact one after another as it closes or opens; the last one stays."""
        flips = self._chance.randrange(1, MOST_FLIPS // 2 + 1) if self._faults.strikes("bounce") else 0
        return [down, *([not down, down] * flips)]


class TableLinkPanelModel:
    """A panel's firmware: debounces its contacts, tells keys by number. A key pressed when its queue is full is lost.

    Its fingers need no time: the firmware's clock is counted on instead.
    """

    def __init__(
        self, keys: Mapping[str, int], *, end: TableLinkEnd, key_switch: int | None = None, on: bool = False
    ) -> None:
        self.end = end
        self._keys = _Keys(keys, end.faults)
        self._contacts = {key: Contact(DEBOUNCE_S) for key in keys}
        end.faults.watch(self._unstick)
        self._key_switch, self._on = key_switch, on
        self._now = 0.0

    async def press(self, key: str) -> None:
        self._finger(key, held=False)

    async def hold(self, key: str) -> None:
        self._finger(key, held=True)

    async def turn_key(self, on: bool) -> None:
        if self._key_switch is None:
            raise ValueError("this panel has no key switch")
        if on is not self._on:
            self._on = on
            self._tell(self._key_switch, PRESSED if on else RELEASED)

    def lamps(self) -> dict[str, Lamp]:
        shown = self.end.lamps
        return {key: LAMP_STATES[shown.get(number, 0)] for key, number in self._keys.numbers.items()}

    def _unstick(self) -> None:
        """A fault was switched."""
        for key in self._keys.freed():
            self._move(key, False)

    def _finger(self, key: str, *, held: bool) -> None:
        if not self._keys.takes(key):
            return
        self._move(key, True)
        if held:
            self._tell(self._keys.numbers[key], HELD)
        if self._keys.comes_up(key):
            self._move(key, False)

    def _move(self, key: str, down: bool) -> None:
        contact = self._contacts[key]
        moves: list[tuple[bool, float]] = []
        for level in self._keys.moves(down):
            self._now += BOUNCE_S
            moves += contact.saw(level, self._now)
        self._now += PRESS_S
        for is_down, _ in [*moves, *contact.look(down, self._now)]:
            self._tell(self._keys.numbers[key], PRESSED if is_down else RELEASED)

    def _tell(self, number: int, action: int) -> None:
        if not self.end.must_stop:
            self.end.key(number, action)


class PinPanelModel:
    """Keys against ground, lamps and a key switch on simulated pins."""

    def __init__(
        self,
        pins: SimulatedPins,
        *,
        keys: Mapping[str, int],
        lamps: Mapping[str, int],
        key_switch: int | None = None,
        long_press_s: float,
        faults: Faults,
        clock: Callable[[], float] = time.monotonic,
        pause: Pause = asyncio.sleep,
    ) -> None:
        self.pins = pins
        self._keys = _Keys(keys, faults)
        self._key_switch, self._long_press_s = key_switch, long_press_s
        self._pause = pause
        faults.watch(self._unstick)
        self._lamps = {name: _PinLamp(clock) for name in lamps}
        for name, pin in lamps.items():
            pins.wire(self._lamps[name], pin)

    async def press(self, key: str) -> None:
        await self._finger(key, PRESS_S)

    async def hold(self, key: str) -> None:
        await self._finger(key, self._long_press_s + PRESS_S)

    async def turn_key(self, on: bool) -> None:
        if self._key_switch is None:
            raise ValueError("this panel has no key switch")
        self._move(self._key_switch, on)
        await self._pause(PRESS_S)

    def lamps(self) -> dict[str, Lamp]:
        return {name: lamp.state() for name, lamp in self._lamps.items()}

    def _unstick(self) -> None:
        """A fault was switched."""
        for key in self._keys.freed():
            self.pins.drive(self._keys.numbers[key], None)

    async def _finger(self, key: str, seconds: float) -> None:
        if not self._keys.takes(key):
            return
        pin = self._keys.numbers[key]
        self._move(pin, True)
        await self._pause(seconds)
        if self._keys.comes_up(key):
            self._move(pin, False)
            await self._pause(PRESS_S)

    def _move(self, pin: int, down: bool) -> None:
        """All flips at once: a pause between them could be stretched by a busy machine into a press."""
        for level in self._keys.moves(down):
            self.pins.drive(pin, False if level else None)


class _PinLamp:
    """A lamp at an output; it remembers its last changes, so that it can say that it blinks."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._lit = False
        self._changes: deque[float] = deque(maxlen=2)

    def changed(self, pin: int, level: bool) -> None:
        self._lit = level
        self._changes.append(self._clock())

    def holds_low(self, pin: int) -> bool:
        return False

    def state(self) -> Lamp:
        if len(self._changes) == 2 and self._clock() - self._changes[0] < BLINKING_S:
            return "blinking"
        return "on" if self._lit else "off"
