"""21+3: the seat's first two cards and the dealer's up card, as a three-card poker hand."""

from __future__ import annotations

from collections.abc import Sequence

from controller.rules.cards import Card
from controller.rules.sidebets.base import Phase, SideBet

LINES = {
    "suited_trips": "suited three of a kind",
    "straight_flush": "straight flush",
    "three_of_a_kind": "three of a kind",
    "straight": "straight",
    "flush": "flush",
}
ACE_HIGH = [1, 12, 13]


def three_cards(cards: Sequence[Card], dealer: Sequence[Card]) -> str | None:
    """The best line of the three; an ace ends a straight at either side, and never stands inside one."""
    three = [*cards, *dealer]
    flush = len({card.suit for card in three}) == 1
    order = sorted(card.order for card in three)
    if order[0] == order[2]:
        return "suited_trips" if flush else "three_of_a_kind"
    if order == ACE_HIGH or order == [order[0], order[0] + 1, order[0] + 2]:
        return "straight_flush" if flush else "straight"
    return "flush" if flush else None


BET = SideBet(title="21+3", phases=(Phase("pays", LINES, "deal", three_cards),))
