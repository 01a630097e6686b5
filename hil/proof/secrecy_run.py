"""The proof of secrecy over many tables in several processes, told at the end in a few lines."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial

from hil.proof.leaks import LEAKS
from hil.proof.secrecy import ROUNDS, Found, prove


def run(rounds: int, seed: int, workers: int, table: int | None, leak: str | None) -> int:
    """Prints what it found; 0 where no card showed."""
    if leak is not None and leak not in LEAKS:
        print(f"there is no leak {leak!r}: there are {', '.join(LEAKS)}")
        return 2
    start = time.perf_counter()
    numbers = range(-(-rounds // ROUNDS)) if table is None else range(table, table + 1)
    total, steps = 0, Counter[str]()
    failures: list[str] = []
    for found in _all(numbers, seed, workers, leak):
        total += found.rounds
        steps.update(found.steps)
        failures += found.failures
        for failure in found.failures:
            print(failure, flush=True)
    seconds = time.perf_counter() - start
    compared = ", ".join(f"{where} {count:,}" for where, count in steps.most_common())
    print(f"{total:,} rounds at {len(numbers):,} tables, seed {seed}: {total / seconds:.0f} rounds/s, {seconds:.0f} s")
    print(f"steps compared byte for byte while the card that differs lay there: {compared}")
    print(f"{len(failures)} tables told a card" if failures else "no face-down card showed anywhere")
    return 1 if failures else 0


def _all(numbers: range, seed: int, workers: int, leak: str | None) -> Iterator[Found]:
    work = partial(_one, seed=seed, leak=leak)
    if workers < 2 or len(numbers) < 2:
        yield from map(work, numbers)
        return
    with ProcessPoolExecutor(workers) as pool:
        yield from pool.map(work, numbers, chunksize=8)


def _one(number: int, seed: int, leak: str | None) -> Found:
    return prove(number, seed, leak=None if leak is None else LEAKS[leak])
