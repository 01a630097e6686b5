"""`croupier demo`: the whole table on ptys, played by a bot; every card and chip must add up, whatever breaks."""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path

import pytest

from controller.library import game_names
from tests.controller.cli.conftest import CROUPIER, Croupier


@pytest.mark.parametrize("game", game_names())
def test_every_game_adds_up_with_faults_of_every_kind(croupier: Croupier, game: str) -> None:
    ran = croupier("demo", game, "--headless", "--rounds", "6", "--seed", "7", "--faults", "heavy", "--json")
    assert ran.status == 0, ran.err
    summary = ran.json
    assert summary["rounds"] == 6
    assert summary["cards_read"] == summary["cards_journalled"] > 20
    assert summary["faults_injected"], "some struck"
    assert (summary["problems"], summary["simulated"], summary["game"]) == ([], True, game)
    assert (summary["audit"], summary["records"] > 100) == ("whole", True)


def test_the_same_seed_plays_the_same_rounds(croupier: Croupier) -> None:
    one, two, other = (
        croupier("demo", "blackjack", "--headless", "--rounds", "5", "--seed", seed, "--json").json["nets"]
        for seed in ("4", "4", "5")
    )
    assert one == two
    assert one != other


def test_without_a_terminal_it_tells_what_happens_line_by_line(croupier: Croupier) -> None:
    ran = croupier("demo", "monte_carlo", "--terminal", "--rounds", "1", "--pace", "0", "--expose")
    assert ran.status == 0
    assert "shoe: " in ran.out
    assert "Round 1 SIMULATED" in ran.out
    assert "Round 1 is over" in ran.out
    assert ran.out.rstrip().endswith("everything adds up")


def test_it_ends_when_it_is_told_and_leaves_nothing_behind(tmp_path: Path) -> None:
    with subprocess.Popen(
        [CROUPIER, "demo", "blackjack", "--terminal"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={"TMPDIR": str(tmp_path), "PATH": "/usr/bin:/bin"},
    ) as process:
        assert process.stdout is not None
        assert "Round 1 SIMULATED" in process.stdout.readline()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, "")
    assert "everything adds up" in out
    assert list(tmp_path.iterdir()) == []


def test_a_game_that_is_none_is_refused(croupier: Croupier) -> None:
    ran = croupier("demo", "brigde", "--headless")
    assert ran.status == 2
    assert "There is no game" in ran.err
