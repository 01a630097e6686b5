"""The clock: who keeps it, and whether it is plainly wrong. The journal's order never depends on it. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Final

from controller.doctor.finding import Finding
from controller.doctor.machine import Machine

SUBJECT: Final = "clock"
SLACK_S: Final = 120.0  # a clock that NTP has just put right may be behind its last record by so much
DAY_S: Final = 86_400.0
SET: Final = 'Connect the machine to the network and wait a minute, or set it: sudo date -s "2026-12-24 20:15"'


def check(machine: Machine) -> Iterator[Finding]:
    wall, now = machine.stamp.wall[:16].replace("T", " "), _seconds(machine.stamp.wall)
    last = _seconds(machine.journal.last) if machine.journal is not None and machine.journal.last else None
    rtc = has_rtc(machine)
    if machine.stamp.clock == "unset":
        yield Finding(SUBJECT, "broken", f"The clock was never set: it says {wall} UTC.", f"{SET}.")
    elif last is not None and now < last - SLACK_S:
        back = span(last - now)
        yield Finding(
            SUBJECT,
            "broken",
            f"The clock says {wall} UTC, {back} before the last record of the journal: it is back, or was ahead then.",
            f"{SET}. Nothing is lost by it: records are in order by their numbers.",
        )
    elif now < machine.installed.made - DAY_S:
        back = span(machine.installed.made - now)
        words = f"The clock says {wall} UTC, {back} before this Croupier was installed here."
        yield Finding(SUBJECT, "broken", words, f"{SET}.")
    elif machine.stamp.clock == "ntp":
        yield Finding(SUBJECT, "good", f"{wall} UTC, kept by the network (NTP).")
    elif rtc:
        yield Finding(SUBJECT, "good", f"{wall} UTC, from this machine's own clock ({rtc}); no network keeps it now.")
    else:
        yield Finding(
            SUBJECT,
            "look",
            f"{wall} UTC, but nothing keeps it: no network time, and no clock with a battery in this machine.",
            "Connect it to a network once it is on, or look at the time and set it by hand; the journal marks such "
            "times as not to be relied on.",
        )


def has_rtc(machine: Machine) -> str:
    """Its name, where it is one that was ever set: a Pi 5 has one, and often no battery."""
    for path, text in machine.matching("/sys/class/rtc/rtc*/since_epoch"):
        if text.strip().isdigit() and int(text) > datetime(2025, 1, 1, tzinfo=UTC).timestamp():
            name = (machine.text(path.replace("since_epoch", "name")) or "").split()
            return f"real-time clock {name[0]}" if name else "a real-time clock"
    return ""


def span(seconds: float) -> str:
    for size, name in ((365.25 * DAY_S, "year"), (DAY_S, "day"), (3600.0, "hour"), (60.0, "minute")):
        if seconds >= size * 0.95:
            count = max(1, round(seconds / size))
            return f"{count} {name}{'' if count == 1 else 's'}"
    return f"{max(0, round(seconds))} seconds"


def _seconds(wall: str) -> float:
    return datetime.fromisoformat(wall.replace("Z", "+00:00")).timestamp()
