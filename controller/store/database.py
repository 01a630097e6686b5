"""The journal's SQLite file: made whole or not at all, told from a stranger's before it is touched, opened two ways.

Nothing here writes to a file that is refused: what it is, is asked on a connection without locks or files of its own.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import sqlite3
import stat
from pathlib import Path
from typing import Final
from urllib.parse import quote

from controller.store.errors import ANOTHER, RESTORE, JournalRefused, of_sqlite, of_system

APPLICATION_ID: Final = int.from_bytes(b"CrJn", "big")
FORMAT: Final = 1
BUSY_S: Final = 2.0  # how long a commit waits for a program that should not be writing here at all
WAL_LIMIT: Final = 8 << 20  # bytes kept of a log that a long audit has let grow; twice what SQLite keeps by itself
BESIDE: Final = ("-wal", "-shm", "-journal")

SCHEMA: Final = f"""
PRAGMA application_id = {APPLICATION_ID};
PRAGMA user_version = {FORMAT};
CREATE TABLE meta (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE record (
    sequence INTEGER PRIMARY KEY,
    boot TEXT NOT NULL,
    wall TEXT NOT NULL,
    clock TEXT NOT NULL,
    monotonic_ns INTEGER NOT NULL,
    actor TEXT NOT NULL,
    kind TEXT NOT NULL,
    data TEXT NOT NULL,
    salt BLOB NOT NULL,
    hash BLOB NOT NULL
);
CREATE INDEX round_begun ON record (json_extract(data, '$.number')) WHERE kind = 'RoundBegun';
CREATE INDEX table_set_up ON record (sequence) WHERE kind = 'TableSetUp';
CREATE INDEX seldom ON record (sequence)
    WHERE kind IN ('TableSetUp', 'LimitsScheduled', 'LimitsApplied', 'AlertRaised', 'AlertAcknowledged');
CREATE TABLE snapshot (sequence INTEGER PRIMARY KEY, data BLOB NOT NULL, "check" BLOB NOT NULL);
CREATE TRIGGER record_is_not_edited BEFORE UPDATE ON record
    BEGIN SELECT RAISE(ABORT, 'a record of the journal is never edited'); END;
CREATE TRIGGER record_is_not_deleted BEFORE DELETE ON record
    BEGIN SELECT RAISE(ABORT, 'a record of the journal is never deleted'); END;
"""


def exists(path: Path) -> bool:
    """Whether a journal is at `path`; False if one may be made there. Refuses everything else, and touches nothing."""
    try:
        found = os.stat(path)
    except FileNotFoundError:
        found = None
    except OSError as error:
        raise of_system(error, f"the journal {path} cannot be looked at", path) from error
    if found is not None and not stat.S_ISREG(found.st_mode):
        what = "a directory" if stat.S_ISDIR(found.st_mode) else "a device, a pipe or a socket"
        raise JournalRefused(f"the journal {path} is not a file but {what}", advice="Correct the path")
    if found is None or not found.st_size:
        _refuse_orphans(path)
        return False
    if not os.access(path, os.R_OK, effective_ids=True):
        raise of_system(_forbidden(), f"the journal {path} cannot be read", path)
    _refuse_stranger(path)
    return True


def create(path: Path) -> None:
    """Makes an empty journal; under another name first, so that `path` is never half of one, whatever is killed."""
    building = path.with_name(f".{path.name}.new")
    try:
        for name in (building, *(_beside(building, end) for end in BESIDE)):
            name.unlink(missing_ok=True)  # what a program that was killed here left
        os.close(os.open(building, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
        try:
            _build(building)
            building.rename(path)
        except BaseException:
            for name in (building, *(_beside(building, end) for end in BESIDE)):
                name.unlink(missing_ok=True)
            raise
        _sync_directory(path.parent)
    except sqlite3.Error as error:
        raise of_sqlite(error, f"the journal {path} cannot be made", path) from error
    except OSError as error:
        raise of_system(error, f"the journal {path} cannot be made", path) from error


def connect(path: Path) -> sqlite3.Connection:
    """For the one who writes; any one thread at a time may use it."""
    if not os.access(path, os.R_OK | os.W_OK, effective_ids=True):  # SQLite would quietly open it to read only
        raise of_system(_forbidden(), f"the journal {path} cannot be written", path)
    connection = _connect(path, "rw")
    try:
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute(f"PRAGMA journal_size_limit = {WAL_LIMIT}")
        mode = connection.execute("PRAGMA journal_mode = WAL").fetchone()[0]
        if mode != b"wal":
            raise JournalRefused(
                f"the journal {path} is on a disk that cannot keep a write-ahead log",
                advice="Keep it on a disk of this machine, not on a network share",
            )
    except BaseException:
        connection.close()
        raise
    return connection


def connect_to_read(path: Path) -> sqlite3.Connection:
    """For one who only reads, beside a daemon that writes, or from a medium that cannot be written.

    It may leave an empty `-wal` and a `-shm` beside the journal; the journal's own file does not change.
    """
    connection = _connect(path, "ro")
    try:
        connection.execute("SELECT 1 FROM sqlite_schema").fetchone()
    except sqlite3.Error as error:
        connection.close()
        log = _beside(path, "-wal")
        if error.sqlite_errorcode & 0xFF not in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY):
            raise
        if log.exists() and log.stat().st_size:
            raise JournalRefused(
                f"the newest records of {path} are in {log.name}, which cannot be read in place",
                advice=f"Copy both into a directory you may write to, and read them there ({error.sqlite_errorname})",
            ) from error
        return _connect(path, "ro&immutable=1")  # nobody can be writing where nobody can write
    return connection


def identity(path: Path) -> tuple[tuple[int, int], ...]:
    """Which files the journal and its log are, whatever their names; raises OSError where one is gone."""
    return tuple((found.st_dev, found.st_ino) for found in (os.stat(path), os.stat(_beside(path, "-wal"))))


def leftovers(path: Path) -> frozenset[Path]:
    """What SQLite keeps beside the journal at this moment."""
    return frozenset(name for name in (_beside(path, end) for end in BESIDE) if name.exists())


def _refuse_orphans(path: Path) -> None:
    """A log without its journal holds records; a new journal beside it would make SQLite throw them away."""
    for end in ("-wal", "-journal"):
        log = _beside(path, end)
        with contextlib.suppress(FileNotFoundError):
            if log.stat().st_size:
                raise JournalRefused(
                    f"there is no journal in {path}, but {log.name} with the newest records of one is there",
                    advice=f"Put the journal back beside it, or move {log.name} away to begin a new one",
                )


def _refuse_stranger(path: Path) -> None:
    what = f"the journal {path} cannot be used"
    try:
        connection = _connect(path, "ro&immutable=1")
        try:
            application = connection.execute("PRAGMA application_id").fetchone()[0]
            version = connection.execute("PRAGMA user_version").fetchone()[0]
        finally:
            connection.close()
    except sqlite3.Error as error:
        raise of_sqlite(error, what, path) from error
    if application != APPLICATION_ID:
        raise JournalRefused(f"{what}: it is the SQLite database of another program", advice=ANOTHER)
    if version > FORMAT:
        raise JournalRefused(
            f"{what}: a newer Croupier has written it (format {version}; this one knows up to {FORMAT})",
            advice="Install the newer Croupier again, or give this one a journal of its own",
        )
    if version < 1:
        raise JournalRefused(f"{what}: it was never finished or is damaged (format {version})", advice=RESTORE)


def _build(path: Path) -> None:
    connection = _connect(path, "rw")
    try:
        connection.execute("PRAGMA journal_mode = WAL")  # here, so that `path` is never anything else
        connection.execute("PRAGMA synchronous = FULL")
        connection.executescript(f"BEGIN;{SCHEMA}COMMIT;")
        connection.execute("INSERT INTO meta VALUES ('id', ?)", (secrets.token_bytes(32),))
        left, _, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if left:
            raise sqlite3.OperationalError("the first checkpoint was not made")
    finally:
        connection.close()


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    uri = f"file:{quote(os.fsencode(path))}?mode={mode}"
    connection = sqlite3.connect(uri, uri=True, timeout=BUSY_S, isolation_level=None, check_same_thread=False)
    connection.text_factory = bytes  # an altered text may be no UTF-8: the reader says which record it is in
    return connection


def _forbidden() -> PermissionError:
    return PermissionError(errno.EACCES, os.strerror(errno.EACCES))


def _beside(path: Path, end: str) -> Path:
    return path.with_name(path.name + end)


def _sync_directory(directory: Path) -> None:
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
