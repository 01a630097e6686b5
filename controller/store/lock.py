"""One daemon a journal: a lock on a file beside it, which the kernel takes back from a program that dies.

Beside it and not on it: closing any descriptor of a database drops the locks that SQLite holds on it in this program.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
from pathlib import Path

from controller.store.errors import JournalRefused, of_system

PROC = Path("/proc")


class Lock:
    """Held from `take` to `release`. The file stays: taking it away would let two hold a lock of the same name."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    @classmethod
    def take(cls, journal: Path) -> Lock:
        beside = journal.with_name(f"{journal.name}.lock")
        try:
            descriptor = os.open(beside, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        except OSError as error:
            raise of_system(error, f"the journal {journal} cannot be locked with {beside.name}", journal) from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            holder = _holder(descriptor)
            os.close(descriptor)
            if not isinstance(error, BlockingIOError):
                raise of_system(error, f"the journal {journal} cannot be locked", journal) from error
            raise JournalRefused(
                f"the journal {journal} is in use by {holder}",
                advice="A journal has one daemon: stop the other, or give this table a journal of its own",
            ) from error
        with contextlib.suppress(OSError):  # on a full disk the lock holds all the same, without our name on it
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        return cls(descriptor)

    def release(self) -> None:
        with contextlib.suppress(OSError):
            os.ftruncate(self._descriptor, 0)
        os.close(self._descriptor)


def _holder(descriptor: int) -> str:
    """Who wrote his number into the lock file, in words."""
    try:
        pid = int(os.pread(descriptor, 32, 0))
    except (OSError, ValueError):
        return "another program, which has not written its number yet"
    if pid == os.getpid():
        return f"this program already (pid {pid})"
    with contextlib.suppress(OSError):
        return f"another program (pid {pid}, {(PROC / str(pid) / 'comm').read_text().strip()})"
    return f"another program (pid {pid})"
