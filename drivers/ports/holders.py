"""Who has a port open: looks through /proc for the programs that hold it, and says what it was not allowed to see."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Final

from msgspec import Struct

PROC = Path("/proc")
UNIX98_SLAVES: Final = range(136, 144)  # major numbers of /dev/pts/N, from the kernel's devices.txt


class Holder(Struct, frozen=True):
    """A program that has the port open."""

    pid: int
    command: str

    def __str__(self) -> str:
        return f"pid {self.pid}, {self.command}"


def holders(path: str | Path, proc: Path = PROC) -> list[Holder]:
    """Every program that has the device at `path` open, ourselves too; only those we are allowed to look at."""
    return _look(path, proc)[0]


def open_count(path: str | Path, proc: Path = PROC) -> int:
    """How many descriptors of it are open, in all programs we are allowed to look at."""
    try:
        wanted = os.stat(path)
    except OSError:
        return 0
    return sum(_open_in(entry, wanted) or 0 for entry in _programs(proc))


def held_by(path: str | Path, proc: Path = PROC) -> str:
    """Who else holds it, in words, for the end of the sentence "… is open in"."""
    lockers = _lock_owners(path, proc)
    if os.getpid() in lockers:
        return "this program already, perhaps for another device of the configuration"
    seen, all_seen = _look(path, proc)
    others = [Holder(pid, _command(proc / str(pid))) for pid in sorted(lockers)]
    others = others or [holder for holder in seen if holder.pid != os.getpid()]
    if others:
        return f"another program ({'; '.join(str(holder) for holder in others)})"
    if not all_seen:
        return "a program of another user, which only root may see (sudo croupier devices names it)"
    return "another program that closed it just now or runs outside this container"


def _look(path: str | Path, proc: Path) -> tuple[list[Holder], bool]:
    """The holders, and whether every program could be looked at."""
    try:
        wanted = os.stat(path)
    except OSError:
        return [], True
    if not stat.S_ISCHR(wanted.st_mode):
        return [], True
    found, all_seen = [], True
    for entry in _programs(proc):
        count = _open_in(entry, wanted)
        if count is None:
            all_seen = False
        elif count:
            found.append(Holder(int(entry.name), _command(entry)))
    return found, all_seen


def _programs(proc: Path) -> list[Path]:
    return sorted((each for each in proc.iterdir() if each.name.isdecimal()), key=lambda each: int(each.name))


def _open_in(entry: Path, wanted: os.stat_result) -> int | None:
    """How often one program has it open; None where we may not look."""
    try:
        return sum(_is_device(link, wanted) for link in (entry / "fd").iterdir())
    except PermissionError:
        return None
    except OSError:
        return 0  # it ended while we looked


def _lock_owners(path: str | Path, proc: Path) -> set[int]:
    """Who took the exclusive lock, seen whoever they are. With a pty, its owner has it open too and is not meant."""
    try:
        status = os.stat(path)
        lines = (proc / "locks").read_text(encoding="ascii").splitlines()
    except OSError:
        return set()
    place = f"{os.major(status.st_dev):02x}:{os.minor(status.st_dev):02x}:{status.st_ino}"
    locks = [words for line in lines if (words := line.split())[1:2] == ["FLOCK"] and words[5] == place]
    return {int(words[4]) for words in locks if int(words[4]) > 0}  # 0 is somebody outside our container


def _is_device(link: Path, wanted: os.stat_result) -> bool:
    try:
        # The name first: to ask a file of a dead network disk for its kind would wait for that disk.
        if not os.readlink(link).startswith("/dev/"):
            return False
        found = os.stat(link)
    except (FileNotFoundError, ProcessLookupError):
        return False  # closed while we looked
    if not stat.S_ISCHR(found.st_mode) or found.st_rdev != wanted.st_rdev:
        return False
    return not is_pty(wanted) or found.st_dev == wanted.st_dev  # a container has a pts/0 of its own


def is_pty(status: os.stat_result) -> bool:
    return os.major(status.st_rdev) in UNIX98_SLAVES


def _command(entry: Path) -> str:
    try:
        return (entry / "comm").read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return "ended just now"
