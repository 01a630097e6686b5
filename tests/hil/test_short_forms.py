"""The benchmarks and the fuzz targets run in their short form, so that they are not found broken on the day of need."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import date
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from controller.daemon.runner import recover
from controller.library import load_game
from controller.store.audit import verify
from controller.store.journal import Journal
from controller.table.events import RoundEnded
from controller.table.table import Table
from drivers.simulated.pile import shuffled
from hil.bench.engine import play_ours, play_reference, shuffled_shoes, their_cards
from hil.bench.keep import Machine, page, this_machine
from hil.bench.measure import Result, percentile
from hil.bench.restart import make_journal
from hil.bench.table import play, setup
from hil.fuzz import TARGETS


def test_the_benchmarks_print_a_ratio_to_a_named_reference() -> None:
    command = [sys.executable, "-m", "hil.bench", "--short", "--json"]
    results = json.loads(subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout)
    assert [result["name"] for result in results] == [
        "rules engine",
        "TableLink framing",
        "card to sign, p50",
        "card to sign, fastest",
        "card to sign, p99",
        "start to READY",
        "resident memory",
        "start on 20,000 events",
        "change to 50 screens, half of them",
        "change to 50 screens, the last",
    ]
    for result in results:
        assert result["reference_name"]
        assert min(result["ours"], result["reference"]) > 0
        assert result["ratio"].replace(".", "").isdecimal()


def test_the_page_that_is_kept_names_the_day_the_machine_and_each_reference() -> None:
    quiet = Machine("A Pi", 4, 3.7, "Linux 6.6 aarch64", "3.11.2", load=0.3)
    result = Result("rules engine", "rounds/s", 41_000, "blackjack21 5.0", 12_000, "3.42", "at least 6")
    written = page([result], quiet, date(2026, 1, 2))
    assert "Measured on 2026-01-02" in written
    assert "A Pi, 4 cores, 4 GiB; Linux 6.6 aarch64;\n  Python 3.11.2." in written
    assert "0.30; little else was at work" in written
    assert "| rules engine | 41,000 rounds/s | 12,000 rounds/s | blackjack21 5.0 | 3.42 | at least 6 |" in written
    assert "other programs were at work" in page([result], structs.replace(quiet, load=2.5), date(2026, 1, 2))
    assert this_machine().cpu


def test_a_page_in_no_folder_is_refused_before_anything_is_measured(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hil.bench", "--keep", str(tmp_path / "none" / "page.md")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert f"there is no folder {tmp_path / 'none'}" in done.stderr


def test_both_engines_of_the_benchmark_play_whole_shoes() -> None:
    shoes = shuffled_shoes(3, seed=1)
    ours, _ = play_ours(load_game("blackjack"), shoes)
    theirs, _ = play_reference(their_cards(shoes))
    assert all(len(shoe) == 312 for shoe in shoes)
    assert abs(ours - theirs) <= 6  # the same cards and chart; only the order of cards after a split differs


def test_the_long_journal_of_the_benchmark_is_a_whole_one_that_ends_with_a_round(tmp_path: Path) -> None:
    path = tmp_path / "long.db"
    make_journal(path, 3_000)
    assert verify(path).records == 3_001  # and the set-up
    with Journal.open(path) as journal:
        table = recover(setup(), journal)
    assert (table.round, table.state.sequence) == (None, 3_001)
    assert table.last is not None


def test_what_a_bot_plays_for_the_benchmark_is_the_same_each_time() -> None:
    def some_rounds() -> list[object]:
        return list(islice(play(Table(setup()), lambda: iter(shuffled(6, 1, cut_card=0)), seed=1), 400))

    played = some_rounds()
    assert played == some_rounds()
    assert sum(isinstance(event, RoundEnded) for _, event in played) > 5


@pytest.mark.parametrize(("percent", "found"), [(0, 1), (1, 1), (50, 5), (99, 10), (100, 10)])
def test_a_percentile_is_one_of_the_measured(percent: int, found: int) -> None:
    assert percentile([3, 1, 2, 10, 9, 8, 4, 5, 7, 6], percent) == found


def test_nothing_measured_has_no_percentile() -> None:
    with pytest.raises(ValueError, match="nothing was measured"):
        percentile([], 50)


@pytest.mark.parametrize("target", TARGETS)
@given(data=st.binary(max_size=300))
def test_a_fuzz_target_takes_any_bytes(target: str, data: bytes) -> None:
    TARGETS[target](data)
