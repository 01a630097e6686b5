"""An amount as the chips of the tray that make it up, in words. Says nothing where they don't make it exactly."""

from __future__ import annotations

from fractions import Fraction

from controller.rules.money import Money, money_words
from controller.rules.words.claims import number_word
from controller.table.state import Setup

MOST_CHIPS = 40  # two stacks: nobody counts out more by a sentence


def amount_words(amount: Money, setup: Setup) -> str:
    """`$15`, `15 points`."""
    words = f"{setup.currency}{money_words(amount)}"
    return f"{words} points" if setup.money == "points" and not setup.currency else words


def chips_words(amount: Money, setup: Setup) -> str:
    """`one $10 and one $5 chip`, the largest chips first; empty where these chips don't make the amount like that."""
    piles = piles_of(amount, setup.chips)
    if not piles:
        return ""
    names = [f"{number_word(count)} {setup.currency}{money_words(chip)}" for chip, count in piles]
    *most, last = names
    listed = f"{', '.join(most)} and {last}" if most else last
    return f"{listed} chip{'s' if piles[-1][1] > 1 else ''}"


def piles_of(amount: Money, chips: tuple[Money, ...]) -> list[tuple[Money, int]]:
    """Chip and count, the largest first; nothing where these chips don't make the amount in a pile or two."""
    rest, piles = Fraction(amount), []
    for chip in sorted(chips, reverse=True):
        count = rest // Fraction(chip)
        if count:
            piles.append((chip, count))
            rest -= count * chip
    return piles if rest == 0 and sum(count for _, count in piles) <= MOST_CHIPS else []
