"""Small words that the coach's sentences share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from msgspec import Struct

from controller.rules.cards import Card
from controller.rules.ruleset import Ruleset
from controller.rules.words.claims import claims

_RANKS: Final = {"A": "ace", "T": "ten", "J": "jack", "Q": "queen", "K": "king"}


Step = Literal[
    "",
    "open_table",
    "shoe_loaded",
    "shoe_verified",
    "shoe_counted",
    "open_round",
    "insurance_closed",
    "surrender_closed",
    "peek",
    "turn_hole_card",
    "settle",
]


class Saying(Struct, frozen=True):
    """What to do, and the rule that says so. `step` is what is to be pressed then, if anything is."""

    say: str
    why: str
    step: Step = ""


def rule(rules: Ruleset, topic: str, *having: str) -> str:
    """The rules' own words on a topic: the claims in which one of these words stands, or all of them."""
    said = [claim.words for claim in claims(rules) if claim.topic == topic]
    return " ".join([words for words in said if any(each in words for each in having)] or said)


def listed(names: Sequence[str], joint: str = "and") -> str:
    """`hit, stand or double`; nothing for none."""
    if not names:
        return ""
    *most, last = names
    return f"{', '.join(most)} {joint} {last}" if most else last


def seats_words(seats: Sequence[int]) -> str:
    """`seat 2`, `seats 2, 3 and 5`; nothing for none."""
    numbers = list(dict.fromkeys(str(seat) for seat in seats))
    return f"seat{'s' if len(numbers) > 1 else ''} {listed(numbers)}" if numbers else ""


def sentence(words: str) -> str:
    """Words of a device, as a sentence."""
    return f"{words.rstrip('. ')}."


def rank_words(card: Card) -> str:
    return _RANKS.get(card.rank, card.rank)
