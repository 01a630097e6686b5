"""The configuration, and the address that it wants to listen on. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from controller.doctor.finding import Finding
from controller.doctor.machine import Machine

SUBJECT: Final = "configuration"
MOST: Final = 5  # problems that are told here; croupier check tells all
FORBIDDEN: Final = "can't be read by this user"
RESERVED: Final = 1024  # ports below are root's


def check(machine: Machine) -> Iterator[Finding]:
    if machine.table is None:
        if not machine.config:
            words = machine.problems[0] if machine.problems else "there is no configuration"
            remedy = "Name one (croupier doctor --config FILE), or begin with the line above. The rest was looked at."
            yield Finding(SUBJECT, "look", f"{words}.", remedy)
            return
        for problem in machine.problems[:MOST]:
            if problem.endswith(FORBIDDEN):
                words = f"{machine.me.name} may not look into the configuration: {problem}."
                yield Finding(SUBJECT, "look", words, "Ask as root: sudo croupier doctor.")
                continue
            yield Finding(SUBJECT, "broken", problem, f"Correct it there; croupier check {machine.config} looks again.")
        if len(machine.problems) > MOST:
            more = len(machine.problems) - MOST
            yield Finding(SUBJECT, "broken", f"And {more} more.", f"croupier check {machine.config} tells all.")
        return
    yield Finding(SUBJECT, "good", f"{machine.config}: good ({machine.table.table.name}).")
    for note in machine.table.notes:
        yield Finding(SUBJECT, "good", f"Worth knowing: {note.message}.")
    web = machine.table.web
    if machine.daemon not in ("none", "runs"):
        yield Finding(SUBJECT, "look", machine.daemon, "Ask as root to see more: sudo croupier doctor.")
    if web is None:
        return
    where = f"{web.host}:{web.port}"
    if web.port < RESERVED and machine.runner.uid != 0:
        words = f"{machine.runner.name} may not listen on {where}: ports below {RESERVED} are root's."
        yield Finding(SUBJECT, "broken", words, "Take a port above, such as 8021.")
    elif machine.listening:
        remedy = f"Close that program (sudo ss -ltnp 'sport = :{web.port}' names it), or change listen in [web]."
        if "not available" in machine.listening or "requested address" in machine.listening:
            remedy = "Change listen in [web] to an address of this machine (hostname -I), or to 0.0.0.0 for all."
        yield Finding(SUBJECT, "broken", f"The pages can't be at {where}: {machine.listening}.", remedy)
    else:
        yield Finding(
            SUBJECT, "good", f"The pages' address {where} {'is ours' if machine.daemon == 'runs' else 'is free'}."
        )
