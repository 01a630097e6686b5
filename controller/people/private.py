"""Files for their owner's eyes alone: read only where nobody else may read them, and written whole or not at all."""

from __future__ import annotations

import contextlib
import fcntl
import os
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from controller.people.errors import PeopleRefused

LARGEST: Final = 1024 * 1024  # bytes of such a file; thousands of people fit


def read_private(path: Path, what: str) -> bytes | None:
    """None where there is no such file. Raises PeopleRefused; `what` says what it is: "the people file"."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            about = os.fstat(descriptor)
            if not stat.S_ISREG(about.st_mode):
                raise PeopleRefused(f"{what} {path} is no file", advice="Move it away")
            if about.st_mode & 0o077:
                words = f"others may read {what} {path} (mode {stat.S_IMODE(about.st_mode):04o})"
                advice = f"If nobody can have read or changed it: chmod 600 {path}. Else give everybody a new PIN too"
                raise PeopleRefused(words, advice=advice)
            with os.fdopen(descriptor, "rb", closefd=False) as file:
                data = file.read(LARGEST + 1)
        finally:
            os.close(descriptor)
    except FileNotFoundError:
        return None
    except PeopleRefused:
        raise
    except OSError as error:
        advice = "The user who runs the table must be able to read it; it is a file, and no link"
        raise PeopleRefused(f"{what} {path} can't be read: {error.strerror}", advice=advice) from error
    if len(data) > LARGEST:
        raise PeopleRefused(f"{what} {path} has more than {LARGEST} bytes", advice="Put a good copy in its place")
    return data


def write_private(path: Path, data: bytes, what: str) -> None:
    """A crash leaves the old file or the new one. Raises PeopleRefused, and nothing is changed."""
    beside = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            with os.fdopen(descriptor, "wb") as file:
                _give_to_owner(descriptor, path.parent)
                file.write(data)
                file.flush()
                os.fsync(descriptor)
            os.replace(beside, path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(beside)
            raise
        _sync_folder(path.parent)
    except OSError as error:
        advice = f"The user who runs the table must be able to write into {path.parent}, and the disk needs room"
        raise PeopleRefused(f"{what} {path} can't be written: {error.strerror}", advice=advice) from error


@contextlib.contextmanager
def alone(path: Path, what: str) -> Iterator[None]:
    """Nobody else reads the file and writes it again meanwhile. The lock is on its folder: the file is replaced with
    every write, and one of its own would stay behind."""
    try:
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        advice = f"Make the folder {path.parent}, or correct the journal's path in the configuration"
        raise PeopleRefused(f"{what} {path} can't be kept: {error.strerror}", advice=advice) from error
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


def _give_to_owner(descriptor: int, folder: Path) -> None:
    """Root makes it for whoever runs the table, and that is whose folder it is."""
    if os.geteuid() == 0:
        about = os.stat(folder)
        os.fchown(descriptor, about.st_uid, about.st_gid)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
