"""Playing cards: fifty-two fixed values, read from and written as short codes. Refuses anything else.

A card is one of 52 shared objects, so comparing is identity and a hand of six decks may hold the same
object twice. The code has two letters (`"TD"`); people write a ten as `10D`, and both are read.
"""

from __future__ import annotations

from typing import Final, NoReturn

RANKS: Final = "A23456789TJQK"
SUITS: Final = "CDHS"
RED_SUITS: Final = "DH"


class BadCard(ValueError):
    """The text names no card."""


class Card:
    """One card. `value` counts an ace as 1; hands decide when it is 11. `order` is 1 (ace) to 13 (king)."""

    __slots__ = ("code", "order", "rank", "suit", "text", "value")

    code: str
    text: str
    rank: str
    suit: str
    value: int
    order: int

    def __init__(self, rank: str, suit: str) -> None:
        if len(rank) != 1 or rank not in RANKS or len(suit) != 1 or suit not in SUITS:
            raise BadCard(f"{rank + suit!r} is no card")
        order = RANKS.index(rank) + 1
        fields = {
            "code": rank + suit,
            "text": ("10" if rank == "T" else rank) + suit,
            "rank": rank,
            "suit": suit,
            "value": min(order, 10),
            "order": order,
        }
        for name, field in fields.items():
            object.__setattr__(self, name, field)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError("a card never changes")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError("a card never changes")

    def __repr__(self) -> str:
        return f"Card({self.code})"

    def __str__(self) -> str:
        return self.text

    def __copy__(self) -> Card:
        return self

    def __deepcopy__(self, memo: object) -> Card:
        return self

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return card, (self.code,)


DECK: Final = tuple(Card(rank, suit) for suit in SUITS for rank in RANKS)
_BY_TEXT: Final = {c.code: c for c in DECK} | {c.text: c for c in DECK}


def card(text: object) -> Card:
    """The card a code names; `"10S"` and `"TS"` are the same one."""
    found = _BY_TEXT.get(text) if isinstance(text, str) else None
    if found is None:
        raise BadCard(f"{text!r} is no card: write a rank ({', '.join(RANKS)} or 10) and a suit (C, D, H, S)")
    return found
