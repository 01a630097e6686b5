"""The bundle for whoever helps: texts, each without secrets and cards, in one file that only its owner may read.

Refuses to be written where a secret is found in it after all.
"""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import subprocess
import tarfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec.structs import fields, replace

from controller.backup.contents import items_of
from controller.backup.create import new_file
from controller.backup.errors import BackupRefused
from controller.config.load import load
from controller.config.problems import BadConfig
from controller.config.sheet import Sheet
from controller.doctor.checks import examine
from controller.doctor.finding import Finding
from controller.doctor.installed import told as version_told
from controller.doctor.machine import Machine
from controller.people.book import Person, read_people
from controller.people.errors import PeopleRefused
from controller.store import audit
from controller.store.errors import ChainBroken, JournalError
from controller.store.journal import Journal
from controller.support.past import past
from controller.support.redact import OUT, Redacted, Scrubber
from controller.surfaces.web.session_file import sessions_path
from drivers.registry import BadSetting
from drivers.registry import load as load_driver

LOG_LINES: Final = 500
LOG_S: Final = 15.0
LARGEST: Final = 1 << 20  # bytes of a key file that are searched for
PRIVATE: Final = ("/etc/passwd", "/etc/group")  # of the machine's people
README: Final = """\
For whoever helps with this table. Made by croupier support-bundle.

In it:
  doctor.txt, doctor.json   what is wrong on this machine, and what to do
  version.json              Croupier, Python, libraries, machine
  config.json               the configuration, without comments; what is not known to be harmless is left out
  devices.json              the devices, in their own words
  journal.json              whether the journal is whole, how many records of which kind, what was wrong and when
  log.txt                   the last lines of the service's log, cards blotted out
  machine.txt               supply, temperature, disks, memory, mounts, the unit

Not in it: no card, least of all of a round in play; no names of people, no PINs or their hashes; no token, no session,
no key, no certificate; no wager. The journal itself is not in it. Addresses of devices and of this machine in your
network are in it, and the names of files and of the table.
Look through it before you give it away: it is text.
"""

Log = Callable[[], str]
Lines = Callable[[Sequence[Finding]], Sequence[str]]


def write_bundle(machine: Machine, target: Path, *, lines: Lines, log: Log) -> list[str]:
    """The names of what is in it. Raises BackupRefused; then there is no new file."""
    config = Path(machine.config) if machine.config else None
    redacted, words = _config(config)
    scrub = Scrubber(_secrets(config), redacted.left_out if redacted else (), _names(config))
    findings = examine(_without_quotes(machine, words))
    journal = _journal(machine)
    texts = {
        "README.txt": README,
        "doctor.txt": scrub("\n".join(lines(findings)) + "\n"),
        "doctor.json": _json(scrub.each(msgspec.to_builtins(findings))),
        "version.json": _json(version_told()),
        "config.json": scrub.only_secrets(_json(redacted.data if redacted else {"problem": words})),
        "devices.json": _json(scrub.each(msgspec.to_builtins(machine.devices))),
        # The head is as long as a key, and no secret.
        "journal.json": _json({**scrub.each(journal), "head": journal.get("head", "")}),
        "log.txt": scrub(log()),
        "machine.txt": scrub("\n".join(_machine(machine))),
    }
    data = {name: text.encode(errors="replace") for name, text in texts.items()}
    for name, content in data.items():
        if scrub.holds(content):
            raise BackupRefused("secret", f"nothing was written: {name} would hold something secret. This is a bug")
    folder = target.name.partition(".")[0] or "croupier-support"
    with new_file(target) as file:
        with tarfile.open(fileobj=file, mode="w:gz", format=tarfile.PAX_FORMAT) as tar:
            for name, content in data.items():
                member = tarfile.TarInfo(f"{folder}/{name}")
                member.size, member.mode, member.mtime = len(content), 0o600, int(time.time())
                tar.addfile(member, io.BytesIO(content))
        file.flush()
        os.fsync(file.fileno())
    return list(texts)


def service_log() -> str:
    """What systemd's journal has of the service; in words why there is none."""
    if shutil.which("journalctl") is None:
        return "There is no journalctl on this machine: the log is where croupier run wrote it.\n"
    command = ["journalctl", "-u", "croupier", "-n", str(LOG_LINES), "--no-pager", "-o", "short-iso-precise"]
    try:
        done = subprocess.run(command, capture_output=True, timeout=LOG_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"The log could not be read: {error}\n"
    return done.stdout.decode(errors="replace") + done.stderr.decode(errors="replace")


def _config(path: Path | None) -> tuple[Redacted | None, tuple[str, ...]]:
    """What may be told of it; and of its mistakes only where they are, because their words may quote a secret."""
    if path is None:
        return None, ("there is no configuration",)
    words: tuple[str, ...] = ()
    try:
        load(path)
    except BadConfig as bad:
        words = tuple(f"line {each.line}: {_key(each.key)}" for each in bad.problems)
    except OSError:
        pass
    try:
        return Redacted(Sheet.read(path).data, _fields), words
    except (BadConfig, OSError):
        return None, (*words, "it can't be read as TOML, and is left out")


def _key(key: str) -> str:
    return key if all(part.replace("_", "").isalnum() for part in key.split(".")) else OUT


def _fields(kind: str, name: str) -> frozenset[str]:
    """Of drivers that come with Croupier; nobody here knows what others keep in theirs."""
    known: Any = kind
    try:
        driver = load_driver(known, name)
    except BadSetting:
        return frozenset()
    if not driver.__module__.startswith("drivers."):
        return frozenset()
    return frozenset(field.encode_name for field in fields(driver.Settings))


def _without_quotes(machine: Machine, words: tuple[str, ...]) -> Machine:
    return machine if machine.table is not None or not machine.config else replace(machine, problems=words)


def _secrets(config: Path | None) -> Iterator[str]:
    """Every secret of this table that can be read here, so that it can be searched for."""
    if config is None:
        return
    try:
        _, items = items_of(config)
    except (BadConfig, OSError):
        return
    for item in items:
        if item.role in ("token", "key"):
            yield from _pieces(item.path)
        elif item.role == "people":
            yield from (text for person in _people(item.path) for text in (person.pin.hash, person.pin.salt))
        elif item.role == "journal":
            yield from _pieces(sessions_path(item.path))


def _names(config: Path | None) -> Iterator[str]:
    if config is not None:
        with contextlib.suppress(BadConfig, OSError):
            people = (item.path for item in items_of(config)[1] if item.role == "people")
            yield from (person.name for path in people for person in _people(path))


def _people(path: Path) -> tuple[Person, ...]:
    try:
        return read_people(path).people
    except PeopleRefused:  # what can't be read here can't get out either
        return ()


def _pieces(path: Path) -> Iterator[str]:
    """Its lines and its quoted texts, as they would turn up elsewhere."""
    try:
        with path.open("rb") as file:
            text = file.read(LARGEST).decode("utf-8", "replace")
    except OSError:
        return
    for line in text.splitlines():
        if not line.startswith("-----"):
            yield line.strip()
    yield from (part for part in text.split('"')[1::2] if len(part) >= 16)


def _journal(machine: Machine) -> dict[str, Any]:
    if machine.table is None:
        return {"problem": "there is no configuration that names one"}
    path = machine.table.journal
    try:
        audit.verify(path)
        with Journal.read_only(path) as journal:
            return {"whole": True, **msgspec.to_builtins(past(journal.after(0)))}
    except ChainBroken as error:
        return {"whole": False, "problem": str(error)}
    except (JournalError, OSError, msgspec.MsgspecError) as error:
        return {"problem": str(error)}


def _machine(machine: Machine) -> Iterator[str]:
    for path, text in sorted(machine.texts.items()):
        if path not in PRIVATE:
            yield f"== {path}"
            yield from (_line(each) for each in text.rstrip("\0\n").splitlines())
    for path, why in machine.unreadable.items():
        yield f"== {path}: {why}"


def _line(line: str) -> str:
    """Without what a unit gives to its program, and without network disks, which may be mounted with a password."""
    words = line.split()
    if line.strip().startswith(("Environment", "LoadCredential", "SetCredential")):
        return f"{line.partition('=')[0]}={OUT}"
    return OUT if len(words) >= 4 and words[2] in ("cifs", "smb3", "nfs", "nfs4", "fuse.sshfs", "davfs") else line


def _json(what: Any) -> str:
    return msgspec.json.format(msgspec.json.encode(what), indent=2).decode() + "\n"


def file_name() -> str:
    return time.strftime("croupier-support-%Y%m%d-%H%M%S.tar.gz")
