"""The time and its quality, with clocks of our own."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from controller.store.clock import TIME_ERROR, Clock, Stamp, is_synchronised, now


def at(year: int) -> int:
    return int(datetime(year, 3, 4, 5, 6, 7, tzinfo=UTC).timestamp()) * 1_000_000_000 + 89_999_999


@pytest.mark.parametrize(
    ("year", "kept", "quality"),
    [(2026, True, "ntp"), (2026, False, "rtc"), (2024, True, "unset"), (1970, False, "unset"), (2025, False, "rtc")],
)
def test_the_quality_says_who_keeps_the_clock(year: int, kept: bool, quality: Clock) -> None:
    stamp = now(time_ns=lambda: at(year), monotonic_ns=lambda: 5, synchronised=lambda: kept)
    assert stamp == Stamp(f"{year}-03-04T05:06:07.089Z", quality, 5)


@pytest.mark.parametrize("state", [0, 1, 2, 3, 4])
def test_a_kernel_that_is_synchronised_is_believed(tmp_path: Path, state: int) -> None:
    assert is_synchronised(ask_kernel=lambda: state, flag=tmp_path / "none")


def test_a_kernel_that_is_not_synchronised_is_believed_before_an_old_file(tmp_path: Path) -> None:
    flag = tmp_path / "synchronized"
    flag.touch()
    assert not is_synchronised(ask_kernel=lambda: TIME_ERROR, flag=flag)


def test_the_file_counts_where_the_kernel_may_not_be_asked(tmp_path: Path) -> None:
    flag = tmp_path / "synchronized"
    assert not is_synchronised(ask_kernel=lambda: -1, flag=flag)
    flag.touch()
    assert is_synchronised(ask_kernel=lambda: -1, flag=flag)


def test_the_machine_we_run_on_gives_a_stamp() -> None:
    first, second = now(), now()
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", first.wall)
    assert first.monotonic_ns <= second.monotonic_ns
