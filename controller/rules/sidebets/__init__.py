"""The side bets the rules know. Each module here that defines `BET` is one; adding one is adding its file."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from controller.rules.sidebets.base import OfferedBet, Phase, SideBet

__all__ = ["OfferedBet", "Phase", "SideBet", "known_bets"]


@cache
def known_bets() -> dict[str, SideBet]:
    """Every side bet by its key, which is the name of its module."""
    found = {}
    for module in pkgutil.iter_modules(__path__):
        bet = getattr(importlib.import_module(f"{__name__}.{module.name}"), "BET", None)
        if isinstance(bet, SideBet):
            found[module.name] = bet
    return found
