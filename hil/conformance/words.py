"""A run in words for a terminal: a line for each id as it ends, and what it all came to."""

from __future__ import annotations

import textwrap
from typing import Final

from hil.conformance.rules import RULES
from hil.conformance.verdicts import WORDS, Device, Report, Result

WIDTH: Final = 110
HEAD: Final = f"{'':7}  {'id':6}  {'result':14}  rule"


class Progress:
    """The lines of one run. A result that comes again was changed by what was seen later, and says so."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._seen: set[str] = set()

    def line(self, result: Result) -> str:
        again = result.id in self._seen
        self._seen.add(result.id)
        place = "  later" if again else f"{len(self._seen):3}/{self._total:<3}"
        said = f"{place}  {result.id:6}  {WORDS[result.outcome]:14}  {RULES[result.id].title}"
        return "\n".join([said, *_indented(result.words)]) if result.words else said


def device_words(device: Device) -> str:
    if not device.serial:
        return f"{device.port}: a device whose frames can't be read"
    able = ", ".join(device.capabilities) or "nothing beyond its role"
    seal = ", authenticated" if device.authenticated else ""
    return (
        f"{device.port}: {' and '.join(device.roles) or 'unknown role'}, serial {device.serial}, firmware "
        f"{device.firmware}, TableLink version {device.version}, boot {device.boot:08X}{seal}; can: {able}"
    )


def summary(report: Report) -> str:
    counts = ", ".join(f"{len(report.of(outcome))} {words}" for outcome, words in WORDS.items() if report.of(outcome))
    lines = [device_words(report.device), f"{counts}, in {report.seconds:.0f} s; made to happen by: {report.helper}"]
    if report.ended:
        lines.append(f"The run ended early: {report.ended}.")
    lines.append(verdict(report))
    return "\n".join(lines)


def verdict(report: Report) -> str:
    failed = report.of("fail")
    if failed:
        return f"DOES NOT CONFORM: {', '.join(result.id for result in failed)}"
    if report.ended:
        return "No verdict: the run did not come to its end. Nothing failed until then"
    if not report.of("pass"):
        return "No verdict: nothing of what was asked for could be tried"
    untried = [result.id for result in report.of("not tried") if not RULES[result.id].never]
    rest = f"; not tried: {', '.join(untried)}" if untried else ""
    partly = [result.id for result in report.of("pass") if "not tried" in result.words]
    return f"CONFORMS in what was tried{rest}{'; in part: ' + ', '.join(partly) if partly else ''}"


def _indented(words: str) -> list[str]:
    return textwrap.wrap(words, WIDTH, initial_indent=" " * 17, subsequent_indent=" " * 17, break_long_words=False)
