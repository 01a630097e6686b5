"""The one-byte card code (TL-040): 52 cards, readers that see only the rank, and a card nobody could read."""

from __future__ import annotations

from typing import Final

RANKS: Final = "A23456789TJQK"
SUITS: Final = "CDHS"
NO_SUIT: Final = 0x40
UNKNOWN: Final = 0x7F

_TEXTS: Final = {
    **{suit << 4 | rank: RANKS[rank - 1] + SUITS[suit] for suit in range(4) for rank in range(1, 14)},
    **{NO_SUIT | rank: RANKS[rank - 1] + "?" for rank in range(1, 14)},
    UNKNOWN: "??",
}
_CODES: Final = {text: code for code, text in _TEXTS.items()}


def card_text(code: int) -> str:
    """`"8S"`, `"8?"` without a suit, `"??"` unread; raises ValueError for a byte that is no card code."""
    try:
        return _TEXTS[code]
    except KeyError:
        raise ValueError(f"0x{code:02X} is no card code") from None


def is_card_code(code: int) -> bool:
    return code in _TEXTS


def card_code(text: str) -> int:
    """The byte for a card's text."""
    try:
        return _CODES[text]
    except KeyError:
        raise ValueError(f'{text!r} is no card: write rank and suit, such as "8S", "8?" or "??"') from None
