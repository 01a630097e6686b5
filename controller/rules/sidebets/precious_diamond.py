"""Precious Diamond: the seat is dealt a blackjack of two diamonds. Nothing the dealer holds matters (R-31)."""

from __future__ import annotations

from collections.abc import Sequence

from controller.rules.cards import Card
from controller.rules.sidebets.base import Phase, SideBet


def diamond_blackjack(cards: Sequence[Card], dealer: Sequence[Card]) -> str | None:
    suited = all(card.suit == "D" for card in cards)
    return "diamond_blackjack" if suited and {card.value for card in cards} == {1, 10} else None


BET = SideBet(
    title="Precious Diamond",
    phases=(Phase("pays", {"diamond_blackjack": "ace and ten-value of diamonds"}, "deal", diamond_blackjack),),
)
