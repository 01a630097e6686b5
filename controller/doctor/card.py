"""The SD card and the file systems on it: errors, wear, a root only to be read, a journal that won't last. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Final

from msgspec import Struct

from controller.doctor.finding import Finding
from controller.doctor.machine import Machine

SUBJECT: Final = "disk"
REPLACE: Final = (
    "Make a backup at once (croupier backup create, to another disk), and put a new card in: "
    "croupier backup restore brings everything back."
)
FORGETS: Final = ("tmpfs", "ramfs", "overlay")
WORN: Final = 0x09  # of 0x01 to 0x0B, in steps of 10 %
_ESCAPE: Final = re.compile(r"\\([0-7]{3})")


class Mount(Struct, frozen=True):
    device: str
    place: str
    kind: str
    options: tuple[str, ...]


def check(machine: Machine) -> Iterator[Finding]:
    bad = [*_errors(machine), *_wear(machine), *_mounted(machine)]
    yield from bad
    if not bad:
        yield Finding(SUBJECT, "good", "No errors and no wear are reported, and the disk may be written.")


def mounts(text: str) -> list[Mount]:
    found = []
    for line in text.splitlines():
        fields = line.split()
        if len(fields) >= 4:
            place = _ESCAPE.sub(lambda octal: chr(int(octal[1], 8)), fields[1])
            found.append(Mount(fields[0], place, fields[2], tuple(fields[3].split(","))))
    return found


def mount_of(path: str, text: str) -> Mount | None:
    """The innermost one, and of several at one place the last."""
    fitting = [each for each in mounts(text) if PurePosixPath(path).is_relative_to(each.place)]
    return max(reversed(fitting), key=lambda each: len(PurePosixPath(each.place).parts), default=None)


def _errors(machine: Machine) -> Iterator[Finding]:
    for path, text in machine.matching("/sys/fs/ext4/*/errors_count"):
        if text.strip() not in ("", "0"):
            name, where = path.split("/")[4], machine.text(path.replace("errors_count", "last_error_func")) or ""
            said = f", the last in {where.strip()}" if where.strip() else ""
            words = f"The file system on {name} has counted {text.strip()} errors{said}: the card is failing, or the "
            yield Finding(SUBJECT, "broken", f"{words}power went while it wrote.", REPLACE)
    for path, text in machine.matching("/sys/kernel/debug/mmc*/err_stats"):
        counted = {
            name.strip("# ").strip(): count for name, _, count in (each.partition(":") for each in text.splitlines())
        }
        told = {name: count.strip() for name, count in counted.items() if count.strip().isdigit() and int(count)}
        if told:
            words = ", ".join(f"{name}: {count}" for name, count in told.items())
            yield Finding(SUBJECT, "look", f"The card at {path.split('/')[4]} had trouble ({words}).", REPLACE)


def _wear(machine: Machine) -> Iterator[Finding]:
    for path, text in machine.matching("/sys/block/mmcblk*/device/pre_eol_info"):
        level, name = _hexadecimal(text), path.split("/")[3]
        if level >= 3:
            yield Finding(SUBJECT, "broken", f"{name} says that its spare blocks are all but used up.", REPLACE)
        elif level == 2:
            yield Finding(SUBJECT, "look", f"{name} says that it has used 80 % of its spare blocks.", REPLACE)
    for path, text in machine.matching("/sys/block/mmcblk*/device/life_time"):
        worst = max(map(_hexadecimal, text.split()), default=0)
        if worst >= WORN:
            used = "more than it was made for" if worst > 0x0A else f"{(worst - 1) * 10} to {worst * 10} % of its life"
            yield Finding(SUBJECT, "look", f"{path.split('/')[3]} has used {used}.", REPLACE)


def _mounted(machine: Machine) -> Iterator[Finding]:
    text = machine.text("/proc/mounts")
    if text is None or machine.folder is None:
        return
    mount = mount_of(str(machine.folder), text)
    if mount is None:
        return
    if "ro" in mount.options:
        yield Finding(
            SUBJECT,
            "broken",
            f"The journal's folder {machine.folder} is on {mount.place}, which may only be read now.",
            "If it was made so on purpose, give the journal a data partition that may be written. If not, the kernel "
            f"has found errors: restart once, and if it comes back: {REPLACE}",
        )
    elif mount.kind in FORGETS and not _is_container(text):
        yield Finding(
            SUBJECT,
            "broken",
            f"The journal's folder {machine.folder} is on {mount.place} ({mount.kind}): all of it is gone when the "
            "power goes.",
            "Put the journal on a disk that keeps it: a data partition, or turn the overlay off in raspi-config.",
        )


def _is_container(text: str) -> bool:
    """There the root is an overlay that lasts as long as the container; a Pi's has its upper half in memory."""
    root = mount_of("/", text)
    return (
        root is not None
        and root.kind == "overlay"
        and any("docker" in each or "containers" in each for each in root.options)
    )


def _hexadecimal(text: str) -> int:
    try:
        return int(text.strip(), 16)
    except ValueError:
        return 0
