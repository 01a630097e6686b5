"""What the tests inside share: devices that are unplugged at the end, a chip of pins, and the libraries for them."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import TypeVar

import pytest

from hil.kernel.boot import LIBRARIES_VARIABLE
from hil.kernel.pins import PinChip
from hil.kernel.usb_device import UsbDevice

# Behind .venv's own: what is in both comes from there, as in the plain suite.
sys.path.append(os.environ[LIBRARIES_VARIABLE])

AnyDevice = TypeVar("AnyDevice", bound=UsbDevice)
Plug = Callable[[AnyDevice], AnyDevice]


@pytest.fixture
def plugged() -> Iterator[Plug[AnyDevice]]:
    """Plugs a device in; at the test's end every one is unplugged."""
    with ExitStack() as cables:

        def plug(device: AnyDevice) -> AnyDevice:
            device.plug()
            cables.callback(device.unplug)
            return device

        yield plug


@pytest.fixture(scope="session")
def chip() -> Iterator[PinChip]:
    """One for all tests: rpi-lgpio looks for its chip once, when it is first imported."""
    made = PinChip()
    os.environ["RPI_LGPIO_CHIP"] = str(made.number)
    yield made
    made.remove()
