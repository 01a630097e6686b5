"""The journal itself: takes entries in whole transactions and says so only when they are on the disk.

Refuses a file that is not its own, a second daemon, and an end that does not follow from what is before it. Opening
looks at the last record only, so that it takes as long with a million records as with none.
"""

from __future__ import annotations

import contextlib
import secrets
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Final, Self, TypeVar

from controller.store import database, rows
from controller.store.clock import Stamper, now
from controller.store.errors import RESTORE, ChainBroken, JournalRefused, JournalUnavailable, of_sqlite
from controller.store.lock import Lock
from controller.store.record import SALT_BYTES, Entry, Record, checked, genesis, sealed, snapshot_check

SNAPSHOTS_KEPT: Final = 2  # the newest, and one to fall back on
Head = tuple[int, bytes]
T = TypeVar("T")


class JournalReader:
    """A journal that is only looked at. Any thread may use it, one at a time."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection: sqlite3.Connection | None = connection
        journal_id = self._ask("cannot be used", rows.journal_id)
        if journal_id is None:
            raise JournalRefused(
                f"the journal {path} has lost its own number, which its chain begins with", advice=RESTORE
            )
        self._genesis = genesis(journal_id)

    @classmethod
    def of(cls, path: Path) -> Self:
        try:
            connection = database.connect_to_read(path)
        except sqlite3.Error as error:
            raise of_sqlite(error, f"the journal {path} cannot be read", path) from error
        try:
            return cls(path, connection)
        except BaseException:
            connection.close()
            raise

    @property
    def genesis(self) -> bytes:
        """What stands before the first record, and for the head of an empty journal."""
        return self._genesis

    @property
    def head(self) -> Head:
        """The newest record's number and hash, proven against the one before; 0 and the genesis where there is none."""
        return self._ask("cannot be read", lambda connection: _proven_end(connection, self._genesis))

    def snapshot(self) -> tuple[int, bytes] | None:
        """The newest snapshot that fits its record, with the number of that record."""
        return self._ask("cannot be read", lambda connection: _newest_snapshot(connection, self._genesis))

    def after(self, sequence: int) -> Iterator[Record]:
        """The records behind `sequence`, each proven to follow from the one before; raises ChainBroken."""
        if sequence < 0:
            raise ValueError(f"records are numbered from 1; there is nothing behind {sequence}")
        before = self._ask("cannot be read", lambda connection: rows.one(connection, sequence)) if sequence else None
        if sequence and before is None:
            if sequence < self.head[0]:
                raise ChainBroken(sequence, f"record {sequence} is missing")
            return
        previous = self._genesis if before is None else before.hash
        yield from checked(self.unproven(sequence), sequence=sequence, previous=previous)

    def unproven(self, sequence: int = rows.BEFORE_ALL) -> Iterator[Record]:
        """The records behind `sequence` as they stand there, for those who prove them or want to see them broken."""
        records = rows.after(self._open(), sequence)
        while (record := self._ask("cannot be read to its end", lambda _: next(records, None))) is not None:
            yield record

    def close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            raise ValueError(f"the journal {self.path} is closed")
        return self._connection

    def _ask(self, failed: str, question: Callable[[sqlite3.Connection], T]) -> T:
        connection = self._open()
        try:
            return question(connection)
        except sqlite3.Error as error:
            raise of_sqlite(error, f"the journal {self.path} {failed}", self.path) from error


class Journal(JournalReader):
    """The journal of the one daemon that writes it. Any thread may use it, one at a time: see JournalWriter."""

    def __init__(self, path: Path, connection: sqlite3.Connection, lock: Lock, stamp: Stamper, head: Head) -> None:
        super().__init__(path, connection)
        self.boot = secrets.token_hex(8)
        self._lock: Lock | None = lock
        self._stamp, self._head = stamp, head
        self._files = database.identity(path)

    @classmethod
    def open(cls, path: str | Path, *, stamp: Stamper = now, create: bool = True) -> Journal:
        """Opens the journal, or makes a new one where there is no file or an empty one."""
        path = Path(path).resolve()
        _must_be_there(path, database.exists(path) or create)
        lock = Lock.take(path)
        try:
            if not database.exists(path):  # asked again: until now another daemon may have been making it
                _must_be_there(path, create)
                database.create(path)
            return cls._opened(path, lock, stamp)
        except BaseException:
            lock.release()
            raise

    @classmethod
    def _opened(cls, path: Path, lock: Lock, stamp: Stamper) -> Journal:
        """Looks first on a connection that cannot write: closing one that can would move the log into the file."""
        had = database.leftovers(path)
        try:
            with JournalReader.of(path) as reader:
                try:
                    head = reader.head
                except ChainBroken as error:
                    raise JournalRefused(
                        f"the journal {path} is damaged at its end: {error}", advice=RESTORE
                    ) from error
                connection = database.connect(path)
                try:
                    return cls(path, connection, lock, stamp, head)
                except BaseException:
                    connection.close()
                    raise
        except sqlite3.Error as error:
            raise of_sqlite(error, f"the journal {path} cannot be used", path) from error
        except JournalRefused:
            for name in database.leftovers(path) - had:
                with contextlib.suppress(OSError):
                    name.unlink()
            raise

    @staticmethod
    def read_only(path: str | Path) -> JournalReader:
        """For an audit: takes no lock, so that a daemon may be writing meanwhile."""
        path = Path(path).resolve()
        _must_be_there(path, database.exists(path))
        return JournalReader.of(path)

    @property
    def head(self) -> Head:
        return self._head

    def append(self, entries: Sequence[Entry], *, snapshot: bytes | None = None) -> tuple[Record, ...]:
        """Keeps all the entries, durably, or none and raises JournalUnavailable.

        The snapshot is of the state behind the last entry; without entries, of the state at the head. As with any
        commit, one that failed at its last step may be found by the next start if the power goes before another
        append has succeeded.
        """
        connection = self._open()
        if not entries and snapshot is None:
            return ()
        records = self._sealed(entries)
        self._must_be_ours()
        head = (records[-1].sequence, records[-1].hash) if records else self._head
        try:
            if connection.in_transaction:  # the last one failed so badly that it could not even be undone
                connection.rollback()
            connection.execute("BEGIN IMMEDIATE")
            rows.insert(connection, records)
            if snapshot is not None:
                _store_snapshot(connection, head, snapshot)
            connection.execute("COMMIT")
        except sqlite3.Error as error:
            with contextlib.suppress(sqlite3.Error):  # it tells of the same trouble again
                connection.rollback()
            raise of_sqlite(error, f"the journal {self.path} could not be written", self.path) from error
        except BaseException:
            connection.rollback()
            raise
        self._head = head
        return records

    def close(self) -> None:
        super().close()
        lock, self._lock = self._lock, None
        if lock is not None:
            lock.release()

    def _sealed(self, entries: Sequence[Entry]) -> tuple[Record, ...]:
        stamp = self._stamp()
        records: list[Record] = []
        sequence, previous = self._head
        for number, entry in enumerate(entries, sequence + 1):
            record = Record(
                sequence=number,
                boot=self.boot,
                wall=stamp.wall,
                clock=stamp.clock,
                monotonic_ns=stamp.monotonic_ns,
                actor=entry.actor,
                kind=entry.kind,
                data=entry.data,
                salt=secrets.token_bytes(SALT_BYTES),
            )
            records.append(sealed(previous, record))
            previous = records[-1].hash
        return tuple(records)

    def _must_be_ours(self) -> None:
        """SQLite would go on writing into a file that was deleted, and all of it would be gone at the end."""
        try:
            same = database.identity(self.path) == self._files
        except OSError:
            same = False
        if not same:
            raise JournalUnavailable(
                f"the journal {self.path} or its -wal file was moved, deleted or replaced while the table runs",
                advice="Put both back. Don't stop the table before: a deleted file lives only as long as it is open",
            )


def _must_be_there(path: Path, there: bool) -> None:
    if not there:
        raise JournalRefused(f"there is no journal at {path}", advice="Correct the path; a table that runs makes one")


def _proven_end(connection: sqlite3.Connection, first: bytes) -> Head:
    # Asked before the records: a daemon may be adding to both meanwhile, and the records must not look the older.
    snapshot = connection.execute("SELECT max(sequence) FROM snapshot").fetchone()[0] or 0
    newest = rows.last_two(connection)
    *before, last = [(record.sequence, record.hash) for record in reversed(newest)] or [(0, first)]
    if newest:
        sequence, previous = before[0] if before else (0, first)
        for _ in checked(newest[:1], sequence=sequence, previous=previous):
            pass
    if snapshot > last[0]:
        raise ChainBroken(last[0] + 1, f"the records end at {last[0]}, and a snapshot of record {snapshot} is there")
    return last


def _newest_snapshot(connection: sqlite3.Connection, first: bytes) -> tuple[int, bytes] | None:
    for sequence, data, check in connection.execute("SELECT * FROM snapshot ORDER BY sequence DESC").fetchall():
        record = rows.one(connection, sequence)
        head = first if sequence == 0 else None if record is None else record.hash
        if head is not None and isinstance(data, bytes) and snapshot_check(head, data) == check:
            return sequence, data
    return None


def _store_snapshot(connection: sqlite3.Connection, head: Head, data: bytes) -> None:
    sequence, digest = head
    row = (sequence, data, snapshot_check(digest, data))
    connection.execute("INSERT OR REPLACE INTO snapshot VALUES (?, ?, ?)", row)
    connection.execute(
        "DELETE FROM snapshot WHERE sequence NOT IN (SELECT sequence FROM snapshot ORDER BY sequence DESC LIMIT ?)",
        (SNAPSHOTS_KEPT,),
    )
