"""All that the coach and the table's questions say fits a pattern, so that the console says it in another language."""

from __future__ import annotations

import json
import re
from random import Random

import pytest

from controller.library import game_names
from controller.surfaces.web.pages import ROOT
from controller.table.coach import _WHY_ASKED as WHY_ASKED
from controller.table.coach import coach
from controller.table.questions import _KINDS as KINDS
from tests.controller.table.playing import Played, next_input
from tests.controller.table.test_coach import insure_or, table_of, with_side_bets

SENTENCES = re.compile(r"(?<=[.?]) ")


def patterns() -> list[re.Pattern[str]]:
    found: dict[str, str] = {}
    for section in ("coach", "said"):
        found |= json.loads((ROOT / f"texts/en/{section}.json").read_text())
    whole = [text for key, text in found.items() if ".part_" not in key]
    return [re.compile(re.sub(r"\\\{\w+\\\}", lambda _: r"(?:(?![.?] ).)+?", re.escape(text))) for text in whole]


PATTERNS = patterns()


def fits(text: str) -> bool:
    """As a whole, or each of its sentences."""
    return any(each.fullmatch(text) for each in PATTERNS) or all(
        any(each.fullmatch(sentence) for each in PATTERNS) for sentence in SENTENCES.split(text)
    )


def said_in_a_game(game: str, wagers: bool) -> set[str]:
    """Without the chips, which stand behind a sentence and are told by themselves."""
    chance = Random(f"said {game} {wagers}")
    played = with_side_bets(Played(table_of(game, wagers=wagers)), 1, 2, 4)
    said: set[str] = set()
    for _ in range(500):
        told = coach(played.table)
        ends = {each.words: f": {each.chips}." for each in told.pay}
        said |= {told.say, told.why, told.first or told.say}
        said |= {words.removesuffix(end) + ("." if words.endswith(end) else "") for words, end in ends.items()}
        played.tell(insure_or(next_input(played.table, chance), played, chance))
    return said


@pytest.mark.parametrize("wagers", [True, False])
@pytest.mark.parametrize("game", game_names())
def test_all_that_the_coach_says_in_a_game_can_be_said(game: str, wagers: bool) -> None:
    assert [each for each in sorted(said_in_a_game(game, wagers)) if not fits(each)] == []


def test_every_question_and_its_reason_can_be_said() -> None:
    asked = [*(kind.asks for kind in KINDS.values()), *WHY_ASKED.values()]
    assert [each for each in asked if not fits(each)] == []


def test_both_languages_have_the_same_values_in_every_pattern() -> None:
    english, spanish = (json.loads((ROOT / f"texts/{lang}/coach.json").read_text()) for lang in ("en", "es"))
    values = re.compile(r"\{\w+\}")
    assert list(english) == list(spanish)
    assert [key for key in english if set(values.findall(english[key])) != set(values.findall(spanish[key]))] == []
