"""The engine and the independent reference settle the same random scripts alike, refusals included.

CROUPIER_ROUNDS says how many scripts, CROUPIER_SEED which; a difference prints the seed, the number and the script.
"""

import json
import os
import random
from collections import Counter
from typing import Any

import pytest

from controller.library import load_game
from controller.rules.report import settle_script
from tests.oracle.generate import GAMES, random_script
from tests.oracle.reference import settle

ROUNDS = int(os.environ.get("CROUPIER_ROUNDS", "3000"))
SEED = os.environ.get("CROUPIER_SEED", "21")
WORDS = {
    "why",
    "message",
    "line",
}  # each says it in its own words; a line follows from the odds, and is not the oracle's


def without_words(said: Any) -> Any:
    if isinstance(said, dict):
        return {key: without_words(value) for key, value in said.items() if key not in WORDS}
    return [without_words(one) for one in said] if isinstance(said, list) else said


def written_script(number: int, contested: bool, game: str | None = None) -> dict[str, Any]:
    """Each script has a seed of its own, so that one can be looked at alone."""
    return random_script(random.Random(f"{SEED}/{game}/{number}"), game, contested=contested)


def difference(script: dict[str, Any], where: str) -> str:
    """Empty, or the whole story."""
    engine = without_words(settle_script(script, load_game))
    oracle = without_words(settle(script))
    if engine == oracle:
        return ""
    told = [f"{name}: {json.dumps(value)}" for name, value in (("engine", engine), ("oracle", oracle))]
    return "\n".join([f"CROUPIER_SEED={SEED}, {where}", f"script: {json.dumps(script)}", *told])


@pytest.mark.parametrize("contested", [False, True], ids=["as the texts have it", "with what the house decided"])
def test_the_engine_and_the_oracle_settle_the_same_scripts_alike(contested: bool) -> None:
    differences = []
    for number in range(ROUNDS // 2):
        told = difference(written_script(number, contested), f"script {number}, contested={contested}")
        if told:
            differences.append(told)
    assert not differences, f"{len(differences)} of {ROUNDS // 2} differ; the first:\n{differences[0]}"


@pytest.mark.parametrize("game", GAMES)
def test_the_random_scripts_are_worth_comparing(game: str) -> None:
    """Most can be settled, they end in every way the game knows, and the others are refused for many reasons."""
    ends: Counter[str] = Counter()
    refusals: Counter[str] = Counter()
    for number in range(150):
        said = settle_script(written_script(number, False, game), load_game)
        if "error" in said:
            refusals[said["error"].partition(":")[0]] += 1
        ends.update(hand["outcome"] for hand in said.get("hands", ()))
    assert sum(refusals.values()) < 75, refusals
    assert len(refusals) >= 8, refusals
    assert {"win", "lose", "push", "bust", "blackjack"} <= set(ends), ends
