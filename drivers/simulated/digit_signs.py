"""Simulated displays of digits, wired to simulated pins: chips that see every edge and can be asked what they show.

The fault `mute_sign` makes a chip dark while it still takes everything. `unplug` takes it off its wires and `reboot`
cuts its supply: with both the chips forget all they held.
"""

from __future__ import annotations

from typing import Final

from drivers.simulated.faults import Faults
from drivers.simulated.pins import SimulatedPins
from firmware_protocol.max7219 import Max7219
from firmware_protocol.tm1637 import Tm1637

WORD_BITS: Final = 16  # what the MAX7219's shift register holds


class Tm1637Sign:
    """Fulfils `drivers.simulated.pins.Model`: pulls DIO low to acknowledge."""

    def __init__(self, pins: SimulatedPins, *, clk: int, dio: int, faults: Faults | None = None) -> None:
        self.faults = faults if faults is not None else Faults()
        self.chip = Tm1637()
        self._pins, self._clk, self._dio = pins, clk, dio
        self._holding = False
        self.faults.watch(lambda: _cut_supply(self.faults, self))
        pins.wire(self, clk, dio)

    def changed(self, pin: int, level: bool) -> None:
        if self.faults.is_on("unplug"):
            return
        if pin == self._clk or not self._holding:  # a change of DIO that we hold is our own
            self._holding = False
            host = self._pins.level(self._dio)
            line = self.chip.step(self._pins.level(self._clk), host)
            self._holding = bool(host) and not line

    def holds_low(self, pin: int) -> bool:
        return pin == self._dio and self._holding

    def shown(self) -> str:
        return "" if self.faults.is_on("mute_sign") else self.chip.shown().strip()

    def reboot(self) -> None:
        self.chip = Tm1637()
        self._holding = False


class Max7219Sign:
    """Fulfils `drivers.simulated.pins.Model`: takes a bit as CLK rises and a word as CS does; never answers."""

    def __init__(self, pins: SimulatedPins, *, din: int, clk: int, cs: int, faults: Faults | None = None) -> None:
        self.faults = faults if faults is not None else Faults()
        self.chip = Max7219()
        self._pins, self._din, self._clk, self._cs = pins, din, clk, cs
        self._bits = ""
        self.faults.watch(lambda: _cut_supply(self.faults, self))
        pins.wire(self, din, clk, cs)

    def changed(self, pin: int, level: bool) -> None:
        if self.faults.is_on("unplug"):
            return
        if pin == self._cs:
            if level and self._bits:
                self.chip.transfer(int(self._bits, 2).to_bytes(2, "big") if len(self._bits) == WORD_BITS else b"")
            self._bits = ""
        elif pin == self._clk and level and not self._pins.level(self._cs):
            self._bits = (self._bits + str(int(self._pins.level(self._din))))[-WORD_BITS:]

    def holds_low(self, pin: int) -> bool:
        return False

    def shown(self) -> str:
        return "" if self.faults.is_on("mute_sign") else self.chip.shown().strip()

    def reboot(self) -> None:
        self.chip = Max7219()
        self._bits = ""


def _cut_supply(faults: Faults, sign: Tm1637Sign | Max7219Sign) -> None:
    if faults.is_on("unplug"):
        sign.reboot()
    if faults.is_on("reboot"):
        sign.reboot()
        faults.switch("reboot", None)
