"""Basic strategy for six decks, S17, double after split: one chart, so that every engine plays the same way."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Final

# Up cards (an ace is 1) against which it is right, by total; anything else is the plain move.
_DOUBLE_HARD: Final = {9: range(3, 7), 10: range(2, 10), 11: range(2, 11)}
_DOUBLE_SOFT: Final = {
    13: range(5, 7),
    14: range(5, 7),
    15: range(4, 7),
    16: range(4, 7),
    17: range(3, 7),
    18: range(3, 7),
}
_SPLIT: Final = {
    4: range(2, 8),
    6: range(2, 8),
    8: range(5, 7),
    12: range(2, 7),
    14: range(2, 8),
    16: range(1, 11),
    18: (2, 3, 4, 5, 6, 8, 9),
}


def best_move(total: int, soft: bool, legal: Collection[str], up: int) -> str:
    """The move for a hand against an up card; a pair is a hand that may legally be split."""
    return next(move for move in _by_preference(total, soft, up) if move in legal)


def _by_preference(total: int, soft: bool, up: int) -> Iterator[str]:
    two_aces = soft and total == 12
    if two_aces or (not soft and up in _SPLIT.get(total, ())):
        yield "split"
    if up in (_DOUBLE_SOFT if soft else _DOUBLE_HARD).get(total, ()):
        yield "double"
    if soft:
        stands = total >= 19 or (total == 18 and up in range(2, 9))
    else:
        stands = total >= 17 or (total >= 13 and up in range(2, 7)) or (total == 12 and up in range(4, 7))
    yield "stand" if stands else "hit"
