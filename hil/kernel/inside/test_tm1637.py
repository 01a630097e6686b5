"""The driver `tm1637` through rpi-lgpio on the kernel's pins: CLK and DIO, decoded by the chip's model."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from drivers.base import Ready, Text
from drivers.displays.tm1637 import Tm1637Display, Tm1637Settings
from drivers.errors import PortLost
from drivers.pins import OnEdge, board
from firmware_protocol.tm1637 import Tm1637
from hil.kernel.inside.listening import served
from hil.kernel.pins import PinChip

CLK, DIO = 20, 21


class Module:
    """A TM1637 wired to the pins of this machine, whose levels it takes from outside after every call of the driver.

    Fulfils `drivers.pins.Pins` by handing every call on. Its answer goes onto the line as a real one does: by a pull.
    """

    def __init__(self, chip: PinChip) -> None:
        self.chip, self.model = chip, Tm1637()
        self.powered = True
        self._pins = board()
        self._let_go = True  # the host drives DIO no more
        for line in (CLK, DIO):
            chip.pull(line, True)  # the module's own resistors

    def claim(self, owner: str, pins: Iterable[int]) -> None:
        self._pins.claim(owner, pins)

    def output(self, pin: int, initial: bool) -> None:
        self._pins.output(pin, initial)
        self._changed(pin, let_go=False)

    def input(self, pin: int, pull_up: bool | None = None) -> None:
        self._pins.input(pin, pull_up)
        self._changed(pin, let_go=True)

    def write(self, pin: int, level: bool) -> None:
        self._pins.write(pin, level)
        self._changed(pin)

    def read(self, pin: int) -> bool:
        return self._pins.read(pin)

    def on_edge(self, pin: int, callback: OnEdge) -> None:
        self._pins.on_edge(pin, callback)

    def release(self, *pins: int) -> None:
        self._pins.release(*pins)

    def _changed(self, pin: int, *, let_go: bool | None = None) -> None:
        if pin == DIO and let_go is not None:
            self._let_go = let_go
        if not self.powered:
            return
        hosts = 1 if self._let_go else self.chip.level(DIO)  # what the chip itself pulls down is not the host's
        level = self.model.step(self.chip.level(CLK), hosts)
        self.chip.pull(DIO, bool(level) if self._let_go else True)


def text(digits: str) -> Text:
    return Text(page=digits, line=digits, short=digits, digits=digits)


def display(module: Module, brightness: int = 7) -> Tm1637Display:
    settings = Tm1637Settings(clk=CLK, dio=DIO, brightness=brightness, refresh_s=1.0)
    return Tm1637Display(settings, pins=lambda: module)


@pytest.fixture
def module(chip: PinChip) -> Module:
    return Module(chip)


@pytest.mark.parametrize(("digits", "seen"), [("0123", "0123"), ("25", "  25"), ("12:30", "12:30"), ("-5", "  -5")])
async def test_the_chip_shows_what_it_was_sent(module: Module, digits: str, seen: str) -> None:
    device = display(module, brightness=3)
    device.show({"limits": text(digits)})
    async with served(device) as listener:
        await listener.until(lambda: bool(listener.of(Ready)), "the chip's acknowledgement")
        assert device.shown()
        assert (module.model.shown(), module.model.brightness) == (seen, 3)
    assert module.model.faults == 0


async def test_the_digits_change_with_the_content(module: Module) -> None:
    device = display(module)
    async with served(device) as listener:
        await listener.until(lambda: bool(listener.of(Ready)), "the chip's acknowledgement")
        for digits in ("100", "5", "2500"):
            device.show({"limits": text(digits)})
            await listener.until(device.shown, digits)
            assert module.model.shown().strip() == digits
    assert module.model.faults == 0


async def test_a_chip_without_supply_is_told_and_comes_back_with_its_digits(module: Module) -> None:
    device = display(module)
    device.show({"limits": text("77")})
    module.powered = False
    async with served(device) as listener:
        lost = await listener.trouble()
        assert isinstance(lost, PortLost)
        assert "the display on pins 20 and 21 does not answer" in lost.words
        module.powered = True
        await listener.open()
        await listener.until(device.shown, "the digits")
        assert module.model.shown() == "  77"


async def test_a_chip_that_falls_silent_later_is_told_by_the_next_refresh(module: Module) -> None:
    device = display(module)
    device.show({"limits": text("1")})
    async with served(device) as listener:
        await listener.until(device.shown, "the digits")
        module.powered = False
        module.chip.pull(DIO, True)
        assert isinstance(await listener.trouble(), PortLost)


async def test_the_lines_are_let_go_at_the_close(module: Module) -> None:
    async with served(display(module)) as listener:
        await listener.until(lambda: bool(listener.of(Ready)), "the chip's acknowledgement")
    for level in (False, True):
        module.chip.pull(CLK, level)
        module.chip.pull(DIO, level)
        assert (module.chip.level(CLK), module.chip.level(DIO)) == (level, level)
