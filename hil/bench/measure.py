"""Timing two things against each other in one run, turn about, so that a noisy machine is noisy for both."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

from msgspec import Struct

Timed = Callable[[], int]


class Result(Struct, frozen=True):
    """One line of the benchmark table: rates are medians, the ratio is the median of the ratios of each pair."""

    name: str
    unit: str
    ours: int
    reference_name: str
    reference: int
    ratio: str
    aim: str


def compare(
    name: str, unit: str, ours: Timed, reference_name: str, reference: Timed, *, aim: str, pairs: int
) -> Result:
    """Run both in turn `pairs` times, after one run each that does not count. A run returns how much it did."""
    _rate(ours), _rate(reference)
    rates = [(_rate(ours), _rate(reference)) for _ in range(pairs)]
    ratio = statistics.median(mine / theirs for mine, theirs in rates)
    mine, theirs = (round(statistics.median(side)) for side in zip(*rates, strict=True))
    return Result(name, unit, mine, reference_name, theirs, f"{ratio:.2f}", aim)


def _rate(run: Timed) -> float:
    start = time.perf_counter()
    done = run()
    return done / (time.perf_counter() - start)
