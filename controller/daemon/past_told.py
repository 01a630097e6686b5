"""A round that is over, as it is told to those who may see the table's past. Frozen values."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from controller.table.felt import HandView, SideBetView


class RoundSummary(Struct, frozen=True, kw_only=True):
    """A round that is over, in short. `net` is what each seat won or lost when it ended, `difference` what changed
    hands later because a card was corrected, `corrected` how often one was."""

    number: int
    status: Literal["ended", "void"]
    game: str
    began: str
    ended: str
    net: dict[int, str | None]
    difference: dict[int, str] = {}
    corrected: int = 0
    void_reason: str = ""


class RoundTold(RoundSummary, frozen=True, kw_only=True):
    """As it lay on the felt at its end, after corrections; `problem` says why that can't be shown, where it can't."""

    hands: tuple[HandView, ...] = ()
    dealer: HandView | None = None
    side_bets: tuple[SideBetView, ...] = ()
    problem: str = ""
