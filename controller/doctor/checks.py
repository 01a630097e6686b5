"""All checks, in the order in which a person reads them. One that fails says so and stops no other."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from controller.doctor import (
    card,
    clock,
    files,
    groups,
    journal,
    pins,
    ports,
    power,
    room,
    service,
    setting,
    shadows,
    versions,
)
from controller.doctor.finding import Finding
from controller.doctor.machine import Machine

Check = Callable[[Machine], Iterable[Finding]]
CHECKS: Final[dict[str, Check]] = {
    setting.SUBJECT: setting.check,
    ports.SUBJECT: ports.check,
    groups.SUBJECT: groups.check,
    pins.SUBJECT: pins.check,
    journal.SUBJECT: journal.check,
    files.SUBJECT: files.check,
    clock.SUBJECT: clock.check,
    power.SUBJECT: power.check,
    card.SUBJECT: card.check,
    room.SUBJECT: room.check,
    service.SUBJECT: service.check,
    versions.SUBJECT: versions.check,
    shadows.SUBJECT: shadows.check,
}


def examine(machine: Machine, checks: dict[str, Check] = CHECKS) -> list[Finding]:
    found: list[Finding] = []
    for what, why in machine.failures.items():
        found.append(
            Finding(what, "look", f"This could not be looked at: {why}.", "Ask as root: sudo croupier doctor.")
        )
    for subject, check in checks.items():
        try:
            found += check(machine)
        except Exception as error:  # a file of sysfs may hold anything; the others are still worth knowing
            words = f"The check itself failed ({type(error).__name__}: {error}). The rest was looked at."
            found.append(Finding(subject, "look", words, "Send it with croupier support-bundle: this is a bug."))
    return found
