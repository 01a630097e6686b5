"""`croupier doctor`: everything that can be wrong with a table's machine, each with what a person does about it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click
import msgspec

from controller.cli.common import json_option, print_json

if TYPE_CHECKING:
    from controller.doctor.finding import Finding
    from controller.doctor.machine import Machine

NOT_ALL_GOOD: Final = 1
MARKS: Final = {"good": "good        ", "look": "look at this", "broken": "broken      "}


@click.command()
@click.option("--config", "file", type=click.Path(path_type=Path), help="The table's configuration; else as for check.")
@json_option
def doctor(file: Path | None, as_json: bool) -> None:
    """Look at everything that can be wrong on this machine, and say what to do about it. Changes nothing.

    One line a finding: good, look at this, broken; the remedy is below it. Exit status 0 if all is good, 1 if there is
    something to look at or broken. While the table runs, its devices are asked for their own words and no port is
    touched; while it does not, each port that nobody holds is opened for a moment. As root it sees more.
    """
    from controller.doctor.checks import examine
    from controller.doctor.finding import worst

    findings = examine(look(file))
    grade = worst(findings)
    if as_json:
        print_json({"grade": grade, "findings": msgspec.to_builtins(findings)})
    else:
        click.echo("\n".join(lines(findings)))
    raise SystemExit(0 if grade == "good" else NOT_ALL_GOOD)


def look(file: Path | None) -> Machine:
    from controller.cli.doctor_devices import devices_of
    from controller.doctor.gather import gather

    return gather(file, devices_of)


def lines(findings: Iterable[Finding]) -> list[str]:
    from controller.config.problems import printable

    told = []
    counts = dict.fromkeys(MARKS, 0)
    for each in findings:
        counts[each.grade] += 1
        told.append(f"{MARKS[each.grade]}  {each.subject}: {printable(each.words)}")
        if each.remedy:
            told.append(f"{' ' * 14}  → {printable(each.remedy)}")
    bad = [
        f"{count} {'broken' if grade == 'broken' else 'to look at'}"
        for grade, count in counts.items()
        if count and grade != "good"
    ]
    told.append(
        f"{', '.join(reversed(bad))}; {counts['good']} good." if bad else f"All good ({counts['good']} looked at)."
    )
    return told
