"""Digits on pins: edges as the chips want them, a chip that does not answer, a loop that is never kept waiting."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drivers.base import Display, Ready, Text
from drivers.displays.max7219 import Max7219Display, Max7219Settings
from drivers.displays.pin_display import STEPS
from drivers.displays.tm1637 import Tm1637Display, Tm1637Settings
from drivers.errors import PortBusy, PortLost
from drivers.simulated.digit_signs import Max7219Sign, Tm1637Sign
from drivers.simulated.pins import SimulatedPins
from firmware_protocol import segments
from tests.drivers.displays.rigs import until
from tests.drivers.displays.test_fitting import CONTENTS

Made = tuple[SimulatedPins, Tm1637Sign | Max7219Sign, Display]


def tm1637() -> Made:
    pins = SimulatedPins()
    sign = Tm1637Sign(pins, clk=5, dio=6)
    return pins, sign, Tm1637Display(Tm1637Settings(clk=5, dio=6, brightness=3), pins=lambda: pins)


def max7219() -> Made:
    pins = SimulatedPins()
    sign = Max7219Sign(pins, din=10, clk=11, cs=8)
    return pins, sign, Max7219Display(Max7219Settings(din=10, clk=11, cs=8, brightness=3), pins=lambda: pins)


BOTH = pytest.mark.parametrize("make", [tm1637, max7219])


def digits(text: str) -> dict[str, Text]:
    return {"limits": Text(page="", line="", short="", digits=text)}


async def shown_once(display: Display) -> None:
    await display.open()
    serving = asyncio.create_task(display.serve(lambda said: None))
    await until(lambda: serving.done() or display.shown() or bool(display.problems({})))
    serving.cancel()
    await asyncio.gather(serving, return_exceptions=True)
    await display.close()


@BOTH
async def test_the_chip_sees_nothing_it_should_not(make: Callable[[], Made]) -> None:
    pins, sign, display = make()
    for text in ("25", "8888", "", "12-5", "-5-0"):
        display.show(digits(text))
        await shown_once(display)
        assert sign.shown() == text
    assert sign.chip.faults == 0
    assert sign.chip.brightness == 3
    assert pins.contentions == 0
    assert pins.claimed == {}


@given(text=st.text(st.sampled_from("0123456789-_ AbCdEFHnP"), max_size=4))
@settings(max_examples=40)
def test_any_four_characters_arrive(text: str) -> None:
    for make in (tm1637, max7219):
        _, sign, display = make()
        display.show(digits(text))
        asyncio.run(shown_once(display))
        assert sign.shown() == segments.as_seen(" ".join(text.split()))


@given(content=CONTENTS)
@settings(max_examples=40)
def test_any_content_is_shown_or_left_out(content: dict[str, Text]) -> None:
    for make in (tm1637, max7219):
        _, sign, display = make()
        display.show(content)
        problems = display.problems(content)

        async def serve(display: Display = display) -> None:
            said: list[Any] = []
            await display.open()
            serving = asyncio.create_task(display.serve(said.append))
            await until(lambda: bool(said))
            assert display.shown() is (problems == [])  # noqa: B023
            await display.close()
            await asyncio.gather(serving, return_exceptions=True)

        asyncio.run(serve())
        assert sign.chip.faults == 0


async def test_the_colon_and_the_points_are_lit() -> None:
    _, sign, display = tm1637()
    display.show(digits("12:30"))
    await shown_once(display)
    assert sign.shown() == "12:30"
    _, sign, display = max7219()
    display.show(digits("2.50-500"))
    await shown_once(display)
    assert sign.shown() == "2.50-500"


async def test_a_missing_chip_is_told_by_its_pins() -> None:
    pins = SimulatedPins()
    display = Tm1637Display(Tm1637Settings(clk=5, dio=6), pins=lambda: pins)
    await display.open()
    with pytest.raises(PortLost, match="the display on pins 5 and 6 does not answer") as lost:
        await display.serve(lambda said: None)
    assert "CLK and DIO are not swapped" in lost.value.advice
    assert not display.shown()
    await display.close()


async def test_swapped_wires_are_noticed() -> None:
    pins = SimulatedPins()
    Tm1637Sign(pins, clk=6, dio=5)
    display = Tm1637Display(Tm1637Settings(clk=5, dio=6), pins=lambda: pins)
    await display.open()
    with pytest.raises(PortLost, match="does not answer"):
        await display.serve(lambda said: None)
    await display.close()


async def test_ready_comes_only_after_the_chip_has_answered() -> None:
    _, sign, display = tm1637()
    sign.faults.switch("unplug", 1)
    said: list[object] = []
    await display.open()
    with pytest.raises(PortLost):
        await display.serve(said.append)
    assert said == []
    sign.faults.switch("unplug", None)
    await display.open()
    serving = asyncio.create_task(display.serve(said.append))
    await until(lambda: any(isinstance(each, Ready) for each in said))
    await display.close()
    await asyncio.gather(serving, return_exceptions=True)


@BOTH
async def test_pins_that_another_has_are_refused_and_left_alone(make: Callable[[], Made]) -> None:
    pins, _, display = make()
    pins.claim("the console", [6, 8])
    with pytest.raises(PortBusy, match="already used by the console"):
        await display.open()
    assert pins.claimed == {6: "the console", 8: "the console"}
    await display.close()


@BOTH
async def test_others_have_their_turn_while_bits_are_moved(make: Callable[[], Made]) -> None:
    pins, _, display = make()
    writes_in_a_turn, most = 0, 0
    write = pins.write

    def counted(pin: int, level: bool) -> None:
        nonlocal writes_in_a_turn, most
        writes_in_a_turn += 1
        most = max(most, writes_in_a_turn)
        write(pin, level)

    pins.write = counted  # type: ignore[method-assign]
    display.show(digits("25"))
    await display.open()
    serving = asyncio.create_task(display.serve(lambda said: None))
    while not display.shown():
        await asyncio.sleep(0)
        writes_in_a_turn = 0
    assert 0 < most <= 4 * STEPS
    await display.close()
    await asyncio.gather(serving, return_exceptions=True)


@BOTH
async def test_a_writing_cut_off_at_any_step_harms_nothing(make: Callable[[], Made]) -> None:
    _, sign, display = make()
    for turns in range(30):
        display.show(digits("8888"))
        await display.open()
        serving = asyncio.create_task(display.serve(lambda said: None))
        for _ in range(turns):
            await asyncio.sleep(0)
        serving.cancel()
        await asyncio.gather(serving, return_exceptions=True)
        await display.close()
    display.show(digits("25"))
    await shown_once(display)
    assert sign.shown() == "25"


@pytest.mark.parametrize(
    ("made", "wrong", "words"),
    [
        (Tm1637Settings, {"clk": 5, "dio": 5}, "pin 5 is used twice"),
        (Tm1637Settings, {"clk": 5, "dio": 40}, "pin 40, which is none"),
        (Tm1637Settings, {"clk": 5, "dio": 6, "brightness": 8}, "brightness is 0 to 7"),
        (Max7219Settings, {"din": 10, "clk": 11, "cs": 10}, "pin 10 is used twice"),
        (Max7219Settings, {"din": 10, "clk": 11, "cs": 8, "brightness": 16}, "brightness is 0 to 15"),
        (Max7219Settings, {"din": 10, "clk": 11, "cs": 8, "refresh_s": 0.5}, "refresh_s"),
    ],
)
def test_settings_that_can_not_work_are_refused_in_words(made: Any, wrong: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        made(**wrong)
