"""The page on which results are kept: what was measured, when, and on which machine. Measures nothing itself."""

from __future__ import annotations

import os
import platform
import re
import sys
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Final

from msgspec import Struct

from hil.bench.measure import Result

PAGE: Final = Path(__file__).parents[2] / "docs" / "benchmarks.md"
BUSY: Final = 0.5  # of a core each: from that load on the page says that others were at work


class Machine(Struct, frozen=True):
    cpu: str
    cores: int
    memory_gib: float
    kernel: str
    python: str
    load: float  # of the minute before


def this_machine() -> Machine:
    pages, size = os.sysconf("SC_PHYS_PAGES"), os.sysconf("SC_PAGE_SIZE")
    return Machine(
        cpu=_cpu(Path("/proc/cpuinfo")),
        cores=os.cpu_count() or 1,
        memory_gib=pages * size / (1 << 30),
        kernel=f"{platform.system()} {platform.release()} {platform.machine()}",
        python=sys.version.split()[0],
        load=os.getloadavg()[0],
    )


def _cpu(info: Path) -> str:
    """As the kernel names it: on a PC the model of the processor, on a Pi that of the board."""
    text = info.read_text() if info.exists() else ""
    found = re.search(r"^(?:model name|Model)\s*:\s*(.+)$", text, re.MULTILINE)
    return found[1].strip() if found else platform.machine()


def page(results: Sequence[Result], machine: Machine, day: date) -> str:
    """In Markdown."""
    busy = machine.load > BUSY * machine.cores
    others = "other programs were at work on it, so read the ratios" if busy else "little else was at work on it"
    lines = [
        "# Benchmarks",
        "",
        f'Measured on {day.isoformat()} by `make bench ARGS="--keep"`, which writes this page. Each figure stands',
        "beside a named reference measured in the same run, turn about; both are medians where no percentile is named.",
        "",
        f"* Machine: {machine.cpu}, {machine.cores} cores, {machine.memory_gib:.0f} GiB; {machine.kernel};",
        f"  Python {machine.python}.",
        f"* Load average in the minute before: {machine.load:.2f}; {others}.",
        "",
        "| what | Croupier | reference | | ratio | aim |",
        "|---|--:|--:|---|--:|---|",
    ]
    lines += [
        f"| {r.name} | {r.ours:,} {r.unit} | {r.reference:,} {r.unit} | {r.reference_name} | {r.ratio} | {r.aim} |"
        for r in results
    ]
    return "\n".join([*lines, ""])
