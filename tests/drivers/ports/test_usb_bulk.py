"""A USB device's own troubles: two alike, stall, time-out, unplugged at each step, busy, forbidden, no library."""

from __future__ import annotations

import asyncio
import errno
import sys
import threading

import pytest
from pytest_mock import MockerFixture

from drivers.errors import (
    DeviceError,
    NotAPort,
    PortBusy,
    PortForbidden,
    PortLost,
    PortNotFound,
    TimedOut,
    WrongDevice,
)
from drivers.ports import usb_bulk
from drivers.ports.libusb import new_backend
from drivers.ports.usb_bulk import UsbBulkPort, open_usb
from tests.drivers.ports.contract import PATIENCE_S, nothing_left_behind, until
from tests.drivers.ports.fake_usb import BULK, INTERRUPT, FakeDevice, FakeUsb

IN, OUT = 0x82, 0x02


async def opened(*devices: FakeDevice, serial: str | None = None) -> UsbBulkPort:
    return await open_usb(0x8765, 0x1234, serial, backend=FakeUsb(*devices))


async def read(port: UsbBulkPort) -> bytes:
    async with asyncio.timeout(PATIENCE_S):
        return await port.read()


async def test_it_is_taken_from_its_kernel_driver_and_given_back() -> None:
    device = FakeDevice(kernel_driver=True)
    port = await opened(device)
    assert port.name == "usb:8765:1234"
    assert device.log == ["detach", "claim"]
    await port.close()
    assert device.log == ["detach", "claim", "release", "attach"]
    assert device.handles == 0


async def test_a_driver_that_had_two_interfaces_gets_its_device_back_at_the_first() -> None:
    device = FakeDevice(kernel_driver=True, control_first=True)
    port = await opened(device)
    device.offer(b"in")
    assert await read(port) == b"in"
    await port.close()
    assert device.kernel_driver
    assert device.log == ["detach", "claim", "release", "attach"]


async def test_a_device_that_is_set_up_already_is_not_set_up_again() -> None:
    ready, fresh = FakeDevice(), FakeDevice(configured=False)
    await (await opened(ready)).close()
    assert "configuration 1" not in ready.log
    await (await opened(fresh)).close()
    assert "configuration 1" in fresh.log


async def test_a_device_that_is_not_plugged_in() -> None:
    with pytest.raises(PortNotFound, match="usb:8765:1234 is not plugged in"):
        await opened(FakeDevice(vid=0x1209))


async def test_two_alike_are_told_apart_by_their_serial_number_only() -> None:
    one, two = FakeDevice(serial="A1"), FakeDevice(serial="B2")
    with pytest.raises(WrongDevice, match=r"fits 2 devices, with the serial numbers A1, B2\. Add the serial number"):
        await opened(one, two)
    port = await opened(one, two, serial="B2")
    await port.write(b"x")
    assert (one.take(), two.take()) == (b"", b"x")
    await port.close()
    assert (one.handles, two.handles) == (0, 0)


async def test_a_serial_number_that_is_not_there_lists_those_that_are() -> None:
    with pytest.raises(PortNotFound, match="there are the serial numbers A1, none"):
        await opened(FakeDevice(serial="A1"), FakeDevice(serial=None), serial="C3")


async def test_a_device_that_may_not_be_opened_names_the_udev_rule() -> None:
    device = FakeDevice()
    device.forbidden = True
    with pytest.raises(PortForbidden, match="croupier devices udev-rule"):
        await opened(device)
    with pytest.raises(PortForbidden, match="may not be asked who it is"):
        await opened(device, serial="PRISM1")


async def test_a_device_that_another_program_has() -> None:
    device = FakeDevice()
    device.claimed_elsewhere = True
    with pytest.raises(PortBusy, match=r"is open in .*Close it; the table reconnects by itself"):
        await opened(device)
    assert device.handles == 0


async def test_a_kernel_driver_gets_its_device_back_when_the_claim_fails() -> None:
    device = FakeDevice(kernel_driver=True)
    device.claimed_elsewhere = True
    with pytest.raises(PortBusy):
        await opened(device)
    assert device.kernel_driver


async def test_a_device_without_a_bulk_pair_is_no_port() -> None:
    for endpoints in (((0x02, BULK),), ((0x82, BULK),), ((0x02, INTERRUPT), (0x82, INTERRUPT)), ()):
        with pytest.raises(NotAPort, match="no bulk endpoints"):
            await opened(FakeDevice(endpoints=endpoints))


async def test_the_first_bulk_pair_is_found_among_other_endpoints() -> None:
    device = FakeDevice(endpoints=((0x81, INTERRUPT), (0x82, BULK), (0x02, BULK), (0x03, BULK)))
    port = await opened(device)
    device.offer(b"in")
    assert await read(port) == b"in"
    await port.close()


async def test_a_pair_in_an_alternate_setting_is_switched_on() -> None:
    device = FakeDevice(alternate=1)
    port = await opened(device)
    assert device.setting == 1
    device.offer(b"in")
    assert await read(port) == b"in"
    await port.close()


@pytest.mark.parametrize("packet", [8, 64, 512])
async def test_a_last_packet_that_is_full_is_read_without_waiting_for_more(packet: int) -> None:
    device = FakeDevice(packet=packet)
    port = await opened(device)
    device.offer(b"x" * packet)
    assert await read(port) == b"x" * packet
    await port.close()


async def test_an_empty_packet_is_no_end_and_no_data() -> None:
    device = FakeDevice()
    port = await opened(device)
    device.offer(b"")
    device.offer(b"after")
    assert await read(port) == b"after"
    await port.close()


async def test_time_outs_are_no_trouble_for_a_reader(mocker: MockerFixture) -> None:
    mocker.patch.object(usb_bulk, "TRANSFER_MS", 5)
    device = FakeDevice()
    port = await opened(device)
    await asyncio.sleep(0.1)
    device.offer(b"late")
    assert await read(port) == b"late"
    await port.close()


async def test_a_stall_is_cleared_and_the_reading_goes_on() -> None:
    device = FakeDevice()
    port = await opened(device)
    for word in (b"one", b"two"):  # not only the first of its life
        device.stall(IN)
        await until(lambda: not device.stalled)
        device.offer(word)
        assert await read(port) == word
    assert device.log.count("clear 82") == 2
    await port.close()


async def test_a_stall_is_cleared_and_the_write_goes_on() -> None:
    device = FakeDevice()
    port = await opened(device)
    device.stall(OUT)
    await port.write(b"text")
    assert device.take() == b"text"
    assert device.log.count("clear 02") == 1
    await port.close()


async def test_an_endpoint_that_stalls_again_is_given_up_in_words() -> None:
    device = FakeDevice()
    port = await opened(device)
    device.stall(OUT, for_ever=True)
    with pytest.raises(DeviceError, match="refuses all writes"):
        await port.write(b"text")
    device.stall(IN, for_ever=True)
    with pytest.raises(DeviceError, match="refuses all reads"):
        await read(port)
    await port.close()


@pytest.mark.parametrize("number", [errno.ENODEV, errno.EIO])
async def test_the_errors_of_an_unplugged_device_are_a_lost_port(number: int) -> None:
    device = FakeDevice()
    port = await opened(device)
    device.fails = number
    with pytest.raises(PortLost, match="usb:8765:1234 is gone"):
        await read(port)
    with pytest.raises(PortLost):
        await port.write(b"x")
    await port.close()


async def test_another_error_is_told_with_libusbs_words() -> None:
    device = FakeDevice()
    port = await opened(device)
    device.fails = errno.EOVERFLOW
    with pytest.raises(DeviceError, match="USB reads fail: Overflow"):
        await read(port)
    await port.close()


async def test_unplugged_in_a_stall_is_a_lost_port() -> None:
    device = FakeDevice()
    port = await opened(device)
    with device.changed:  # both at once
        device.stalled.add(IN)
        device.plugged = False
        device.changed.notify_all()
    with pytest.raises(PortLost):
        await read(port)
    await port.close()
    assert device.handles == 0


async def test_after_an_unplugging_the_next_device_opens() -> None:
    bus = FakeUsb(FakeDevice())
    port = await open_usb(0x8765, 0x1234, backend=bus)
    bus.devices[0].unplug()
    with pytest.raises(PortLost):
        await read(port)
    await port.close()
    bus.devices.append(FakeDevice())
    port = await open_usb(0x8765, 0x1234, backend=bus)
    await port.write(b"again")
    assert bus.devices[1].take() == b"again"
    await port.close()


async def test_an_open_that_hangs_is_given_up(mocker: MockerFixture) -> None:
    go_on = threading.Event()

    class Slow(FakeUsb):
        def claim_interface(self, dev_handle: object, intf: int) -> None:
            go_on.wait()
            super().claim_interface(dev_handle, intf)  # type: ignore[arg-type]

    mocker.patch.object(usb_bulk, "OPEN_S", 0.05)
    device = FakeDevice()
    async with nothing_left_behind():
        with pytest.raises(TimedOut):
            await open_usb(0x8765, 0x1234, backend=Slow(device))
        go_on.set()
        await until(lambda: device.handles == 0 and "release" in device.log)


@pytest.mark.parametrize("packaged", [False, True])
async def test_without_libusb_it_says_what_to_install(mocker: MockerFixture, packaged: bool) -> None:
    mocker.patch("drivers.ports.libusb.ctypes.CDLL", side_effect=OSError("cannot open shared object file"))
    if not packaged:
        mocker.patch.dict(sys.modules, {"libusb_package": None})
    with pytest.raises(DeviceError, match=r"sudo apt install libusb-1\.0-0"):
        await open_usb(0x8765, 0x1234)


async def test_a_libusb_that_does_not_start_is_told_too(mocker: MockerFixture) -> None:
    mocker.patch("usb.backend.libusb1.get_backend", return_value=None)
    with pytest.raises(DeviceError, match="is not there or does not start"):
        await open_usb(0x8765, 0x1234)


async def test_to_find_the_library_no_other_program_is_started(mocker: MockerFixture) -> None:
    mocker.patch("subprocess.Popen", side_effect=AssertionError("a program was started"))
    mocker.patch("os.popen", side_effect=AssertionError("a program was started"))
    with pytest.raises(PortNotFound):
        await open_usb(0, 0)


async def test_openings_at_the_same_time_share_no_context() -> None:
    made = await asyncio.gather(*(asyncio.to_thread(new_backend) for _ in range(16)))
    assert len({id(backend) for backend in made}) == 16
    for backend in made:
        backend.finalize()


async def test_the_true_library_finds_nothing_and_leaves_nothing_open() -> None:
    """Whichever libusb this machine has; a device 0000:0000 there is none."""
    async with nothing_left_behind():
        for _ in range(3):
            with pytest.raises(PortNotFound):
                await open_usb(0, 0)
