"""The pins: the contract on simulated pins and on a stand-in of the library, and what is said where there are none."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from pytest_mock import MockerFixture

import drivers.pins
from drivers.errors import BadSetting, DeviceError, PortBusy, PortForbidden
from drivers.pins import MAX_EDGES, Edges, GpioPins, board, check_pins
from drivers.simulated.pins import SimulatedPins
from tests.drivers.gpio_stand_in import gpio_stand_in
from tests.drivers.pins_contract import PIN, Bench, PinsContract


class TestSimulatedPins(PinsContract):
    @pytest.fixture
    def bench(self) -> Iterator[Bench]:
        pins = SimulatedPins()
        yield Bench(pins, pins.drive, pins.level)
        assert pins.claimed == {}


class TestGpioPins(PinsContract):
    @pytest.fixture
    def bench(self) -> Iterator[Bench]:
        gpio = gpio_stand_in()
        gpio.setmode(gpio.BCM)
        yield Bench(GpioPins(gpio), gpio.drive, lambda pin: bool(gpio.levels[pin]))
        assert gpio.directions == {}
        assert gpio.callbacks == {}


# Where there are no pins


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if no pins had been asked for before."""
    monkeypatch.setattr(drivers.pins, "_board", None)
    for name in ("RPi", "RPi.GPIO"):
        monkeypatch.delitem(sys.modules, name, raising=False)


def _module_that_says(words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "RPi"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "GPIO.py").write_text(f"raise RuntimeError({words!r})\n")
    monkeypatch.syspath_prepend(str(tmp_path))


@pytest.mark.usefixtures("fresh")
def test_without_the_library_the_words_say_what_to_install_and_name_the_simulated_driver(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "RPi", None)  # a machine that has it is to behave as one that has not
    with pytest.raises(DeviceError) as told:
        board()
    assert "This machine has no pins" in told.value.words
    assert 'pip install "croupier-table[pi]"' in told.value.advice
    assert 'driver = "simulated"' in told.value.advice


@pytest.mark.usefixtures("fresh")
@pytest.mark.parametrize(
    "words", ["Cannot determine SOC peripheral base address", "This module can only be run on a Raspberry Pi!"]
)
def test_a_library_that_refuses_this_machine_is_quoted(
    words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _module_that_says(words, tmp_path, monkeypatch)
    with pytest.raises(DeviceError, match="has no pins that can be used") as told:
        board()
    assert words in told.value.words
    assert 'driver = "simulated"' in told.value.advice


@pytest.mark.usefixtures("fresh")
def test_a_chip_that_cannot_be_opened_is_told_and_tried_anew_the_next_time(
    monkeypatch: pytest.MonkeyPatch, mocker: MockerFixture
) -> None:
    class LgpioError(Exception):
        pass

    gpio = gpio_stand_in()
    monkeypatch.setitem(sys.modules, "RPi", ModuleType("RPi"))
    monkeypatch.setitem(sys.modules, "RPi.GPIO", gpio)
    broken = mocker.patch.object(gpio, "setmode", side_effect=LgpioError("can not open gpiochip"))
    with pytest.raises(DeviceError, match="can not open gpiochip"):
        board()
    mocker.stop(broken)
    assert board() is board()


@pytest.mark.usefixtures("fresh")
def test_a_chip_that_we_may_not_open_names_the_group(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mocker: MockerFixture
) -> None:
    _module_that_says("can not open gpiochip", tmp_path, monkeypatch)
    mocker.patch("drivers.pins.glob.glob", return_value=["/dev/gpiochip0"])
    mocker.patch("drivers.pins.os.access", return_value=False)
    with pytest.raises(PortForbidden, match="group gpio"):
        board()


@pytest.mark.usefixtures("fresh")
def test_loading_the_library_leaves_the_working_directory_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "lib" / "RPi"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "GPIO.py").write_text("open('.lgd-nfy0', 'w').close()\nraise RuntimeError('no')\n")
    monkeypatch.syspath_prepend(str(tmp_path / "lib"))
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    with pytest.raises(DeviceError):
        board()
    assert (os.getcwd(), os.listdir(here)) == (str(here), [])


def test_a_pin_that_the_system_uses_is_told(mocker: MockerFixture) -> None:
    gpio = gpio_stand_in()
    pins = GpioPins(gpio)
    pins.claim("a lamp", [10, 11])
    mocker.patch.object(gpio, "setup", side_effect=RuntimeError("GPIO busy"))
    with pytest.raises(PortBusy, match="pin 10 is in use by another program, or by the system as SPI"):
        pins.output(10, False)
    mocker.patch.object(gpio, "setup", side_effect=Exception("unknown handle"))
    with pytest.raises(DeviceError, match="pin 11: unknown handle"):
        pins.input(11)


# Settings


def test_a_pin_wired_twice_is_refused_with_both_names() -> None:
    with pytest.raises(BadSetting, match="pin 17 is used twice, for key hit and for lamp hit"):
        check_pins([("key hit", 17), ("key stand", 27), ("lamp hit", 17)])


def test_a_place_on_the_header_is_no_pin() -> None:
    with pytest.raises(BadSetting, match="key hit is on pin 40, which is none: pins are GPIO numbers 0 to 27"):
        check_pins([("key hit", 40)])


# Edges from another thread


async def test_edges_seen_in_another_thread_arrive_in_the_loop_in_order() -> None:
    seen: list[tuple[bool, float, int]] = []
    edges = Edges(lambda level, at: seen.append((level, at, threading.get_ident())))

    def watch() -> None:
        for number in range(40):
            edges.saw(bool(number % 2), number)

    thread = threading.Thread(target=watch)
    thread.start()
    thread.join()
    await asyncio.sleep(0)
    assert seen == [(bool(number % 2), number, threading.get_ident()) for number in range(40)]


async def test_a_line_that_chatters_while_the_loop_is_busy_keeps_the_newest_edges_only() -> None:
    seen: list[float] = []
    edges = Edges(lambda level, at: seen.append(at))
    for number in range(100_000):
        edges.saw(True, number)
    await asyncio.sleep(0)
    assert seen == list(range(100_000 - MAX_EDGES, 100_000))


async def test_no_edge_comes_after_the_end() -> None:
    seen: list[bool] = []
    edges = Edges(lambda level, at: seen.append(level))
    edges.saw(True, 0.0)
    edges.end()
    edges.saw(False, 1.0)
    await asyncio.sleep(0)
    assert seen == []


def test_an_edge_after_the_loop_has_ended_is_nobodys() -> None:
    async def listen() -> Edges:
        return Edges(lambda level, at: None)

    asyncio.run(listen()).saw(True, 0.0)


# Models on simulated lines


class _Answering:
    """Holds OTHER low while PIN is high, as a chip that acknowledges on another line."""

    def __init__(self) -> None:
        self.seen: list[tuple[int, bool]] = []
        self.high = False

    def changed(self, pin: int, level: bool) -> None:
        self.seen.append((pin, level))
        if pin == PIN:
            self.high = level

    def holds_low(self, pin: int) -> bool:
        return pin != PIN and self.high


def test_a_model_sees_every_change_and_can_hold_a_line_low() -> None:
    pins, model = SimulatedPins(), _Answering()
    pins.wire(model, PIN, 5)
    pins.claim("a chip", [PIN, 5])
    pins.output(PIN, False)
    pins.input(5, True)
    assert pins.read(5)
    pins.write(PIN, True)
    assert not pins.read(5)
    pins.write(PIN, False)
    assert pins.read(5)
    assert model.seen == [(5, True), (PIN, True), (5, False), (PIN, False), (5, True)]
    assert pins.contentions == 0


def test_driving_a_line_against_a_chip_that_holds_it_is_counted() -> None:
    pins, model = SimulatedPins(), _Answering()
    pins.wire(model, PIN, 5)
    pins.claim("a chip", [PIN, 5])
    pins.output(PIN, False)
    pins.output(5, True)
    assert pins.contentions == 0
    pins.write(PIN, True)
    assert pins.contentions == 1


class _Restless:
    """Lets go of what it holds and holds it again."""

    def __init__(self) -> None:
        self.holding = False

    def changed(self, pin: int, level: bool) -> None:
        self.holding = level

    def holds_low(self, pin: int) -> bool:
        return self.holding


def test_a_wiring_that_never_comes_to_rest_is_refused() -> None:
    pins = SimulatedPins()
    pins.wire(_Restless(), PIN)
    with pytest.raises(RuntimeError, match="does not come to rest"):
        pins.drive(PIN, True)
