"""Looks at the machine, once, and gives what was found as one value. Changes nothing; judges nothing.

Everything is looked at below a root folder, so that a test can give it the files of another machine. What can't be
looked at is noted by name, and the rest goes on.
"""

from __future__ import annotations

import os
import pwd
import socket
import stat
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

from controller.config.load import PLACES, find, load
from controller.config.model import TableConfig, WebSection
from controller.config.problems import BadConfig
from controller.doctor.installed import installed
from controller.doctor.machine import READS, UNIT, DeviceSeen, Installed, JournalSeen, Machine, Seen, Space
from controller.doctor.service import unit_of
from controller.doctor.setting import FORBIDDEN
from controller.doctor.users import Account, account_of
from controller.store import clock
from controller.store.errors import ChainBroken, JournalError
from controller.store.journal import Journal

LARGEST: Final = 64 * 1024  # characters of a file; /etc/passwd and /proc/mounts are the longest
SYSTEMCTL_S: Final = 10.0
FIELDS: Final = (
    "LoadState ActiveState SubState UnitFileState NRestarts Result WatchdogUSec StatusText ExecMainStatus FragmentPath"
)
BESIDE: Final = ("-wal", "-shm", ".lock")
NOBODY: Final = Account("", -1)
NOT_INSTALLED: Final = Installed(version="?", python="?", prefix="", ours="")

T = TypeVar("T")
Devices = Callable[[TableConfig], "tuple[str, str, Sequence[DeviceSeen]]"]  # the daemon, its trouble, the devices


def gather(
    config: Path | None,
    devices: Devices,
    *,
    root: Path = Path("/"),
    stamp: Callable[[], clock.Stamp] | None = None,
    is_installed: Callable[[], Installed] = installed,
) -> Machine:
    failures: dict[str, str] = {}

    def tried(what: str, look: Callable[[], T], instead: T) -> T:
        try:
            return look()
        except Exception as error:  # of whatever kind: what can't be seen must not hide the rest
            failures[what] = f"{type(error).__name__}: {error}"
            return instead

    texts, unreadable = read_texts(root)
    path, table, problems = _configuration(config)
    me = tried("users", lambda: _me(texts.get("/etc/group", "")), NOBODY)
    nothing: tuple[str, str, Sequence[DeviceSeen]] = ("none", "", ())
    daemon, trouble, seen = "none", "", tuple[DeviceSeen, ...]()
    if table is not None:
        given = table
        daemon, trouble, found = tried("devices", lambda: devices(given), nothing)
        seen = tuple(found)
    when = stamp or (
        lambda: clock.now(synchronised=lambda: clock.is_synchronised(flag=root / str(clock.SYNCHRONIZED)[1:]))
    )
    machine = Machine(
        texts=texts,
        unreadable=unreadable,
        stamp=when(),
        me=me,
        runner=me,
        active_groups=tuple({os.getegid(), *os.getgroups()}),
        config=path,
        problems=problems,
        table=table,
        devices=seen,
        daemon=daemon,
        daemon_trouble=trouble,
        journal=tried("journal", lambda: _journal(table.journal), None) if table is not None else None,
        files=tried("files", lambda: _files(path, table), ()),
        spaces=tried("room", lambda: _spaces(table, root), ()),
        installed=tried("versions", is_installed, NOT_INSTALLED),
        service=tried("service", lambda: _service(root), None),
        listening=tried("configuration", lambda: _listening(table.web), "")
        if table is not None and daemon == "none"
        else "",
        failures=failures,
    )
    return _with_runner(machine)


def read_texts(root: Path, patterns: Sequence[str] = READS) -> tuple[dict[str, str], dict[str, str]]:
    """What fits the patterns, by the path as it is below the root; and what could not be read, with why."""
    texts: dict[str, str] = {}
    unreadable: dict[str, str] = {}
    for pattern in patterns:
        folder, name = root, pattern[1:]
        try:
            paths = sorted(folder.glob(name)) if "*" in name else [folder / name]
        except OSError as error:
            unreadable[pattern] = error.strerror or str(error)
            continue
        for path in paths:
            shown = f"/{path.relative_to(root)}"
            try:
                with path.open(encoding="utf-8", errors="replace") as file:
                    texts[shown] = file.read(LARGEST)
            except (FileNotFoundError, NotADirectoryError):
                continue
            except OSError as error:
                unreadable[shown] = error.strerror or str(error)
    return texts, unreadable


def _configuration(config: Path | None) -> tuple[str, TableConfig | None, tuple[str, ...]]:
    try:
        path = config if config is not None else find()
    except BadConfig as bad:
        shut = next(filter(_is_shut, PLACES), None)
        if shut is not None:
            return str(shut), None, (f"{shut} {FORBIDDEN}",)
        return "", None, tuple(problem.message for problem in bad.problems)
    if _is_shut(path):
        return str(path.absolute()), None, (f"{path} {FORBIDDEN}",)
    try:
        return str(path.absolute()), load(path), ()
    except BadConfig as bad:
        return str(path.absolute()), None, tuple(str(problem) for problem in bad.problems)


def _is_shut(path: Path) -> bool:
    """Whether it is kept from this user: itself, or a folder above it."""
    try:
        with path.open("rb"):
            return False
    except PermissionError:
        return True
    except OSError:
        return False


def _me(group: str) -> Account:
    uid = os.geteuid()
    try:
        name = pwd.getpwuid(uid).pw_name
    except KeyError:
        name = f"number {uid}"
    known = account_of(name, Path("/etc/passwd").read_text(errors="replace"), group)
    return Account(name, uid, tuple(dict.fromkeys((os.getegid(), *os.getgroups(), *(known.gids if known else ())))))


def _with_runner(machine: Machine) -> Machine:
    """The unit's user where the unit runs this very configuration, or where there is none and a unit is."""
    from msgspec.structs import replace

    unit = unit_of(machine)
    if unit is None or (machine.config and unit.config != machine.config):
        return machine
    passwd, group = machine.text("/etc/passwd") or "", machine.text("/etc/group") or ""
    user = account_of(unit.user, passwd, group)
    if user is None:
        why = {"users": f"the service's user {unit.user} is not on this machine; sudo deploy/install makes it"}
        return replace(machine, under_unit=True, failures={**machine.failures, **why})
    return replace(machine, runner=user, under_unit=True)


def _journal(path: Path) -> JournalSeen:
    try:
        if not path.exists():
            from controller.store import database

            database.exists(path)  # raises where its log is left alone
            return JournalSeen(path=str(path))
        with Journal.read_only(path) as journal:
            records, _ = journal.head
            last = next(journal.unproven(records - 1)).wall if records else ""
        return JournalSeen(path=str(path), there=True, records=records, last=last)
    except ChainBroken as error:
        advice = (
            f"Keep it. croupier audit verify {path} says more; croupier backup restore brings the last good copy back"
        )
        return JournalSeen(path=str(path), there=True, trouble=f"the journal {path} is broken: {error}", advice=advice)
    except JournalError as error:
        return JournalSeen(path=str(path), there=True, trouble=error.words, advice=error.advice)
    except PermissionError as error:
        advice = "Ask as the user who runs the table, or as root: sudo croupier doctor"
        return JournalSeen(
            path=str(path), there=True, trouble=f"the journal {path} can't be seen: {error.strerror}", advice=advice
        )


def _files(config: str, table: TableConfig | None) -> tuple[Seen, ...]:
    found = [_seen(Path(config), "the configuration")] if config else []
    if table is None:
        return tuple(found)
    journal = table.journal
    found.append(_seen(journal.parent, "the journal's folder", written=True))
    found.append(_seen(journal, "the journal", private=True, written=True))
    found += [
        _seen(journal.with_name(journal.name + end), "a file of the journal", private=end == "-wal", written=True)
        for end in BESIDE
    ]
    for end, what in ((".people", "the people file"), (".token", "the token file"), (".sessions", "the sessions file")):
        found.append(_seen(journal.with_suffix(end), what, private=True, written=True))
    if table.web is not None and table.web.key is not None:
        found.append(_seen(table.web.key, "the key file", private=True))
    if table.web is not None and table.web.certificate is not None:
        found.append(_seen(table.web.certificate, "the certificate"))
    for _, device in table.devices:
        for key, what in (("key_file", f"the key file of {device.name}"), ("cards", f"the card map of {device.name}")):
            if device.settings.get(key):
                found.append(_seen(Path(device.settings[key]), what, private=key == "key_file"))
    return tuple(found)


def _seen(path: Path, what: str, *, private: bool = False, written: bool = False) -> Seen:
    try:
        about = os.stat(path)
    except FileNotFoundError:
        return Seen(path=str(path), what=what)
    except OSError as error:
        return Seen(path=str(path), what=what, trouble=error.strerror or str(error))
    mode = about.st_mode
    kind: Any = "file" if stat.S_ISREG(mode) else "folder" if stat.S_ISDIR(mode) else "other"
    return Seen(
        path=str(path),
        what=what,
        kind=kind,
        private=private,
        written=written,
        mode=stat.S_IMODE(mode),
        uid=about.st_uid,
        gid=about.st_gid,
    )


def _spaces(table: TableConfig | None, root: Path) -> tuple[Space, ...]:
    wanted = [(table.journal.parent, "the journal")] if table is not None else [(Path("/"), "the system")]
    wanted.append((root / "var/log", "the log"))
    found: list[Space] = []
    for path, what in wanted:
        try:
            room = os.statvfs(path)
        except OSError:
            continue  # a folder that is not there is told by the checks of files
        free, total = room.f_bavail * room.f_frsize, room.f_blocks * room.f_frsize
        found.append(
            Space(path=str(path), what=what, free=free, total=total, files=room.f_favail if room.f_files else None)
        )
    return tuple(found)


def _service(root: Path) -> Mapping[str, str] | None:
    if root != Path("/") or not Path("/run/systemd/system").is_dir():
        return None
    asked = ["systemctl", "show", UNIT, *(f"--property={field}" for field in FIELDS.split())]
    done = subprocess.run(asked, capture_output=True, text=True, timeout=SYSTEMCTL_S, check=False)
    fields = dict(line.split("=", 1) for line in done.stdout.splitlines() if "=" in line)
    return fields or None


def _listening(web: WebSection | None) -> str:
    """Why its address can't be listened on. Nobody listens afterwards."""
    if web is None:
        return ""
    try:
        for family, kind, protocol, _, address in socket.getaddrinfo(
            web.host, web.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        ):
            with socket.socket(family, kind, protocol) as line:
                line.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                line.bind(address)
                line.listen(1)
    except OSError as error:
        said = (error.strerror or str(error)).lower()
        return "another program listens there" if "in use" in said else said
    return ""
