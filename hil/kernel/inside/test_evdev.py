"""The driver `evdev` on a keypad of the kernel's uinput: presses, long press, repeats, the grab, and unplugging."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator

import pytest

from drivers.base import Ready
from drivers.consoles.evdev import NUMERIC_KEYPAD, EvdevKeypad
from drivers.consoles.input_events import CODES
from drivers.errors import PortBusy, PortLost, PortNotFound
from hil.kernel.inside.listening import served
from hil.kernel.keypad import Keypad

KP1, KP2, MINUS = CODES["KP1"], CODES["KP2"], CODES["KPMINUS"]


def plug_in(name: str = "Kernel keypad") -> Keypad:
    return Keypad([CODES[key] for key in NUMERIC_KEYPAD.values()], name)


@pytest.fixture
def keypad() -> Iterator[Keypad]:
    made = plug_in()
    yield made
    made.unplug()


def console(port: str, long_press_ms: int = 400) -> EvdevKeypad:
    return EvdevKeypad(EvdevKeypad.Settings(port=port, long_press=("undo",), long_press_ms=long_press_ms))


@pytest.mark.parametrize("address", ["path", "name:Kernel keypad", "usb:1209:CA50"])
async def test_keys_pressed_are_told_by_their_names(keypad: Keypad, address: str) -> None:
    async with served(console(keypad.path if address == "path" else address)) as listener:
        await listener.until(lambda: bool(listener.of(Ready)), "the keypad")
        for code in (KP1, KP2, KP1):
            keypad.press(code)
        await listener.until(lambda: len(listener.keys) == 3, "three keys")
        assert listener.keys == [("hit", False), ("stand", False), ("hit", False)]
        assert "Kernel keypad, 1209:ca50" in listener.of(Ready)[0].identity


async def test_a_key_kept_down_is_held_and_told_once_though_the_kernel_repeats_it(keypad: Keypad) -> None:
    async with served(console(keypad.path)) as listener:
        await listener.until(lambda: bool(listener.of(Ready)), "the keypad")
        keypad.turn(MINUS, True)
        await listener.until(lambda: bool(listener.keys), "the long press")
        await asyncio.sleep(0.2)
        keypad.turn(MINUS, False)
        keypad.press(KP1)
        await listener.until(lambda: ("hit", False) in listener.keys, "the next key")
        assert listener.keys == [("undo", True), ("hit", False)]


async def test_the_same_key_pressed_shortly_is_not_held(keypad: Keypad) -> None:
    async with served(console(keypad.path, long_press_ms=10_000)) as listener:
        await listener.until(lambda: bool(listener.of(Ready)), "the keypad")
        keypad.press(MINUS)
        await listener.until(lambda: bool(listener.keys), "the key")
        assert listener.keys == [("undo", False)]


async def test_a_key_already_down_when_the_table_starts_is_no_press(keypad: Keypad) -> None:
    keypad.turn(KP1, True)
    async with served(console(keypad.path)) as listener:
        await listener.until(lambda: bool(listener.of(Ready)), "the keypad")
        keypad.turn(KP1, False)
        keypad.press(KP2)
        await listener.until(lambda: bool(listener.keys), "the next key")
        assert listener.keys == [("stand", False)]


async def test_the_keypad_is_ours_alone_until_it_is_closed(keypad: Keypad) -> None:
    other = os.open(keypad.path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        device = console(keypad.path)
        async with served(device) as listener:
            await listener.until(lambda: bool(listener.of(Ready)), "the keypad")
            keypad.press(KP1)
            await listener.until(lambda: bool(listener.keys), "the key")
            with pytest.raises(BlockingIOError):
                os.read(other, 240)
            with pytest.raises(PortBusy, match="is grabbed already; it is open in this program"):
                await console(keypad.path).open()
        keypad.press(KP2)
        assert os.read(other, 240)
    finally:
        os.close(other)


async def test_an_unplugged_keypad_is_told_in_words_and_comes_back(keypad: Keypad) -> None:
    device = console("name:Kernel keypad")
    async with served(device) as listener:
        await listener.until(lambda: bool(listener.of(Ready)), "the keypad")
        keypad.unplug()
        lost = await listener.trouble()
        assert isinstance(lost, PortLost)
        assert "the keypad Kernel keypad" in lost.words
        with pytest.raises(PortNotFound, match="no keypad is name:Kernel keypad"):
            await device.open()
        again = plug_in()
        try:
            await listener.open()
            await listener.until(lambda: len(listener.of(Ready)) == 2, "the keypad again")
            again.press(KP1)
            await listener.until(lambda: listener.keys == [("hit", False)], "a key after all")
        finally:
            again.unplug()
            await listener.trouble()
