"""Lists every port of this machine that a device could be at, as the kernel describes it; opens none of them.

Left out: terminals without hardware behind them (virtual consoles, ptys, the ttyS names of a PC that has no such
port) and USB devices that a kernel driver already makes into something else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final, Literal

from msgspec import Struct, structs

from drivers.errors import BadSetting
from drivers.ports.addresses import ById, ByPath, DevicePath, UsbAddress, parse_address
from drivers.ports.holders import Holder, holders
from drivers.ports.sysfs import ttys

PRISM: Final = ("8765", "1234")  # BetaBrite Prism, a sign on USB without a tty
VENDOR_SPECIFIC: Final = "ff"  # bInterfaceClass
_TTY: Final = re.compile(r"tty[A-Z]+\d+")  # ttyUSB0, ttyACM0, ttyAMA0, ttyS0; not tty1, which is a screen
_OURS: Final = re.compile("tablelink", re.IGNORECASE)


class Candidate(Struct, frozen=True, kw_only=True):
    """One port. A `tty` is opened by its path; a `usb` device has bulk endpoints and no tty."""

    kind: Literal["tty", "usb"]
    name: str  # as the kernel calls it: ttyUSB0, 1-1.2
    path: str
    by_id: str | None = None
    by_path: str | None = None
    vid: str | None = None  # four hexadecimal digits
    pid: str | None = None
    serial: str | None = None
    manufacturer: str | None = None
    product: str | None = None
    interface: str | None = None  # of the USB device, two hexadecimal digits
    place: str | None = None  # the USB socket: 1-1.2
    is_console: bool = False
    holders: tuple[Holder, ...] = ()

    @property
    def address(self) -> str:
        """By which it is opened now; `verdict.stable_address` is the one to write down."""
        return self.path if self.kind == "tty" else self.usb_address

    @property
    def usb_address(self) -> str:
        """With the serial number, if it can be written down."""
        short = f"usb:{self.vid}:{self.pid}"
        return f"{short}:{self.serial}" if self.serial and self.serial.isprintable() else short

    @property
    def is_prism(self) -> bool:
        return (self.vid, self.pid) == PRISM

    @property
    def says_tablelink(self) -> bool:
        return bool(_OURS.search(f"{self.manufacturer} {self.product}"))

    def is_at(self, address: str) -> bool:
        """Whether this is (one of) the port(s) that the address of a configuration means."""
        try:
            wanted = parse_address(address)
        except BadSetting:
            return False
        match wanted:
            case ById(name=name):
                return (self.by_id or "").startswith(name)
            case ByPath(name=name):
                return (self.by_path or "").startswith(name)
            case UsbAddress(vid=vid, pid=pid, serial=serial):
                same = (f"{vid:04x}", f"{pid:04x}") == (self.vid, self.pid)
                return same and serial in (None, self.serial)
            case DevicePath(path=path):
                return Path(path).resolve() == Path(self.path).resolve()
            case _:
                return False


def is_same_model(one: Candidate, other: Candidate) -> bool:
    """Whether both are USB devices of one make and kind."""
    return one.vid is not None and (one.vid, one.pid) == (other.vid, other.pid)


def candidates(dev: Path = Path("/dev"), sys: Path = Path("/sys"), proc: Path = Path("/proc")) -> list[Candidate]:
    """Every candidate now, in the order a person would count them."""
    found = [*_tty_candidates(dev, sys, proc), *_bulk_candidates(dev, sys, proc)]
    return sorted(found, key=lambda port: (port.kind != "tty", _natural(port.name)))


def _natural(name: str) -> list[tuple[int, str]]:
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", name) if part]


def _tty_candidates(dev: Path, sys: Path, proc: Path) -> Iterator[Candidate]:
    of_usb = {tty.name: tty for tty in ttys(sys, dev)}
    for entry in _entries(sys / "class" / "tty"):
        path, usb = dev / entry.name, of_usb.get(entry.name)
        if not _TTY.fullmatch(entry.name) or not path.exists() or not (usb or _is_wired(entry)):
            continue
        port = Candidate(
            kind="tty",
            name=entry.name,
            path=str(path),
            is_console=_read(entry / "console") == "Y",
            holders=tuple(holders(path, proc)),
        )
        if usb:
            port = structs.replace(
                port,
                by_id=usb.by_id or None,
                by_path=usb.by_path or None,
                vid=f"{usb.vid:04x}",
                pid=f"{usb.pid:04x}",
                serial=usb.serial or None,
                manufacturer=usb.manufacturer or None,
                product=usb.product or None,
                interface=f"{usb.interface:02x}",
                place=usb.usb_path,
            )
        yield port


def _is_wired(entry: Path) -> bool:
    """Whether a UART is behind a tty that is not USB: the kernel keeps names for ports a PC might have had."""
    return (entry / "device" / "driver").exists() and _read(entry / "type") not in (None, "0")


def _bulk_candidates(dev: Path, sys: Path, proc: Path) -> Iterator[Candidate]:
    """USB devices with a vendor's own interface that has bulk endpoints both ways and is nobody's in the kernel."""
    for device in _entries(sys / "bus" / "usb" / "devices"):
        interface = next(filter(_is_free_bulk_pair, _entries(device, f"{device.name}:*")), None)
        if interface is None or not (device / "idVendor").exists():
            continue
        bus, number = (int(_read(device / name) or 0) for name in ("busnum", "devnum"))
        path = dev / "bus" / "usb" / f"{bus:03}" / f"{number:03}"
        yield Candidate(
            kind="usb",
            name=device.name,
            path=str(path),
            vid=_read(device / "idVendor"),
            pid=_read(device / "idProduct"),
            serial=_read(device / "serial") or None,
            manufacturer=_read(device / "manufacturer") or None,
            product=_read(device / "product") or None,
            interface=_read(interface / "bInterfaceNumber"),
            place=device.name,
            holders=tuple(holders(path, proc)),
        )


def _is_free_bulk_pair(interface: Path) -> bool:
    if _read(interface / "bInterfaceClass") != VENDOR_SPECIFIC:
        return False
    driver = interface / "driver"
    if driver.exists() and driver.resolve().name != "usbfs":  # usbfs: a program, as we would be
        return False
    ends = {
        _read(end / "direction") for end in _entries(interface, "ep_*") if (_read(end / "type") or "").lower() == "bulk"
    }
    return ends >= {"in", "out"}


def _entries(folder: Path, pattern: str = "*") -> list[Path]:
    """What is in a folder; nothing where there is none (no USB, no udev), or where it was just unplugged."""
    try:
        return sorted(folder.glob(pattern))
    except OSError:
        return []


def _read(path: Path) -> str | None:
    """An attribute as sysfs has it; None where there is none. A device may call itself anything, and not in UTF-8."""
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return None
