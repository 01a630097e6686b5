"""The backup's file: a gzipped tar whose first member says what is in it, with a hash of everything.

Refuses what is cut short, altered, a stranger's or of a newer form. Nothing is ever unpacked under a name that the
archive chose: the caller says where each file goes.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import tarfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO, Any, Final

import msgspec
from msgspec import Struct

from controller.backup.errors import BackupRefused

FORM: Final = 1
LABEL: Final = "croupier-backup.json"
FOLDER: Final = "files"
LARGEST_LABEL: Final = 1 << 20
CHUNK: Final = 1 << 20
TORN: Final = (EOFError, zlib.error, gzip.BadGzipFile, tarfile.TarError)
AGAIN: Final = "Take another copy: this one was cut short or damaged"


class Packed(Struct, frozen=True, forbid_unknown_fields=True):
    """One file. `path` is where it was."""

    role: str
    place: str
    path: str
    mode: int
    size: int
    sha256: str


class Label(Struct, frozen=True):
    """`head` and `records` are the journal's; empty where the table had none yet."""

    croupier: str
    made: str
    table: str
    files: tuple[Packed, ...]
    records: int = 0
    head: str = ""
    form: int = FORM

    @property
    def journal(self) -> Packed | None:
        return next((each for each in self.files if each.role == "journal"), None)


def write(into: IO[bytes], label: Label, sources: dict[str, Path]) -> None:
    """`sources` by place."""
    with tarfile.open(fileobj=into, mode="w:gz", format=tarfile.PAX_FORMAT) as tar:
        text = msgspec.json.format(msgspec.json.encode(label), indent=2)
        tar.addfile(_member(LABEL, len(text)), io.BytesIO(text))
        for each in label.files:
            with sources[each.place].open("rb") as file:
                tar.addfile(_member(f"{FOLDER}/{each.place}", each.size), file)


def read_label(path: Path) -> Label:
    with _opened(path) as tar:
        return _label(tar, path)


def unpack(path: Path, opened: Callable[[Packed], IO[bytes]]) -> Label:
    """Writes each file into what `opened` gives, and proves it. Raises BackupRefused at the first that is not whole."""
    with _opened(path) as tar:
        label = _label(tar, path)
        wanted = {f"{FOLDER}/{each.place}": each for each in label.files}
        while (member := tar.next()) is not None:  # goes on behind the list
            each = wanted.pop(member.name, None)
            file = tar.extractfile(member) if each is not None and member.isreg() else None
            if each is None or file is None:
                raise BackupRefused("broken_backup", f"{path} holds {member.name!r}, which its own list does not have")
            if member.size != each.size:
                raise BackupRefused("broken_backup", f"{path} is damaged: {each.place} has another size", advice=AGAIN)
            with opened(each) as into:
                size, digest = _copy(file, into)
            if (size, digest) != (each.size, each.sha256):
                raise BackupRefused(
                    "broken_backup", f"{path} is damaged: {each.place} is not what it was", advice=AGAIN
                )
        while tar.fileobj.read(CHUNK):
            pass  # to its end, where gzip has a sum of everything
        if wanted:
            lacking = ", ".join(sorted(each.place for each in wanted.values()))
            raise BackupRefused("broken_backup", f"{path} is not whole: {lacking} is missing", advice=AGAIN)
        return label


def packed(role: str, place: str, path: Path, source: Path) -> Packed:
    digest, size = hashlib.sha256(), 0
    with source.open("rb") as file:
        while part := file.read(CHUNK):
            digest.update(part)
            size += len(part)
    mode = path.stat().st_mode & 0o770
    return Packed(role, place, str(path), mode, size, digest.hexdigest())


@contextmanager
def _opened(path: Path) -> Iterator[tarfile.TarFile]:
    try:
        with tarfile.open(path, mode="r:gz") as tar:
            yield tar
    except TORN as error:
        words = f"{path} is no whole backup: {str(error) or type(error).__name__}"
        raise BackupRefused("broken_backup", words, advice=AGAIN) from error
    except IsADirectoryError as error:
        raise BackupRefused("no_backup", f"{path} is a folder, and a backup is a file") from error
    except FileNotFoundError as error:
        raise BackupRefused("no_backup", f"there is no file {path}") from error


def _label(tar: tarfile.TarFile, path: Path) -> Label:
    first = tar.next()
    file = tar.extractfile(first) if first is not None and first.name == LABEL and first.isreg() else None
    if file is None or first is None or first.size > LARGEST_LABEL:
        raise BackupRefused("no_backup", f"{path} is no backup of Croupier", advice="Choose another file")
    text = file.read()
    try:
        form = msgspec.json.decode(text, type=dict[str, Any]).get("form")
        if isinstance(form, int) and form > FORM:
            words = f"{path} was made by a newer Croupier (form {form}; this one knows up to {FORM})"
            raise BackupRefused("newer_backup", words, advice="Install that Croupier, and restore with it")
        label = msgspec.json.decode(text, type=Label)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise BackupRefused(
            "broken_backup", f"{path} is damaged: its list can't be read ({error})", advice=AGAIN
        ) from error
    places = [each.place for each in label.files]
    if len(set(places)) != len(places) or not all(map(_is_safe, places)):
        raise BackupRefused("broken_backup", f"{path} is no good backup: it names files outside of its folder")
    if sum(each.role == "journal" for each in label.files) > 1:
        raise BackupRefused("broken_backup", f"{path} is no good backup: it holds two journals")
    return label


def _is_safe(place: str) -> bool:
    path = PurePosixPath(place)
    return (
        bool(path.parts)
        and not path.is_absolute()
        and ".." not in path.parts
        and place.isprintable()
        and str(path) == place
    )


def _copy(file: IO[bytes], into: IO[bytes]) -> tuple[int, str]:
    digest, size = hashlib.sha256(), 0
    while part := file.read(CHUNK):
        digest.update(part)
        size += len(part)
        into.write(part)
    return size, digest.hexdigest()


def _member(name: str, size: int) -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.size, member.mode = size, 0o600
    return member
