"""Timing two things against each other in one run, turn about, so that a noisy machine is noisy for both."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct

Timed = Callable[[], int]
FOLDER: Final = Path(__file__).parents[2] / "build"  # beside the code: /tmp is in memory on many machines


class Result(Struct, frozen=True):
    """One line of the benchmark table. The ratio is ours to the reference, however it is measured."""

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
    """Run both in turn `pairs` times, after one run each that does not count. A run returns how much it did.

    Rates are medians, the ratio is the median of the ratios of each pair.
    """
    _rate(ours), _rate(reference)
    rates = [(_rate(ours), _rate(reference)) for _ in range(pairs)]
    ratio = statistics.median(mine / theirs for mine, theirs in rates)
    mine, theirs = (round(statistics.median(side)) for side in zip(*rates, strict=True))
    return Result(name, unit, mine, reference_name, theirs, f"{ratio:.2f}", aim)


def beside(
    name: str,
    unit: str,
    ours: Sequence[float],
    reference_name: str,
    reference: Sequence[float],
    *,
    aim: str,
    percent: int = 50,
) -> Result:
    """What was measured already, turn about, by its median or another percentile."""
    mine, theirs = percentile(ours, percent), percentile(reference, percent)
    return Result(name, unit, round(mine), reference_name, round(theirs), f"{mine / theirs:.2f}", aim)


def percentile(measured: Sequence[float], percent: int) -> float:
    """The smallest of them that so many of a hundred do not exceed."""
    if not measured:
        raise ValueError("nothing was measured")
    return sorted(measured)[max(0, -(-len(measured) * percent // 100) - 1)]


def _rate(run: Timed) -> float:
    start = time.perf_counter()
    done = run()
    return done / (time.perf_counter() - start)
