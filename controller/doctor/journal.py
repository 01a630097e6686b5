"""The journal: there, ours, whole at its end, of a version that this program reads. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from controller.doctor.finding import Finding
from controller.doctor.machine import Machine

SUBJECT: Final = "journal"


def check(machine: Machine) -> Iterator[Finding]:
    journal = machine.journal
    if machine.daemon_trouble:
        words = f"The running table takes no input: {machine.daemon_trouble}"
        yield Finding(SUBJECT, "broken", words, "It goes on by itself when that is put right.")
    if journal is None:
        return
    if journal.trouble:
        yield Finding(SUBJECT, "broken", f"{journal.trouble}.", f"{journal.advice}." if journal.advice else "")
    elif not journal.there:
        yield Finding(SUBJECT, "good", f"There is none yet at {journal.path}; the table makes it when it starts.")
    else:
        words = f"{journal.path}: {journal.records} records, the last of {journal.last[:16].replace('T', ' ')} UTC"
        words = f"{words}; its end is whole." if journal.records else f"{journal.path}: empty."
        yield Finding(SUBJECT, "good", f"{words} croupier audit verify {journal.path} proves all of it.")
