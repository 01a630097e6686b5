"""The tower light: settings in words, relays that close when low, and a buzzer that ends by itself."""

from __future__ import annotations

from typing import Any

import pytest

from drivers.consoles.tower_light import TowerLight
from drivers.errors import BadSetting
from drivers.registry import make
from drivers.simulated.pins import SimulatedPins
from hil.contracts.console import serving
from tests.drivers.consoles.clocks import Clock

BUZZER = 19


def a_tower(pins: SimulatedPins, clock: Clock, **settings: Any) -> TowerLight:
    wanted: dict[str, Any] = {"lights": {"red": 5, "green": 6}, "buzzer": BUZZER, **settings}
    return TowerLight(TowerLight.Settings(**wanted), pins=lambda: pins, clock=clock)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"lights": {}}, "a tower has at least one"),
        ({"lights": {"red": 5}, "buzzer": 5}, "pin 5 is used twice, for light red and for the buzzer"),
        ({"lights": {"red": 99}}, "light red is on pin 99, which is none"),
        ({"lights": {"buzzer": 5}}, "the buzzer has a setting of its own"),
        ({"lights": {"red": 5}, "buzzer_limit_s": 0.0}, "more than 0 and at most 60"),
        ({"lights": {"red": 5}, "buzzer_limit_s": 3600.0}, "more than 0 and at most 60"),
    ],
)
def test_wrong_settings_are_refused_in_words(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(BadSetting) as refused:
        make("console", "tower_light", settings)
    assert words in str(refused.value)


async def test_a_tower_has_no_keys() -> None:
    assert a_tower(SimulatedPins(), Clock()).keys == ()


async def test_relays_that_close_when_low_are_open_from_the_start() -> None:
    pins, clock = SimulatedPins(), Clock()
    tower = a_tower(pins, clock, active_low=True)
    async with serving(tower) as served:
        assert [pins.level(pin) for pin in (5, 6, BUZZER)] == [True, True, True]
        tower.light({"red": "on"})
        await served.until(lambda: not pins.level(5))
        assert pins.level(6)


async def test_a_buzzer_is_silent_after_its_limit_and_lamps_stay() -> None:
    pins, clock = SimulatedPins(), Clock()
    tower = a_tower(pins, clock, buzzer_limit_s=30.0)
    async with serving(tower) as served:
        tower.light({"red": "on", "buzzer": "on"})
        await served.until(lambda: pins.level(BUZZER))
        await clock.pause(31.0)
        tower.wake()
        await served.until(lambda: not pins.level(BUZZER))
        assert pins.level(5)


async def test_a_buzzer_ends_by_itself_without_anyone_asking() -> None:
    pins, clock = SimulatedPins(), Clock()
    tower = a_tower(pins, clock, buzzer_limit_s=0.05)
    async with serving(tower) as served:
        tower.light({"buzzer": "on"})
        await served.until(lambda: pins.level(BUZZER))
        await served.until(lambda: not pins.level(BUZZER))


async def test_a_buzzer_that_is_asked_again_sounds_again() -> None:
    pins, clock = SimulatedPins(), Clock()
    tower = a_tower(pins, clock)
    async with serving(tower) as served:
        tower.light({"buzzer": "on"})
        await served.until(lambda: pins.level(BUZZER))
        await clock.pause(11.0)
        tower.wake()
        await served.until(lambda: not pins.level(BUZZER))
        tower.light({"buzzer": "on"})
        await served.until(lambda: pins.level(BUZZER))


async def test_a_buzzer_does_not_sound_again_when_the_tower_comes_back_later() -> None:
    pins, clock = SimulatedPins(), Clock()
    tower = a_tower(pins, clock)
    async with serving(tower) as served:
        tower.light({"red": "on", "buzzer": "on"})
        await served.until(lambda: pins.level(BUZZER))
    await clock.pause(11.0)
    async with serving(tower) as served:
        await served.until(lambda: pins.level(5))
        assert not pins.level(BUZZER)


async def test_a_beeping_buzzer_is_silent_between() -> None:
    pins, clock = SimulatedPins(), Clock()
    tower = a_tower(pins, clock)
    async with serving(tower) as served:
        tower.light({"buzzer": "blinking"})
        await served.until(lambda: pins.level(BUZZER))
        await served.until(lambda: not pins.level(BUZZER))
        await served.until(lambda: pins.level(BUZZER))
