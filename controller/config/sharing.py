"""What two devices can't both have: a port, however it is written, and a pin of the Pi. Opens nothing."""

from __future__ import annotations

import ipaddress
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import Struct

from controller.config import places
from controller.config.devices import Found

FOLDERS: Final = {"by-id": Path("/dev/serial/by-id"), "by-path": Path("/dev/serial/by-path")}
_NETWORK: Final = re.compile(r"(?:socket|rfc2217)://(.+):(\d+)")
_USB: Final = re.compile(r"usb:([0-9a-f]{4}:[0-9a-f]{4})(?::(.+))?", re.IGNORECASE)
_PINS: Final = re.compile(r"pins \d+(?:(?:, | and )\d+)*")  # how a device on pins tells where it is


class Spot(Struct, frozen=True):
    """Where a device really is, in whichever way its address was written."""

    way: str
    name: str
    serial: str = ""

    def meets(self, other: Spot) -> bool:
        """A USB address without a serial number means any device of its kind."""
        alike = not self.serial or not other.serial or self.serial == other.serial
        return (self.way, self.name) == (other.way, other.name) and alike


def check_ports(devices: Iterable[Found]) -> None:
    taken: list[tuple[Spot, Found]] = []
    for each in devices:
        address = each.device.address if each.device is not None else ""
        spot = spot_of(address, each)
        if spot is None:
            continue
        other = next((had for had_spot, had in taken if had_spot.meets(spot)), None)
        if other is not None:
            each.part.wrong("port", _words(each, other, spot))
        taken.append((spot, each))


def spot_of(address: str, found: Found) -> Spot | None:
    """None for what is no port, or may be shared, as a terminal may."""
    if address == "auto":
        return Spot("auto", found.kind)
    if address.startswith("/"):
        return Spot("tty", os.path.realpath(address))
    if network := _NETWORK.fullmatch(address):
        return Spot("tcp", f"{_host(network[1])}:{int(network[2])}")
    if usb := _USB.fullmatch(address):
        return Spot("usb", usb[1].lower(), usb[2] or "")
    way, colon, name = address.partition(":")
    if colon and way in FOLDERS:
        there = _named(FOLDERS[way], name)
        return Spot("tty", os.path.realpath(there)) if there else Spot(way, name)
    return Spot(way, name) if colon and found.driver is not None and not found.driver.SIMULATED else None


def _host(text: str) -> str:
    bare = text.strip("[]").lower()
    try:
        address = ipaddress.ip_address("127.0.0.1" if bare == "localhost" else bare)
        return f"[{address}]" if address.version == 6 else str(address)
    except ValueError:
        return bare.rstrip(".")


def _named(folder: Path, name: str) -> Path | None:
    """What udev's name, or the beginning of one, stands for now; None where nothing or several things are."""
    try:
        there = [each.name for each in folder.iterdir()]
    except OSError:
        return None  # udev makes the folder with the first device
    fitting = [name] if name in there else [each for each in there if each.startswith(name)]
    return folder / fitting[0] if len(fitting) == 1 else None


def _words(each: Found, other: Found, spot: Spot) -> str:
    where = each.part.sheet.line(other.part.at("port"))
    if spot.way == "auto":
        return f'"auto" finds the only {each.kind} there is, and {other.name}{where} is on "auto" too; name one port'
    same = other.device is not None and each.device is not None and other.device.address == each.device.address
    also = f"is also the port of {other.name}{where}"
    if spot.way == "usb" and not same:
        return f"{also}, unless both addresses have a serial number; each device needs a port of its own"
    return f"{also}{'' if same else f', which is the same {spot.name}'}; each device needs a port of its own"


def check_pins(devices: Iterable[Found]) -> None:
    taken: dict[int, tuple[Found, places.Path]] = {}
    for each in devices:
        address = each.device.address if each.device is not None else ""
        if not _PINS.fullmatch(address):
            continue
        for pin in map(int, re.findall(r"\d+", address)):
            place = _place_of(pin, each)
            other, its_place = taken.setdefault(pin, (each, place))
            if other is not each:
                where = each.part.sheet.line(its_place)
                each.part.sheet.wrong(place, f"pin {pin} is also used by {other.name}{where}; take another pin")


def _place_of(pin: int, found: Found) -> places.Path:
    """Of the first setting that holds this number, in the driver's own order: pins come before times and levels."""
    assert found.driver is not None  # a device was made of it
    order = [field.encode_name for field in msgspec.structs.fields(found.driver.Settings)]
    for key in order:
        for path, value in _numbers((key,), found.settings.get(key)):
            if value == pin:
                return found.part.at(*path)
    return found.part.path


def _numbers(path: places.Path, value: Any) -> Iterator[tuple[places.Path, int]]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _numbers((*path, key), inner)
    elif isinstance(value, int) and not isinstance(value, bool):
        yield path, value
