"""Which serial ports came with a USB device, as the kernel's own tree shows it. Reads only, and opens no port."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

SYS = Path("/sys")
DEV = Path("/dev")


class UsbTty(Struct, frozen=True, kw_only=True):
    """A tty that the kernel made of a USB device. A text the device does not have is empty."""

    name: str  # ttyUSB0, ttyACM0
    vid: int
    pid: int
    serial: str
    manufacturer: str
    product: str
    interface: int  # a device may have several ttys, each on its own interface
    usb_path: str  # bus and sockets, as 1-1.2: the place it is plugged in, and the same for all ttys of one device
    by_id: str  # the name in /dev/serial/by-id, which stays
    by_path: str  # the name in /dev/serial/by-path

    @property
    def path(self) -> str:
        return f"/dev/{self.name}"


def ttys(root: Path = SYS, dev: Path = DEV) -> list[UsbTty]:
    """By name. A tty that is unplugged while we look is left out."""
    ids, paths = _links(dev / "serial/by-id"), _links(dev / "serial/by-path")
    found: list[UsbTty] = []
    for entry in _children(root / "class/tty"):
        try:
            device = (entry / "device").resolve(strict=True)
            found.extend(_usb_tty(entry.name, device, ids.get(entry.name, ""), paths.get(entry.name, "")))
        except (OSError, ValueError):
            continue  # a tty of no device (tty0, ptmx), or one that has just gone
    return sorted(found, key=lambda tty: (tty.name.rstrip("0123456789"), len(tty.name), tty.name))


def _usb_tty(name: str, device: Path, by_id: str, by_path: str) -> Iterator[UsbTty]:
    interface = 0
    for folder in (device, *device.parents):
        if (folder / "bInterfaceNumber").is_file():
            interface = int(_text(folder / "bInterfaceNumber"), 16)
        if (folder / "idVendor").is_file():
            yield UsbTty(
                name=name,
                vid=int(_text(folder / "idVendor"), 16),
                pid=int(_text(folder / "idProduct"), 16),
                serial=_text_or_none(folder / "serial"),
                manufacturer=_text_or_none(folder / "manufacturer"),
                product=_text_or_none(folder / "product"),
                interface=interface,
                usb_path=folder.name,
                by_id=by_id,
                by_path=by_path,
            )
            return


def _links(folder: Path) -> dict[str, str]:
    """tty name → the name that udev gave it there."""
    return {link.resolve().name: link.name for link in _children(folder)}


def _children(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace").strip()


def _text_or_none(path: Path) -> str:
    return _text(path) if path.is_file() else ""
