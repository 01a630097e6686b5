"""The cards in a simulated shoe: a seeded shuffle of whole decks, or an order that somebody wrote. Refuses no-cards."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from typing import Final

RANKS: Final = "A23456789TJQK"
SUITS: Final = "CDHS"
DECK: Final = tuple(rank + suit for suit in SUITS for rank in RANKS)
CUT: Final = "CUT"  # the cut card's place in a written order
MAX_DECKS: Final = 8  # the largest shoes hold that many
MAX_CARDS: Final = 52 * MAX_DECKS + 1  # and the cut card
CUT_AT: Final = 0.75  # of a shuffled shoe, where nothing else is said: usual on a six-deck table


def shuffled(decks: int, seed: int, cut_card: int | None = None) -> tuple[str, ...]:
    """Whole decks in the order of the seed. The cut card comes after `cut_card` cards; 0 is no cut card."""
    if not 1 <= decks <= MAX_DECKS:
        raise ValueError(f"decks: a shoe holds 1 to {MAX_DECKS}, not {decks}")
    cards = list(DECK * decks)
    random.Random(seed).shuffle(cards)
    at = round(len(cards) * CUT_AT) if cut_card is None else cut_card
    if not 0 <= at <= len(cards):
        raise ValueError(f"cut_card: {decks * 52} cards are in the shoe, so it can't come after {at}")
    if at:
        cards.insert(at, CUT)
    return tuple(cards)


def written(text: str) -> tuple[str, ...]:
    """An order such as `"8S TD CUT 10h"`; blanks and commas part the cards, `#` begins a comment."""
    words = re.sub(r"#.*", " ", text).replace(",", " ").split()
    if not words:
        raise ValueError('order: write at least one card, such as "8S TD AC"')
    if len(words) > MAX_CARDS:
        raise ValueError(f"order: a shoe holds {MAX_CARDS} cards at most, not {len(words)}")
    return tuple(_card(word, place) for place, word in enumerate(words, 1))


def _card(word: str, place: int) -> str:
    try:
        return CUT if word.upper() == CUT else check_card(word)
    except ValueError as error:
        raise ValueError(f"order: card {place}: {error}") from None


def check_card(word: str) -> str:
    """One card's two letters; a ten may be written 10, and letters small."""
    card = word.upper().replace("10", "T")
    if card not in DECK:
        raise ValueError(f"{word[:20]!r} is no card: write a rank of {RANKS} and a suit of {SUITS}, such as 8S")
    return card


def without_cut(cards: Sequence[str]) -> tuple[str, ...]:
    return tuple(card for card in cards if card != CUT)
