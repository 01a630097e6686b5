"""What the words claim is what the engine does: every option, flipped, changes both."""

from __future__ import annotations

from typing import Any

import pytest

from controller.library import game_names, load_game
from controller.rules.cards import card
from controller.rules.engine.awaiting import PlayerCard
from controller.rules.engine.inputs import Decide, SeatBet
from controller.rules.engine.round import Round
from controller.rules.money import odds_words
from controller.rules.options import OPTIONS
from controller.rules.report import settle_script
from controller.rules.words.claims import claims
from controller.rules.words.rules_card import plain_card, rules_card
from controller.rules.words.sign import sign_lines
from tests.controller.rules.words.probes import PROBES, SEEN_ELSEWHERE, Probe


def settled(probe: Probe) -> dict[str, Any]:
    """The settlement of a probe, flattened to the fields a probe may want."""
    script = {
        "game": "blackjack",
        "options": probe.options,
        "seats": [{"seat": 1, "bet": probe.bet}],
        "shoe": probe.shoe.split(),
        "actions": probe.actions,
    }
    answer = settle_script(script, load_game)
    if "error" in answer:
        return answer
    first = answer["hands"][0]
    insurance = [bet["net"] for bet in answer["side_bets"] if bet["bet"] == "insurance"]
    return {**answer, **first, "hands": len(answer["hands"]), "insurance": insurance[0] if insurance else None}


@pytest.mark.parametrize("probe", PROBES, ids=lambda p: f"{p.key}={p.value}")
def test_the_card_says_it_and_the_engine_does_it(probe: Probe) -> None:
    assert probe.words in rules_card(load_game("blackjack", probe.options))
    answer = settled(probe)
    assert {key: answer.get(key) for key in probe.want} == probe.want, answer


def test_every_option_is_probed_with_at_least_two_values() -> None:
    probed: dict[str, set[str]] = {}
    for probe in PROBES:
        probed.setdefault(probe.key, set()).add(str(probe.value))
    assert set(probed) | SEEN_ELSEWHERE == set(OPTIONS)
    assert [key for key, values in probed.items() if len(values) < 2] == []


# Flipping these alone changes nothing that is said, because another option has to be on first.
NEEDS = {
    "dealer_blackjack_takes": {"no_hole_card": True},
    "double_soft": {"double_totals": [9]},
    "rounding_chip": {"rounding": "up"},
    "max_doubles": {"double_cards": "any"},
}


@pytest.mark.parametrize("key", OPTIONS)
def test_two_values_of_an_option_never_read_the_same(key: str) -> None:
    cards = {}
    for value in OPTIONS[key].kind.samples:
        rules = load_game("blackjack", {**NEEDS.get(key, {}), key: value})
        cards[str(value)] = rules_card(rules)
    assert len(set(cards.values())) == len(cards) >= 2


@pytest.mark.parametrize(
    ("value", "words", "up"), [("face_up", "lie face up", True), ("face_down", "lie face down", False)]
)
def test_players_cards_lie_as_the_card_says(value: str, words: str, up: bool) -> None:
    rules = load_game("blackjack", {"player_cards": value})
    assert words in rules_card(rules)
    assert Round(rules, [SeatBet(1)]).awaiting.face_up is up  # type: ignore[union-attr]


@pytest.mark.parametrize(("value", "up"), [("face_up", True), ("face_down", False)])
def test_the_double_card_lies_as_the_card_says(value: str, up: bool) -> None:
    rules = load_game("blackjack", {"double_card": value})
    assert ("double card lies face down until every hand" in rules_card(rules)) is not up
    r = Round(rules, [SeatBet(1)])
    for code in ("5S", "7D", "6H", "TC"):
        r.apply(card(code))
    r.apply(Decide(1, 1, "double"))
    assert r.awaiting == PlayerCard(1, 1, up, "double")


@pytest.mark.parametrize(
    ("game", "options", "lines"),
    [
        (
            "power_blackjack",
            {},
            [
                "POWER DOUBLE ANY 10 or 11",
                "POWER SPLIT ANY 15 or 16",
                "DEALER MUST HIT SOFT 17 AND WILL PUSH ON A TOTAL OF 22",
                "BLACKJACK PAYS 3 to 2",
                "INSURANCE PAYS 2 to 1",
            ],
        ),
        (
            "super_fun_21_extreme",
            {"blackjack_pays": "12:5"},
            [
                "DEALER MUST HIT SOFT 17 AND WILL PUSH ON A TOTAL OF 22",
                "BLACKJACK PAYS 12 to 5",
                "PLAYER BLACKJACK ALWAYS WINS",
                "FIVE CARDS or MORE TOTALLING 21 PAY 2 to 1",
                "SIX CARDS or MORE TOTALLING 20 or LESS PAY 1 to 1",
            ],
        ),
        ("monte_carlo", {}, ["DEALER MUST DRAW TO 16 AND STAND ON ALL 17s", "BLACKJACK PAYS 3 to 2"]),
        ("chinese_fortune_21", {"dealer_hits_soft_17": False}, ["DEALER MUST DRAW TO 16 AND STAND ON ALL 17s"]),
        (
            "blackjack",
            {"insurance": False},
            ["DEALER MUST DRAW TO 16 AND STAND ON ALL 17s", "BLACKJACK PAYS 3 to 2", "SIX DECKS"],
        ),
    ],
)
def test_the_sign_begins_with_what_players_look_for(game: str, options: dict[str, Any], lines: list[str]) -> None:
    assert list(sign_lines(load_game(game, options)))[: len(lines)] == lines


@pytest.mark.parametrize("game", game_names())
def test_odds_are_always_written_with_to(game: str) -> None:
    rules = load_game(game)
    said = [*sign_lines(rules), rules_card(rules), *(claim.words for claim in claims(rules))]
    assert not any(f"{a}{mark}{b}" in line for line in said for a, b in ((3, 2), (2, 1), (1, 1)) for mark in ":/")
    assert any(odds_words(rules.blackjack_pays) in line for line in said)


@pytest.mark.parametrize("game", game_names())
def test_the_card_lists_every_line_of_every_pay_table(game: str) -> None:
    rules = load_game(game)
    text, markdown = plain_card(rules), rules_card(rules)
    assert text.startswith(rules.name.upper())
    for offered in rules.side_bets.values():
        for phase, pays in zip(offered.bet.phases, offered.pays, strict=True):
            for line, odds in pays.items():
                assert f"| {phase.lines[line]} | {odds_words(odds)} |" in markdown
                assert phase.lines[line] in text
