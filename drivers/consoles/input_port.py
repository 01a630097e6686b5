"""Finds and opens an input device of the kernel, for ourselves alone. Refuses what is none, in words.

Grabbed, its keys reach neither a login nor a desktop on the same machine.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import re
import stat
import struct
from pathlib import Path
from typing import Final, Protocol

from msgspec import Struct

from drivers.consoles.input_events import EV_KEY, KEYS_SIZE, keys_in
from drivers.errors import DeviceError, NotAPort, PortBusy, PortForbidden, PortLost, PortNotFound, TimedOut, WrongDevice
from drivers.ports.aside import aside
from drivers.ports.base import CLOSE_S
from drivers.ports.descriptor import DescriptorPort
from drivers.ports.holders import holders, open_count

FOLDER: Final = Path("/dev/input")
NAME_SIZE: Final = 256

# linux/input.h, by _IOR and _IOW of 'E', as on every machine a Pi can be
EVIOCGID: Final = 0x80084502
EVIOCGNAME: Final = 0x80004506 | NAME_SIZE << 16
EVIOCGKEY: Final = 0x80004518 | KEYS_SIZE << 16  # which keys are down
EVIOCGBIT_KEY: Final = 0x80004520 + EV_KEY | KEYS_SIZE << 16  # which keys it has
EVIOCGRAB: Final = 0x40044590
_ID: Final = struct.Struct("HHHH")  # bus, vendor, product, version

ADDRESS: Final = re.compile(r"(?P<path>/.+)|name:(?P<name>.+)|usb:(?P<vid>[0-9a-fA-F]{4}):(?P<pid>[0-9a-fA-F]{4})")
OPEN_S: Final = 10.0  # all of them are looked at; closing one takes the kernel tens of milliseconds


class About(Struct, frozen=True, kw_only=True):
    """What an input device says of itself."""

    path: str
    name: str
    vendor: int
    product: int
    keys: frozenset[int]

    def __str__(self) -> str:
        return f"{self.path} ({self.name}, {self.vendor:04x}:{self.product:04x})"


class Calls(Protocol):
    """What we ask of the kernel about an open input device; each raises OSError."""

    def about(self, fd: int, path: str) -> About: ...

    def keys_down(self, fd: int) -> frozenset[int]: ...

    def grab(self, fd: int) -> None: ...


class KernelCalls:
    def about(self, fd: int, path: str) -> About:
        name = fcntl.ioctl(fd, EVIOCGNAME, bytes(NAME_SIZE)).split(b"\0")[0].decode(errors="replace")
        _, vendor, product, _ = _ID.unpack(fcntl.ioctl(fd, EVIOCGID, bytes(_ID.size)))
        keys = keys_in(fcntl.ioctl(fd, EVIOCGBIT_KEY, bytes(KEYS_SIZE)))
        return About(path=path, name=name, vendor=vendor, product=product, keys=keys)

    def keys_down(self, fd: int) -> frozenset[int]:
        return keys_in(fcntl.ioctl(fd, EVIOCGKEY, bytes(KEYS_SIZE)))

    def grab(self, fd: int) -> None:
        fcntl.ioctl(fd, EVIOCGRAB, 1)


class InputPort(DescriptorPort):
    """An open, grabbed input device. Nothing is written to it."""

    def __init__(self, fd: int, about: About, calls: Calls, what: str = "keypad") -> None:
        super().__init__(about.path, fd)
        self.about = about
        self._calls, self._what = calls, what

    def keys_down(self) -> frozenset[int]:
        self._check("question")
        try:
            return self._calls.keys_down(self._fd)
        except OSError as error:
            raise self._lost(error) from error

    async def _give_up(self, fd: int) -> None:
        with contextlib.suppress(TimeoutError):  # the thread goes on and closes it
            await aside(lambda: os.close(fd), limit_s=CLOSE_S)

    def _lost(self, error: OSError | None) -> DeviceError:
        return PortLost(
            f"the {self._what} {self.about.name} at {self.name} was unplugged",
            advice="Plug it in again; it comes back by itself",
        )


async def open_input(
    address: str,
    wanted: frozenset[int],
    *,
    calls: Calls | None = None,
    folder: Path = FOLDER,
    what: str = "keypad",
) -> InputPort:
    """The device at a path, with a name, or with a USB number; of several with one number, the one with our keys.

    `what` it is called in words.
    """
    asked = calls if calls is not None else KernelCalls()
    try:
        fd, about = await aside(
            lambda: _open_grabbed(address, wanted, asked, folder, what),
            limit_s=OPEN_S,
            late=lambda opened: os.close(opened[0]),
        )
    except TimeoutError as error:
        raise TimedOut(f"{address} took more than {OPEN_S:.0f} seconds to open", advice="Plug it in anew") from error
    return InputPort(fd, about, asked, what)


def _open_grabbed(address: str, wanted: frozenset[int], calls: Calls, folder: Path, what: str) -> tuple[int, About]:
    path = address if address.startswith("/") else _find(address, wanted, calls, folder, what)
    fd = _open(path, what)
    try:
        about = _about(fd, path, calls)
        if not about.keys & wanted:
            raise WrongDevice(
                f"{about} has none of the keys that are configured",
                advice="Choose another device (ls -l /dev/input/by-id), or other keys",
            )
        _grab(fd, about, calls)
    except BaseException:
        os.close(fd)
        raise
    return fd, about


def _open(path: str, what: str) -> int:
    try:
        status = os.stat(path)
        if not stat.S_ISCHR(status.st_mode):
            kind = "a directory" if stat.S_ISDIR(status.st_mode) else "no device"
            raise NotAPort(f"{path} is {kind}, not an input device", advice="See ls -l /dev/input/by-id")
        return os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    except DeviceError:
        raise
    except PermissionError as error:
        raise PortForbidden(
            f"{path} may not be read by this user",
            advice="Add the user to the group input (sudo usermod -aG input croupier) and start again",
        ) from error
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ENODEV, errno.ENXIO):
            raise PortNotFound(f"there is no {what} at {path}", advice="Plug it in; it is found by itself") from error
        raise DeviceError(f"{path} cannot be opened: {error.strerror}") from error


def _about(fd: int, path: str, calls: Calls) -> About:
    try:
        return calls.about(fd, path)
    except OSError as error:
        if error.errno == errno.ENODEV:
            raise PortLost(f"{path} was unplugged while it was opened", advice="Plug it in again") from error
        raise NotAPort(f"{path} is no input device", advice="See ls -l /dev/input/by-id") from error


def _grab(fd: int, about: About, calls: Calls) -> None:
    try:
        calls.grab(fd)
    except OSError as error:
        if error.errno == errno.EBUSY:
            raise PortBusy(
                f"{about} is grabbed already; it is open in {_who_has(about.path)}",
                advice="End what grabs it; it then works here",
            ) from error
        raise PortLost(f"{about} was unplugged while it was opened", advice="Plug it in again") from error


def _who_has(path: str) -> str:
    others = [holder for holder in holders(path) if holder.pid != os.getpid()]
    if others:
        return "; ".join(map(str, others))
    if open_count(path) > 1:  # once by this very try
        return "this program, perhaps for another device of the configuration"
    return "a program that cannot be seen from here"


def _find(address: str, wanted: frozenset[int], calls: Calls, folder: Path, what: str) -> str:
    found: list[About] = []
    shut: list[str] = []
    for path in sorted(folder.glob("event*"), key=lambda path: (len(path.name), path.name)):
        try:
            fd = _open(str(path), what)
        except PortForbidden:
            shut.append(str(path))
            continue
        except DeviceError:
            continue  # it went while we looked, or is none
        try:
            about = calls.about(fd, str(path))
        except OSError:
            continue
        finally:
            os.close(fd)
        if _is(about, address) and about.keys & wanted:
            found.append(about)
    if len(found) == 1:
        return found[0].path
    if found:
        raise WrongDevice(
            f"{len(found)} {what}s are {address}: {', '.join(map(str, found))}",
            advice="Name one by its path under /dev/input/by-id or by-path",
        )
    if shut:
        raise PortForbidden(
            f"no {what} is {address} among those this user may read; not allowed: {', '.join(shut)}",
            advice="Add the user to the group input (sudo usermod -aG input croupier) and start again",
        )
    raise PortNotFound(f"no {what} is {address}", advice="Plug it in; it is found by itself")


def _is(about: About, address: str) -> bool:
    asked = ADDRESS.fullmatch(address)
    if asked is None:
        return False
    if asked["name"] is not None:
        return about.name == asked["name"]
    return (about.vendor, about.product) == (int(asked["vid"], 16), int(asked["pid"], 16))
