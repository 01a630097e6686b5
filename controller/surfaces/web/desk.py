"""What the web needs of a running table, and nothing else of the daemon. Holds no logic."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from msgspec import Struct

from controller.surfaces.pack_down import Day
from controller.surfaces.playback import Playback
from controller.table.alert_log import PastAlert
from controller.table.inputs import Actor, Input
from controller.table.table import Table
from drivers.supervisor import DeviceStatus


class Running(Protocol):
    """`controller.daemon.runner.Runner`. `table` is another object after every change; `trouble` says in words why
    nothing can be entered, and is empty where it can."""

    @property
    def table(self) -> Table: ...

    @property
    def trouble(self) -> str: ...

    async def enter(self, what: Input, actor: Actor) -> tuple[int, ...]:
        """Raises Refused; then nothing happened."""

    async def report(self, what: Input, device: str) -> None:
        """What the web itself has to tell: an attempt that was refused. Done when it is kept."""

    def listen(self, listener: Callable[[Any], None]) -> None: ...

    def forget(self, listener: Callable[[Any], None]) -> None: ...


class Rounds(Protocol):
    """What is over, from the journal. The two types are those of the rounds that it gives, for the API's document."""

    summary_type: type[Struct]
    record_type: type[Struct]

    async def round_list(self, before: int | None, limit: int) -> Sequence[Struct]:
        """The newest first; only those numbered below `before`, where it is given."""

    async def round(self, number: int) -> Struct | None: ...

    async def script(self, number: int) -> dict[str, Any] | None:
        """As `croupier settle` plays it."""

    async def playback(self, number: int, *, simulated: bool) -> Playback | None:
        """Step by step, as everybody at the table saw it."""

    async def day(self) -> tuple[int, Day | None]:
        """What the table's day came to, and up to which record that is told."""

    async def alerts(self, limit: int) -> Sequence[PastAlert]:
        """The newest first."""


class Desk(Struct, frozen=True, kw_only=True):
    """One running table. `boot` is new with every start of the daemon; `started` and `now` are of the wall clock,
    `monotonic` is the clock of the devices' states. `settled`: nothing that was
    entered or told is still on its way into the journal."""

    running: Running
    devices: Callable[[], Sequence[DeviceStatus]]
    rounds: Rounds
    boot: str
    simulated: bool
    settled: Callable[[], bool]
    started: float
    now: Callable[[], float] = time.time
    monotonic: Callable[[], float] = time.monotonic
