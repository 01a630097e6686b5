"""Exact money and odds: reading them, writing them, rounding them to a chip. Refuses floats and nonsense.

An amount is an `int` where it is whole and a `Fraction` where it is not; both are exact, and whole amounts
(nearly all of them) keep the speed of integers.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Final

Money = int | Fraction

_AMOUNT: Final = re.compile(r"[+-]?[0-9]{1,30}(?:\.[0-9]{1,30}|/[0-9]{1,30})?")
_ODDS: Final = re.compile(r"([0-9]{1,6})\s*(?::|/|-|\bto\b)\s*([0-9]{1,6})")


def whole(amount: Fraction) -> Money:
    """The same amount, as an `int` if it is one."""
    return amount.numerator if amount.denominator == 1 else amount


def parse_amount(text: object) -> Money:
    """An exact amount from a whole number or from text such as `"10"`, `"5/2"`, `"7.50"`."""
    if isinstance(text, int) and not isinstance(text, bool) and abs(text) < 10**30:
        return text
    if isinstance(text, str) and _AMOUNT.fullmatch(text.strip()):
        try:
            return whole(Fraction(text.strip()))
        except ZeroDivisionError:
            pass
    shown = "a number of more than 30 digits" if type(text) is int else repr(text)
    raise ValueError(f'{shown} is no exact amount: write text such as "10", "5/2" or "7.50"')


def parse_odds(text: object) -> Money:
    """What one unit wins: `"3:2"` is 3/2. `3 to 2`, `3/2` and `3-2` mean the same."""
    found = _ODDS.fullmatch(text.strip()) if isinstance(text, str) else None
    if found is None or 0 in (int(found[1]), int(found[2])):
        raise ValueError(f'{text!r} is no payout: write it as "3:2"')
    return whole(Fraction(int(found[1]), int(found[2])))


def odds_words(odds: Money) -> str:
    """`3 to 2`: always with "to", as a sign must write it."""
    return f"{odds.numerator} to {odds.denominator}"


def odds_key(odds: Money) -> str:
    """`3:2`: as a ruleset writes it."""
    return f"{odds.numerator}:{odds.denominator}"


def money_words(amount: Money) -> str:
    """An amount as people say it: `7.50`, and a fraction only where no cents would do."""
    cents = Fraction(amount) * 100
    if cents.denominator != 1:
        return str(amount)
    sign, whole_cents = "-" if amount < 0 else "", abs(cents.numerator)
    units, rest = divmod(whole_cents, 100)
    return f"{sign}{units}.{rest:02}" if rest else f"{sign}{units}"


def round_to_chip(amount: Money, chip: Money, policy: str) -> Money:
    """What the house hands over when `amount` is not a whole number of `chip`s; never negative amounts.

    `up` favours the player, `down` the house, `nearest` takes the nearer chip and the player's side of a tie.
    """
    chips = Fraction(amount) / chip
    if chips.denominator == 1:
        return amount
    floor = chips.numerator // chips.denominator
    if policy == "up" or (policy == "nearest" and chips - floor >= Fraction(1, 2)):
        floor += 1
    return whole(Fraction(floor) * chip)
