"""Pins and keypad made here are real to RPi.GPIO and the input system, before our drivers are tried on them."""

from __future__ import annotations

import os
import struct
import threading
from collections.abc import Iterator
from contextlib import chdir
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from hil.kernel.keypad import EV_KEY, Keypad
from hil.kernel.pins import PinChip

KEY_KP1 = 79  # linux/input-event-codes.h


@pytest.fixture
def gpio(chip: PinChip, tmp_path: Path) -> Iterator[Any]:
    with chdir(tmp_path):  # lgpio leaves a pipe where it is imported
        library = import_module("RPi.GPIO")
    library.setmode(library.BCM)
    yield library
    library.cleanup((17, 18))  # not all: that would take the numbering from the driver too


def test_an_output_is_seen_outside_and_an_input_inside(chip: PinChip, gpio: Any) -> None:
    gpio.setup(18, gpio.OUT, initial=0)
    gpio.setup(17, gpio.IN, pull_up_down=gpio.PUD_UP)
    for level in (1, 0, 1):
        gpio.output(18, level)
        chip.pull(17, bool(level))
        assert (chip.level(18), gpio.input(17)) == (level, level)


def test_an_edge_is_told(chip: PinChip, gpio: Any) -> None:
    told = threading.Event()
    gpio.setup(17, gpio.IN, pull_up_down=gpio.PUD_UP)
    gpio.add_event_detect(17, gpio.FALLING, callback=lambda _: told.set())
    chip.pull(17, False)
    assert told.wait(10)


def test_a_key_comes_through_the_input_system() -> None:
    keypad = Keypad([KEY_KP1])
    try:
        reader = os.open(keypad.path, os.O_RDONLY)
        keypad.press(KEY_KP1)
        data = os.read(reader, 24 * 16)
        os.close(reader)
    finally:
        keypad.unplug()
    events = [struct.unpack_from("llHHi", data, at)[2:] for at in range(0, len(data), 24)]
    assert [(code, value) for kind, code, value in events if kind == EV_KEY] == [(KEY_KP1, 1), (KEY_KP1, 0)]
    assert not Path(keypad.path).exists()
