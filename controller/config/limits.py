"""The sections [limits.…]: what may be bet on the hand and on each side bet. Refuses limits that nobody can keep to."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from controller.config.model import TableSection
from controller.config.part import Part, unknown
from controller.rules.money import Money, money_words, whole
from controller.rules.ruleset import Ruleset
from controller.rules.sidebets import known_bets
from controller.table.limits import BetLimits
from controller.table.state import MAIN

NEEDED: Final = "what a bet is at least and at most; or write wagers = false in [table]"


def read_limits(
    part: Part | None, top: Part, table: TableSection | None, rules: Ruleset | None
) -> dict[str, BetLimits]:
    """By bet; those that are wrong are left out. Without rules nobody knows which side bets there are."""
    wagers = table is None or table.wagers
    if part is None:
        if wagers and "limits" not in top.data:
            top.sheet.wrong((), f"there is no [limits.{MAIN}]: {NEEDED}")
        return {}
    parts = {MAIN: part.table(MAIN, needed=NEEDED if wagers else "")}
    offered = list(rules.side_bets) if rules is not None else list(known_bets())
    for bet in part.data:
        if bet in offered:
            parts[bet] = part.table(bet)
        elif bet != MAIN:
            part.take(bet)
            part.sheet.wrong(part.at(bet), _no_such_bet(bet, offered, rules), at_value=False)
    if rules is not None and wagers:
        for bet in (bet for bet in offered if bet not in part.data):
            title = rules.side_bets[bet].bet.title
            part.sheet.note(part.path, f"any amount may be bet on {title}: it has no [limits.{bet}]")
    step = table.chips[0] if table is not None and table.chips else rules.rounding_chip if rules is not None else 1
    found = {bet: _read(each, step) for bet, each in parts.items() if each is not None}
    return {bet: limits for bet, limits in found.items() if limits is not None}


def _no_such_bet(bet: str, offered: list[str], rules: Ruleset | None) -> str:
    if bet in known_bets() and rules is not None:
        title = known_bets()[bet].title
        return f"{rules.name} does not offer {title} here; leave its limits out, or add the side bet in [game]"
    return unknown("there is no such bet", bet, [MAIN, *offered])


def _read(part: Part, smallest: Money) -> BetLimits | None:
    before = len(part.sheet.problems)
    least = part.money("min", needed='the least that may be bet, such as min = "10"')
    most = part.money("max", needed='the most that may be bet, such as max = "500"')
    step = part.money("step", smallest)
    part.finish()
    if least is not None and most is not None and most < least:
        part.wrong("max", f"{money_words(most)} is less than the min of {money_words(least)}")
    if least is None or most is None or step is None or len(part.sheet.problems) > before:
        return None  # a misspelt step, say, would only make the others look wrong
    rest = whole(Fraction(most - least) % Fraction(step))
    if rest:
        below, above = most - rest, most - rest + step
        key = "step" if "step" in part.data else "max"
        part.wrong(
            key,
            f"from {money_words(least)} in steps of {money_words(step)} no bet comes to {money_words(most)}: "
            f"the nearest are {money_words(below)} and {money_words(above)}",
        )
        return None
    return BetLimits(least, most, step)
