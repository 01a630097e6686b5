"""Every console of ours, each with a person at it: on simulated pins, in memory, on ptys, on a stand-in of a keypad."""

from __future__ import annotations

import asyncio
import os
import tty
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from drivers.base import Lamp
from drivers.consoles.evdev import EvdevKeypad
from drivers.consoles.gpio_keys import GpioKeys
from drivers.consoles.input_events import CODES, DOWN, EV_KEY, EV_SYN, NATIVE, REPEATED, SYN_REPORT, UP, key_code
from drivers.consoles.input_port import About, InputPort, open_input
from drivers.consoles.tablelink import TableLinkPanel
from drivers.consoles.tower_light import TowerLight
from drivers.errors import PortNotFound
from drivers.ports.base import Port
from drivers.ports.memory import memory_pair
from drivers.ports.pty import PtyPair
from drivers.simulated.cable import Cable
from drivers.simulated.faults import Faults
from drivers.simulated.panel import Panel, PinPanelModel, TableLinkPanelModel
from drivers.simulated.panel_driver import SimulatedPanel
from drivers.simulated.pins import SimulatedPins
from drivers.simulated.tablelink_end import TableLinkEnd
from hil.contracts.console import LONG, PATIENCE_S, TAP, Rig
from tests.drivers.consoles.clocks import Clock

KEYS: Final = (TAP, "stand", LONG)
LONG_PRESS_MS: Final = 5000  # far more than a loaded machine needs between a press and its release
STUCK_S: Final = 120.0
RARELY: Final = 1e-9  # a chance that strikes nobody; switched off, the fault would free the key that is stuck


class PanelRig(Rig):
    """Any rig whose person is a model of `drivers.simulated.panel`."""

    panel: Panel
    faults: Faults
    clock: Clock

    async def press(self, key: str, *, bounce: bool = False) -> None:
        self.faults.switch("bounce", 1.0 if bounce else None)
        await self.panel.press(key)

    async def hold(self, key: str) -> None:
        await self.panel.hold(key)

    async def stick(self, key: str) -> None:
        self.faults.switch("stuck_key", 1.0)
        await self.panel.press(key)
        self.faults.switch("stuck_key", RARELY)  # this one stays down, and the others work
        await self.clock.pause(STUCK_S)

    def lamps(self) -> dict[str, Lamp]:
        return self.panel.lamps()


class PinRig(PanelRig):
    """Keys or a tower on simulated pins."""

    def __init__(self, *, tower: bool) -> None:
        self.clock, self.faults = Clock(), Faults(seed=4)
        self.pins = SimulatedPins(self.clock)
        keys = {} if tower else dict(zip(KEYS, (17, 27, 22), strict=True))
        lamps = {"red": 5, "amber": 6, "buzzer": 13} if tower else {TAP: 5, LONG: 6}
        self.panel = PinPanelModel(
            self.pins,
            keys=keys,
            lamps=lamps,
            long_press_s=LONG_PRESS_MS / 1000,
            faults=self.faults,
            clock=self.clock,
            pause=self.clock.pause,
        )
        self.lamp_names = tuple(lamps)[:2]
        if tower:
            self.console = TowerLight(
                TowerLight.Settings(lights={"red": 5, "amber": 6}, buzzer=13), pins=lambda: self.pins, clock=self.clock
            )
        else:
            settings = GpioKeys.Settings(keys=keys, lamps=lamps, long_press=(LONG,), long_press_ms=LONG_PRESS_MS)
            self.console = GpioKeys(settings, pins=lambda: self.pins, clock=self.clock)

    def left_behind(self) -> list[str]:
        return [f"pin {pin} of {owner}" for pin, owner in self.pins.claimed.items()]


class TableLinkRig(PanelRig):
    """A TableLink panel on a line that can be pulled out."""

    lamp_names = (TAP, LONG)

    def __init__(self, folder: Path | None) -> None:
        """On a pty, under a name in the folder; in memory where there is none."""
        self.clock, self.faults = Clock(), Faults(seed=4)
        self._path = None if folder is None else folder / "table-panel"
        numbers = {TAP: 1, "stand": 2, LONG: 9}
        self._end = TableLinkEnd("panel", faults=self.faults)
        self._end.woken = self._wake
        self.panel = TableLinkPanelModel(numbers, end=self._end)
        self._cable: Cable | None = None
        self._task: asyncio.Task[None] | None = None
        self._pair: PtyPair | None = None
        self.console = TableLinkPanel(
            TableLinkPanel.Settings(port=str(self._path or "memory"), keys=numbers, long_press=(LONG,)),
            opener=None if self._path is not None else self._memory,
        )

    async def unplug(self) -> None:
        self.faults.switch("unplug", 1.0)
        if self._path is not None:
            self._path.unlink()
        await self.end()

    async def replug(self) -> None:
        self.faults.switch("unplug", None)
        if self._path is not None:
            self._pair = PtyPair()
            self._path.symlink_to(self._pair.path)
            self._plug(self._pair.port)

    async def end(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        if self._pair is not None:
            await self._pair.close()

    async def _memory(self) -> Port:
        if self.faults.is_on("unplug"):
            raise PortNotFound("nothing is plugged in", advice="Plug it in")
        near, far = memory_pair("memory")
        await self.end()
        self._plug(far)
        return near

    def _plug(self, port: Port) -> None:
        self._cable = Cable(self._end, port, self.faults)
        self._task = asyncio.create_task(self._cable.run())

    def _wake(self) -> None:
        if self._cable is not None:
            self._cable.wake()


class SimulatedRig(PanelRig):
    """The driver that is configured as `simulated`."""

    def __init__(self, settings: SimulatedPanel.Settings) -> None:
        self.clock = Clock()
        simulated = SimulatedPanel(settings, clock=self.clock, pause=self.clock.pause)
        self.console, self.panel, self.faults = simulated, simulated.panel, simulated.faults
        self.lamp_names = settings.keys

    async def unplug(self) -> None:
        self.faults.switch("unplug", 1.0)

    async def replug(self) -> None:
        self.faults.switch("unplug", None)


class StandInCalls:
    """A kernel that knows one keypad."""

    def __init__(self) -> None:
        self.down: set[int] = set()
        self.grabbed = 0

    def about(self, fd: int, path: str) -> About:
        return About(path=path, name="Stand-in keypad", vendor=0x1209, product=0xCA50, keys=frozenset(CODES.values()))

    def keys_down(self, fd: int) -> frozenset[int]:
        return frozenset(self.down)

    def grab(self, fd: int) -> None:
        self.grabbed += 1


class KeypadRig(Rig):
    """A keypad whose events come through a pty instead of the kernel's input system."""

    def __init__(self, folder: Path) -> None:
        self.clock, self.calls = Clock(), StandInCalls()
        self._path = folder / "event7"
        self._master = self._slave = -1
        self._codes = {TAP: key_code("KP1"), "stand": key_code("KP2"), LONG: key_code("KPMINUS")}
        settings = EvdevKeypad.Settings(
            port=str(self._path), keys=dict(self._codes), long_press=(LONG,), long_press_ms=LONG_PRESS_MS
        )
        self._sent = self._read = 0  # bytes
        self.console = EvdevKeypad(settings, opener=self._open, clock=self.clock)

    async def press(self, key: str, *, bounce: bool = False) -> None:
        await self.send(key, DOWN, *([REPEATED] * 3 if bounce else []), UP)

    async def hold(self, key: str) -> None:
        await self.send(key, DOWN)
        await self.clock.pause(LONG_PRESS_MS / 1000)
        await self.send(key, REPEATED)
        await self.send(key, UP)

    async def stick(self, key: str) -> None:
        await self.send(key, DOWN)
        for _ in range(100):
            await self.clock.pause(STUCK_S / 100)
            await self.send(key, REPEATED)

    async def unplug(self) -> None:
        self.calls.down.clear()
        self._path.unlink()
        self.end()

    async def replug(self) -> None:
        self._master, self._slave = os.openpty()
        tty.setraw(self._slave)
        self._path.symlink_to(os.ttyname(self._slave))

    def end(self) -> None:
        for fd in (self._master, self._slave):
            if fd >= 0:
                os.close(fd)
        self._master = self._slave = -1

    async def send(self, key: str, *values: int) -> None:
        """Returns when the driver has read it."""
        code = self._codes[key]
        for value in values:
            (self.calls.down.discard if value == UP else self.calls.down.add)(code)
        moves = [NATIVE.pack(0, 0, EV_KEY, code, value) + NATIVE.pack(0, 0, EV_SYN, SYN_REPORT, 0) for value in values]
        self._sent += os.write(self._master, b"".join(moves))
        async with asyncio.timeout(PATIENCE_S):
            while self._read < self._sent:
                await asyncio.sleep(0.001)

    async def _open(self) -> InputPort:
        port = await open_input(str(self._path), frozenset(self._codes.values()), calls=self.calls)
        read = port.read

        async def counted() -> bytes:
            data = await read()
            self._read += len(data)
            return data

        port.read = counted  # type: ignore[method-assign]
        return port


@asynccontextmanager
async def gpio_keys(folder: Path) -> AsyncIterator[Rig]:
    yield PinRig(tower=False)


@asynccontextmanager
async def tower_light(folder: Path) -> AsyncIterator[Rig]:
    yield PinRig(tower=True)


@asynccontextmanager
async def tablelink_in_memory(folder: Path) -> AsyncIterator[Rig]:
    rig = TableLinkRig(None)
    yield rig
    await rig.end()


@asynccontextmanager
async def tablelink_on_a_pty(folder: Path) -> AsyncIterator[Rig]:
    rig = TableLinkRig(folder)
    await rig.replug()
    yield rig
    await rig.end()


@asynccontextmanager
async def simulated_tablelink(folder: Path) -> AsyncIterator[Rig]:
    yield SimulatedRig(SimulatedPanel.Settings(seed=4))


@asynccontextmanager
async def simulated_gpio_keys(folder: Path) -> AsyncIterator[Rig]:
    yield SimulatedRig(SimulatedPanel.Settings(protocol="gpio_keys", long_press_ms=LONG_PRESS_MS, seed=4))


@asynccontextmanager
async def evdev(folder: Path) -> AsyncIterator[Rig]:
    rig = KeypadRig(folder)
    await rig.replug()
    yield rig
    rig.end()
