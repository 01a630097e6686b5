"""The table's own Wi-Fi network, as `croupier-hotspot on` writes it into a file of three lines. Refuses a file that
others may read, and says what is wrong with one without a word of what stands in it: any line may be the password."""

from __future__ import annotations

import os
import re
import stat
from ipaddress import IPv4Interface
from pathlib import Path
from typing import Final

from msgspec import Struct

KEYS: Final = ("name", "password", "address")
FORM: Final = "sudo croupier-hotspot on writes it anew"
LARGEST: Final = 4096  # bytes; three lines have a hundred
NAME_BYTES: Final = 32  # IEEE 802.11
_PASSWORD: Final = re.compile(r"[ -~]{8,63}|[0-9A-Fa-f]{64}")  # IEEE 802.11: a passphrase, or the key itself
_SPECIAL: Final = re.compile(r'([\\;,:"])')


class BadHotspot(ValueError):
    """In words, with what to do."""


class Hotspot(Struct, frozen=True):
    """`address` is this machine's own in that network."""

    name: str
    password: str
    address: IPv4Interface

    def __repr__(self) -> str:
        return f"Hotspot({self.name!r}, a password, {self.address})"

    @property
    def joining(self) -> str:
        """What phones read out of a QR code as a network to join."""
        name, password = (_SPECIAL.sub(r"\\\1", each) for each in (self.name, self.password))
        return f"WIFI:T:WPA;S:{name};P:{password};;"


def read_hotspot(path: Path) -> Hotspot | None:
    """None where there is no such file: the network is switched off. Raises BadHotspot."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        words = f"{path} can't be read by this user: {error.strerror}; it belongs to the user who runs the table"
        raise BadHotspot(words) from error
    try:
        about = os.fstat(descriptor)
        if not stat.S_ISREG(about.st_mode):
            raise BadHotspot(f"{path} is no file; {FORM}")
        if about.st_mode & 0o077:
            words = f"others may read {path} (mode {stat.S_IMODE(about.st_mode):04o}), and a password is in it"
            raise BadHotspot(f"{words}: chmod 600 {path}")
        raw = os.read(descriptor, LARGEST + 1)
    except OSError as error:
        raise BadHotspot(f"{path} can't be read: {error.strerror}") from error
    finally:
        os.close(descriptor)
    try:
        return parse_hotspot(raw)
    except BadHotspot as error:
        raise BadHotspot(f"{path}: {error}; {FORM}") from None  # the cause would show what stands in it


def parse_hotspot(raw: bytes) -> Hotspot:
    """Raises BadHotspot."""
    if len(raw) > LARGEST:
        raise BadHotspot(f"it has more than {LARGEST} bytes")
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        raise BadHotspot("it is no UTF-8 text") from None
    found: dict[str, str] = {}
    for number, line in enumerate(text.removesuffix("\n").split("\n"), 1):
        key, equals, value = line.partition("=")
        if not equals or key not in KEYS:
            raise BadHotspot(f"line {number} is not one of name=…, password=… and address=…")
        if key in found:
            raise BadHotspot(f"line {number} says {key} a second time")
        found[key] = value
    for key in KEYS:
        if key not in found:
            raise BadHotspot(f"it has no line {key}=…")
    name, password = found["name"], found["password"]
    if not 1 <= len(name.encode()) <= NAME_BYTES or not name.isprintable():
        raise BadHotspot(f"a network's name has 1 to {NAME_BYTES} bytes that can be seen")
    if not _PASSWORD.fullmatch(password):
        raise BadHotspot("a network's password has 8 to 63 ASCII characters, or 64 hexadecimal digits")
    try:
        address = IPv4Interface(found["address"])
    except ValueError:
        raise BadHotspot("the address is not one such as 10.42.21.1/24") from None
    return Hotspot(name, password, address)
