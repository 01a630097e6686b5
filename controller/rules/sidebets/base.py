"""What a side bet is: one or more phases, each a pure function that names a line of its pay table.

A bet goes through its phases in order. A phase that names a line with a pay pays it and the bet goes on to the
next phase, staying up (a lammer marks it); after the last phase it is returned. A phase that names none takes it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from msgspec import Struct

from controller.rules.cards import Card
from controller.rules.money import Money


class Phase(Struct, frozen=True):
    """One judgement. `table` is its pay table's key in the TOML; `lines` are its lines and their words.

    `judge` is given the seat's first two cards and the dealer's cards: only the up card at the stage `deal`,
    the whole final hand at `dealer`.
    """

    table: str
    lines: Mapping[str, str]
    stage: Literal["deal", "dealer"]
    judge: Callable[[Sequence[Card], Sequence[Card]], str | None]


class SideBet(Struct, frozen=True):
    """A kind of side bet; a ruleset that offers it adds the pay tables."""

    title: str
    phases: tuple[Phase, ...]


class OfferedBet(Struct, frozen=True):
    """A side bet with the pay tables of one ruleset: one table a phase, line to odds."""

    key: str
    bet: SideBet
    pays: tuple[Mapping[str, Money], ...]

    def judge(self, phase: int, cards: Sequence[Card], dealer: Sequence[Card]) -> tuple[str, Money] | None:
        """The line this phase pays and its odds, or None if it takes the bet."""
        line = self.bet.phases[phase].judge(cards, dealer)
        odds = self.pays[phase].get(line) if line is not None else None
        return None if line is None or odds is None else (line, odds)
