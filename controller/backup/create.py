"""Makes a backup of a table, also while its daemon runs, and calls it done only when it was read back and proven."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Final

from msgspec import Struct

from controller.backup import archive
from controller.backup.archive import Label, Packed
from controller.backup.contents import SECRET, Item, items_of
from controller.backup.errors import BackupRefused
from controller.doctor.installed import version
from controller.store import audit, clock, database
from controller.store.errors import JournalError, of_sqlite
from controller.store.journal import Journal

LARGEST: Final = 64 << 20  # bytes of a file that is not the journal: a configuration has a few thousand


class Made(Struct, frozen=True):
    """`missing` is what the configuration names and is not there; `secret` what only the owner may see."""

    label: Label
    missing: tuple[str, ...]
    secret: tuple[str, ...]
    open_to_others: bool  # the disk it is on keeps no permissions


def create(config: Path, target: Path) -> Made:
    """Raises BackupRefused, BadConfig, JournalError, ChainBroken; then there is no new file."""
    name, items = items_of(config)
    with new_file(target) as file, _beside(target) as staging:
        label, sources, missing = _collected(name, items, Path(staging))
        archive.write(file, label, sources)
        file.flush()
        os.fsync(file.fileno())
        _proven(target)
        mode = os.fstat(file.fileno()).st_mode
    secret = tuple(each.place for each in label.files if each.role in SECRET)
    return Made(label, missing, secret, bool(mode & 0o077))


def copy_journal(journal: Path, into: Path) -> audit.Verified:
    """A consistent copy of a journal that a daemon may be writing, proven from its first record to its last."""
    os.close(os.open(into, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    with Journal.read_only(journal) as reader:
        before = reader.head
    try:
        source = database.connect_to_read(journal)
        try:
            with contextlib.closing(sqlite3.connect(into)) as copy:
                source.backup(copy)
        finally:
            source.close()
    except sqlite3.Error as error:
        raise of_sqlite(error, f"the journal {journal} could not be copied", into) from error
    proven = audit.verify(into, head=before)
    for beside in database.leftovers(into):
        beside.unlink(missing_ok=True)
    return proven


def _collected(name: str, items: list[Item], staging: Path) -> tuple[Label, dict[str, Path], tuple[str, ...]]:
    sources: dict[str, Path] = {}
    files: list[Packed] = []
    missing: list[str] = []
    records, head = 0, ""
    for item in items:
        if item.role == "journal":
            if not database.exists(item.path):
                missing.append(str(item.path))
                continue
            source = staging / "journal.db"
            proven = copy_journal(item.path, source)
            records, head = proven.records, proven.head
        else:
            source = staging / f"file-{len(files)}"
            try:
                if item.path.stat().st_size > LARGEST:
                    words = f"{item.path} has more than {LARGEST >> 20} MiB: it is no {item.role} of a table"
                    raise BackupRefused("too_large", words)
                shutil.copyfile(item.path, source)  # so that nobody changes it between hash and tar
            except FileNotFoundError:
                if item.role not in ("people", "token"):  # which a table need not have
                    missing.append(str(item.path))
                continue
            except OSError as error:
                words = f"{item.path} can't be read: {error.strerror}"
                raise BackupRefused(
                    "cannot_read", words, advice="Ask as the user who runs the table, or as root"
                ) from error
        sources[item.place] = source
        files.append(archive.packed(item.role, item.place, item.path, source))
    made = clock.now().wall
    return Label(version(), made, name, tuple(files), records, head), sources, tuple(missing)


def _beside(target: Path) -> tempfile.TemporaryDirectory[str]:
    """On the disk where there must be room anyway."""
    return tempfile.TemporaryDirectory(prefix=".croupier-backup-", dir=target.parent)


@contextlib.contextmanager
def new_file(target: Path) -> Iterator[IO[bytes]]:
    """A whole new file or none, its owner's alone; never over another one."""
    try:
        descriptor = os.open(target, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    except FileExistsError as error:
        words = f"{target} is there already: name a new file, or take that one away"
        raise BackupRefused("file_exists", words) from error
    except FileNotFoundError as error:
        raise BackupRefused("no_folder", f"there is no folder {target.parent}: make it, or name another") from error
    except OSError as error:
        raise BackupRefused("cannot_write", f"{target} can't be made: {error.strerror}") from error
    try:
        with os.fdopen(descriptor, "w+b") as file:
            yield file
    except BaseException as error:
        target.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.errno is not None and not isinstance(error, JournalError):
            words = f"{target} can't be written to its end: {error.strerror}"
            raise BackupRefused("cannot_write", words, advice="Make room on that disk, or take another") from error
        raise


def _proven(target: Path) -> None:
    def nowhere(each: Packed) -> IO[bytes]:
        return open(os.devnull, "wb", opener=lambda path, flags: os.open(path, flags | os.O_CLOEXEC))

    archive.unpack(target, nowhere)
