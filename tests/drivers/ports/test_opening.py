"""Opening by address: stable names, a USB device that the kernel made a tty of, and what is not there."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from drivers.errors import BadSetting, PortNotFound, WrongDevice
from drivers.ports.addresses import UsbAddress
from drivers.ports.base import LineSettings
from drivers.ports.opening import open_port, usb_tty
from drivers.ports.pty import PtyPair
from drivers.ports.sysfs import UsbTty
from tests.drivers.ports.fake_usb import FakeDevice, FakeUsb

LINE = LineSettings()


@pytest.fixture
async def pair() -> AsyncIterator[PtyPair]:
    made = PtyPair()
    yield made
    await made.close()


@pytest.fixture
def by_id(tmp_path: Path, pair: PtyPair) -> Path:
    for name in ("usb-FTDI_A1-if00", "usb-FTDI_B2-if00"):
        (tmp_path / name).symlink_to(pair.path)
    return tmp_path


def usb(name: str, serial: str, place: str, interface: int = 0) -> UsbTty:
    return UsbTty(
        name=name,
        vid=0x0403,
        pid=0x6001,
        serial=serial,
        manufacturer="",
        product="",
        interface=interface,
        usb_path=place,
        by_id="",
        by_path="",
    )


@pytest.mark.parametrize("name", ["usb-FTDI_A1-if00", "usb-FTDI_A"])
async def test_a_stable_name_or_the_only_one_that_begins_so_is_opened(by_id: Path, pair: PtyPair, name: str) -> None:
    port = await open_port(f"by-id:{name}", LINE, by_id=by_id)
    assert port.name == f"by-id:{name}"
    await pair.port.write(b"hello")
    assert await port.read() == b"hello"
    await port.close()


async def test_by_path_looks_in_its_own_folder(by_id: Path) -> None:
    port = await open_port("by-path:usb-FTDI_B2-if00", LINE, by_path=by_id)
    await port.close()


async def test_a_name_that_is_not_there_lists_what_is(by_id: Path) -> None:
    with pytest.raises(PortNotFound, match="usb-FTDI_A1-if00, usb-FTDI_B2-if00"):
        await open_port("by-id:usb-Prolific", LINE, by_id=by_id)


async def test_the_beginning_of_two_names_lists_both(by_id: Path) -> None:
    with pytest.raises(WrongDevice, match="usb-FTDI_A1-if00, usb-FTDI_B2-if00"):
        await open_port("by-id:usb-FTDI", LINE, by_id=by_id)


async def test_no_folder_at_all_is_nothing_plugged_in(tmp_path: Path) -> None:
    with pytest.raises(PortNotFound, match="there is nothing"):
        await open_port("by-id:x", LINE, by_id=tmp_path / "none")


async def test_auto_is_for_discovery() -> None:
    with pytest.raises(BadSetting, match="croupier devices"):
        await open_port("auto", LINE)


async def test_a_bad_address_is_refused_before_anything_is_opened() -> None:
    with pytest.raises(BadSetting, match="did you mean '/dev/ttyUSB0'"):
        await open_port("ttyUSB0", LINE)


async def test_a_usb_device_without_a_tty_is_opened_in_bulk(tmp_path: Path) -> None:
    device = FakeDevice()
    port = await open_port("usb:8765:1234", LINE, sysfs=tmp_path, usb_backend=FakeUsb(device))
    await port.write(b"to the sign")
    assert device.take() == b"to the sign"
    await port.close()


async def test_a_socket_is_opened_by_name() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = f"socket://localhost:{listener.getsockname()[1]}"
        port = await open_port(address, LINE)
        assert port.name == address
        await port.close()


def test_of_a_device_with_several_ttys_the_first_is_taken() -> None:
    there = [usb("ttyUSB4", "A", "1-1", 1), usb("ttyUSB5", "A", "1-1", 0)]
    found = usb_tty(there, UsbAddress(0x0403, 0x6001))
    assert found is not None
    assert found.path == "/dev/ttyUSB5"


def test_two_devices_alike_need_the_serial_number() -> None:
    there = [usb("ttyUSB0", "A1", "1-1"), usb("ttyUSB1", "B2", "1-2")]
    with pytest.raises(WrongDevice, match=r"A1 \(at 1-1\), B2 \(at 1-2\)"):
        usb_tty(there, UsbAddress(0x0403, 0x6001))
    found = usb_tty(there, UsbAddress(0x0403, 0x6001, "B2"))
    assert found is not None
    assert found.name == "ttyUSB1"


def test_another_device_is_not_taken() -> None:
    there = [usb("ttyUSB0", "A1", "1-1")]
    assert usb_tty(there, UsbAddress(0x0403, 0x6001, "C3")) is None
    assert usb_tty(there, UsbAddress(0x1209, 0xCA4D)) is None


def test_no_library_is_imported_before_a_port_is_opened() -> None:
    program = (
        "import sys, drivers.ports.opening, drivers.ports.tty, drivers.ports.usb_bulk, drivers.ports.rfc2217;"
        "print([name for name in ('serial', 'usb', 'libusb_package') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
