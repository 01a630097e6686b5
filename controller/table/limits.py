"""The limits of one bet: least, most, step. Refuses a wager outside them, with the limits in words."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Final

from msgspec import Struct

from controller.rules.errors import Refused
from controller.rules.money import Money, money_words, parse_amount

_NOTICE: Final = re.compile(r"notice:([1-9][0-9]{0,3})([smh])")
_SECONDS: Final = {"s": 1, "m": 60, "h": 3600}


class BetLimits(Struct, frozen=True):
    """A wager is `min`, or `min` and some steps more, up to `max`."""

    min: Money
    max: Money
    step: Money

    def __post_init__(self) -> None:
        if self.min <= 0:
            raise ValueError(f"min: a bet is more than 0, not {money_words(self.min)}")
        if self.step <= 0:
            raise ValueError(f"step: bets go up by more than 0, not {money_words(self.step)}")
        if self.max < self.min:
            raise ValueError(f"max: {money_words(self.max)} is less than the min of {money_words(self.min)}")

    def refusal(self, wager: Money) -> str:
        """Why this wager may not be placed, in words; empty where it may."""
        if self.min <= wager <= self.max and (Fraction(wager - self.min) / Fraction(self.step)).denominator == 1:
            return ""
        return f"{money_words(wager)} is outside the limits: {self.words()}"

    def words(self) -> str:
        least, most, step = map(money_words, (self.min, self.max, self.step))
        return f"{least} to {most}" if self.step == 1 else f"{least} to {most} in steps of {step}"

    def text(self) -> LimitText:
        return LimitText(str(self.min), str(self.max), str(self.step))


class LimitText(Struct, frozen=True):
    """Limits as the journal writes them."""

    min: str
    max: str
    step: str

    @property
    def limits(self) -> BetLimits:
        """Raises ValueError for limits that can't be."""
        return BetLimits(parse_amount(self.min), parse_amount(self.max), parse_amount(self.step))


def notice_seconds(policy: str) -> int:
    """Of a policy; 0 where it waits for something else. Raises Refused for one that is none."""
    if policy in ("next_round", "next_shoe"):
        return 0
    found = _NOTICE.fullmatch(policy)
    if found is None:
        raise Refused("bad_policy", f"{policy!r} is no policy: write next_round, next_shoe or notice:30m.")
    return int(found[1]) * _SECONDS[found[2]]
