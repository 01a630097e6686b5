"""The serial device made here is a ttyACM to the kernel and to plain pyserial, before our port is tried on it."""

from __future__ import annotations

import pytest
import serial

from hil.kernel.devices import BULK_IN, LineBreak, LineCoding, LineState, SerialEcho
from hil.kernel.inside.conftest import Plug
from hil.kernel.usb_device import wait_until


@pytest.fixture
def line(plugged: Plug[SerialEcho]) -> SerialEcho:
    return plugged(SerialEcho())


def test_bytes_go_both_ways(line: SerialEcho) -> None:
    with serial.Serial(line.tty, 115200, timeout=5) as port:
        port.write(b"card")
        assert port.read(4) == b"card"


def test_the_device_sees_the_line_and_its_wires(line: SerialEcho) -> None:
    with serial.Serial(line.tty, 9600, bytesize=7, parity="E", stopbits=2, timeout=5) as port:
        wait_until(lambda: line.coding == LineCoding(9600, 7, "E", 2), "the line coding")
        wait_until(lambda: line.state == LineState(True, True), "DTR and RTS")
        port.rts = False
        wait_until(lambda: line.state == LineState(True, False), "RTS to go")
        port.send_break(0.01)
        wait_until(lambda: LineBreak(False) in line.asked, "the end of the break")
    assert LineBreak(True) in line.asked
    wait_until(lambda: line.state == LineState(False, False), "DTR to drop with the close")


def test_an_unplugged_line_ends_a_read(line: SerialEcho) -> None:
    with serial.Serial(line.tty, 9600, timeout=20) as port:
        wait_until(lambda: line.is_waited_on(BULK_IN), "the kernel to read")
        line.unplug()
        with pytest.raises(serial.SerialException):
            port.read(1)
