"""Random sessions of one simulated device on its real driver, recorded; and what the driver said. Holds no test."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from pathlib import Path
from random import Random
from typing import Any

from drivers.base import Device, DeviceEvent, Said
from drivers.errors import DeviceError
from drivers.registry import make
from drivers.shoes.tablelink import TableLinkShoe
from drivers.simulated.byte_ends import ByteEnd
from drivers.simulated.faults import Faults
from drivers.simulated.panel_driver import SimulatedPanel
from drivers.simulated.pile import shuffled
from drivers.simulated.plug import Plug
from drivers.simulated.shoe import LoadedShoe, ShoeStopped
from drivers.simulated.shoe_driver import SimulatedShoe
from drivers.simulated.shoe_ends import TableLinkShoeEnd
from drivers.stream import stream_of
from hil.record import desk
from hil.record.capture import CaptureReader, Entry, Header
from hil.record.recorder import Recorder
from hil.record.rigging import port_of, rig
from hil.record.survey import survey
from hil.record.virtual import VirtualLoop, run

LIMIT = 10_000_000
LINE_FAULTS = ("bit_flip", "drop", "duplicate", "garbage", "misread", "double_feed", "backfeed")
SETTLED_S = 0.02  # nothing depends on it but how much of a session happens


class Heard:
    """Runs a device as a supervisor does, and remembers what it says."""

    def __init__(self, device: Device) -> None:
        self.device = device
        self.said: list[Said] = []

    async def run(self) -> None:
        while True:
            try:
                await self.device.open()
                await self.device.serve(self._hear)
            except DeviceError:
                await self.device.close()
                await asyncio.sleep(0.01)

    def _hear(self, said: Said) -> None:
        self.said.append(said)
        if isinstance(said, DeviceEvent) and self.device.kind == "shoe":
            self.device.committed(said)  # type: ignore[attr-defined]


def record_shoe(
    path: Path, protocol: str, seed: int, steps: int, *, key: bytes | None = None, key_file: Path | None = None
) -> list[Said]:
    """What the driver said in a session of so many things that happen to the shoe, its line and its cable. With a key
    the shoe is one of its own at the end of a real driver's line."""
    settings: dict[str, Any] = {"protocol": protocol, "seed": seed, "decks": 1}
    if key is not None:
        faults = Faults(seed)
        end = TableLinkShoeEnd(faults, key=key)
        plug = Plug(end, faults)
        end.woken = plug.wake
        settings = {"port": "/dev/table-shoe", "key_file": str(key_file)}
        device: Device = TableLinkShoe(TableLinkShoe.Settings(**settings), opener=plug.open)
        shoe = LoadedShoe(end, faults, shuffled(1, seed, 0))
        return asyncio.run(_record(path, device, "tablelink", settings, seed, _shoe_session(shoe, seed, steps), plug))
    device = make("shoe", "simulated", settings, allow_simulated=True)
    assert isinstance(device, SimulatedShoe)
    shoe = device.simulated_shoe
    if isinstance(shoe.end, ByteEnd) and shoe.end.gap_s:
        shoe.end.gap_s = 0.001
    return asyncio.run(_record(path, device, "simulated", settings, seed, _shoe_session(shoe, seed, steps)))


def record_panel(path: Path, seed: int, steps: int) -> list[Said]:
    """The same of a key panel: keys pressed and held, its key switch, its cable."""
    settings = {"seed": seed}
    device = make("console", "simulated", settings, allow_simulated=True)
    assert isinstance(device, SimulatedPanel)
    return asyncio.run(_record(path, device, "simulated", settings, seed, _panel_session(device, seed, steps)))


async def _record(
    path: Path,
    device: Device,
    driver: str,
    settings: dict[str, Any],
    seed: int,
    session: Coroutine[Any, Any, None],
    plug: Plug | None = None,
) -> list[Said]:
    stream = stream_of(device)
    assert stream is not None
    port = port_of(device.kind, driver, settings, stream)
    header = Header(started="now", clock="ntp", croupier="0", ports=(port,))
    trouble: list[str] = []
    recorder = Recorder(path, header, limit=LIMIT, say=trouble.append)
    rig(stream, recorder.tell(port.name))
    heard = Heard(device)
    running = asyncio.create_task(heard.run())
    await session
    await asyncio.sleep(0.1)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    await device.close()
    if plug is not None:
        await plug.close()
    recorder.stop("enough")
    assert not trouble
    return heard.said


async def _shoe_session(shoe: LoadedShoe, seed: int, steps: int) -> None:
    chance = Random(seed)
    for _ in range(steps):
        _something(chance, shoe)
        await asyncio.sleep(chance.choice((0, 0.001, SETTLED_S)))
    for fault in shoe.faults.on:
        shoe.faults.switch(fault, None)


async def _panel_session(panel: SimulatedPanel, seed: int, steps: int) -> None:
    chance = Random(seed)
    for _ in range(steps):
        match chance.choice(("press", "press", "press", "hold", "key", "unplug", "plug", "plug")):
            case "press":
                await panel.press(chance.choice(panel.keys))
            case "hold":
                await panel.hold(chance.choice(panel.keys))
            case "key":
                await panel.turn_key(chance.random() < 0.5)
            case "unplug":
                panel.faults.switch("unplug", 1)
            case "plug":
                panel.faults.switch("unplug", None)
        await asyncio.sleep(chance.choice((0, 0.001, SETTLED_S)))
    panel.faults.switch("unplug", None)


def _something(chance: Random, shoe: LoadedShoe) -> None:
    faults = shoe.faults
    what = chance.choice(("deal", "deal", "deal", "deal", "fault", "well", "unplug", "plug", "reboot", "lid", "load"))
    match what:
        case "deal":
            try:
                shoe.deal()
            except ShoeStopped:
                shoe.load()
        case "fault":
            faults.switch(chance.choice(LINE_FAULTS), 0.3)
        case "well":
            for fault in LINE_FAULTS:
                faults.switch(fault, None)
        case "unplug":
            faults.switch("unplug", 1)
        case "plug":
            faults.switch("unplug", None)
        case "reboot":
            faults.switch("reboot", 1)
        case "lid":
            shoe.lid(chance.random() < 0.3)
        case "load":
            shoe.load()


def entries_of(path: Path) -> list[Entry]:
    with CaptureReader(path) as reader:
        return list(reader)


def replayed(
    path: Path, settings: desk.Settings | None = None, speed: float | None = None
) -> tuple[list[Said], list[desk.About]]:
    """What the drivers say when it is played, and what is told about the playing."""
    said: list[Said] = []
    about: list[desk.About] = []
    found = survey(path)

    def told(t: float, port: str, what: Any) -> None:
        (about if isinstance(what, desk.Differs | desk.Trouble) else said).append(what)

    async def work(loop: VirtualLoop) -> None:
        with CaptureReader(path) as reader:
            await desk.replay(loop, found.header, reader, found.nonces, told, settings=settings or {})

    run(work, speed)
    return said, about
