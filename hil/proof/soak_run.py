"""Many days at many tables in one process, several at a time, and whether cards, money, memory and handles add up."""

from __future__ import annotations

import asyncio
import logging
import os
import tempfile
import time
from collections import Counter
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Final

from hil.proof.day import Day, DayFound
from hil.proof.tables import game_of, some_rules

ROUNDS: Final = 50  # a day, at most
DAYS: Final = 30  # at least, where they are not too short for that: all games, and enough of them to see a growth
TABLES: Final = 40  # at once: most of the time a table with faults waits for a device
WARM: Final = 0.2  # of the days, until caches and pools are what they will be
SLACK_KB: Final = 8 * 1024  # what the allocator may take more without a cause
ROUND_KB: Final = 1.0  # and for each round; a table that kept its rounds would keep more


class _Errors(logging.Handler):
    """What was logged as an error: a part that broke down and was started again is a failure here."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(self.format(record))


class _Soak:
    def __init__(self, rounds: int, seed: int, faults: str, day: int | None) -> None:
        self._seed, self._faults = seed, faults
        self._rounds = rounds if day is not None else max(1, min(rounds // DAYS, ROUNDS))
        self._numbers = list(range(-(-rounds // self._rounds))) if day is None else [day]
        self._warm_at = max(1, round(len(self._numbers) * WARM))
        self._todo = iter(self._numbers)
        self._warm: tuple[int, int] | None = None  # kB, and rounds so far
        self.found: list[DayFound] = []
        self.problems: list[str] = []

    async def play(self) -> None:
        before = (handles(), len(asyncio.all_tasks()))
        await asyncio.gather(*(self._table() for _ in range(min(TABLES, len(self._numbers)))))
        await asyncio.sleep(0)
        after = (handles(), len(asyncio.all_tasks()))
        for name, was, now in zip(("open files", "tasks"), before, after, strict=True):
            print(f"{name}: {was} before, {now} after")
            if now > was:
                self.problems.append(f"{name}: {now - was} were left behind")
        self._check_memory()

    async def _table(self) -> None:
        for number in self._todo:
            day = await self._day(number)
            self.found.append(day)
            for problem in day.problems:
                words = f"day {number} ({game_of(number)}): {problem}\n  again: {self._again(number)}"
                self.problems.append(words)
                print(words, flush=True)
            if len(self.found) == self._warm_at:
                self._warm = (memory_kb(), self._played())

    async def _day(self, number: int) -> DayFound:
        rules = some_rules(game_of(number), Random(f"soak {self._seed} {number}"))
        with tempfile.TemporaryDirectory(prefix="croupier-soak-") as folder:
            day = Day(rules, Path(folder), seed=self._seed * 10_000 + number, faults=self._faults)
            return await day.played(self._rounds)

    def _again(self, number: int) -> str:
        rounds = f"--rounds {self._rounds} --faults {self._faults}"
        return f"python -m hil.proof soak --seed {self._seed} --day {number} {rounds} (the timing is the machine's own)"

    def _played(self) -> int:
        return sum(day.rounds for day in self.found)

    def _check_memory(self) -> None:
        if self._warm is None or len(self._numbers) < 5:
            print(f"memory: {memory_kb() / 1024:.1f} MB; too few days to say whether it grows")
            return
        warm, at = self._warm
        rounds, now = self._played() - at, memory_kb()
        most = warm + SLACK_KB + rounds * ROUND_KB
        print(
            f"memory: {warm / 1024:.1f} MB after {at} rounds, {now / 1024:.1f} MB after {rounds} more "
            f"(at most {most / 1024:.1f} MB)"
        )
        if now > most:
            self.problems.append(f"memory grew by {now - warm} kB in {rounds} rounds")


def run(rounds: int, seed: int, faults: str, day: int | None) -> int:
    """Prints a table of what came of it; 0 where everything adds up."""
    errors, root = _Errors(), logging.getLogger()
    root.addHandler(errors)
    start = time.perf_counter()
    soak = _Soak(rounds, seed, faults, day)
    try:
        asyncio.run(soak.play())
    finally:
        root.removeHandler(errors)
    seconds = time.perf_counter() - start
    problems = [*soak.problems, *(f"logged: {line}" for line in errors.lines)]
    for line in errors.lines[:20]:
        print(f"logged: {line}")
    _print(soak.found, seconds, seed, faults)
    print("everything adds up" if not problems else f"IT DOES NOT ADD UP: {len(problems)} problems, told above")
    return 1 if problems else 0


def _print(found: list[DayFound], seconds: float, seed: int, faults: str) -> None:
    struck = Counter[str]()
    for day in found:
        struck.update(day.faults)
    rounds = sum(day.rounds for day in found)
    house = sum((day.house for day in found), Fraction(0))
    rows = {
        "seed, faults": f"{seed}, {faults}",
        "days": f"{len(found):,}",
        "rounds settled": f"{rounds:,} ({rounds / seconds:.1f} a second)",
        "rounds void": f"{sum(day.voided for day in found):,}",
        "cards dealt": f"{sum(day.cards for day in found):,}",
        "given up unread": f"{sum(day.unread for day in found):,}",
        "journal records": f"{sum(day.records for day in found):,}",
        "the house won": f"{float(house):,.2f}, and the seats lost as much",
        "faults": ", ".join(f"{name} {count:,}" for name, count in struck.most_common()) or "none",
    }
    for name, value in rows.items():
        print(f"{name:>16}  {value}")


def handles() -> int:
    return len(os.listdir("/proc/self/fd"))


def memory_kb() -> int:
    """What the process has in memory now."""
    fields = Path("/proc/self/statm").read_text().split()
    return int(fields[1]) * os.sysconf("SC_PAGE_SIZE") // 1024
