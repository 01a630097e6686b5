"""The benchmarks and the fuzz targets run in their short form, so that they are not found broken on the day of need."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.library import load_game
from hil.bench.engine import play_ours, play_reference, shuffled_shoes, their_cards
from hil.fuzz import TARGETS


def test_the_benchmarks_print_a_ratio_to_a_named_reference() -> None:
    command = [sys.executable, "-m", "hil.bench", "--short", "--json"]
    results = json.loads(subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout)
    assert {result["name"] for result in results} == {"rules engine", "TableLink framing"}
    for result in results:
        assert result["reference_name"]
        assert min(result["ours"], result["reference"]) > 0
        assert result["ratio"].replace(".", "").isdecimal()


def test_both_engines_of_the_benchmark_play_whole_shoes() -> None:
    shoes = shuffled_shoes(3, seed=1)
    ours, _ = play_ours(load_game("blackjack"), shoes)
    theirs, _ = play_reference(their_cards(shoes))
    assert all(len(shoe) == 312 for shoe in shoes)
    assert abs(ours - theirs) <= 6  # the same cards and chart; only the order of cards after a split differs


@pytest.mark.parametrize("target", TARGETS)
@given(data=st.binary(max_size=300))
def test_a_fuzz_target_takes_any_bytes(target: str, data: bytes) -> None:
    TARGETS[target](data)
