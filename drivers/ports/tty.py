"""A serial port: opened and set by pyserial, exclusively, and then read and written in the event loop.

Refuses what is no tty, what another program holds and settings the port does not take, each in words.
"""

from __future__ import annotations

import array
import contextlib
import errno
import fcntl
import grp
import os
import pwd
import stat
import termios
import time
from typing import Final

from drivers.errors import BadSetting, DeviceError, NotAPort, PortBusy, PortForbidden, PortLost, PortNotFound, TimedOut
from drivers.ports.aside import aside, started
from drivers.ports.base import LineSettings
from drivers.ports.descriptor import DescriptorPort
from drivers.ports.holders import held_by, is_pty
from drivers.ports.pty import is_marked

OPEN_S: Final = 5.0  # to set a USB adapter takes a few control transfers, each given up by the kernel after 5 s
DRAIN_S: Final = 0.5  # half of CLOSE_S, for what is still to go out: 480 bytes at 9600 baud
_LOOK_S: Final = 0.01
_TIOCGEXCL: Final = 0x80045440  # <asm-generic/ioctls.h>; Python's termios has no name for it
_NOTHING_THERE: Final = (errno.ENOENT, errno.ENODEV, errno.ENXIO, errno.EIO, errno.ENOTDIR)


class TtyPort(DescriptorPort):
    """An open serial port; see `open_tty`. `simulated`: it is a pty, and whoever made it says so."""

    def __init__(self, name: str, fd: int) -> None:
        super().__init__(name, fd)
        self.simulated = is_marked(os.fstat(fd))

    async def _give_up(self, fd: int) -> None:
        await started(lambda: _close(fd))

    def _lost(self, error: OSError | None) -> DeviceError:
        why = f" ({error.strerror})" if error is not None and error.strerror else ""
        return PortLost(
            f"{self.name} is gone: unplugged, or its far side ended{why}",
            advice="Plug it in again; the table reconnects by itself",
        )


async def open_tty(path: str, line: LineSettings, *, name: str | None = None) -> TtyPort:
    """`name` is what the configuration calls it, where that is not the path."""
    called = path if name is None or name == path else f"{name} ({path})"
    try:
        fd = await aside(lambda: _open(path, line, called), limit_s=OPEN_S, late=_close)
    except TimeoutError as error:
        raise TimedOut(
            f"{called} did not open within {OPEN_S:.0f} seconds", advice="Unplug the device and plug it in again"
        ) from error
    return TtyPort(name or path, fd)


def _open(path: str, line: LineSettings, called: str) -> int:
    """In a thread. Gives a non-blocking descriptor that holds the exclusive lock."""
    status = _checked_kind(path, called)
    try:
        first = os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    except OSError as error:
        raise _refusal(error, path, called) from error
    try:
        if not os.isatty(first):
            raise NotAPort(f"{called} is a device, but no serial port", advice="Find the right one: croupier devices")
        if _is_exclusive(first):  # root is let in all the same, and would take the other program's bytes
            raise _busy(path, called)
        fd = _set_up(path, line, called)
        if not is_pty(status):  # a pty's owner may keep it open, and then the mark would outlive us
            fcntl.ioctl(fd, termios.TIOCEXCL)
        return fd
    finally:
        os.close(first)


def _set_up(path: str, line: LineSettings, called: str) -> int:
    import serial  # when a port is opened and not before: import cost is a feature

    try:
        opened = serial.Serial(
            path,
            baudrate=line.baud,
            bytesize=line.data_bits,
            parity=line.parity,
            stopbits=line.stop_bits,
            exclusive=True,
            inter_byte_timeout=0,  # VMIN 1: an empty read then means hang-up, and never "nothing yet"
        )
    except termios.error as error:
        if error.args[0] == errno.EINVAL:
            raise _bad_settings(line, called) from error
        raise _refusal(OSError(*error.args), path, called) from error
    except serial.SerialException as error:
        if error.errno is None and isinstance(error.__context__, termios.error):
            raise _refusal(OSError(*error.__context__.args), path, called) from error
        raise _refusal(error, path, called) from error
    except ValueError as error:
        raise _bad_settings(line, called) from error
    try:
        return os.dup(opened.fileno())  # the lock goes with it; pyserial's four pipes do not
    finally:
        opened.close()


def _checked_kind(path: str, called: str) -> os.stat_result:
    try:
        status = os.stat(path)
    except ValueError as error:  # a NUL in it
        raise BadSetting(f"{called!r} is no path") from error
    except OSError as error:
        raise _refusal(error, path, called) from error
    if not stat.S_ISCHR(status.st_mode):
        kinds = ((stat.S_ISDIR, "a directory"), (stat.S_ISREG, "a plain file"), (stat.S_ISFIFO, "a pipe"))
        kind = next((words for is_kind, words in kinds if is_kind(status.st_mode)), "not a device")
        raise NotAPort(f"{called} is {kind}, and no serial port", advice="Find the right one: croupier devices")
    return status


def _refusal(error: OSError, path: str, called: str) -> DeviceError:
    if error.errno in (errno.EACCES, errno.EPERM):
        return PortForbidden(f"{called} may not be opened by {_user()}", advice=_group_advice(path))
    if error.errno in (errno.EBUSY, errno.EAGAIN):
        return _busy(path, called)
    if error.errno in _NOTHING_THERE:
        return PortNotFound(_nothing_there(error, path, called), advice="Plug the device in, or see: croupier devices")
    if error.errno == errno.ENOTTY:
        return NotAPort(f"{called} is a device, but no serial port", advice="Find the right one: croupier devices")
    return DeviceError(f"{called} does not open: {error.strerror or error}", advice="Unplug it and plug it in again")


def _nothing_there(error: OSError, path: str, called: str) -> str:
    if error.errno in (errno.ENODEV, errno.ENXIO, errno.EIO):
        return f"{called} has a name here but nothing behind it ({error.strerror})"
    if os.path.islink(path):
        return f"{called} points to {os.readlink(path)}, which is not there"
    return f"{called} is not there"


def _busy(path: str, called: str) -> PortBusy:
    return PortBusy(f"{called} is open in {held_by(path)}", advice="Close it; the table reconnects by itself")


def _bad_settings(line: LineSettings, called: str) -> DeviceError:
    return DeviceError(
        f"{called} does not take the line settings {line}",
        advice="Set baud, data_bits, parity and stop_bits to what both the device and the port can do (a pty: 8N1)",
    )


def _group_advice(path: str) -> str:
    try:
        group = grp.getgrgid(os.stat(path).st_gid).gr_name
    except (OSError, KeyError):
        return "Run as a user who may open it"
    if group == "root":
        return "Let a udev rule give it to a group: croupier devices udev-rule"
    return f"Add the user to the group {group}: sudo usermod -aG {group} {_user()}, then log in again"


def _user() -> str:
    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        return f"user {os.geteuid()}"


def _is_exclusive(fd: int) -> bool:
    flag = array.array("i", [0])
    try:
        fcntl.ioctl(fd, _TIOCGEXCL, flag)
    except OSError:
        return False  # a kernel before 3.8
    return bool(flag[0])


def _close(fd: int) -> None:
    """In a thread. Waits a little for the last bytes and throws the rest away: the close itself would wait for them."""
    until = time.monotonic() + DRAIN_S
    waiting = array.array("i", [0])
    with contextlib.suppress(
        OSError, termios.error
    ):  # termios.error is no OSError; it has hung up: nothing to wait for
        fcntl.ioctl(fd, termios.TIOCOUTQ, waiting)
        while waiting[0] and time.monotonic() < until:
            time.sleep(_LOOK_S)
            fcntl.ioctl(fd, termios.TIOCOUTQ, waiting)
        if waiting[0]:
            termios.tcflush(fd, termios.TCOFLUSH)
    with contextlib.suppress(OSError):
        fcntl.ioctl(fd, termios.TIOCNXCL)
    with contextlib.suppress(OSError):
        os.close(fd)
