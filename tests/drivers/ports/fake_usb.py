"""USB devices without a kernel: a pyusb backend whose devices stall, time out, are busy, forbidden and unplugged.

The errnos and the rules of a transfer are those of libusb on Linux; a use that libusb would not survive (a closed
handle) fails the test instead.
"""

from __future__ import annotations

import errno
import threading
import time
from array import array
from collections import deque
from collections.abc import Callable, Iterator
from types import SimpleNamespace

import usb.backend  # type: ignore[import-untyped]
import usb.core  # type: ignore[import-untyped]

BULK, INTERRUPT = 2, 3
FIFO = 4096  # bytes a device takes before it answers "not now"
PACKETS = 64  # a device has so many packets ready before its own writer must wait

MESSAGES = {
    errno.EACCES: ("Access denied (insufficient permissions)", -3),
    errno.ENODEV: ("No such device (it may have been disconnected)", -4),
    errno.EBUSY: ("Resource busy", -6),
    errno.EPIPE: ("Pipe error", -9),
    errno.EOVERFLOW: ("Overflow", -8),
    errno.EIO: ("Input/Output Error", -1),
    errno.ENOENT: ("Entity not found", -5),
}


def failure(number: int) -> usb.core.USBError:
    words, code = MESSAGES[number]
    return usb.core.USBError(words, code, number)


class FakeDevice:
    """One device with one bulk interface. What a test does to it, and what the host does, may come from any thread."""

    def __init__(
        self,
        vid: int = 0x8765,
        pid: int = 0x1234,
        serial: str | None = "PRISM1",
        *,
        endpoints: tuple[tuple[int, int], ...] = ((0x02, BULK), (0x82, BULK)),
        packet: int = 64,
        kernel_driver: bool = False,
        control_first: bool = False,
        alternate: int = 0,
        configured: bool = True,
    ) -> None:
        self.vid, self.pid, self.serial = vid, pid, serial
        self.endpoints, self.packet, self.alternate = endpoints, packet, alternate
        self.kernel_driver = kernel_driver
        self.control_first = control_first  # an interface before the bulk one, and one driver for both, as cdc_acm
        self.changed = threading.Condition()
        self.ready: deque[bytes] = deque()  # packets for the host
        self.taken = bytearray()  # from the host
        self.stalled: set[int] = set()
        self.stall_for_ever: set[int] = set()
        self.plugged = True
        self.forbidden = False
        self.claimed_elsewhere = False
        self.fails: int | None = None  # an errno for every transfer
        self.owner: object | None = None
        self.setting = 0
        self.configuration = 1 if configured else 0
        self.handles = 0
        self.log: list[str] = []

    # what a test does

    def offer(self, data: bytes) -> bool:
        """One packet to the host; False when the device has no room for it."""
        with self.changed:
            if len(self.ready) >= PACKETS:
                return False
            self.ready.append(data)
            self.changed.notify_all()
            return True

    def take(self) -> bytes:
        """Everything the host has sent so far, to make room."""
        with self.changed:
            data = bytes(self.taken)
            self.taken.clear()
            self.changed.notify_all()
            return data

    def stall(self, endpoint: int, *, for_ever: bool = False) -> None:
        with self.changed:
            self.stalled.add(endpoint)
            if for_ever:
                self.stall_for_ever.add(endpoint)
            self.changed.notify_all()

    def unplug(self) -> None:
        with self.changed:
            self.plugged = False
            self.changed.notify_all()

    # what the host does

    def transfer(self, endpoint: int, limit_ms: int, step: Callable[[int], tuple[int, bool]]) -> int:
        """Runs `step` until it is done, the time is over or there is trouble; as libusb_bulk_transfer and pyusb do."""
        until = time.monotonic() + limit_ms / 1000
        moved = 0
        with self.changed:
            while True:
                if not self.plugged:
                    raise failure(errno.ENODEV)
                if self.fails is not None:
                    raise failure(self.fails)
                if endpoint in self.stalled:
                    raise failure(errno.EPIPE)
                count, complete = step(moved)
                moved += count
                if count:
                    self.changed.notify_all()
                if complete:
                    return moved
                left = until - time.monotonic()
                if left <= 0:
                    if moved:
                        return moved
                    raise usb.core.USBTimeoutError("Operation timed out", -7, errno.ETIMEDOUT)
                self.changed.wait(left)


class FakeUsb(usb.backend.IBackend):  # type: ignore[misc]
    """The bus. Devices may be added and unplugged at any time."""

    def __init__(self, *devices: FakeDevice) -> None:
        super().__init__()
        self.devices = list(devices)

    def enumerate_devices(self) -> Iterator[FakeDevice]:
        return iter([device for device in self.devices if device.plugged])

    def get_device_descriptor(self, dev: FakeDevice) -> SimpleNamespace:
        return SimpleNamespace(
            bLength=18,
            bDescriptorType=1,
            bcdUSB=0x200,
            bDeviceClass=0,
            bDeviceSubClass=0,
            bDeviceProtocol=0,
            bMaxPacketSize0=64,
            idVendor=dev.vid,
            idProduct=dev.pid,
            bcdDevice=0x100,
            iManufacturer=0,
            iProduct=0,
            iSerialNumber=3 if dev.serial is not None else 0,
            bNumConfigurations=1,
            address=self.devices.index(dev) + 1,
            bus=250,  # no machine has so many, so nobody's node is looked at
            port_number=1,
            port_numbers=(1,),
            speed=2,
        )

    def get_configuration_descriptor(self, dev: FakeDevice, config: int) -> SimpleNamespace:
        if config:
            raise IndexError(config)
        return SimpleNamespace(
            bLength=9,
            bDescriptorType=2,
            wTotalLength=32,
            bNumInterfaces=2 if dev.control_first else 1,
            bConfigurationValue=1,
            iConfiguration=0,
            bmAttributes=0x80,
            bMaxPower=50,
            extra_descriptors=[],
        )

    def get_interface_descriptor(self, dev: FakeDevice, intf: int, alt: int, config: int) -> SimpleNamespace:
        bulk = 1 if dev.control_first else 0
        if intf > bulk or alt > (dev.alternate if intf == bulk else 0):
            raise IndexError(intf)
        return SimpleNamespace(
            bLength=9,
            bDescriptorType=4,
            bInterfaceNumber=intf,
            bAlternateSetting=alt,
            bNumEndpoints=len(dev.endpoints) if intf == bulk and alt == dev.alternate else 0,
            bInterfaceClass=255,
            bInterfaceSubClass=0,
            bInterfaceProtocol=0,
            iInterface=0,
            extra_descriptors=[],
        )

    def get_endpoint_descriptor(self, dev: FakeDevice, ep: int, intf: int, alt: int, config: int) -> SimpleNamespace:
        address, kind = dev.endpoints[ep]
        return SimpleNamespace(
            bLength=7,
            bDescriptorType=5,
            bEndpointAddress=address,
            bmAttributes=kind,
            wMaxPacketSize=dev.packet,
            bInterval=0,
            bRefresh=0,
            bSynchAddress=0,
            extra_descriptors=[],
        )

    def open_device(self, dev: FakeDevice) -> SimpleNamespace:
        if dev.forbidden:
            raise failure(errno.EACCES)
        if not dev.plugged:
            raise failure(errno.ENODEV)
        dev.handles += 1
        return SimpleNamespace(device=dev, open=True)

    def close_device(self, dev_handle: SimpleNamespace) -> None:
        dev = _of(dev_handle)
        dev_handle.open = False
        dev.handles -= 1
        if dev.owner is dev_handle:
            dev.owner = None

    def set_configuration(self, dev_handle: SimpleNamespace, config_value: int) -> None:
        dev = _of(dev_handle)
        dev.configuration = config_value
        dev.log.append(f"configuration {config_value}")

    def get_configuration(self, dev_handle: SimpleNamespace) -> int:
        dev = _of(dev_handle)
        if not dev.plugged:
            raise failure(errno.ENODEV)
        return dev.configuration

    def set_interface_altsetting(self, dev_handle: SimpleNamespace, intf: int, altsetting: int) -> None:
        _of(dev_handle).setting = altsetting

    def claim_interface(self, dev_handle: SimpleNamespace, intf: int) -> None:
        dev = _of(dev_handle)
        if dev.claimed_elsewhere or dev.kernel_driver or dev.owner not in (None, dev_handle):
            raise failure(errno.EBUSY)
        dev.owner = dev_handle
        dev.log.append("claim")

    def release_interface(self, dev_handle: SimpleNamespace, intf: int) -> None:
        dev = _of(dev_handle)
        if not dev.plugged:
            raise failure(errno.ENODEV)
        if dev.owner is not dev_handle:
            raise failure(errno.ENOENT)
        dev.owner = None
        dev.log.append("release")

    def is_kernel_driver_active(self, dev_handle: SimpleNamespace, intf: int) -> bool:
        return _of(dev_handle).kernel_driver

    def detach_kernel_driver(self, dev_handle: SimpleNamespace, intf: int) -> None:
        dev = _of(dev_handle)
        dev.kernel_driver = False
        dev.log.append("detach")

    def attach_kernel_driver(self, dev_handle: SimpleNamespace, intf: int) -> None:
        dev = _of(dev_handle)
        if not dev.plugged:
            raise failure(errno.ENODEV)
        if dev.owner is not None or dev.kernel_driver:
            raise failure(errno.EBUSY)
        if dev.control_first and intf:
            raise failure(errno.ENOENT)  # no driver takes the second interface alone
        dev.kernel_driver = True
        dev.log.append("attach")

    def clear_halt(self, dev_handle: SimpleNamespace, ep: int) -> None:
        dev = _of(dev_handle)
        with dev.changed:
            if not dev.plugged:
                raise failure(errno.ENODEV)
            dev.log.append(f"clear {ep:02x}")
            if ep not in dev.stall_for_ever:
                dev.stalled.discard(ep)

    def bulk_read(self, dev_handle: SimpleNamespace, ep: int, intf: int, buff: array[int], timeout: int) -> int:
        dev = _of(dev_handle)
        self._check_owner(dev, dev_handle)

        def step(moved: int) -> tuple[int, bool]:
            if not dev.ready:
                return 0, False
            packet = dev.ready.popleft()
            if len(packet) > len(buff) - moved:
                raise failure(errno.EOVERFLOW)
            buff[moved : moved + len(packet)] = array("B", packet)
            return len(packet), len(packet) < dev.packet or moved + len(packet) == len(buff)

        return dev.transfer(ep, timeout, step)

    def bulk_write(self, dev_handle: SimpleNamespace, ep: int, intf: int, data: array[int], timeout: int) -> int:
        dev = _of(dev_handle)
        self._check_owner(dev, dev_handle)

        def step(moved: int) -> tuple[int, bool]:
            count = 0
            while moved + count < len(data):
                packet = bytes(data[moved + count : moved + count + dev.packet])
                if len(dev.taken) + len(packet) > FIFO:
                    return count, False
                dev.taken += packet
                count += len(packet)
            return count, True

        return dev.transfer(ep, timeout, step)

    def ctrl_transfer(
        self,
        dev_handle: SimpleNamespace,
        kind: int,
        request: int,
        value: int,
        index: int,
        data: array[int],
        timeout: int,
    ) -> int:
        dev = _of(dev_handle)
        if not dev.plugged:
            raise failure(errno.ENODEV)
        if (kind, request, value >> 8) != (0x80, 6, 3):  # only strings are asked for
            raise failure(errno.EPIPE)
        body = b"\x09\x04" if value & 0xFF == 0 else (dev.serial or "").encode("utf-16-le")
        answer = bytes((len(body) + 2, 3)) + body
        data[: len(answer)] = array("B", answer)
        return len(answer)

    def _check_owner(self, dev: FakeDevice, handle: SimpleNamespace) -> None:
        if dev.plugged and dev.owner is not handle:
            raise failure(errno.EBUSY)


def _of(handle: SimpleNamespace) -> FakeDevice:
    assert handle.open, "a closed handle was used: libusb would have crashed"
    device = handle.device
    assert isinstance(device, FakeDevice)
    return device
