"""The reference itself is held to every round worked by hand, and to sums that must always come out."""

import json
import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from .generate import GAMES, random_script
from .reference import settle

TESTS = Path(__file__).resolve().parents[1]
GIVEN = sorted((TESTS / "cases").glob("*.json"))
OWN = sorted((TESTS / "cases_own").glob("*.json"))
SEED = 21


def without_unmentioned(line: dict[str, Any], expected: dict[str, Any]) -> dict[str, Any]:
    """Only what the case speaks of: it never mentions stage or words."""
    return {key: line[key] for key in expected}


def test_there_are_forty_given_cases() -> None:
    assert len(GIVEN) == 40


@pytest.mark.parametrize("path", [*GIVEN, *OWN], ids=lambda path: path.stem)
def test_the_reference_settles_the_case_as_worked_by_hand(path: Path) -> None:
    case = json.loads(path.read_text())
    expect = case["expect"]
    got = settle(case)
    if "error" in expect:
        assert got["error"] == expect["error"]
        return
    assert "error" not in got, got
    assert len(got["hands"]) == len(expect["hands"])
    assert len(got["side_bets"]) == len(expect["side_bets"])
    for part in ("hands", "side_bets"):
        for line, expected in zip(got[part], expect[part], strict=True):
            assert without_unmentioned(line, expected) == expected
    assert got["cards_used"] == expect["cards_used"]
    if "dealer_total" in expect:
        assert got["dealer"]["total"] == expect["dealer_total"]
    if "burned" in expect:
        assert got["burned"] == expect["burned"]
    stages = {f"{hand['seat']}.{hand['hand']}": hand["stage"] for hand in got["hands"]}
    for name, stage in expect.get("stages", {}).items():
        assert stages[name] == stage


@pytest.mark.parametrize("game", GAMES)
def test_every_card_used_lies_on_the_felt_or_is_burned_and_every_wager_is_settled_once(game: str) -> None:
    rng = random.Random(SEED)
    for number in range(200):
        script = random_script(rng, game)
        got = settle(script)
        if "error" in got:
            continue
        shown = got["dealer"]["cards"] + got["burned"] + [card for hand in got["hands"] for card in hand["cards"]]
        used = [card.replace("T", "10") for card in script["shoe"][: got["cards_used"]]]
        assert sorted(shown) == sorted(used), f"seed {SEED}, script {number} of {game}"
        assert all(hand["outcome"] and hand["stage"] for hand in got["hands"])
        for seat in script["seats"]:
            lines = [line for line in got["hands"] + got["side_bets"] if line["seat"] == seat["seat"]]
            assert sum(Fraction(line["net"]) for line in lines) == Fraction(got["net"][str(seat["seat"])])


def test_the_same_seed_writes_the_same_scripts() -> None:
    first, second = random.Random(SEED), random.Random(SEED)
    assert [random_script(first) for _ in range(20)] == [random_script(second) for _ in range(20)]
