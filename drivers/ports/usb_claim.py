"""Finds a USB device by VID:PID and serial, claims its first bulk pair, and gives it back as it was found.

Blocks, so it runs in a thread. Refuses two devices alike, a device without a bulk pair, and one that is not ours to
open, each in words. The two transfers give the errno of a failure as a value: `Failed`.
"""

from __future__ import annotations

import contextlib
import errno
import traceback
from typing import Any, Final

from msgspec import Struct

from drivers.errors import DeviceError, NotAPort, PortBusy, PortForbidden, PortLost, PortNotFound, WrongDevice
from drivers.ports.holders import held_by
from drivers.ports.libusb import new_backend

_SIZE_BITS: Final = 0x7FF  # of wMaxPacketSize; the others count transactions
_UDEV: Final = "Give the device to your group with a udev rule: croupier devices udev-rule"
GONE: Final = (errno.ENODEV, errno.EIO, errno.ENOENT)  # libusb's words for unplugged, before and after it has noticed


class Failed(Struct, frozen=True):
    """A transfer that failed. Not an exception: its traceback would keep the device from being given back."""

    errno: int | None
    words: str


class Claim:
    """One interface of one device, ours until `release`."""

    def __init__(self, device: Any, backend: Any, interface: int, into: Any, out: Any, *, detached: list[int]) -> None:
        self._device, self._backend, self._interface, self._detached = device, backend, interface, detached
        self._in, self._out = into.bEndpointAddress, out.bEndpointAddress
        # One packet at a time: a longer read waits for a short packet, which a device that fills its last one to the
        # brim need not send.
        self._packet = into.wMaxPacketSize & _SIZE_BITS

    def read(self, limit_ms: int) -> bytes | Failed:
        """What one packet holds; empty when none came in time."""
        import usb.core  # type: ignore[import-untyped]

        try:
            return bytes(self._device.read(self._in, self._packet, limit_ms))
        except usb.core.USBTimeoutError:
            return b""
        except usb.core.USBError as error:
            return Failed(error.errno, _plain(error))

    def write(self, data: bytes, limit_ms: int) -> int | Failed:
        """How many bytes the device took in time."""
        import usb.core

        try:
            return int(self._device.write(self._out, data, limit_ms))
        except usb.core.USBTimeoutError:
            return 0
        except usb.core.USBError as error:
            return Failed(error.errno, _plain(error))

    def clear_stall(self, *, reading: bool) -> Failed | None:
        import usb.core

        try:
            self._device.clear_halt(self._in if reading else self._out)
        except usb.core.USBError as error:
            return Failed(error.errno, _plain(error))
        return None

    def release(self) -> None:
        import usb.core
        import usb.util  # type: ignore[import-untyped]

        device, self._device = self._device, None
        with contextlib.suppress(usb.core.USBError):  # it may be unplugged
            usb.util.release_interface(device, self._interface)
        _attach(device, self._detached)
        usb.util.dispose_resources(device)
        del device  # before the library it came from
        if self._backend is not None:
            self._backend.finalize()


def claim(vid: int, pid: int, serial: str | None, name: str, backend: Any = None) -> Claim:
    """With a backend of the caller's, that one is used and left open."""
    if backend is not None:
        return _claimed(vid, pid, serial, name, backend, None)
    ours = new_backend()
    try:
        return _claimed(vid, pid, serial, name, ours, ours)
    except BaseException as error:
        each: BaseException | None = error
        while each is not None:  # frames that hold devices of a library that is about to be closed
            traceback.clear_frames(each.__traceback__)
            each = each.__cause__ or each.__context__
        ours.finalize()
        raise


def _claimed(vid: int, pid: int, serial: str | None, name: str, backend: Any, ours: Any) -> Claim:
    import usb.core
    import usb.util

    devices: list[Any] = []
    chosen = None
    try:
        devices = list(usb.core.find(find_all=True, backend=backend, idVendor=vid, idProduct=pid))
        chosen = _the_one(devices, serial, name)
        held = _taken(chosen, name, ours)
        devices.remove(chosen)
        return held
    except usb.core.USBError as error:
        raise _refusal(error, chosen, name) from error
    finally:
        for device in devices:
            usb.util.dispose_resources(device)


def _the_one(devices: list[Any], serial: str | None, name: str) -> Any:
    if not devices:
        raise PortNotFound(f"{name} is not plugged in", advice="Plug it in, or see: croupier devices")
    if serial is None and len(devices) == 1:
        return devices[0]
    serials = [_serial(device) for device in devices]
    matching = [device for device, each in zip(devices, serials, strict=True) if serial in (None, each)]
    if len(matching) == 1:
        return matching[0]
    listed = ", ".join("one that may not be asked" if each is None else each or "none" for each in serials)
    if matching:
        raise WrongDevice(
            f"{name} fits {len(matching)} devices, with the serial numbers {listed}",
            advice="Add the serial number to the address (usb:VID:PID:serial), or unplug the others",
        )
    if None in serials:
        raise PortForbidden(f"{name}: a device of that kind is there but may not be asked who it is", advice=_UDEV)
    raise PortNotFound(
        f"{name} is not plugged in; of that kind there are the serial numbers {listed}",
        advice="Plug it in, or correct the serial number",
    )


def _serial(device: Any) -> str | None:
    """Empty where it has none, None where we may not ask."""
    import usb.core
    import usb.util

    if not device.iSerialNumber:
        return ""
    try:
        return str(usb.util.get_string(device, device.iSerialNumber))
    except (usb.core.USBError, ValueError):  # ValueError is pyusb's word for a device that may not be opened
        return None


def _taken(device: Any, name: str, ours: Any) -> Claim:
    import usb.core
    import usb.util

    interface, into, out = _bulk_pair(device, name)
    number = interface.bInterfaceNumber
    detached: list[int] = []
    try:
        with contextlib.suppress(NotImplementedError):  # not every system has kernel drivers to detach
            if device.is_kernel_driver_active(number):
                # One driver may have several interfaces, and lets go of all when one is taken.
                numbers = sorted({each.bInterfaceNumber for each in device.get_active_configuration()})
                detached = [each for each in numbers if device.is_kernel_driver_active(each)]
                device.detach_kernel_driver(number)
        usb.util.claim_interface(device, number)
        if interface.bAlternateSetting:
            device.set_interface_altsetting(number, interface.bAlternateSetting)
    except usb.core.USBError:
        with contextlib.suppress(usb.core.USBError):
            usb.util.release_interface(device, number)
        _attach(device, detached)
        raise
    return Claim(device, ours, number, into, out, detached=detached)


def _attach(device: Any, numbers: list[int]) -> None:
    """Gives the interfaces back to their kernel drivers. One that its driver has taken along already is left alone."""
    import usb.core

    for number in numbers:
        with contextlib.suppress(usb.core.USBError, NotImplementedError):  # it may be unplugged
            if not device.is_kernel_driver_active(number):
                device.attach_kernel_driver(number)


def _bulk_pair(device: Any, name: str) -> tuple[Any, Any, Any]:
    """The first interface that has both, with its two endpoints."""
    import usb.util

    for interface in _configuration(device):
        bulk = [each for each in interface if usb.util.endpoint_type(each.bmAttributes) == usb.util.ENDPOINT_TYPE_BULK]
        into = [each for each in bulk if usb.util.endpoint_direction(each.bEndpointAddress) == usb.util.ENDPOINT_IN]
        out = [each for each in bulk if usb.util.endpoint_direction(each.bEndpointAddress) == usb.util.ENDPOINT_OUT]
        if into and out:
            return interface, into[0], out[0]
    raise NotAPort(f"{name} is there, but has no bulk endpoints to talk through", advice="See: croupier devices")


def _configuration(device: Any) -> Any:
    import usb.core

    try:
        return device.get_active_configuration()
    except usb.core.USBError as error:
        if error.errno is not None:
            raise
        device.set_configuration()  # pyusb's error without a number: none is set yet
        return device.get_active_configuration()


def _refusal(error: Any, device: Any, name: str) -> DeviceError:
    if error.errno in (errno.EACCES, errno.EPERM):
        return PortForbidden(f"{name} may not be opened by this user", advice=_UDEV)
    if error.errno == errno.EBUSY:
        node = "" if device is None else f"/dev/bus/usb/{device.bus:03}/{device.address:03}"
        return PortBusy(f"{name} is open in {held_by(node)}", advice="Close it; the table reconnects by itself")
    if error.errno in GONE:
        return PortLost(f"{name} was unplugged while it was opened", advice="Plug it in again; it comes back by itself")
    return DeviceError(f"{name} does not open: {_plain(error)}", advice="Unplug it and plug it in again")


def _plain(error: Any) -> str:
    return str(error.strerror or error)
