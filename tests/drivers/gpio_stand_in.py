"""A stand-in for the library RPi.GPIO, as rpi-lgpio behaves, on simulated lines and without its threads.

For a machine without pins; `hil-kernel` runs the same contract on the library itself.
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType


def gpio_stand_in() -> ModuleType:
    """A module of its own each time, so that no test sees another's pins."""
    return _StandIn("RPi.GPIO")


class _StandIn(ModuleType):
    BCM, OUT, IN, LOW, HIGH, BOTH = 11, 0, 1, 0, 1, 33
    PUD_OFF, PUD_DOWN, PUD_UP = 20, 21, 22

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.mode: int | None = None
        self.levels: dict[int, int] = {}
        self.outside: dict[int, int] = {}
        self.directions: dict[int, int] = {}
        self.callbacks: dict[int, list[Callable[[int], None]]] = {}

    def drive(self, pin: int, level: bool) -> None:
        changed = self.outside.get(pin, 1) != level
        self.outside[pin] = int(level)
        if changed and self.directions.get(pin) == self.IN:
            for callback in list(self.callbacks.get(pin, [])):
                callback(pin)

    def setmode(self, mode: int) -> None:
        self.mode = mode

    def setwarnings(self, value: bool) -> None:
        pass

    def setup(self, pin: int, direction: int, pull_up_down: int = PUD_OFF, initial: int | None = None) -> None:
        assert self.mode == self.BCM
        self.directions[pin] = direction  # callbacks stay, as they do in rpi-lgpio
        if initial is not None:
            self.levels[pin] = initial

    def output(self, pin: int, level: int) -> None:
        if self.directions.get(pin) != self.OUT:
            raise RuntimeError("The GPIO channel has not been set up as an OUTPUT")
        self.levels[pin] = level

    def input(self, pin: int) -> int:
        if pin not in self.directions:
            raise RuntimeError("You must setup() the GPIO channel first")
        return self.levels[pin] if self.directions[pin] == self.OUT else self.outside.get(pin, 1)

    def add_event_detect(self, pin: int, edge: int, callback: Callable[[int], None]) -> None:
        assert edge == self.BOTH
        if self.directions.get(pin) != self.IN:
            raise RuntimeError("You must setup() the GPIO channel as an input first")
        self.callbacks.setdefault(pin, []).append(callback)

    def remove_event_detect(self, pin: int) -> None:
        self.callbacks.pop(pin, None)

    def cleanup(self, pin: int) -> None:
        self.callbacks.pop(pin, None)
        self.directions.pop(pin, None)
