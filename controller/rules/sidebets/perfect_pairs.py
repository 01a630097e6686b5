"""Perfect Pairs: the seat's first two cards are of one rank; the better the suits match, the more it pays."""

from __future__ import annotations

from collections.abc import Sequence

from controller.rules.cards import RED_SUITS, Card
from controller.rules.sidebets.base import Phase, SideBet

LINES = {
    "perfect_pair": "perfect pair (same suit)",
    "coloured_pair": "coloured pair (same colour)",
    "mixed_pair": "mixed pair (red and black)",
}


def pair(cards: Sequence[Card], dealer: Sequence[Card]) -> str | None:
    first, second = cards
    if first.rank != second.rank:
        return None
    if first.suit == second.suit:
        return "perfect_pair"
    same_colour = (first.suit in RED_SUITS) == (second.suit in RED_SUITS)
    return "coloured_pair" if same_colour else "mixed_pair"


BET = SideBet(title="Perfect Pairs", phases=(Phase("pays", LINES, "deal", pair),))
