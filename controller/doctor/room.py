"""Room: on the disk for the journal and the log, and in memory for the table. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from controller.doctor.finding import Finding
from controller.doctor.machine import Machine, Space

SUBJECT: Final = "room"
MIB: Final = 1 << 20
FULL, TIGHT = 32 * MIB, 512 * MIB  # a busy evening's journal is some 30 MiB
FEW_FILES: Final = 500
LITTLE, ENOUGH = 48 * MIB, 128 * MIB  # the daemon needs some 60 MiB, a browser for a sign more


def check(machine: Machine) -> Iterator[Finding]:
    for space in machine.spaces:
        yield _of(space)
    free = _available(machine.text("/proc/meminfo") or "")
    if free is None:
        return
    close = "Close other programs; a Pi with less than 1 GB should run no kiosk beside the table."
    if free < LITTLE:
        yield Finding(SUBJECT, "broken", f"Only {free // MIB} MiB of memory are left.", close)
    elif free < ENOUGH:
        yield Finding(SUBJECT, "look", f"Only {free // MIB} MiB of memory are left.", close)
    else:
        yield Finding(SUBJECT, "good", f"{free // MIB} MiB of memory are free.")


def _of(space: Space) -> Finding:
    there = f"{space.what} ({space.path})"
    make = "Make room: old logs (sudo journalctl --vacuum-size=100M), old downloads, packages (sudo apt clean)."
    if space.free < FULL:
        words = f"The disk is full for {there}: {space.free // MIB} MiB are left"
        return Finding(SUBJECT, "broken", f"{words}, and a table that can't keep a card takes none.", make)
    if space.files is not None and space.files < FEW_FILES:
        return Finding(SUBJECT, "broken", f"The disk of {there} can hold only {space.files} more files.", make)
    if space.free < TIGHT:
        return Finding(SUBJECT, "look", f"Only {space.free // MIB} MiB are left for {there}.", make)
    return Finding(SUBJECT, "good", f"{space.free // MIB} MiB are free for {there}.")


def _available(text: str) -> int | None:
    found = re.search(r"^MemAvailable:\s*(\d+) kB", text, re.MULTILINE)
    return int(found[1]) * 1024 if found else None
