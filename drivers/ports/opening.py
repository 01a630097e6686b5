"""Opens whatever a port's address names, and finds out what a stable name stands for now.

Refuses `auto`, which needs a handshake to decide: that is discovery's.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final, assert_never

from drivers.errors import BadSetting, PortNotFound, WrongDevice
from drivers.ports.addresses import (
    Address,
    AutoAddress,
    ById,
    ByPath,
    DevicePath,
    Rfc2217Address,
    SocketAddress,
    UsbAddress,
    parse_address,
)
from drivers.ports.aside import aside
from drivers.ports.base import LineSettings, Port
from drivers.ports.sysfs import UsbTty, ttys

if TYPE_CHECKING:
    from usb.backend import IBackend  # type: ignore[import-untyped]

BY_ID: Final = Path("/dev/serial/by-id")
BY_PATH: Final = Path("/dev/serial/by-path")

__all__ = ["BY_ID", "BY_PATH", "Address", "named_tty", "open_port", "parse_address", "usb_tty"]


async def open_port(
    address: str,
    line: LineSettings,
    *,
    by_id: Path = BY_ID,
    by_path: Path = BY_PATH,
    sysfs: Path = Path("/sys"),
    usb_backend: IBackend | None = None,
) -> Port:
    """Raises BadSetting for an address that can never work, DeviceError for one that does not work now."""
    parsed = parse_address(address)
    match parsed:
        case DevicePath(path=path):
            return await _open_tty(path, line, address)
        case ById(name=name):
            return await _open_tty(str(named_tty(by_id, name, address)), line, address)
        case ByPath(name=name):
            return await _open_tty(str(named_tty(by_path, name, address)), line, address)
        case UsbAddress():
            tty = usb_tty(await aside(lambda: ttys(sysfs)), parsed)
            if tty is not None:
                return await _open_tty(tty.path, line, address)
            from drivers.ports.usb_bulk import open_usb

            return await open_usb(parsed.vid, parsed.pid, parsed.serial, name=address, backend=usb_backend)
        case SocketAddress(host=host, port=port):
            from drivers.ports.tcp import open_tcp

            return await open_tcp(host, port, name=address)
        case Rfc2217Address(host=host, port=port):
            from drivers.ports.rfc2217 import open_rfc2217

            return await open_rfc2217(host, port, line, name=address)
        case AutoAddress():
            raise BadSetting(
                "auto is for devices that say what they are; here the port must be named: croupier devices"
            )
        case _:
            assert_never(parsed)


async def _open_tty(path: str, line: LineSettings, address: str) -> Port:
    from drivers.ports.tty import open_tty

    return await open_tty(path, line, name=address)


def named_tty(folder: Path, name: str, address: str) -> Path:
    """The device behind udev's name for it, or behind the only name that begins so."""
    try:
        there = sorted(each.name for each in folder.iterdir())
    except OSError:
        there = []  # udev removes the folder with the last device
    fitting = [name] if name in there else [each for each in there if each.startswith(name)]
    if len(fitting) == 1:
        return folder / fitting[0]
    if fitting:
        raise WrongDevice(
            f"{address} is the beginning of {len(fitting)} names: {', '.join(fitting)}", advice="Write one in full"
        )
    raise PortNotFound(
        f"{address} is not plugged in; in {folder} there is {', '.join(there) if there else 'nothing'}",
        advice="Plug the device in, or take a name that is there",
    )


def usb_tty(there: list[UsbTty], wanted: UsbAddress) -> UsbTty | None:
    """The tty that the kernel made of that device, if it did; its first where it made several."""
    fitting = [tty for tty in there if (tty.vid, tty.pid) == (wanted.vid, wanted.pid)]
    if wanted.serial is not None:
        fitting = [tty for tty in fitting if tty.serial == wanted.serial]
    devices = {tty.usb_path: tty.serial or "none" for tty in fitting}
    if len(devices) > 1:
        listed = ", ".join(f"{serial} (at {place})" for place, serial in devices.items())
        raise WrongDevice(
            f"{wanted} fits {len(devices)} devices, with the serial numbers {listed}",
            advice="Add the serial number to the address (usb:VID:PID:serial), or unplug the others",
        )
    return min(fitting, key=lambda tty: tty.interface, default=None)
