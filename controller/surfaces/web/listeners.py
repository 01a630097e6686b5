"""The two sockets the web listens on: a TCP address, and a Unix socket that only its owner can open."""

from __future__ import annotations

import contextlib
import errno
import os
import socket
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from controller.surfaces.web.refusals import WebRefused

BACKLOG: Final = 64
PATH_BYTES: Final = 107  # of a Unix socket's name, by the kernel
PROC: Final = Path("/proc")
_LISTENING: Final = "0A"  # the kernel's word for it in /proc/net/tcp


def socket_path(journal: Path) -> Path:
    """Where the owner's socket of a table is: beside its journal."""
    return journal.with_suffix(".socket")


def listen_tcp(host: str, port: int) -> socket.socket:
    """Raises WebRefused."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except socket.gaierror as error:
        words = f"the web can't listen on {host}:{port}: there is no address {host!r} ({error.strerror})"
        raise WebRefused(words, advice="Write an address of this machine, as 127.0.0.1:8021") from error
    listener = socket.socket(family, kind, protocol)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # else a restart waits for old connections
        listener.bind(address)
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        raise _not_bound(error, host, port) from error
    listener.setblocking(False)
    return listener


def _not_bound(error: OSError, host: str, port: int) -> WebRefused:
    what = f"the web can't listen on {host}:{port}"
    match error.errno:
        case errno.EADDRINUSE:
            advice = "Stop that program, or give the web another port"
            return WebRefused(f"{what}: {_holder_of(port)} listens there already", advice=advice)
        case errno.EACCES:
            return WebRefused(f"{what}: ports below 1024 are for root", advice="Choose a port from 1024 on")
        case errno.EADDRNOTAVAIL:
            advice = "Write an address of this machine, as 127.0.0.1"
            return WebRefused(f"{what}: this machine has no address {host}", advice=advice)
    return WebRefused(f"{what}: {error.strerror}")


def _holder_of(port: int) -> str:
    """Which program listens on this port, as far as we may know."""
    inodes = set(_listening_inodes(port))
    for process in PROC.glob("[0-9]*"):
        with contextlib.suppress(OSError):  # of another user, or gone meanwhile
            for descriptor in (process / "fd").iterdir():
                if os.readlink(descriptor) in inodes:
                    return f"{(process / 'comm').read_text().strip()} (pid {process.name})"
    return "another program"


def _listening_inodes(port: int) -> Iterator[str]:
    for table in ("tcp", "tcp6"):
        with contextlib.suppress(OSError), (PROC / "net" / table).open() as lines:
            for fields in (line.split() for line in lines):
                if len(fields) > 9 and fields[3] == _LISTENING and fields[1].endswith(f":{port:04X}"):
                    yield f"socket:[{fields[9]}]"


def listen_unix(path: Path) -> socket.socket:
    """For the owner alone, from the moment it is there. What a daemon that died left behind is removed; one that
    answers is refused with WebRefused. Two that start at the same moment are kept apart by the journal's lock."""
    if len(os.fsencode(path)) > PATH_BYTES:
        words = f"the socket {path} has too long a name: the kernel takes {PATH_BYTES} bytes"
        raise WebRefused(words, advice="Keep the journal in a directory with a shorter name")
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        _remove_stale(path)
        before = os.umask(0o177)  # not chmod: until then others could connect
        try:
            listener.bind(os.fspath(path))
        finally:
            os.umask(before)
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        if isinstance(error, WebRefused):
            raise
        advice = f"The user who runs the table must be able to write into {path.parent}"
        raise WebRefused(f"the socket {path} can't be made: {error.strerror}", advice=advice) from error
    listener.setblocking(False)
    return listener


def _remove_stale(path: Path) -> None:
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(mode):
        raise WebRefused(f"the socket {path} can't be made: something else is there", advice="Move it away")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as caller:
        caller.settimeout(1.0)
        try:
            caller.connect(os.fspath(path))
        except ConnectionRefusedError:
            path.unlink()
            return
        except (TimeoutError, BlockingIOError):
            pass  # somebody is there and busy
    words = f"the socket {path} is that of a daemon that is running"
    raise WebRefused(words, advice="A table has one daemon: stop the other, or give this one a journal of its own")


def remove_unix(path: Path, inode: int) -> None:
    """Takes a socket's name away, unless it is another's by now."""
    with contextlib.suppress(OSError):
        if path.lstat().st_ino == inode:
            path.unlink()
