"""What can be wrong with a journal, for the person who must act: what, which file, what to do."""

from __future__ import annotations

import errno
import os
import sqlite3
from pathlib import Path
from typing import Final

FULL: Final = "Make room on its disk; it is tried again"
DISK: Final = "Look at the disk with dmesg: a failing SD card must be replaced before it takes the journal along"
ANOTHER: Final = "Give the journal a path of its own, or move that file away"
RESTORE: Final = "Keep the file for inspection and put a good copy in its place, or move it away to begin a new journal"


class JournalError(OSError):
    """Trouble with the journal's file. `words` say what is wrong with which file; `advice` what a person does now."""

    def __init__(self, words: str, *, advice: str = "") -> None:
        self.words, self.advice = words, advice
        super().__init__(". ".join(part.rstrip(".") for part in (words, advice) if part) + ".")


class JournalRefused(JournalError):
    """This file cannot be the journal, and trying again won't help. It was left as it is, to the byte."""


class JournalUnavailable(JournalError):
    """It could not be done now. Nothing of it was written; the same call may be tried again."""


class ChainBroken(ValueError):
    """The records do not follow from each other. `sequence` is the first one that is wrong or missing."""

    def __init__(self, sequence: int, words: str) -> None:
        self.sequence, self.words = sequence, words
        super().__init__(words)


def of_system(error: OSError, what: str, path: Path) -> JournalError:
    """What the operating system refused, while `what` ("the journal … cannot be made") was tried."""
    words = f"{what}: {error.strerror or error}"
    match error.errno:
        case errno.ENOSPC | errno.EDQUOT:
            return JournalUnavailable(words, advice=FULL)
        case errno.EIO:
            return JournalUnavailable(words, advice=DISK)
        case errno.EACCES | errno.EPERM:
            return JournalRefused(words, advice=_needs(path))
        case errno.EROFS:
            return JournalRefused(words, advice="Mount the disk for writing, or keep the journal on another")
        case errno.ENOENT | errno.ENOTDIR:
            return JournalRefused(words, advice=f"Make the directory {path.parent}, or correct the path")
    return JournalRefused(words, advice="Keep the journal in a directory on a disk of this machine")


def of_sqlite(error: sqlite3.Error, what: str, path: Path) -> JournalError:
    """What SQLite refused, while `what` was tried."""
    match getattr(error, "sqlite_errorcode", 0) & 0xFF:  # the low byte is the kind, the others say more of it
        case sqlite3.SQLITE_FULL:
            return JournalUnavailable(f"{what}: the disk is full", advice=FULL)
        case sqlite3.SQLITE_IOERR if _is_full(path):
            return JournalUnavailable(f"{what}: the disk is full", advice=FULL)
        case sqlite3.SQLITE_IOERR:
            return JournalUnavailable(f"{what}: the disk reports an error ({_name(error)})", advice=DISK)
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            words = f"{what}: another program is writing into it"
            return JournalUnavailable(words, advice="Close it there (an open sqlite3 shell?); it is tried again")
        case sqlite3.SQLITE_READONLY:
            return JournalUnavailable(f"{what}: it may only be read ({_name(error)})", advice=_needs(path))
        case sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_PERM | sqlite3.SQLITE_AUTH:
            return JournalRefused(f"{what}: it cannot be opened ({_name(error)})", advice=_needs(path))
        case sqlite3.SQLITE_NOTADB:
            return JournalRefused(f"{what}: it is not a journal of Croupier, but some other file", advice=ANOTHER)
        case sqlite3.SQLITE_CORRUPT:
            return JournalRefused(f"{what}: it is damaged ({error})", advice=RESTORE)
        case sqlite3.SQLITE_CONSTRAINT:
            return JournalRefused(
                f"{what}: another program has written into it ({error})",
                advice="Find out who: croupier audit verify shows what is there. Then start the table again",
            )
        case sqlite3.SQLITE_ERROR:  # no such table, no such column
            return JournalRefused(f"{what}: it is not built like a journal ({error})", advice=RESTORE)
    return JournalUnavailable(f"{what}: {error}", advice=DISK)


def _needs(path: Path) -> str:
    return f"The user who runs this needs to read and write {path} and its directory; the journal is its owner's alone"


def _name(error: sqlite3.Error) -> str:
    return str(getattr(error, "sqlite_errorname", error))


def _is_full(path: Path) -> bool:
    """SQLite calls a full disk an I/O error where it fills its shared memory."""
    try:
        return os.statvfs(path.parent).f_bavail == 0
    except OSError:
        return False
