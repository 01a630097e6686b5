"""The fixtures of bench tests. Each is new in each test; what a test left out, off or open is put back behind it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, TypeVar

import pytest

from hil.plugin.bench_file import BenchEntry, Role, load_rules_of
from hil.plugin.clock import Clock
from hil.plugin.console import BenchConsole
from hil.plugin.power import Power
from hil.plugin.rig import Rig
from hil.plugin.shoe import BenchShoe
from hil.plugin.sign import BenchSign
from hil.plugin.table import BenchTable
from hil.plugin.wire import Wire
from hil.plugin.words import CantDo

T = TypeVar("T")
RIG: Final = pytest.StashKey[Rig]()


class Wires:
    """The wire of each device of the bench, by its role."""

    def __init__(self, rig: Rig) -> None:
        self._rig = rig

    @property
    def shoe(self) -> Wire:
        return self._rig.wire("shoe")

    @property
    def sign(self) -> Wire:
        return self._rig.wire("sign")

    @property
    def console(self) -> Wire:
        return self._rig.wire("console")

    def of(self, role: Role) -> Wire:
        return self._rig.wire(role)


@pytest.fixture
def bench_game(request: pytest.FixtureRequest) -> str | None:
    """The game that a marker names; None where the bench's own is played."""
    game: str | None = getattr(request, "param", None)
    return game if game is None else load_rules_of(game, Path(request.path).parent)


@pytest.fixture
def bench(request: pytest.FixtureRequest, bench_game: str | None) -> Iterator[Rig]:
    """The bench itself: `bench.entry` is what the bench file says of it, `bench.story` what happened so far."""
    entry: BenchEntry = request.param
    game = bench_game if bench_game is not None else load_rules_of(entry.game, entry.folder)
    rig = Rig(entry, request.fixturenames, game=game, uncaptured=_uncaptured(request.config))
    request.node.stash[RIG] = rig
    try:
        yield rig
    finally:
        del request.node.stash[RIG]
        rig.close()


@pytest.fixture
def shoe(bench: Rig) -> BenchShoe:
    """A shoe under its real driver, ready, and a hand that deals from it."""
    return _or_skip(bench.shoe)


@pytest.fixture
def sign(bench: Rig) -> BenchSign:
    """A sign under its real driver, ready, and eyes."""
    return _or_skip(bench.sign)


@pytest.fixture
def console(bench: Rig) -> BenchConsole:
    """Keys and lamps under their real driver, ready, with fingers."""
    return _or_skip(bench.console)


@pytest.fixture
def table(bench: Rig) -> BenchTable:
    """The daemon on all devices of the bench, running, its devices ready."""
    return _or_skip(bench.table)


@pytest.fixture
def wire(bench: Rig) -> Wires:
    """Raw bytes both ways: `wire.shoe`, `wire.sign`, `wire.console`."""
    return Wires(bench)


@pytest.fixture
def power(bench: Rig) -> Power:
    """Cables, supplies, and the daemon's plug."""
    return bench.power


@pytest.fixture
def clock() -> Clock:
    """The real time, and waiting in it."""
    return Clock()


def _or_skip(make: Callable[[], T]) -> T:
    try:
        return make()
    except CantDo as reason:
        pytest.skip(str(reason))


def _uncaptured(config: pytest.Config) -> Callable[[], contextlib.AbstractContextManager[None]]:
    """While it lasts the terminal is the person's, input too."""

    @contextlib.contextmanager
    def uncaptured() -> Iterator[None]:
        manager = config.pluginmanager.getplugin("capturemanager")
        if manager is None:
            yield
            return
        manager.suspend(in_=True)
        try:
            yield
        finally:
            manager.resume()

    return uncaptured
