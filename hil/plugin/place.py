"""One device's place on a bench: its cable, the hand that moves it, and the driver and settings that read it.

The same for a driver in the test's process and for one in a daemon: both are given `driver` and `settings`. A device
on pins has no cable: nothing is tapped there, and a line's faults it can't have.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any, Final, cast

import msgspec

from drivers import registry
from drivers.base import Device, Mark
from drivers.errors import DeviceError
from drivers.settings import converted
from drivers.simulated.bench import Bench, PanelBench, ShoeBench, SignBench
from drivers.simulated.faults import FAULTS, Faults
from drivers.simulated.panel_driver import SWITCH_NUMBER, SimulatedPanel
from drivers.simulated.pile import CUT, DECK
from drivers.simulated.shoe_driver import SimulatedShoe
from drivers.simulated.sign_driver import SimulatedSign
from drivers.simulated.signs import STREAM_PROTOCOLS
from drivers.stream import StreamDevice
from hil.plugin.bench_file import KINDS, DeviceEntry
from hil.plugin.far_end import FarEnd
from hil.plugin.line import ON_THE_LINE, Line
from hil.plugin.loop import Loop
from hil.plugin.words import BenchBroken, CantDo

PTY_LINE: Final = {"data_bits": 8, "parity": "N", "stop_bits": 1}  # a pty that is opened again refuses parity


class Place:
    """`plug_in` before use, `close` behind it. `simulated` is the device itself, where nothing about it is real."""

    def __init__(self, name: str, entry: DeviceEntry, folder: Path, loop: Loop) -> None:
        self.name, self.entry, self._loop = name, entry, loop
        self._path = folder / entry.role
        self._living: asyncio.Task[None] | None = None
        self.simulated: Bench | None = None
        self.line: Line | None = None
        self.driver = entry.found.driver_name
        self.settings: dict[str, Any] = dict(entry.found.settings)
        if entry.simulated:
            self._simulate()
        elif isinstance(entry.found.device, StreamDevice):
            self._relay(entry.found.device)

    @property
    def is_simulated(self) -> bool:
        """By its driver, or by the mark of the port that it is at."""
        return self.entry.simulated or (self.line is not None and self.line.simulated)

    @property
    def protocol(self) -> str:
        """What is spoken on its cable."""
        return self.driver

    def make(self, known: Mark | None = None) -> Device:
        """The device by its real driver, not opened. `known` is where a journal's knowledge of it ends."""
        return registry.make(KINDS[self.entry.role], self.driver, self.settings, known=known, allow_simulated=True)

    def plug_in(self) -> None:
        if self.line is None:
            return
        try:
            self._loop.run(self.line.start())
        except DeviceError as error:
            raise BenchBroken(f"{self.name}: {error}") from error
        if self.simulated is not None:
            self._loop.run(self._live(self.simulated))

    def close(self) -> None:
        if self.line is not None:
            self._loop.run(self._stop(self.line))

    # Faults

    @property
    def faults(self) -> list[str]:
        """Those that can be switched on here."""
        if self.simulated is not None:
            return self.simulated.faults_of_mine()
        return list(ON_THE_LINE) if self.line is not None else []

    def switch(self, fault: str, chance: float | None) -> None:
        """Raises CantDo for a fault that this device can't be given, ValueError for one that there is not."""
        if fault in FAULTS and fault not in self.faults:
            usable = f"it can have {', '.join(self.faults)}" if self.faults else "it has no line to spoil"
            whose = "a simulated" if self.entry.simulated else "a real"
            raise CantDo(
                f"{self.name} is {whose} {self.driver} {self.entry.role}, which can't be given {fault}: {usable}"
            )
        faults = self.line.faults if self.line is not None else Faults()
        self._loop.call(lambda: faults.switch(fault, chance))

    # Making it

    def _simulate(self) -> None:
        role, found = self.entry.role, self.entry.found
        full = f"{KINDS[role]}.simulated"
        if role == "shoe":
            shoe = converted(full, SimulatedShoe.Settings, found.settings)
            bench: Bench = ShoeBench(
                shoe.protocol, shoe.cards(), seed=shoe.seed, burn=shoe.burn, auto=shoe.pace or None
            )
            more: dict[str, Any] = {"cards": str(self._card_map())} if shoe.protocol == "line_reader" else {}
            self._on_a_cable(bench, shoe.protocol, more)
        elif role == "sign":
            sign = converted(full, SimulatedSign.Settings, found.settings)
            if sign.protocol in STREAM_PROTOCOLS:
                more = PTY_LINE if sign.protocol == "alpha_sign" else {}
                self._on_a_cable(SignBench(sign.protocol, seed=sign.seed), sign.protocol, more)
        else:
            panel = converted(full, SimulatedPanel.Settings, found.settings)
            if panel.protocol == "tablelink":
                keys = {key: number for number, key in enumerate(panel.keys)}
                long_press = [key for key in panel.long_press if key in keys]
                more = {"keys": keys, "key_switch": SWITCH_NUMBER, "long_press": long_press}
                self._on_a_cable(PanelBench(seed=panel.seed, keys=panel.keys), panel.protocol, more)

    def _on_a_cable(self, bench: Bench, protocol: str, more: dict[str, Any]) -> None:
        self.simulated, self.driver = bench, protocol
        self.settings = {"port": str(self._path), **more}
        self.line = Line(self.name, self._path, bench.end, bench.faults, simulated=True)
        bench.attach(cast(Any, self.line), lambda said: None)

    def _relay(self, device: StreamDevice) -> None:
        far = FarEnd(device.opener, lambda trouble: line.gone(trouble))
        line = self.line = Line(self.name, self._path, far, Faults(), simulated=False)
        far.woken = line.wake
        known = {field.encode_name for field in msgspec.structs.fields(type_of_settings(self.entry))}
        self.settings |= {"port": str(self._path)} | {key: value for key, value in PTY_LINE.items() if key in known}

    def _card_map(self) -> Path:
        """For a reader whose codes are the cards' own names."""
        path = self._path.with_name("cards.toml")
        path.write_text("\n".join([f'cut_card = ["{CUT}"]', "[cards]", *(f'"{card}" = "{card}"' for card in DECK), ""]))
        return path

    async def _live(self, bench: Bench) -> None:
        self._living = asyncio.create_task(bench.live(), name=f"life of {self.name}")

    async def _stop(self, line: Line) -> None:
        if self._living is not None:
            self._living.cancel()
            await asyncio.gather(self._living, return_exceptions=True)
        await line.stop()


def type_of_settings(entry: DeviceEntry) -> type[msgspec.Struct]:
    assert entry.found.driver is not None  # the bench file was refused otherwise
    return entry.found.driver.Settings
