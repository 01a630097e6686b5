"""A tower light, and a buzzer that never sounds for longer than its limit unless it is asked again. Has no keys."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import ClassVar, Final

from msgspec import Struct

from drivers.base import Kind, Lamp, Mark
from drivers.consoles.pin_console import PinConsole
from drivers.errors import BadSetting
from drivers.pins import Pins, board, check_pins

BUZZER: Final = "buzzer"  # lit as a lamp: "on" sounds, "blinking" beeps twice a second
BUZZER_LIMIT_S: Final = 10.0


class TowerLight(PinConsole):
    """Lamps by colour, and the buzzer as one more of them."""

    KIND: ClassVar[Kind] = "console"
    TITLE: ClassVar[str] = "Tower light and buzzer on the Pi's pins"
    GRADE: ClassVar[str] = "none: plain lamps and a buzzer. Not tried on a real Pi."
    CAPABILITIES: ClassVar[tuple[str, ...]] = ("lamps", "buzzer")
    SIMULATED: ClassVar[bool] = False

    class Settings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
        """`active_low` for relay boards that close a relay when their input is low."""

        lights: dict[str, int]
        buzzer: int | None = None
        buzzer_limit_s: float = BUZZER_LIMIT_S
        active_low: bool = False

        def __post_init__(self) -> None:
            if not self.lights and self.buzzer is None:
                raise BadSetting("lights: a tower has at least one, as in lights = {red = 5, amber = 6, green = 13}")
            if BUZZER in self.lights:
                raise BadSetting("lights: the buzzer has a setting of its own, buzzer = 19")
            wired = [(f"light {name}", pin) for name, pin in self.lights.items()]
            check_pins([*wired, *([("the buzzer", self.buzzer)] if self.buzzer is not None else [])])
            if not 0 < self.buzzer_limit_s <= 60:
                raise BadSetting(f"buzzer_limit_s is more than 0 and at most 60, not {self.buzzer_limit_s:g}")

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
        self._silent_at = 0.0
        buzzer = {} if settings.buzzer is None else {BUZZER: settings.buzzer}
        super().__init__(
            "tower_light",
            pins=pins,
            lamps={**settings.lights, **buzzer},
            lit_low=settings.active_low,
            simulated=simulated,
            clock=clock,
        )

    def light(self, lamps: Mapping[str, Lamp]) -> None:
        super().light(lamps)
        if lamps.get(BUZZER, "off") != "off":
            self._silent_at = self._clock() + self.settings.buzzer_limit_s

    def _state(self, lamp: str, now: float) -> Lamp:
        if lamp == BUZZER and now >= self._silent_at:
            return "off"
        return super()._state(lamp, now)

    def _due(self) -> list[float]:
        return [self._silent_at] if self._clock() < self._silent_at else []
