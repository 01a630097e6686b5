"""Daemons in this process for tests: scripted devices, surfaces that do as they are told, a systemd that listens."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from controller.daemon.crew import Crew
from controller.daemon.daemon import Daemon, Surface
from controller.daemon.notify import Notifier
from controller.table import inputs as i
from drivers.base import Content, DeviceEvent, KeyPressed, Kind, Lamp
from tests.controller.daemon.served import Systemd
from tests.controller.table.playing import DEALER, setup_for
from tests.drivers.scripted import READY, ScriptedDevice, Try, until


class ScriptedShoe(ScriptedDevice):
    """A shoe that can be told what to say, and remembers what it may forget."""

    def __init__(self, *tries: Try) -> None:
        super().__init__(*(tries or (Try(says=(READY,)),)))
        self.forgotten: list[DeviceEvent] = []

    def say(self, event: DeviceEvent) -> None:
        assert self.report is not None
        self.report(event)

    def committed(self, event: DeviceEvent) -> None:
        self.forgotten.append(event)

    def lock(self, locked: bool) -> None:
        raise NotImplementedError

    can_lock = False


class ScriptedSign(ScriptedDevice):
    kind: Kind = "display"

    def __init__(self, fails: Exception | None = None) -> None:
        super().__init__(Try(says=(READY,)))
        self.fails = fails
        self.content: Content = {}

    def show(self, content: Content) -> None:
        if self.fails is not None:
            raise self.fails
        self.content = content

    def problems(self, content: Content) -> list[str]:
        return []

    def shown(self) -> bool:
        return True


class ScriptedKeys(ScriptedDevice):
    kind: Kind = "console"
    keys = ("hit", "stand")

    def __init__(self) -> None:
        super().__init__(Try(says=(READY,)))

    def press(self, key: str) -> None:
        assert self.report is not None
        self.report(KeyPressed(key=key))

    def light(self, lamps: Mapping[str, Lamp]) -> None:
        pass


def daemon_on(
    folder: Path,
    shoe: Any,
    *,
    consoles: dict[str, Any] | None = None,
    signs: dict[str, Any] | None = None,
    surfaces: Sequence[tuple[str, Surface]] = (),
    systemd: Systemd | None = None,
    watchdog_s: float = 0.0,
) -> Daemon:
    notified = {"NOTIFY_SOCKET": str(systemd.path)} if systemd is not None else {}
    watched = {"WATCHDOG_USEC": str(int(watchdog_s * 1_000_000))} if watchdog_s else {}
    displays: dict[str, Any] = {name: (sign, "limits") for name, sign in (signs or {}).items()}
    return Daemon(
        setup_for(),
        folder / "table.db",
        lambda table: Crew(shoe=shoe, displays=displays, consoles=consoles or {}),
        surfaces=surfaces,
        notifier=Notifier({**notified, **watched}),
    )


@asynccontextmanager
async def running(daemon: Daemon) -> AsyncIterator[Daemon]:
    """Ready; afterwards ended in order, and whatever it raised is raised here."""
    task = asyncio.create_task(daemon.run())
    try:
        await until(lambda: daemon.ready.is_set() or task.done())
        yield daemon
    finally:
        daemon.stop()
        await task


async def begin(daemon: Daemon) -> None:
    """A round, whose first card is awaited."""
    for what in (i.OpenTable(), i.Shoe("load"), i.Wager(1, "10"), i.OpenRound()):
        await daemon.runner.enter(what, DEALER)


async def until_heard(systemd: Systemd, wanted: Callable[[list[str]], bool]) -> list[str]:
    """What systemd is told from now on, until it is what is wanted."""
    heard: list[str] = []

    def enough() -> bool:
        heard.extend(systemd.hear())
        return wanted(heard)

    await until(enough)
    return heard
