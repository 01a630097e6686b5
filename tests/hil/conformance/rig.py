"""A run of the kit on a device's end in memory, on a clock of its own: seconds of protocol in milliseconds."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from drivers.simulated.cable import End
from drivers.simulated.tablelink_end import TableLinkEnd
from hil.conformance.helper import Helper, Ordering
from hil.conformance.line import EndLine
from hil.conformance.rules import RULES
from hil.conformance.run import run
from hil.conformance.simulated import Obeying
from hil.conformance.talk import Talk
from hil.conformance.verdicts import Report, Result


def counting() -> Any:
    """Nonces that are the same in every run."""
    made = 0

    def fresh(size: int) -> bytes:
        nonlocal made
        made += 1
        return made.to_bytes(size, "big")

    return fresh


def tried(
    end: End,
    role: str,
    *,
    helper: Helper | None = None,
    key: bytes | None = None,
    only: Sequence[str] = tuple(RULES),
    baud: int = 115200,
    line: EndLine | None = None,
    told: list[Result] | None = None,
) -> Report:
    if helper is None:
        assert isinstance(end, TableLinkEnd)
        helper = Ordering("the device's model", Obeying(end).obey)
    line = line or EndLine(end)
    if isinstance(end, TableLinkEnd):
        end.clock = lambda: line.now
    talk = Talk(line, key=key, fresh=counting())
    heard = told if told is not None else []
    return asyncio.run(
        run(talk, role, helper, port="memory", kit="test", began="now", baud=baud, only=only, told=heard.append)
    )


def failures(report: Report) -> dict[str, str]:
    return {result.id: result.words for result in report.of("fail")}
