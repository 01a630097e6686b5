"""The USB port over real libusb: bytes, stalls, time-outs, unplugging, plugging in again, and two devices alike."""

from __future__ import annotations

import asyncio
import random
import subprocess
import sys
import time

import pytest

from drivers.errors import DeviceError, PortBusy, PortClosed, PortLost, PortNotFound, WrongDevice
from drivers.ports import usb_bulk
from drivers.ports.base import CLOSE_S, LineSettings, Port
from drivers.ports.opening import open_port
from hil.kernel.devices import BULK_IN, BULK_OUT, BulkEcho, SerialEcho
from hil.kernel.inside.conftest import Plug
from hil.kernel.inside.listening import until

ADDRESS = "usb:1209:CA4D"
HOLD = """
import sys, libusb_package, usb.core, usb.util
device = usb.core.find(backend=libusb_package.get_libusb1_backend(), idVendor=0x1209, idProduct=0xCA4D)
usb.util.claim_interface(device, 0)
print("held", flush=True)
sys.stdin.read()
"""


async def opened(address: str = ADDRESS) -> Port:
    return await open_port(address, LineSettings())


async def read_exactly(port: Port, size: int) -> bytes:
    got = b""
    async with asyncio.timeout(20):
        while len(got) < size:
            got += await port.read()
    return got


async def answers(port: Port, word: bytes) -> bool:
    await port.write(word)
    return await read_exactly(port, len(word)) == word


@pytest.fixture
def echo(plugged: Plug[BulkEcho]) -> BulkEcho:
    return plugged(BulkEcho())


@pytest.mark.parametrize("size", [1, 63, 64, 65, 128, 10_000])
async def test_every_byte_comes_back_in_order(echo: BulkEcho, size: int) -> None:
    port = await opened()
    assert await answers(port, bytes(number % 251 for number in range(size)))
    await port.close()


@pytest.mark.parametrize("endpoint", [BULK_IN, BULK_OUT])
async def test_a_stall_is_cleared_and_nothing_is_lost(echo: BulkEcho, endpoint: int) -> None:
    port = await opened()
    assert await answers(port, b"before")
    echo.halt(endpoint)
    assert await answers(port, b"after")
    assert not echo.is_halted(endpoint)
    await port.close()


@pytest.mark.parametrize("endpoint", [BULK_IN, BULK_OUT])
async def test_a_device_that_stalls_for_good_is_told_in_words(echo: BulkEcho, endpoint: int) -> None:
    port = await opened()
    echo.halt(endpoint, for_good=True)
    with pytest.raises(DeviceError, match=r"usb:1209:CA4D refuses all .* stalls again and again.*plug it in again"):
        await answers(port, b"anyone?")
    await port.close()


async def test_times_out_again_and_again_without_losing_a_byte(echo: BulkEcho, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(usb_bulk, "TRANSFER_MS", 2)
    chance = random.Random(4)
    port = await opened()
    sent = b""
    reading = asyncio.create_task(read_exactly(port, 200 * 16))
    for number in range(200):
        piece = number.to_bytes(16, "big")
        sent += piece
        echo.to_host(BULK_IN, piece)
        await asyncio.sleep(chance.uniform(0, 0.006))
    assert await reading == sent
    await port.close()


async def test_an_unplugged_device_ends_a_blocked_read_at_once_and_is_found_again(echo: BulkEcho) -> None:
    for word in (b"once", b"twice"):
        port = await opened()
        assert await answers(port, word)
        reading = asyncio.create_task(port.read())
        await until(lambda: echo.is_waited_on(BULK_IN), "a blocked read")
        await asyncio.to_thread(echo.unplug)
        with pytest.raises(PortLost, match=r"usb:1209:CA4D is gone: unplugged"):
            await asyncio.wait_for(reading, 20)
        with pytest.raises(PortLost):
            await port.write(b"anyone?")
        with pytest.raises(PortNotFound, match="usb:1209:CA4D is not plugged in"):
            await opened()
        await port.close()
        await asyncio.to_thread(echo.plug)
    port = await opened()
    assert await answers(port, b"and again")
    await port.close()


async def test_two_alike_are_refused_with_both_serials_and_chosen_by_one(plugged: Plug[BulkEcho]) -> None:
    left, right = plugged(BulkEcho("LEFT")), plugged(BulkEcho("RIGHT"))
    with pytest.raises(WrongDevice, match=r"fits 2 devices, with the serial numbers (LEFT, RIGHT|RIGHT, LEFT)"):
        await opened()
    for device in (right, left):
        port = await opened(f"{ADDRESS}:{device.identity.serial}")
        device.to_host(BULK_IN, b"it is me")
        assert await read_exactly(port, 8) == b"it is me"
        await port.close()
    with pytest.raises(PortNotFound, match=r"of that kind there are the serial numbers .*LEFT"):
        await opened(f"{ADDRESS}:MIDDLE")
    await asyncio.to_thread(left.unplug)
    port = await opened()
    await port.close()


async def test_a_device_in_use_says_which_program_has_it(echo: BulkEcho) -> None:
    with subprocess.Popen([sys.executable, "-c", HOLD], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdin is not None
        assert other.stdout is not None
        assert other.stdout.readline() == b"held\n"
        with pytest.raises(PortBusy, match=rf"usb:1209:CA4D is open in another program \(pid {other.pid}, python"):
            await opened()
        other.stdin.close()
        other.wait()
    port = await opened()
    with pytest.raises(PortBusy, match="usb:1209:CA4D is open in"):
        await opened()
    await port.close()


async def test_a_device_that_takes_nothing_holds_the_writer_and_not_the_close(echo: BulkEcho) -> None:
    port = await opened()
    echo.hold(BULK_OUT)
    writing = asyncio.create_task(port.write(bytes(100_000)))
    await until(lambda: echo.is_waited_on(BULK_OUT), "a write that is not taken")
    assert not writing.done()
    began = time.monotonic()
    await port.close()
    assert time.monotonic() - began < 10 * CLOSE_S
    with pytest.raises(PortClosed):
        await writing


async def test_the_kernels_driver_gives_way(plugged: Plug[SerialEcho]) -> None:
    line = plugged(SerialEcho())
    port = await usb_bulk.open_usb(0x1209, 0xCA4E)
    assert not list(line.folder.glob("*/tty/*"))
    assert await answers(port, b"without a tty")
    await port.close()


async def test_the_kernels_driver_gets_its_device_back(plugged: Plug[SerialEcho]) -> None:
    line = plugged(SerialEcho())
    port = await usb_bulk.open_usb(0x1209, 0xCA4E)
    await port.close()  # the kernel makes the tty before it answers the attaching: there is nothing to wait for
    assert list(line.folder.glob("*/tty/*"))
