"""Ten, Eleven or Bust: first two cards of hard 10 or 11, then a dealer bust by its number of cards (R-21 to R-25).

One wager, two phases: the first pays on the seat's own cards and leaves the bet up under a lammer, the second
waits for the dealer's final hand.
"""

from __future__ import annotations

from collections.abc import Sequence

from controller.rules.cards import Card
from controller.rules.sidebets.base import Phase, SideBet

FIRST_CARDS = {
    "suited_5_5": "suited 5-5",
    "offsuit_5_5": "offsuit 5-5",
    "suited_6_5": "suited 6-5",
    "offsuit_6_5": "offsuit 6-5",
    "other_suited_10": "other suited 10",
    "other_suited_11": "other suited 11",
    "other_offsuit_10": "other offsuit 10",
    "other_offsuit_11": "other offsuit 11",
}
MOST_CARDS = 7  # the last line of the pay table is "7 or more"
BUSTS = {str(n): f"dealer bust with {n} cards" for n in range(3, MOST_CARDS)}
BUSTS[str(MOST_CARDS)] = f"dealer bust with {MOST_CARDS} or more cards"


def ten_or_eleven(cards: Sequence[Card], dealer: Sequence[Card]) -> str | None:
    """A hard 10 or 11 without an ace; such a pair is never a ten-value with anything."""
    first, second = cards
    total = first.value + second.value
    if total not in (10, 11) or 1 in (first.value, second.value):
        return None
    suited = "suited" if first.suit == second.suit else "offsuit"
    values = {first.value, second.value}
    if values == {5}:
        return f"{suited}_5_5"
    return f"{suited}_6_5" if values == {5, 6} else f"other_{suited}_{total}"


def dealer_bust(cards: Sequence[Card], dealer: Sequence[Card]) -> str | None:
    hard = sum(card.value for card in dealer)
    return str(min(len(dealer), MOST_CARDS)) if hard > 21 else None


BET = SideBet(
    title="Ten, Eleven or Bust",
    phases=(
        Phase("phase1", FIRST_CARDS, "deal", ten_or_eleven),
        Phase("phase2", BUSTS, "dealer", dealer_bust),
    ),
)
