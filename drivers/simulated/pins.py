"""Simulated pins, with the contract of the real ones, and the lines that lead from them to models of parts.

What is wired to them is moved from outside with `drive`; a model (a display chip, a lamp) is told of every change of
its lines and may hold one low. A line is high where nothing pulls it down and something pulls it up.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final, Protocol

from drivers.pins import Edges, OnEdge, PinBook

MAX_ROUNDS: Final = 16  # of models answering one another's changes, before a wiring that never settles is refused


class Model(Protocol):
    """Something wired to pins."""

    def changed(self, pin: int, level: bool) -> None:
        """A line it is wired to changed."""

    def holds_low(self, pin: int) -> bool:
        """Whether it pulls the line low just now, as an open-drain chip does to answer."""


class SimulatedPins(PinBook):
    """A board's pins. `contentions` counts how often an output was driven high against a model that held it low."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self.contentions = 0
        self._clock = clock
        self._written: dict[int, bool] = {}
        self._pulls: dict[int, bool | None] = {}
        self._driven: dict[int, bool] = {}  # from outside
        self._levels: dict[int, bool] = {}  # as the lines last were
        self._models: dict[int, list[Model]] = {}

    # As any pins

    def output(self, pin: int, initial: bool) -> None:
        self._set_up(pin, output=True)
        self._written[pin] = initial
        self._settle(pin)

    def input(self, pin: int, pull_up: bool | None = None) -> None:
        self._set_up(pin, output=False)
        self._pulls[pin] = pull_up
        self._settle(pin)

    def write(self, pin: int, level: bool) -> None:
        self._check(pin, output=True)
        self._written[pin] = level
        self._settle(pin)

    def read(self, pin: int) -> bool:
        self._check(pin)
        return self._written[pin] if self._outputs[pin] else self.level(pin)

    def on_edge(self, pin: int, callback: OnEdge) -> None:
        self._check(pin, output=False)
        self._end_edges(pin)
        self._edges[pin] = Edges(callback)

    def release(self, *pins: int) -> None:
        for pin in pins:
            self._end_edges(pin)
        for pin in self._forget(pins):
            self._pulls[pin] = None
            self._settle(pin)

    # From outside

    @property
    def claimed(self) -> dict[int, str]:
        """Which pins have an owner."""
        return dict(self._owners)

    def wire(self, model: Model, *pins: int) -> None:
        """Join a model to pins: it is told every change from now on."""
        for pin in pins:
            self._models.setdefault(pin, []).append(model)
            self._settle(pin)

    def drive(self, pin: int, level: bool | None) -> None:
        """Hold a line high or low from outside, as a key or another chip does; None lets go."""
        if level is None:
            self._driven.pop(pin, None)
        else:
            self._driven[pin] = level
        self._settle(pin)

    def level(self, pin: int) -> bool:
        """The line as a meter would show it. A line that nothing pulls is low."""
        if self._outputs.get(pin):
            return self._written[pin]
        if self._held(pin):
            return False
        return self._driven.get(pin, bool(self._pulls.get(pin)))

    def _settle(self, pin: int) -> None:
        """Tell the changes of a line, and of those its models answer on, until all of them are at rest."""
        models = self._models.get(pin, [])
        lines = [pin, *(other for other in self._models if other != pin and _share(models, self._models[other]))]
        for _ in range(MAX_ROUNDS):
            changes = [(line, self.level(line)) for line in lines if self.level(line) is not self._at(line)]
            for line, level in changes:
                self._levels[line] = level
                if line in self._edges:
                    self._edges[line].saw(level, self._clock())
                for model in self._models.get(line, []):
                    model.changed(line, level)
            if not changes:
                break
        else:
            raise RuntimeError(f"the line at pin {pin} does not come to rest: its models answer each other for ever")
        self.contentions += sum(
            self._outputs.get(line, False) and self._written[line] and self._held(line) for line in lines
        )

    def _at(self, pin: int) -> bool:
        return self._levels.get(pin, False)

    def _held(self, pin: int) -> bool:
        return any(model.holds_low(pin) for model in self._models.get(pin, ()))


def _share(some: list[Model], others: list[Model]) -> bool:
    return any(one is other for one in some for other in others)
