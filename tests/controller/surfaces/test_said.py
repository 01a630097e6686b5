"""What the rules and the table say to everybody fits the patterns by which the pages say it in another language."""

from __future__ import annotations

import json
import re

import pytest

from controller.library import load_game
from controller.rules.words.sign import sign_lines
from controller.surfaces.web.pages import ROOT

GAMES = ("blackjack", "chinese_fortune_21", "monte_carlo", "power_blackjack", "super_fun_21_extreme")
OTHER_RULES = (
    {"double_totals": [9, 10, 11]},
    {"no_hole_card": True},
    {"decks": 1},
    {"surrender": "late"},
    {"surrender": "early"},
    {"max_hands": 1},
)
AWAITED = (
    "bets",
    "the table to open",
    "the shoe",
    "the dealer",
    "insurance",
    "surrender",
    "seat 3",
    "seat 3, hand 2",
    "a card for seat 3",
    "a card for the dealer",
    "the hole card",
    "the dealer to check for blackjack",
    "the dealer to pay and take",
)


def patterns() -> list[re.Pattern[str]]:
    english: dict[str, str] = json.loads((ROOT / "texts/en/said.json").read_text())
    return [re.compile(re.sub(r"\\\{\w+\\\}", ".+?", re.escape(text))) for text in english.values()]


def fits(sentence: str) -> bool:
    return any(pattern.fullmatch(sentence) for pattern in patterns())


@pytest.mark.parametrize("game", GAMES)
def test_every_line_of_a_games_sign_can_be_said(game: str) -> None:
    assert [line for line in sign_lines(load_game(game, {})) if not fits(line)] == []


@pytest.mark.parametrize("options", OTHER_RULES, ids=str)
def test_the_lines_of_house_rules_can_be_said(options: dict[str, object]) -> None:
    assert [line for line in sign_lines(load_game("blackjack", options)) if not fits(line)] == []


@pytest.mark.parametrize("words", AWAITED)
def test_what_a_round_waits_for_can_be_said(words: str) -> None:
    assert fits(words)
