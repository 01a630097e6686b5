"""Keys on pins: settings in words, the key switch, blinking, and what two devices on one board do to each other."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import pytest

import drivers.pins
from drivers.base import FaultCleared, FaultReported, KeySwitchTurned, Ready
from drivers.consoles.gpio_keys import GpioKeys
from drivers.consoles.naming import is_lit, next_blink
from drivers.errors import BadSetting, PortBusy, PortLost
from drivers.registry import make
from drivers.simulated.pins import SimulatedPins
from hil.contracts.console import Served, serving
from tests.drivers.consoles.clocks import Clock


def a_console(pins: SimulatedPins, clock: Callable[[], float] = time.monotonic, **settings: Any) -> GpioKeys:
    wanted: dict[str, Any] = {"keys": {"hit": 17, "stand": 27}, **settings}
    return GpioKeys(GpioKeys.Settings(**wanted), pins=lambda: pins, clock=clock)


def switches(served: Served) -> list[bool]:
    return [said.on for said in served.said if isinstance(said, KeySwitchTurned)]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"keys": {"hit": 17, "stand": 17}}, "pin 17 is used twice, for key hit and for key stand"),
        ({"keys": {"hit": 17}, "lamps": {"hit": 17}}, "pin 17 is used twice, for key hit and for lamp hit"),
        ({"keys": {"hit": 17}, "key_switch": 17}, "pin 17 is used twice, for key hit and for the key switch"),
        ({"keys": {"hit": 28}}, "key hit is on pin 28, which is none: pins are GPIO numbers 0 to 27"),
        ({"keys": {"hit": 17}, "lamps": {"hti": 5}}, "lamps: there is no key 'hti'; did you mean 'hit'?"),
        ({"keys": {"hit": 17}, "long_press": ["undo"]}, "long_press: there is no key 'undo': there are hit"),
        ({"keys": {}}, "a console has at least one"),
        ({"keys": {"": 17}}, "a key needs a name"),
        ({"keys": {"hit": 17}, "debounce_ms": 0}, "debounce_ms is 1 to 500, not 0"),
        ({"keys": {"hit": 17}, "long_press_ms": 20}, "long_press_ms is more than debounce_ms"),
        ({"keys": {"hit": "17"}}, "whole number"),
        ({"kyes": {"hit": 17}}, "did you mean 'keys'"),
    ],
)
def test_wrong_settings_are_refused_in_words(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(BadSetting) as refused:
        make("console", "gpio_keys", settings)
    assert words in str(refused.value)


async def test_the_key_switch_is_told_at_the_start_and_at_each_turn() -> None:
    pins = SimulatedPins()
    pins.drive(22, False)
    async with serving(a_console(pins, key_switch=22)) as served:
        await served.until(lambda: switches(served) == [True])
        for level in (None, False, None, False):  # bounces open
            pins.drive(22, level)
        pins.drive(22, None)
        await served.until(lambda: len(switches(served)) == 2)
        assert switches(served) == [True, False]
        assert served.presses == []


async def test_keys_against_3_volts_are_pulled_down() -> None:
    pins = SimulatedPins()
    async with serving(a_console(pins, active_low=False)) as served:
        assert not pins.level(17)
        pins.drive(17, True)
        await served.pressed(1)
        assert served.presses == [("hit", False)]


async def test_a_stuck_key_is_told_in_words_and_when_it_is_free_again() -> None:
    clock = Clock()
    pins = SimulatedPins(clock)
    async with serving(a_console(pins, clock)) as served:
        pins.drive(17, False)
        await served.pressed(1)
        await clock.pause(60.0)
        pins.drive(27, False)  # an edge makes the driver look
        await served.until(lambda: any(isinstance(said, FaultReported) for said in served.said))
        pins.drive(17, None)
        await served.until(lambda: any(isinstance(said, FaultCleared) for said in served.said))
        words = [said.words for said in served.said if isinstance(said, FaultReported | FaultCleared)]
        assert words == ["key hit has been down for 30 seconds: it may be stuck", "key hit came up again"]


async def test_a_simulated_board_says_so() -> None:
    pins = SimulatedPins()
    settings = GpioKeys.Settings(keys={"hit": 17})
    async with serving(GpioKeys(settings, pins=lambda: pins, simulated=True)) as served:
        ready = served.said[0]
        assert isinstance(ready, Ready)
        assert ready.simulated


async def test_two_consoles_on_one_pin_are_refused_with_the_owner_and_no_pin_is_kept() -> None:
    pins = SimulatedPins()
    first, second = a_console(pins), a_console(pins, keys={"split": 4, "hit": 17})
    await first.open()
    with pytest.raises(PortBusy, match=r"pin 17, wanted by the console \(gpio_keys\), is already used by the console"):
        await second.open()
    await first.close()
    await second.open()
    await second.close()
    assert pins.claimed == {}


async def test_a_pin_that_fails_to_be_set_up_lets_go_of_all(monkeypatch: pytest.MonkeyPatch) -> None:
    pins = SimulatedPins()

    def fails(pin: int, pull_up: bool | None = None) -> None:
        raise PortBusy(f"pin {pin} is in use by another program")

    monkeypatch.setattr(pins, "input", fails)
    with pytest.raises(PortBusy):
        await a_console(pins, lamps={"hit": 5}).open()
    assert pins.claimed == {}


async def test_serving_before_opening_is_refused() -> None:
    with pytest.raises(PortLost, match="not open"):
        await a_console(SimulatedPins()).serve(lambda said: None)


async def test_off_a_pi_the_words_name_the_simulated_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drivers.pins, "_board", None)
    monkeypatch.setitem(sys.modules, "RPi", None)
    console = GpioKeys(GpioKeys.Settings(keys={"hit": 17}))
    with pytest.raises(OSError, match='driver = "simulated"'):
        await console.open()


def test_lamps_blink_twice_a_second_and_all_together() -> None:
    lit = [is_lit("blinking", quarter / 4 + 0.1) for quarter in range(8)]
    assert lit == [True, False] * 4
    assert [next_blink(now) for now in (10.0, 10.2, 10.25)] == [10.25, 10.25, 10.5]
    assert is_lit("on", 10.3)
    assert not is_lit("off", 10.1)
