"""What the journal's tests share: entries, a clock that ticks, an honest copy of a running journal, and a tamperer."""

from __future__ import annotations

import hashlib
import itertools
import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from controller.store.clock import Stamp
from controller.store.journal import Journal
from controller.store.record import Entry


def card(number: int = 1, kind: str = "CardRead", actor: str = "shoe") -> Entry:
    return Entry(actor, kind, json.dumps({"n": number}, separators=(",", ":")).encode())


def ticking() -> Callable[[], Stamp]:
    """A clock of its own, one second a call."""
    ticks = itertools.count()

    def stamp() -> Stamp:
        tick = next(ticks)
        return Stamp(f"2026-01-02T03:{tick // 60 % 60:02d}:{tick % 60:02d}.000Z", "rtc", tick * 1_000_000_000)

    return stamp


def journal_of(path: Path, count: int, *, snapshot: bytes | None = None) -> Path:
    """A closed journal with `count` records, one a transaction."""
    with Journal.open(path, stamp=ticking()) as journal:
        for number in range(1, count + 1):
            journal.append([card(number)], snapshot=snapshot if number == count else None)
    return path


def as_if_cut(path: Path, into: Path, *, log_bytes: int | None = None) -> Path:
    """The files as a power cut would leave them now, the log no longer than `log_bytes`."""
    into.mkdir(exist_ok=True)
    copy = into / path.name
    shutil.copyfile(path, copy)
    log = log_of(path).read_bytes()
    log_of(copy).write_bytes(log if log_bytes is None else log[:log_bytes])
    return copy


def log_of(path: Path) -> Path:
    return path.with_name(f"{path.name}-wal")


def tamper(path: Path, *statements: str, values: tuple[Any, ...] = ()) -> None:
    """Changes the file as someone would who knows SQLite: he takes the guards away first and puts none back."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DROP TRIGGER IF EXISTS record_is_not_edited")
        connection.execute("DROP TRIGGER IF EXISTS record_is_not_deleted")
        for statement in statements:
            connection.execute(statement, values)


def contents(directory: Path) -> dict[str, str]:
    """Every file below, with the hash of its bytes; the lock file is ours to make."""
    return {
        str(path.relative_to(directory)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(directory.rglob("*"))
        if path.is_file() and path.suffix != ".lock"
    }
