"""Rounds worked by hand, with the clause and the reason: forty that came with the games, and our own for the rest."""

import json
from pathlib import Path
from typing import Any

import pytest

from controller.library import load_game
from controller.rules.report import settle_script

TESTS = Path(__file__).resolve().parents[3]
GIVEN = sorted((TESTS / "cases").glob("*.json"))
OWN = sorted((TESTS / "cases_own").glob("*.json"))
GAMES = {"bj": "blackjack", "cf": "chinese_fortune_21", "mc": "monte_carlo", "pw": "power_blackjack"} | {
    "sfx": "super_fun_21_extreme"
}
RULINGS = {f"R-{number:02}" for number in (1, 2, *range(4, 10), *range(11, 20), *range(21, 29), 30, 31, 34, 35)}
# R-36 is the case pw-01 itself. A script shows no card that lies face down (R-10a, R-33) and no cut card.


def read(path: Path) -> dict[str, Any]:
    case: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return case


def test_there_are_forty_given_cases_and_every_own_one_says_what_it_is_for() -> None:
    assert len(GIVEN) == 40
    assert len(OWN) >= 60
    for path in OWN:
        case = read(path)
        assert case["id"] == path.stem
        assert GAMES[path.stem.partition("-")[0]] == case["game"]
        assert case["title"]
        assert case["why"]
        assert case["clauses"]


def test_every_ruling_that_a_script_can_show_has_a_case() -> None:
    named = {clause for path in OWN for clause in read(path)["clauses"]}
    assert not RULINGS - named


@pytest.mark.parametrize("path", [*GIVEN, *OWN], ids=lambda path: path.stem)
def test_the_engine_settles_the_case_as_worked_by_hand(path: Path) -> None:
    case = read(path)
    expect = case["expect"]
    got = settle_script(case, load_game)
    if "error" in expect:
        assert got.get("error") == expect["error"], case["why"]
        assert got["message"].strip()
        assert set(got) == {"error", "message"}, "nothing is half-settled"
        return
    assert "error" not in got, got
    for part in ("hands", "side_bets"):
        spoken_of = [{key: line.get(key) for key in said} for line, said in zip(got[part], expect[part], strict=True)]
        assert spoken_of == expect[part], case["why"]
        assert all(line["why"] for line in got[part])
    assert got["cards_used"] == expect["cards_used"]
    assert got["dealer"]["total"] == expect.get("dealer_total", got["dealer"]["total"])
    assert got["burned"] == expect.get("burned", got["burned"])
    stages = {f"{hand['seat']}.{hand['hand']}": hand["stage"] for hand in got["hands"]}
    assert stages == stages | expect.get("stages", {})
