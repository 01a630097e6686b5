"""Owners and permissions of what the table reads and writes, for the user who runs it. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Final

from controller.doctor.finding import Finding
from controller.doctor.machine import Machine, Seen
from controller.doctor.users import ENTER, READ, WRITE, group_name, may, name_of

SUBJECT: Final = "files"


def check(machine: Machine) -> Iterator[Finding]:
    if machine.table is None and not machine.files:
        return
    bad = [finding for each in machine.files for finding in _of(each, machine)]
    yield from bad
    if not bad:
        yield Finding(
            SUBJECT,
            "good",
            f"{machine.runner.name} may read and write what the table needs, and nobody else its secrets.",
        )


def _of(seen: Seen, machine: Machine) -> Iterator[Finding]:
    named, who = f"{seen.what} {seen.path}", machine.runner
    if seen.trouble:
        remedy = (
            f"Ask as root to see more: sudo croupier doctor. {who.name} must be able to enter the folders above it."
        )
        yield Finding(SUBJECT, "look", f"{_capital(named)} can't be looked at: {seen.trouble}.", remedy)
        return
    if seen.kind == "none":
        return
    if seen.kind == "other" or (seen.kind == "folder") != seen.what.endswith("folder"):
        yield Finding(
            SUBJECT,
            "broken",
            f"{_capital(named)} is no {'folder' if 'folder' in seen.what else 'file'}.",
            "Move it away.",
        )
        return
    passwd, group = machine.text("/etc/passwd") or "", machine.text("/etc/group") or ""
    owner = name_of(seen.uid, passwd)
    needed = READ | (WRITE if seen.written else 0) | (ENTER if seen.kind == "folder" else 0)
    if not may(who, needed, mode=seen.mode, uid=seen.uid, gid=seen.gid):
        verb = "write" if seen.written else "read"
        words = f"{_capital(named)} belongs to {owner} (mode {seen.mode:04o}), and {who.name} may not {verb} it."
        if seen.written or seen.private:
            made = " It was probably made with sudo." if seen.uid == 0 else ""
            yield Finding(SUBJECT, "broken", words + made, f"sudo chown {who.name}: {seen.path}")
        else:
            group_named = group_name(who.gids[0], group) if who.gids else who.name
            yield Finding(
                SUBJECT, "broken", words, f"sudo chgrp {group_named} {seen.path} && sudo chmod g+r {seen.path}"
            )
    elif seen.written and who.uid != 0 and seen.uid != who.uid and seen.kind == "file":
        words = f"{_capital(named)} belongs to {owner} and not to {who.name}, who runs the table."
        yield Finding(SUBJECT, "look", words, f"sudo chown {who.name}: {seen.path}")
    elif seen.written and who.uid == 0 and seen.uid == 0 and _folder_is_anothers(seen, machine):
        folder = PurePosixPath(seen.path).parent
        words = f"{_capital(named)} belongs to root, in the folder {folder} of somebody else: the table can't write it."
        yield Finding(SUBJECT, "look", words, f"sudo chown --reference={folder} {seen.path}")
    if seen.private and seen.mode & _too_open(seen):
        words = f"Others may read {named} (mode {seen.mode:04o})."
        remedy = f"sudo chmod {'640' if not seen.written else '600'} {seen.path}; if somebody can have read it, "
        yield Finding(SUBJECT, "broken", words, f"{remedy}replace what is in it: PINs, token or key.")


def _too_open(seen: Seen) -> int:
    """A key that the table only reads may be its group's; what it keeps itself is its owner's alone."""
    return 0o077 if seen.written else 0o007


def _folder_is_anothers(seen: Seen, machine: Machine) -> bool:
    folder = str(PurePosixPath(seen.path).parent)
    return any(each.path == folder and each.uid not in (-1, 0) for each in machine.files)


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]
