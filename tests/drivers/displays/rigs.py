"""Every display driver with its simulated sign behind it, on every carrier, and a small stand-in for the supervisor."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Final, Protocol

import pytest

from drivers.base import Display, Ready, Said
from drivers.displays import alpha_sign, settings
from drivers.displays.alpha_sign import AlphaSettings, AlphaSignDisplay
from drivers.displays.escpos import EscPosDisplay, EscPosSettings
from drivers.displays.max7219 import Max7219Display, Max7219Settings
from drivers.displays.tablelink import TableLinkDisplay, TableLinkDisplaySettings
from drivers.displays.terminal import TerminalDisplay, TerminalSettings
from drivers.displays.tm1637 import Tm1637Display, Tm1637Settings
from drivers.errors import DeviceError
from drivers.ports.base import LineSettings, Port
from drivers.ports.pty import PtyPair
from drivers.ports.tty import open_tty
from drivers.simulated.digit_signs import Max7219Sign, Tm1637Sign
from drivers.simulated.faults import Faults
from drivers.simulated.pins import SimulatedPins
from drivers.simulated.plug import Plug
from drivers.simulated.sign_driver import SimulatedSign
from drivers.simulated.signs import AlphaSignEnd, PoleEnd, SignEnd, TableLinkSign
from drivers.stream import Opener
from hil.contracts.display import DisplayRig

REFRESH_S: Final = 0.1
FAST: Final = 1_000_000  # baud: the line's time is not what these tests wait for
PATIENCE_S: Final = 30.0
STREAMS: Final = ("tablelink", "alpha_sign", "escpos", "terminal", "simulated")
CHIPS: Final = ("tm1637", "max7219")
RIGS: Final = (*(f"{name}-{on}" for name in STREAMS for on in ("memory", "pty")), *(f"{name}-pins" for name in CHIPS))


class Sign(Protocol):
    def shown(self) -> str: ...

    def reboot(self) -> None: ...


async def until(what: Callable[[], bool], words: str = "") -> None:
    """Waits for it; a test that waits in vain says for what."""
    try:
        async with asyncio.timeout(PATIENCE_S):
            while not what():
                await asyncio.sleep(0.005)
    except TimeoutError:
        pytest.fail(f"waited {PATIENCE_S:.0f} s in vain{': ' if words else ''}{words}")


class Rig(DisplayRig):
    """One display, its sign, and everything it said."""

    def __init__(self, display: Display, sign: Sign, faults: Faults) -> None:
        self.display, self.sign, self.faults = display, sign, faults
        self.said: list[Said] = []
        self.errors: list[DeviceError] = []
        self.notices = display.driver != "max7219"

    @property
    def ready(self) -> int:
        return sum(isinstance(said, Ready) for said in self.said)

    async def sees(self, text: str) -> None:
        await until(lambda: text in self.sign.shown(), f"{text!r} on a sign that shows {self.sign.shown()!r}")

    async def sees_no_more(self, text: str) -> None:
        await until(lambda: text not in self.sign.shown(), f"no {text!r} on a sign that shows {self.sign.shown()!r}")

    async def until(self, reached: Callable[[], bool]) -> None:
        await until(reached)

    async def unplug(self) -> None:
        self.faults.switch("unplug", 1)

    async def plug_in(self) -> None:
        self.faults.switch("unplug", None)

    async def sees_nothing(self) -> None:
        await until(lambda: self.sign.shown() == "", f"a blank sign, and it shows {self.sign.shown()!r}")

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Opens and serves, and does so again after every trouble; leaves neither task nor descriptor behind."""
        descriptors, tasks = _descriptors(), asyncio.all_tasks()
        keeper = asyncio.create_task(self._keep())
        try:
            yield
        finally:
            keeper.cancel()
            await asyncio.gather(keeper, return_exceptions=True)
            await self.display.close()
            await self.display.close()
            await until(lambda: asyncio.all_tasks() <= tasks, f"no task left, and there are {asyncio.all_tasks()}")
            await until(lambda: _descriptors() == descriptors, "no descriptor left")

    async def _keep(self) -> None:
        while True:
            try:
                await self.display.open()
                await self.display.serve(self.said.append)
            except DeviceError as error:
                self.errors.append(error)
            await self.display.close()
            await asyncio.sleep(0.01)


def _descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


def make_rig(name: str, monkeypatch: pytest.MonkeyPatch) -> Rig:
    """By its name in RIGS. Waits that a real sign needs, and a model does not, are made short."""
    monkeypatch.setattr(settings, "LEAST_REFRESH_S", 0.01)
    monkeypatch.setattr(alpha_sign, "LEAST_GAP_S", 0.0)
    monkeypatch.setattr(alpha_sign, "ERASE_WAIT_S", 0.01)
    driver, carrier = name.split("-")
    faults = Faults(seed=4)
    if carrier == "pins":
        return _on_pins(driver, faults)
    if driver == "simulated":
        simulated = SimulatedSign(SimulatedSign.Settings(), pair=None if carrier == "memory" else pty_pair)
        return Rig(simulated, simulated.sign, simulated.faults)
    end = _end(driver, faults)
    plug = Plug(end, faults, name=name, pair=None if carrier == "memory" else pty_pair)
    end.woken = plug.wake
    return Rig(_stream_driver(driver, name, plug.open), end, faults)


async def pty_pair() -> tuple[Port, Port]:
    """8N1 whatever the sign: a pty that is opened again refuses parity."""
    pair = PtyPair(hold=False)
    try:
        return await open_tty(pair.path, LineSettings()), pair.port
    except BaseException:
        await pair.close()
        raise


class UntimedAlpha(AlphaSignEnd):
    """Hears packets however close they come: a loaded machine hands two over at once. Gaps have their own tests."""

    def receive(self, data: bytes, now: float) -> None:
        self.sign.receive(data)


class Screen:
    """A terminal, and the last box printed on it."""

    def __init__(self) -> None:
        self.printed = b""
        self.woken: Callable[[], None] = lambda: None

    def connected(self, now: float) -> None: ...

    def disconnected(self) -> None: ...

    def receive(self, data: bytes, now: float) -> None:
        self.printed += data

    def data_to_send(self, now: float) -> bytes:
        return b""

    def next_time(self) -> float | None:
        return None

    def shown(self) -> str:
        last = self.printed.decode(errors="replace").rpartition("┌")[2]
        return "\n".join(line.strip("│ ") for line in last.splitlines() if line.startswith("│"))

    def reboot(self) -> None:
        raise AssertionError("a terminal that loses its supply loses its line too")


def _end(driver: str, faults: Faults) -> SignEnd:
    match driver:
        case "tablelink":
            return TableLinkSign(faults)
        case "alpha_sign":
            return UntimedAlpha(faults)
        case "escpos":
            return PoleEnd(faults)
    return Screen()


def _stream_driver(driver: str, port: str, opener: Opener) -> Display:
    match driver:
        case "tablelink":
            return TableLinkDisplay(TableLinkDisplaySettings(port=port), opener=opener)
        case "alpha_sign":
            alpha = AlphaSettings(port=port, baud=FAST, packet_gap_s=0.002, refresh_s=REFRESH_S)
            return AlphaSignDisplay(alpha, opener=opener)
        case "escpos":
            return EscPosDisplay(EscPosSettings(port=port, baud=FAST, refresh_s=REFRESH_S), opener=opener)
    return TerminalDisplay(TerminalSettings(port=port), opener=opener)


def _on_pins(driver: str, faults: Faults) -> Rig:
    pins = SimulatedPins()
    if driver == "tm1637":
        tm1637 = Tm1637Sign(pins, clk=5, dio=6, faults=faults)
        return Rig(Tm1637Display(Tm1637Settings(clk=5, dio=6, refresh_s=REFRESH_S), pins=lambda: pins), tm1637, faults)
    max7219 = Max7219Sign(pins, din=10, clk=11, cs=8, faults=faults)
    at = Max7219Settings(din=10, clk=11, cs=8, refresh_s=REFRESH_S)
    return Rig(Max7219Display(at, pins=lambda: pins), max7219, faults)
