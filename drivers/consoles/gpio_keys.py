"""Keys, lit keys and a key switch on the Pi's own pins. Refuses a pin that is none or used twice, and unknown names.

A key is told as it goes down, once it has been quiet for the debounce time; a key in `long_press` when it comes up,
or as held when it was kept down.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import ClassVar, Final

from msgspec import Struct

from drivers.base import KeySwitchTurned, Kind, Mark, Said
from drivers.consoles.debounce import Contact, Key
from drivers.consoles.naming import check_names, told
from drivers.consoles.pin_console import PinConsole
from drivers.errors import BadSetting
from drivers.pins import Pins, board, check_pins

DEBOUNCE_MS: Final = 20  # a worn microswitch bounces for up to ten
LONG_PRESS_MS: Final = 800


class GpioKeys(PinConsole):
    """A console of keys wired to pins, each against ground (`active_low`) or against 3.3 V."""

    KIND: ClassVar[Kind] = "console"
    TITLE: ClassVar[str] = "Keys, lamps and a key switch on the Pi's pins"
    GRADE: ClassVar[str] = "none: plain contacts and lamps. Tried on a kernel's simulated pins, not on a real Pi."
    CAPABILITIES: ClassVar[tuple[str, ...]] = ("keys", "long press", "lamps", "key switch")
    SIMULATED: ClassVar[bool] = False

    class Settings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
        """Names to GPIO numbers. `long_press` lists the keys that mean something else when kept down."""

        keys: dict[str, int]
        lamps: dict[str, int] = {}
        key_switch: int | None = None
        long_press: tuple[str, ...] = ()
        active_low: bool = True
        debounce_ms: int = DEBOUNCE_MS
        long_press_ms: int = LONG_PRESS_MS

        def __post_init__(self) -> None:
            if not self.keys and self.key_switch is None:
                raise BadSetting("keys: a console has at least one, as in keys = {hit = 17, stand = 27}")
            if "" in self.keys:
                raise BadSetting("keys: a key needs a name")
            check_names("lamps", self.lamps, self.keys)
            check_names("long_press", self.long_press, self.keys)
            wired = [(f"key {name}", pin) for name, pin in self.keys.items()]
            wired += [(f"lamp {name}", pin) for name, pin in self.lamps.items()]
            wired += [("the key switch", self.key_switch)] if self.key_switch is not None else []
            check_pins(wired)
            if not 1 <= self.debounce_ms <= 500:
                raise BadSetting(f"debounce_ms is 1 to 500, not {self.debounce_ms}")
            if not self.debounce_ms < self.long_press_ms <= 10_000:
                raise BadSetting(
                    f"long_press_ms is more than debounce_ms ({self.debounce_ms}) and at most 10000, "
                    f"not {self.long_press_ms}"
                )

    def __init__(
        self,
        settings: Settings,
        *,
        known: Mark | None = None,
        pins: Callable[[], Pins] = board,
        simulated: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.settings = settings
        self._keys: dict[str, Key] = {}
        self._switch: Contact | None = None
        self._said: list[Said] = []
        switch = [] if settings.key_switch is None else [settings.key_switch]
        self._inputs = [*settings.keys.values(), *switch]
        super().__init__(
            "gpio_keys",
            pins=pins,
            lamps=settings.lamps,
            others=self._inputs,
            simulated=simulated,
            clock=clock,
        )

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(self.settings.keys)

    def _set_up(self, pins: Pins) -> None:
        for pin in self._inputs:
            pins.input(pin, pull_up=self.settings.active_low)

    def _begin(self, pins: Pins, now: float) -> list[Said]:
        settings = self.settings
        debounce_s = settings.debounce_ms / 1000
        self._said.clear()
        for name, pin in settings.keys.items():
            long_s = settings.long_press_ms / 1000 if name in settings.long_press else None
            self._keys[name] = Key(debounce_s, long_s, down=self._is_down(pins.read(pin)), now=now)
            pins.on_edge(pin, self._key_listener(name))
        if settings.key_switch is None:
            return []
        self._switch = Contact(debounce_s, self._is_down(pins.read(settings.key_switch)))
        pins.on_edge(settings.key_switch, self._switch_moved)
        return [KeySwitchTurned(on=self._switch.down)]

    def _key_listener(self, name: str) -> Callable[[bool, float], None]:
        def moved(level: bool, at: float) -> None:
            self._said += [told(name, deed) for deed in self._keys[name].saw(self._is_down(level), at)]
            self.wake()

        return moved

    def _switch_moved(self, level: bool, at: float) -> None:
        if self._switch is not None:
            self._said += [KeySwitchTurned(on=on) for on, _ in self._switch.saw(self._is_down(level), at)]
            self.wake()

    def _look(self, pins: Pins, now: float) -> list[Said]:
        for name, key in self._keys.items():
            down = self._is_down(pins.read(self.settings.keys[name]))
            self._said += [told(name, deed) for deed in key.look(down, now)]
        if self._switch is not None and self.settings.key_switch is not None:
            down = self._is_down(pins.read(self.settings.key_switch))
            self._said += [KeySwitchTurned(on=on) for on, _ in self._switch.look(down, now)]
        said, self._said = self._said, []
        return said

    def _due(self) -> list[float]:
        times = [key.next_time() for key in self._keys.values()]
        times += [self._switch.next_time()] if self._switch is not None else []
        return [due for due in times if due is not None]

    def _is_down(self, level: bool) -> bool:
        return level is not self.settings.active_low
