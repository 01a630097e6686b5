"""The devices made here are real to the kernel and to plain libusb, before any driver of ours is tried on them."""

from __future__ import annotations

import errno
import threading
from collections.abc import Iterator
from typing import Any

import libusb_package
import pytest
import usb.core  # type: ignore[import-untyped]
import usb.util  # type: ignore[import-untyped]

from hil.kernel.devices import BULK_IN, BULK_OUT, BULK_PRODUCT, VENDOR, BulkEcho
from hil.kernel.inside.conftest import Plug
from hil.kernel.usb_device import wait_until


def find(serial: str) -> Any:
    """With a context of its own: without udev, libusb sees what was there when the context was made."""
    backend = libusb_package.get_libusb1_backend()
    found = usb.core.find(backend=backend, idVendor=VENDOR, idProduct=BULK_PRODUCT, serial_number=serial)
    assert found is not None
    return found


@pytest.fixture
def echo(plugged: Plug[BulkEcho]) -> BulkEcho:
    return plugged(BulkEcho())


@pytest.fixture
def host(echo: BulkEcho) -> Iterator[Any]:
    found = find(echo.identity.serial)
    yield found
    usb.util.dispose_resources(found)


def test_the_kernel_reads_who_it_is(echo: BulkEcho, host: Any) -> None:
    assert (host.manufacturer, host.product, host.serial_number) == ("Croupier", "Card shoe", "ECHO-A")
    assert (echo.folder / "idProduct").read_text().strip() == "ca4d"


@pytest.mark.parametrize("size", [1, 63, 64, 65, 4096])
def test_bytes_go_both_ways(host: Any, size: int) -> None:
    sent = bytes(number & 0xFF for number in range(size))
    assert host.write(BULK_OUT, sent) == size
    got = b""
    while len(got) < size:
        got += bytes(host.read(BULK_IN, 512, timeout=5000))
    assert got == sent


def test_a_stall_is_a_broken_pipe_until_the_halt_is_cleared(echo: BulkEcho, host: Any) -> None:
    echo.halt(BULK_IN)
    for _ in range(2):
        with pytest.raises(usb.core.USBError) as stalled:
            host.read(BULK_IN, 64, timeout=5000)
        assert stalled.value.errno == errno.EPIPE
    host.clear_halt(BULK_IN)
    assert not echo.is_halted(BULK_IN)
    host.write(BULK_OUT, b"again")
    assert bytes(host.read(BULK_IN, 64, timeout=5000)) == b"again"


def test_a_read_of_nothing_times_out_and_loses_nothing(echo: BulkEcho, host: Any) -> None:
    with pytest.raises(usb.core.USBTimeoutError) as late:
        host.read(BULK_IN, 64, timeout=30)
    assert late.value.errno == errno.ETIMEDOUT
    assert not echo.is_waited_on(BULK_IN)
    echo.to_host(BULK_IN, b"late")
    assert bytes(host.read(BULK_IN, 64, timeout=5000)) == b"late"


def test_a_device_that_takes_nothing_makes_a_write_time_out(echo: BulkEcho, host: Any) -> None:
    echo.hold(BULK_OUT)
    with pytest.raises(usb.core.USBTimeoutError):
        host.write(BULK_OUT, b"never", timeout=30)
    echo.hold(BULK_OUT, False)
    host.write(BULK_OUT, b"now", timeout=5000)
    assert bytes(host.read(BULK_IN, 64, timeout=5000)) == b"now"


def test_an_unplugged_device_ends_a_blocked_read_at_once(echo: BulkEcho, host: Any) -> None:
    ended: list[int | None] = []

    def read() -> None:
        try:
            host.read(BULK_IN, 64, timeout=60_000)
        except usb.core.USBError as error:
            ended.append(error.errno)

    reader = threading.Thread(target=read)
    reader.start()
    wait_until(lambda: echo.is_waited_on(BULK_IN), "a blocked read")
    echo.unplug()
    reader.join(10)
    assert ended == [errno.ENODEV]


def test_a_device_plugged_in_again_is_found_again(echo: BulkEcho) -> None:
    for word in (b"once", b"twice"):
        host = find(echo.identity.serial)
        host.write(BULK_OUT, word)
        assert bytes(host.read(BULK_IN, 64, timeout=5000)) == word
        usb.util.dispose_resources(host)
        echo.unplug()
        echo.plug()


def test_two_alike_are_told_apart_by_their_serials(plugged: Plug[BulkEcho]) -> None:
    for serial in ("ECHO-B", "ECHO-C"):
        plugged(BulkEcho(serial))
    for serial in ("ECHO-C", "ECHO-B"):
        host = find(serial)
        assert host.serial_number == serial
        usb.util.dispose_resources(host)


def test_devices_just_like_the_last_ones_are_enumerated_at_once(plugged: Plug[BulkEcho]) -> None:
    for _ in range(3):
        devices = [BulkEcho(serial) for serial in ("ECHO-B", "ECHO-C")]
        for device in devices:
            plugged(device)
        for device in devices:
            device.unplug()
