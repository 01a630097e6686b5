"""A recording through its real drivers, without a table: each device opened, heard and closed as it was then.

Events are taken as journalled at once. Nothing is shown on a display and no lamp is lit, because no table asks for it.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
from collections.abc import Callable, Iterable, Mapping
from typing import Any, cast

from msgspec import Struct

from drivers import registry
from drivers.base import Device, DeviceEvent, Kind, Mark, Said, Shoe
from drivers.errors import BadSetting, DeviceError
from drivers.stream import stream_of
from drivers.tablelink_link import TableLinkLink
from hil.record.capture import BadCapture, Entry, Header, RecordedPort
from hil.record.host_end import HostEnd
from hil.record.player import Line, Player
from hil.record.virtual import VirtualLoop


class Differs(Struct, frozen=True):
    """The host said something else than recorded."""

    words: str


class Trouble(Struct, frozen=True):
    """Why the driver's connection ended."""

    words: str


About = Differs | Trouble
Told = Callable[[float, str, Said | About], None]  # when, which port, and what its driver said or came to
Settings = Mapping[str, Mapping[str, Any]]  # by port, instead of recorded ones: a key's file, a card map


def lines_of(
    header: Header, nonces: Mapping[str, list[bytes]], told: Callable[[str, str], None], *, table: bool
) -> dict[str, Line]:
    """A line a port. `told` gets what the host says otherwise than recorded."""

    def line(port: RecordedPort) -> Line:
        host = HostEnd(port, nonces.get(port.name, []), lambda words: told(port.name, words), table=table)
        return Line(port.name, port.address, host, patient=not table)

    return {port.name: line(port) for port in header.ports}


def wire_up(device: Device, port: RecordedPort, line: Line, loop: VirtualLoop) -> None:
    """The device opens the recorded line, by the recording's clock, and says the recorded nonces."""
    stream = stream_of(device)
    if stream is None:
        raise BadCapture(f"{port.name}: the driver {port.kind}.{port.driver} reads no bytes from a port")
    stream.rewire(lambda opener: line.open, clock=loop.time)
    if isinstance(stream.link, TableLinkLink):
        stream.link.repeat(line.host.fresh, first_revision=port.first_revision or 0)


def make_device(port: RecordedPort, settings: Mapping[str, Any]) -> Device:
    """Raises BadCapture where it can't be made here, in words."""
    known = None if port.known is None else Mark(*port.known)
    try:
        kind = cast(Kind, port.kind)
        return registry.make(kind, port.driver, {**port.settings, **settings}, known=known, allow_simulated=True)
    except BadSetting as error:
        raise BadCapture(f"{port.name}: {error}. Give what it needs here with --set {port.name}.KEY=VALUE") from error


async def replay(
    loop: VirtualLoop,
    header: Header,
    entries: Iterable[Entry],
    nonces: Mapping[str, list[bytes]],
    told: Told,
    *,
    settings: Settings,
    until: float | None = None,
    at: Callable[[float], None] = lambda t: None,
) -> None:
    """Plays all of it. `told` gets everything in order, with its time in the recording."""

    def say(port: str, said: Said | About) -> None:
        told(player.now, port, said)

    made = {port.name: make_device(port, settings.get(port.name, {})) for port in header.ports}
    lines = lines_of(header, nonces, lambda port, words: say(port, Differs(words)), table=False)
    for port in header.ports:
        wire_up(made[port.name], port, lines[port.name], loop)
    desks = {name: _Desk(device, functools.partial(say, name)) for name, device in made.items()}
    player = Player(loop, lines, closing=lambda name: desks[name].hang_up())
    try:
        for desk in desks.values():
            desk.start()
        await player.play(entries, until=until, at=at)
    finally:
        for desk in desks.values():
            await desk.stop()
        await player.close()


class _Desk:
    """One device, opened again and again."""

    def __init__(self, device: Device, said: Callable[[Said | About], None]) -> None:
        self._device, self._said = device, said
        self._running: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._running = asyncio.create_task(self._run())

    async def hang_up(self) -> None:
        """As the table did in the recording."""
        await self.stop()
        self.start()

    async def stop(self) -> None:
        if self._running is not None:
            self._running.cancel()
            await asyncio.gather(self._running, return_exceptions=True)
        await self._device.close()

    async def _run(self) -> None:
        while True:
            try:
                await self._device.open()
                await self._device.serve(self._hear)
            except DeviceError as error:
                self._said(Trouble(str(error)))
            with contextlib.suppress(DeviceError):
                await self._device.close()

    def _hear(self, said: Said) -> None:
        self._said(said)
        if isinstance(said, DeviceEvent) and self._device.kind == "shoe":
            cast(Shoe, self._device).committed(said)
