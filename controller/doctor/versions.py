"""Python and the libraries, against what this program needs. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from controller.doctor.finding import Finding
from controller.doctor.machine import Machine

SUBJECT: Final = "versions"
PYTHON: Final = (3, 11)
_REQUIREMENT: Final = re.compile(r"\s*([A-Za-z0-9._-]+)\s*(?:\[[^]]*\])?\s*\(?([^;)]*)\)?\s*(?:;(.*))?")
_CLAUSE: Final = re.compile(r"(===|==|~=|!=|<=|>=|<|>)\s*([0-9][0-9A-Za-z+!-]*(?:\.[0-9A-Za-z+!-]+)*)(\.\*)?")


def check(machine: Machine) -> Iterator[Finding]:
    installed = machine.installed
    again = "Install Croupier again: sudo deploy/install (or pip install --force-reinstall croupier-table)."
    bad = False
    if _numbers(installed.python) < PYTHON:
        bad = True
        words = f"Python {installed.python} is too old: {'.'.join(map(str, PYTHON))} is the oldest that will do."
        yield Finding(SUBJECT, "broken", words, "Use Raspberry Pi OS Bookworm or newer.")
    for requirement in installed.requires:
        name, wanted, extra = read_requirement(requirement)
        if extra:
            continue
        there = installed.libraries.get(name)
        if there is None:
            bad = True
            yield Finding(SUBJECT, "broken", f"The library {name} is not installed.", again)
        elif not fits(there, wanted):
            bad = True
            words = f"The library {name} is {there}, and {wanted} is needed."
            yield Finding(SUBJECT, "broken", words, again)
    if not bad:
        yield Finding(
            SUBJECT, "good", f"Croupier {installed.version} on Python {installed.python}, with the libraries it needs."
        )


def read_requirement(text: str) -> tuple[str, str, bool]:
    """Name, versions, and whether it is only for an extra or for other machines."""
    found = _REQUIREMENT.match(text)
    if found is None:
        return "", "", True  # it names nothing
    return normal(found[1]), found[2].strip(), bool(found[3])


def normal(name: str) -> str:
    """`RPi.GPIO` is `rpi-gpio`: as package indexes tell names apart."""
    return re.sub(r"[-_.]+", "-", name).lower()


def fits(version: str, wanted: str) -> bool:
    """By the numbers alone: a pre-release counts as its release."""
    return all(_fits(_numbers(version), *clause) for clause in _CLAUSE.findall(wanted))


def _fits(version: tuple[int, ...], sign: str, text: str, star: str) -> bool:
    wanted = _numbers(text)
    if star:
        same = version[: len(wanted)] == wanted
        return same if sign == "==" else not same
    size = max(len(version), len(wanted))
    one, other = (each + (0,) * (size - len(each)) for each in (version, wanted))
    match sign:
        case ">=":
            return one >= other
        case "<=":
            return one <= other
        case ">":
            return one > other
        case "<":
            return one < other
        case "!=":
            return one != other
        case "~=":
            return one >= other and version[: len(wanted) - 1] == wanted[:-1]
    return one == other


def _numbers(version: str) -> tuple[int, ...]:
    found = []
    for part in version.partition("+")[0].split("."):
        digits = re.match(r"\d+", part)
        if digits is None:
            break
        found.append(int(digits[0]))
        if digits[0] != part:
            break
    return tuple(found)
