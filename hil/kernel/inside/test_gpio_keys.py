"""The driver `gpio_keys` through rpi-lgpio on the kernel's pins: bounces, long press, lamps and the key switch."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from drivers.base import KeySwitchTurned, Ready
from drivers.consoles.gpio_keys import GpioKeys
from drivers.errors import PortBusy, PortClosed
from hil.kernel.inside.listening import served, until
from hil.kernel.pins import PinChip

HIT, STAND, UNDO, SWITCH, HIT_LAMP, UNDO_LAMP = 17, 27, 22, 5, 23, 24
KEYS = (HIT, STAND, UNDO, SWITCH)


def keys(*, debounce_ms: int = 40, long_press_ms: int = 400) -> GpioKeys:
    settings = GpioKeys.Settings(
        keys={"hit": HIT, "stand": STAND, "undo": UNDO},
        lamps={"hit": HIT_LAMP, "undo": UNDO_LAMP},
        key_switch=SWITCH,
        long_press=("undo",),
        debounce_ms=debounce_ms,
        long_press_ms=long_press_ms,
    )
    return GpioKeys(settings)


@pytest.fixture(autouse=True)
def fingers_off(chip: PinChip) -> Iterator[None]:
    yield
    for key in KEYS:
        chip.pull(key, True)


async def test_a_key_is_told_as_it_goes_down_and_not_again_when_it_comes_up(chip: PinChip) -> None:
    device = keys()
    async with served(device) as console:
        await console.until(lambda: bool(console.of(Ready)), "the console")
        for _ in range(2):
            count = len(console.keys)
            chip.pull(HIT, False)
            await console.until(lambda was=count: len(console.keys) > was, "the key")  # type: ignore[misc]
            chip.pull(HIT, True)
            await until(lambda: device._keys["hit"].next_time() is None, "the key to be up")
        chip.pull(STAND, False)
        await console.until(lambda: len(console.keys) == 3, "the other key")
        assert console.keys == [("hit", False), ("hit", False), ("stand", False)]


async def test_a_contact_that_bounces_is_one_press(chip: PinChip) -> None:
    async with served(keys(debounce_ms=100)) as console:
        await console.until(lambda: bool(console.of(Ready)), "the console")
        for _ in range(10):
            chip.pull(HIT, False)
            chip.pull(HIT, True)
        chip.pull(HIT, False)
        await console.until(lambda: bool(console.keys), "the key")
        for _ in range(10):
            chip.pull(HIT, True)
            chip.pull(HIT, False)
        chip.pull(HIT, True)
        chip.pull(STAND, False)  # comes after everything the first contact did
        await console.until(lambda: ("stand", False) in console.keys, "the next key")
        assert console.keys == [("hit", False), ("stand", False)]


async def test_a_contact_that_only_trembled_is_no_press(chip: PinChip) -> None:
    async with served(keys(debounce_ms=200)) as console:
        await console.until(lambda: bool(console.of(Ready)), "the console")
        chip.pull(HIT, False)
        chip.pull(HIT, True)
        chip.pull(STAND, False)
        await console.until(lambda: bool(console.keys), "the next key")
        assert console.keys == [("stand", False)]


async def test_a_key_kept_down_is_held_and_told_once(chip: PinChip) -> None:
    async with served(keys()) as console:
        await console.until(lambda: bool(console.of(Ready)), "the console")
        chip.pull(UNDO, False)
        await console.until(lambda: bool(console.keys), "the long press")
        chip.pull(UNDO, True)
        chip.pull(STAND, False)
        await console.until(lambda: ("stand", False) in console.keys, "the next key")
        assert console.keys == [("undo", True), ("stand", False)]


async def test_the_same_key_pressed_shortly_is_not_held(chip: PinChip) -> None:
    async with served(keys(debounce_ms=20, long_press_ms=10_000)) as console:
        await console.until(lambda: bool(console.of(Ready)), "the console")
        chip.pull(UNDO, False)
        await asyncio.sleep(0.15)
        chip.pull(UNDO, True)
        await console.until(lambda: bool(console.keys), "the key")
        assert console.keys == [("undo", False)]


async def test_the_key_switch_is_told_at_the_start_and_when_it_is_turned(chip: PinChip) -> None:
    chip.pull(SWITCH, True)
    async with served(keys()) as console:
        await console.until(lambda: len(console.of(KeySwitchTurned)) == 1, "the switch as found")
        chip.pull(SWITCH, False)
        await console.until(lambda: len(console.of(KeySwitchTurned)) == 2, "the switch turned")
        assert [turned.on for turned in console.of(KeySwitchTurned)] == [False, True]


async def test_lamps_are_seen_on_the_lines_and_go_out_with_the_console(chip: PinChip) -> None:
    console = keys()
    async with served(console):
        console.light({"hit": "on"})
        await until(lambda: (chip.level(HIT_LAMP), chip.level(UNDO_LAMP)) == (1, 0), "the lamp of hit")
        console.light({"undo": "blinking"})
        for level in (1, 0, 1):
            await until(lambda lit=level: chip.level(UNDO_LAMP) == lit, "the lamp to blink")  # type: ignore[misc]
        assert chip.level(HIT_LAMP) == 0
        console.light({"hit": "on", "undo": "on"})
        await until(lambda: (chip.level(HIT_LAMP), chip.level(UNDO_LAMP)) == (1, 1), "both lamps")
    await until(lambda: (chip.level(HIT_LAMP), chip.level(UNDO_LAMP)) == (0, 0), "the lamps to go out")


async def test_a_pin_has_one_owner_and_is_free_again_after_the_close(chip: PinChip) -> None:
    first, second = keys(), keys()
    async with served(first) as listener:
        await listener.until(lambda: bool(listener.of(Ready)), "the console")
        with pytest.raises(PortBusy, match=r"pin 23, wanted by .*, is already used by the console"):
            await second.open()
        await first.close()
        assert isinstance(await listener.trouble(), PortClosed)
    async with served(second) as listener:
        await listener.until(lambda: bool(listener.of(Ready)), "the console")
        chip.pull(HIT, False)
        await listener.until(lambda: listener.keys == [("hit", False)], "a key of the new owner")
