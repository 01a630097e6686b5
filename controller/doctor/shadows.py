"""Whether another package or command could be taken for ours: our packages have common names. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Final

from controller.doctor.finding import Finding
from controller.doctor.machine import Machine

SUBJECT: Final = "shadows"
OURS: Final = ("controller", "drivers", "firmware_protocol", "hil")


def check(machine: Machine) -> Iterator[Finding]:
    installed = machine.installed
    bad = False
    for name in OURS:
        place, ours = installed.places.get(name, ""), str(PurePosixPath(installed.ours) / name)
        remedy = "Rename it or uninstall what brought it, and unset PYTHONPATH: {}"
        if place and place != ours:
            bad = True
            words = f"Python takes the package {name} from {place}, and not Croupier's own in {installed.ours}."
            yield Finding(SUBJECT, "broken", words, remedy.format(place))
        for other in installed.others.get(name, ()):
            if other != place:
                bad = True
                words = f"There is another {name} on Python's path, {other}: it could be taken for Croupier's own."
                yield Finding(SUBJECT, "look", words, remedy.format(other))
    if len(installed.commands) > 1:
        bad = True
        first, *more = installed.commands
        words = (
            f"There are {len(installed.commands)} commands croupier on PATH: {first} comes before {', '.join(more)}."
        )
        yield Finding(
            SUBJECT, "look", words, "Remove the one you don't use, or the next command may be of another version."
        )
    elif installed.commands and installed.running and installed.commands[0] != installed.running:
        bad = True
        words = f"The command croupier on PATH is {installed.commands[0]}, and not {installed.running}, which runs now."
        yield Finding(SUBJECT, "look", words, "Remove the one you don't use, or correct PATH.")
    if not bad:
        yield Finding(SUBJECT, "good", f"Nothing hides Croupier's own packages in {installed.ours}.")
