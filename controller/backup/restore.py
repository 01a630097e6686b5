"""Brings a table back from its backup. Looks at everything first; what is in the way is kept aside, never deleted.

Refuses while a daemon has the journal, and refuses to put another journal, or other files, in the place of what is
there unless it is told to.
"""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Final

from msgspec import Struct

from controller.backup import archive
from controller.backup.archive import Label, Packed
from controller.backup.errors import BackupRefused
from controller.store import audit, database
from controller.store.errors import ChainBroken, JournalError, JournalRefused
from controller.store.journal import Journal
from controller.store.lock import Lock

HOMES: Final = (Path("/etc/croupier"), Path("/var/lib/croupier"))
REPLACE: Final = "With --replace it is put in their place, and what is there now is kept beside it"


class Restored(Struct, frozen=True):
    """Where the files are now; `kept` is what was there before, under its new name."""

    label: Label
    written: tuple[str, ...]
    same: tuple[str, ...]
    kept: tuple[str, ...]


def restore(source: Path, to: Path | None, *, replace: bool = False) -> Restored:
    """Raises BackupRefused, JournalError; then nothing was changed."""
    label = archive.read_label(source)
    targets = {each.place: to / each.place if to is not None else Path(each.path) for each in label.files}
    _check_places(label, targets, to)
    with ExitStack() as stack:
        made = [_folder(path.parent, to) for path in sorted(targets.values())]
        stack.callback(_remove_empty, [each for several in made for each in several])
        journal = label.journal
        if journal is not None:
            stack.enter_context(_nobody_runs(targets[journal.place]))
        staged = stack.enter_context(_staged(source, targets))
        if journal is not None:
            _prove(staged[journal.place], label)
        differ, same = _compared(label, targets, staged)
        if differ and not replace:
            told = "; ".join(differ.values())
            raise BackupRefused("in_the_way", f"nothing was restored: {told}", advice=REPLACE)
        written, kept = [], []
        for each in label.files:
            if each.place in same:
                continue
            target = targets[each.place]
            kept += _kept_aside(target)
            os.rename(staged[each.place], target)
            written.append(str(target))
        for folder in {path.parent for path in targets.values()}:
            _sync(folder)
        if journal is not None:
            _prove(targets[journal.place], label)
        return Restored(label, tuple(written), tuple(str(targets[place]) for place in same), tuple(kept))


def _check_places(label: Label, targets: dict[str, Path], to: Path | None) -> None:
    if to is not None:
        return
    for path in targets.values():
        if not path.is_absolute() or ".." in path.parts or not str(path).isprintable():
            raise BackupRefused(
                "bad_place", f"the backup names {str(path)!r}, which is no place for a file", advice="Say --to FOLDER"
            )
    strange = [path for path in targets.values() if not any(path.is_relative_to(home) for home in HOMES)]
    if strange and os.geteuid() == 0:  # a file that somebody sent must not be able to name any file of root's
        words = f"the backup wants to write {', '.join(map(str, strange))}, outside of {' and '.join(map(str, HOMES))}"
        raise BackupRefused("bad_place", words, advice="As root say where: --to FOLDER")


def _folder(folder: Path, to: Path | None) -> list[Path]:
    """Makes it where it is to be made; the ones that were made."""
    if folder.is_dir():
        return []
    if to is None:
        advice = "Install Croupier first (deploy/install), or say --to FOLDER"
        raise BackupRefused("no_folder", f"there is no folder {folder}", advice=advice)
    if not to.exists() and not to.parent.is_dir():
        raise BackupRefused("no_folder", f"there is no folder {to.parent}", advice="Make it, or name another")
    made = [each for each in (folder, *folder.parents) if not each.exists()]
    try:
        for each in reversed(made):
            each.mkdir(mode=0o700)
            _give(each)
    except OSError as error:
        raise BackupRefused("cannot_write", f"the folder {folder} can't be made: {error.strerror}") from error
    return made


def _remove_empty(folders: Iterable[Path]) -> None:
    """Those that were made, where nothing came into them."""
    for each in sorted(folders, key=lambda path: -len(path.parts)):
        if each.is_dir() and not any(path.suffix != ".lock" for path in each.iterdir()):
            for lock in each.iterdir():
                lock.unlink()
            each.rmdir()


@contextmanager
def _nobody_runs(journal: Path) -> Iterator[None]:
    """Raises JournalRefused where a daemon has it."""
    lock = Lock.take(journal)
    try:
        _give(journal.with_name(f"{journal.name}.lock"))
        yield
    finally:
        lock.release()


@contextmanager
def _staged(source: Path, targets: dict[str, Path]) -> Iterator[dict[str, Path]]:
    """Every file whole beside its place; what was not moved on from there is taken away."""
    end = secrets.token_hex(4)
    staged = {place: path.with_name(f".{path.name}.restore-{end}") for place, path in targets.items()}

    def opened(each: Packed) -> IO[bytes]:
        mode = 0o600 if each.role in ("journal", "people", "token") else (each.mode & 0o660) | 0o600
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW
        descriptor = os.open(staged[each.place], flags, 0o600)
        os.fchmod(descriptor, mode)
        _give(staged[each.place])
        return os.fdopen(descriptor, "wb")

    try:
        archive.unpack(source, opened)
        for path in staged.values():
            _sync(path)
        yield staged
    except OSError as error:
        if error.errno is None or isinstance(error, JournalError):
            raise
        words = f"the files can't be written: {error.strerror} ({error.filename or source})"
        raise BackupRefused("cannot_write", words, advice="Nothing that was there is lost") from error
    finally:
        for path in staged.values():
            for left in (path, *database.leftovers(path)):
                left.unlink(missing_ok=True)


def _prove(journal: Path, label: Label) -> None:
    try:
        found = audit.verify(journal)
    except (ChainBroken, JournalRefused) as error:
        if isinstance(error, JournalRefused) and "newer" in error.words:
            words = "the journal in this backup was written by a newer Croupier"
            raise BackupRefused("newer_backup", words, advice="Install that Croupier, and restore with it") from error
        words = f"the journal in this backup is broken: {error}"
        raise BackupRefused("broken_backup", words, advice="Take another backup") from error
    if (found.records, found.head) != (label.records, label.head):
        words = f"the journal in this backup ends at record {found.records}, and its list says {label.records}"
        raise BackupRefused("broken_backup", words, advice="Take another backup")
    for left in database.leftovers(journal):
        if not left.name.endswith("-wal") or not left.stat().st_size:
            left.unlink(missing_ok=True)


def _compared(label: Label, targets: dict[str, Path], staged: dict[str, Path]) -> tuple[dict[str, str], list[str]]:
    """What is in the way, in words, and what is there already."""
    differ: dict[str, str] = {}
    same: list[str] = []
    for each in label.files:
        target = targets[each.place]
        if each.role == "journal":
            words = _journal_in_the_way(target, staged[each.place], label)
            if words is None:
                same.append(each.place)
            elif words:
                differ[each.place] = words
        elif os.path.lexists(target):
            if target.is_file() and not target.is_symlink() and _bytes(target) == _bytes(staged[each.place]):
                same.append(each.place)
            else:
                differ[each.place] = f"{target} is there already and differs from the backup's"
    return differ, same


def _journal_in_the_way(target: Path, staged: Path, label: Label) -> str | None:
    """Empty where the backup holds all of it, None where it is the same."""
    had = database.leftovers(target)
    try:
        if not database.exists(target):
            return ""
        with Journal.read_only(target) as now, Journal.read_only(staged) as backed:
            head, ours = now.head, now.genesis == backed.genesis
        if not ours:
            return f"{target} is another journal, with {_records(head[0])}"
        if head[0] > label.records:
            more = _records(head[0] - label.records)
            return f"{target} has {_records(head[0])} and the backup only {label.records}: {more} would be missing"
        audit.verify(staged, head=head)
    except ChainBroken as error:
        return f"{target} holds other records than the backup ({error})"
    except JournalError as error:
        return f"{target} is there and can't be read ({error.words})"
    finally:
        for left in database.leftovers(target) - had:  # what looking makes; nobody else is here, we have the lock
            left.unlink(missing_ok=True)
    return None if head[0] == label.records else ""


def _kept_aside(target: Path) -> list[str]:
    """With its log, under a name that it can still be opened by."""
    if not os.path.lexists(target):
        return []
    stem = f"{target.name}.before-{time.strftime('%Y%m%d-%H%M%S')}"
    aside, number = target.with_name(stem), 2
    while os.path.lexists(aside):
        aside = target.with_name(f"{stem}-{number}")
        number += 1
    beside = database.leftovers(target)
    os.rename(target, aside)
    for left in sorted(beside):
        os.rename(left, aside.with_name(aside.name + left.name.removeprefix(target.name)))
    return [str(aside)]


def _give(path: Path) -> None:
    """Root makes it for whoever runs the table, and that is whose folder it is in."""
    if os.geteuid() == 0:
        about = path.parent.stat()
        os.chown(path, about.st_uid, about.st_gid)


def _bytes(path: Path) -> bytes:
    return path.read_bytes()


def _records(count: int) -> str:
    return f"{count} record{'' if count == 1 else 's'}"


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
