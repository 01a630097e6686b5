"""Records to rows and back. Refuses a row that cannot be a record, by its number; reads no more than a page at once.

A page at a time, so that no reader keeps the log from being emptied, however slowly its records are used.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from typing import Any, Final, get_args

from controller.store.clock import Clock
from controller.store.errors import ChainBroken
from controller.store.record import HASH_BYTES, Record

PAGE: Final = 500  # records; some 150 kB
COLUMNS: Final = "sequence, boot, wall, clock, monotonic_ns, actor, kind, data, salt, hash"
INSERT: Final = f"INSERT INTO record ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
CLOCKS: Final[tuple[Clock, ...]] = get_args(Clock)
BEFORE_ALL: Final = -(1 << 63)


def journal_id(connection: sqlite3.Connection) -> bytes | None:
    row = connection.execute("SELECT value FROM meta WHERE name = 'id'").fetchone()
    return row[0] if row is not None and isinstance(row[0], bytes) and row[0] else None


def insert(connection: sqlite3.Connection, records: Iterable[Record]) -> None:
    connection.executemany(
        INSERT,
        (
            (
                record.sequence,
                record.boot,
                record.wall,
                record.clock,
                record.monotonic_ns,
                record.actor,
                record.kind,
                record.data.decode(),
                record.salt,
                record.hash,
            )
            for record in records
        ),
    )


def last_two(connection: sqlite3.Connection) -> list[Record]:
    """The newest record and the one before it, newest first."""
    query = f"SELECT {COLUMNS} FROM record ORDER BY sequence DESC LIMIT 2"
    return [_record(row) for row in connection.execute(query).fetchall()]


def one(connection: sqlite3.Connection, sequence: int) -> Record | None:
    row = connection.execute(f"SELECT {COLUMNS} FROM record WHERE sequence = ?", (sequence,)).fetchone()
    return None if row is None else _record(row)


def after(connection: sqlite3.Connection, sequence: int = BEFORE_ALL) -> Iterator[Record]:
    """The records behind `sequence` as they stand there, proven or not."""
    query = f"SELECT {COLUMNS} FROM record WHERE sequence > ? ORDER BY sequence LIMIT ?"
    size = PAGE
    while True:
        try:
            page = connection.execute(query, (sequence, size)).fetchall()
        except sqlite3.Error:
            if size == 1:
                raise
            size = 1  # something in this page cannot be read: go on up to it
            continue
        if not page:
            return
        for row in page:
            yield _record(row)
        sequence = page[-1][0]


def _record(row: tuple[Any, ...]) -> Record:
    sequence, boot, wall, clock, monotonic_ns, actor, kind, data, salt, digest = row
    try:
        record = Record(
            sequence=sequence,
            boot=boot.decode(),
            wall=wall.decode(),
            clock=clock.decode(),
            monotonic_ns=monotonic_ns,
            actor=actor.decode(),
            kind=kind.decode(),
            data=bytes(data),
            salt=bytes(salt),
            hash=bytes(digest),
        )
    except (UnicodeDecodeError, AttributeError, TypeError, ValueError) as error:
        raise ChainBroken(sequence, f"record {sequence} cannot be read: it was altered ({error})") from error
    if not isinstance(monotonic_ns, int) or record.clock not in CLOCKS or len(record.hash) != HASH_BYTES:
        raise ChainBroken(sequence, f"record {sequence} cannot be read: it was altered")
    return record
