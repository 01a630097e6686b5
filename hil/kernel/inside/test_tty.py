"""The serial port on a real /dev/ttyACM0: what the device sees of the line, who holds it, and unplugging."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time

import pytest

from drivers.errors import PortBusy, PortClosed, PortLost, PortNotFound
from drivers.ports import sysfs
from drivers.ports.base import CLOSE_S, LineSettings, Port
from drivers.ports.tty import open_tty
from hil.kernel.devices import BULK_IN, BULK_OUT, LineCoding, LineState, SerialEcho
from hil.kernel.inside.conftest import Plug
from hil.kernel.inside.listening import until

HOLD = (
    "import serial, sys; port = serial.Serial(sys.argv[1], exclusive=True); print('held', flush=True); sys.stdin.read()"
)


@pytest.fixture
def line(plugged: Plug[SerialEcho]) -> SerialEcho:
    return plugged(SerialEcho())


async def read_exactly(port: Port, size: int) -> bytes:
    got = b""
    async with asyncio.timeout(20):
        while len(got) < size:
            got += await port.read()
    return got


@pytest.mark.parametrize(
    ("settings", "seen"),
    [
        (LineSettings(), LineCoding(115200, 8, "N", 1)),
        (LineSettings(baud=9600, data_bits=7, parity="E"), LineCoding(9600, 7, "E", 1)),
        (LineSettings(baud=9600, data_bits=7, parity="E", stop_bits=2), LineCoding(9600, 7, "E", 2)),
        (LineSettings(baud=4800), LineCoding(4800, 8, "N", 1)),
        (LineSettings(baud=19200, parity="O"), LineCoding(19200, 8, "O", 1)),
    ],
    ids=str,
)
async def test_the_device_gets_the_line_as_it_was_set(
    line: SerialEcho, settings: LineSettings, seen: LineCoding
) -> None:
    for _ in range(2):  # a pty refuses parity the second time; a real line must not
        port = await open_tty(line.tty, settings)
        await until(lambda: line.coding == seen, f"{seen}")
        await port.write(b"card")
        assert await read_exactly(port, 4) == b"card"
        await port.close()


async def test_dtr_is_up_while_the_port_is_open(line: SerialEcho) -> None:
    assert line.state == LineState(False, False)
    port = await open_tty(line.tty, LineSettings())
    await until(lambda: line.state.dtr, "DTR to rise")
    await port.close()
    await until(lambda: not line.state.dtr, "DTR to drop")


@pytest.mark.parametrize("size", [1, 64, 3000])
async def test_every_byte_comes_back_in_order(line: SerialEcho, size: int) -> None:
    sent = bytes(number % 251 for number in range(size))
    port = await open_tty(line.tty, LineSettings())
    await port.write(sent)
    assert await read_exactly(port, size) == sent
    await port.close()


async def test_a_device_that_takes_nothing_holds_the_writer_and_not_the_close(line: SerialEcho) -> None:
    port = await open_tty(line.tty, LineSettings())
    line.hold(BULK_OUT)
    writing = asyncio.create_task(port.write(bytes(1_000_000)))
    await until(lambda: line.is_waited_on(BULK_OUT), "a write that is not taken")
    assert not writing.done()
    began = time.monotonic()
    await port.close()
    assert time.monotonic() - began < 10 * CLOSE_S
    with pytest.raises(PortClosed):
        await writing


async def test_a_port_in_use_says_which_program_has_it(line: SerialEcho) -> None:
    command = [sys.executable, "-c", HOLD, line.tty]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdin is not None
        assert other.stdout is not None
        assert other.stdout.readline() == b"held\n"
        with pytest.raises(PortBusy, match=rf"{line.tty} is open in another program \(pid {other.pid}, python"):
            await open_tty(line.tty, LineSettings())
        other.stdin.close()
        other.wait()
    port = await open_tty(line.tty, LineSettings())
    with pytest.raises(PortBusy, match="this program already"):
        await open_tty(line.tty, LineSettings())
    await port.close()


async def test_an_unplugged_line_ends_a_blocked_read_at_once_and_comes_back(line: SerialEcho) -> None:
    tty = line.tty
    for _ in range(2):
        port = await open_tty(tty, LineSettings())
        reading = asyncio.create_task(port.read())
        await until(lambda: line.is_waited_on(BULK_IN), "the kernel to read")
        await asyncio.to_thread(line.unplug)
        with pytest.raises(PortLost, match=f"{tty} is gone"):
            await asyncio.wait_for(reading, 20)
        with pytest.raises(PortLost):
            await port.write(b"anyone?")
        with pytest.raises(PortNotFound):
            await open_tty(tty, LineSettings())
        await port.close()
        await asyncio.to_thread(line.plug)
        assert line.tty == tty  # its number is free again, because we held on to nothing
    port = await open_tty(tty, LineSettings())
    await port.write(b"again")
    assert await read_exactly(port, 5) == b"again"
    await port.close()


async def test_what_came_before_the_unplugging_is_still_read(line: SerialEcho) -> None:
    port = await open_tty(line.tty, LineSettings())
    await until(lambda: line.is_waited_on(BULK_IN), "the kernel to read")
    line.to_host(BULK_IN, b"last words")
    await asyncio.sleep(0.1)
    assert await read_exactly(port, 10) == b"last words"
    await asyncio.to_thread(line.unplug)
    with pytest.raises(PortLost):
        await port.read()
    await port.close()


def test_the_kernels_tree_tells_who_the_line_is(line: SerialEcho) -> None:
    found = [tty for tty in sysfs.ttys() if tty.path == line.tty]
    assert len(found) == 1
    tty = found[0]
    assert (tty.vid, tty.pid, tty.serial) == (0x1209, 0xCA4E, "LINE-A")
    assert (tty.manufacturer, tty.product, tty.interface) == ("Croupier", "Serial shoe", 0)
    assert tty.usb_path == line.folder.name
