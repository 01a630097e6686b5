"""A ruleset as the keys and values that a file would hold: all of them, or what makes it another than a base."""

from __future__ import annotations

from typing import Any

from controller.rules.money import odds_key
from controller.rules.options import OPTIONS
from controller.rules.ruleset import Ruleset
from controller.rules.sidebets import OfferedBet


def written(rules: Ruleset) -> dict[str, Any]:
    """Every option and every side bet on offer, as JSON or TOML can hold them."""
    return {**options(rules), "side_bets": {key: _pays(bet) for key, bet in rules.side_bets.items()}}


def options(rules: Ruleset) -> dict[str, Any]:
    return {key: option.kind.write(getattr(rules, key)) for key, option in OPTIONS.items()}


def difference(rules: Ruleset, base: Ruleset) -> dict[str, Any]:
    """The options that make `rules` of `base`, as a round script says them over that game. A line of a pay table that
    only `base` has can't be taken away like this."""
    ours, theirs = written(rules), written(base)
    changed = {key: value for key, value in ours.items() if key != "side_bets" and value != theirs[key]}
    bets: dict[str, Any] = {
        key: {**table, "offered": True}
        for key, table in ours["side_bets"].items()
        if table != theirs["side_bets"].get(key)
    }
    bets |= {key: {"offered": False} for key in theirs["side_bets"] if key not in ours["side_bets"]}
    return {**changed, "side_bets": bets} if bets else changed


def _pays(bet: OfferedBet) -> dict[str, dict[str, str]]:
    return {
        phase.table: {line: odds_key(odds) for line, odds in pays.items()}
        for phase, pays in zip(bet.bet.phases, bet.pays, strict=True)
    }
