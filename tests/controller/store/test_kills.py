"""Killed at any moment, cut anywhere: what was reported is there, the chain is whole, nothing is half-written."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from controller.store.audit import verify
from controller.store.journal import Journal
from tests.controller.store.helpers import as_if_cut, card, log_of

SEED = 20260102
KILLS = 25


def run_and_kill(path: Path, chance: random.Random) -> tuple[int, bytes] | None:
    """The last head a process reported before it was killed; None if it was killed before it said one."""
    command = [sys.executable, "-m", "tests.controller.store.child", path]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        for _ in range(chance.choice((0, 1, 1, 2, 20, 200))):
            child.stdout.readline()
        time.sleep(chance.random() * chance.choice((0, 0.001, 0.02)))
        child.kill()
        told = [line.split() for line in child.stdout.read().splitlines(keepends=True) if line.endswith(b"\n")]
    heads = [(int(words[1]), bytes.fromhex(words[2].decode())) for words in told if words[0] == b"done"]
    return heads[-1] if heads else None


def whole_batches(path: Path, start: int) -> bool:
    """Whether the records behind `start` are the child's batches, each in full: 2, 3, 4, 1, 2, …"""
    with Journal.read_only(path) as journal:
        batches: dict[int, list[bytes]] = {}
        for record in journal.after(start):
            number = int(record.data.removeprefix(b'{"n":').removesuffix(b"}"))
            batches.setdefault(number // 10, []).append(record.data)
    return all(len(found) == 1 + number % 4 for number, found in batches.items())


def test_a_process_killed_at_any_moment_loses_nothing_it_reported(tmp_path: Path) -> None:
    print(f"seed {SEED}")
    chance = random.Random(SEED)
    path = tmp_path / "journal.db"
    records = 0
    for kill in range(KILLS):
        reported = run_and_kill(path, chance)
        Journal.open(path).close()
        found = verify(path, head=reported)
        assert whole_batches(path, records), f"half a transaction after kill {kill}"
        assert found.records >= records
        records = found.records
    assert records > KILLS


def test_a_process_killed_while_it_begins_leaves_a_journal_or_none(tmp_path: Path) -> None:
    print(f"seed {SEED}")
    chance = random.Random(SEED)
    for kill in range(KILLS):
        path = tmp_path / f"{kill}.db"
        command = [sys.executable, "-m", "tests.controller.store.child", path]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL) as child:
            while not list(tmp_path.glob(f"*{kill}.db*")):
                time.sleep(0.0001)
            time.sleep(chance.random() * 0.005)
            child.kill()
        with Journal.open(path) as journal:
            journal.append([card()])
        assert verify(path).records >= 1
        assert not list(tmp_path.glob(".*")), "a half-built journal was left"


def test_a_power_cut_at_any_byte_of_the_log_loses_nothing_that_was_reported(tmp_path: Path) -> None:
    print(f"seed {SEED}")
    chance = random.Random(SEED)
    path = tmp_path / "journal.db"
    safe: list[tuple[int, int]] = [(0, 0)]  # how long the log was when so many records were reported
    with Journal.open(path) as journal:
        for number in range(1, 30):
            batch = [card(number) for _ in range(chance.randint(1, 30))]
            records = journal.append(batch, snapshot=b"x" * 5000 if number % 5 == 0 else None)
            safe.append((log_of(path).stat().st_size, records[-1].sequence))
        for cut in [*(size for size, _ in safe[1:]), *(chance.randrange(safe[-1][0]) for _ in range(100))]:
            copy = as_if_cut(path, tmp_path / "cut", log_bytes=cut)
            reported = max(sequence for size, sequence in safe if size <= cut)
            assert verify(copy).records == reported, f"the log cut at {cut}"
            with Journal.open(copy) as again:
                again.append([card()])
            assert verify(copy).records == reported + 1, f"the log cut at {cut}"


@pytest.mark.parametrize("seed", range(20))
def test_garbage_at_the_end_of_the_log_is_no_record(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    with Journal.open(tmp_path / "journal.db") as journal:
        journal.append([card(1)])
        size = log_of(journal.path).stat().st_size
        journal.append([card(2), card(3)])
        copy = as_if_cut(journal.path, tmp_path / "cut")
    log = bytearray(log_of(copy).read_bytes())
    where = chance.randrange(size, len(log))
    log[where:] = chance.randbytes(len(log) - where)  # the sectors of the last commit that never arrived
    log_of(copy).write_bytes(log)
    assert verify(copy).records == 1
