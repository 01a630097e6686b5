"""Whether bets can be put down and paid in the chips there are: every wager the limits allow, at every odds that pay.

Looks only where the table keeps wagers and the chips are known: from `chips`, or from a `rounding_chip` that was set. A
house that rounds its payouts (`rounding` in its rules) is asked only whether it has the chip it rounds to.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping
from fractions import Fraction
from math import gcd, lcm
from typing import Final

from msgspec import Struct

from controller.config.model import TableSection
from controller.config.sheet import Sheet
from controller.rules.money import Money, money_words, odds_words, whole
from controller.rules.ruleset import Ruleset
from controller.rules.sidebets import OfferedBet
from controller.table.limits import BetLimits
from controller.table.state import MAIN

MOST_REMAINDERS: Final = 1000  # of the smallest chip, in the largest unit all chips are made of; real trays have ten
HALF: Final = Fraction(1, 2)


class Payout(Struct, frozen=True):
    """One way a wager is paid: what one unit of it wins or gets back, and what for."""

    odds: Money
    what: str


class Tray:
    """The chips there are, each in any number. Raises ValueError for values that nobody could change."""

    def __init__(self, chips: tuple[Money, ...]) -> None:
        scale = lcm(*(chip.denominator for chip in chips))
        values = sorted(int(chip * scale) for chip in chips)
        common = gcd(*values)
        self.unit = Fraction(common, scale)  # what all of them are multiples of
        self._values = [value // common for value in values]
        if self._values[0] > MOST_REMAINDERS:
            raise ValueError("these chips can't be changed for one another; a smaller one would help")
        self._least = self._least_sums()
        self.words = ", ".join(map(money_words, sorted(chips)))

    @property
    def period(self) -> int:
        """Wagers that go up in steps show within so many steps whether all of them can be paid."""
        return self._values[0]

    def makes(self, amount: Money) -> bool:
        """Whether the amount can be made up of these chips."""
        units = Fraction(amount) / self.unit
        if units.denominator != 1:
            return False
        least = self._least.get(units.numerator % self._values[0])
        return least is not None and units >= least

    def _least_sums(self) -> dict[int, int]:
        """Per remainder of the smallest chip, the least sum that has it: more of the smallest always may be added."""
        smallest = self._values[0]
        least: dict[int, int] = {}
        waiting = [0]
        while waiting:
            total = heapq.heappop(waiting)
            if total % smallest not in least:
                least[total % smallest] = total
                for value in self._values[1:]:
                    heapq.heappush(waiting, total + value)
        return least


def check_chips(sheet: Sheet, table: TableSection, rules: Ruleset, limits: Mapping[str, BetLimits]) -> None:
    chips_known = table.chips or sheet.says(("game", "rounding_chip"))
    try:
        tray = Tray(table.chips or (rules.rounding_chip,))
    except ValueError as error:
        sheet.wrong(("table", "chips"), str(error))
        return
    if rules.rounding != "exact":
        if not tray.makes(rules.rounding_chip):
            chip = money_words(rules.rounding_chip)
            words = f"payouts are rounded to {chip}, which can't be made up of these chips; set rounding_chip in [game]"
            sheet.wrong(("table", "chips"), words)
        return
    if not table.wagers:
        return
    if not chips_known:
        sheet.note(("table",), "no chips are listed, so nobody has checked whether every payout can be made in them")
        return
    for bet, limit in limits.items():
        wager = next((wager for wager in _wagers(limit, tray) if not tray.makes(wager)), None)
        if wager is not None:
            words = f"a bet of {money_words(wager)} can't be put down in chips of {tray.words}"
            sheet.wrong(_place(bet, wager, limit), f"{words}; {_chip_help(tray, wager)}")
            continue
        for payout in payouts(rules, bet):
            _check_payout(sheet, tray, bet, limit, payout)


def payouts(rules: Ruleset, bet: str) -> Iterator[Payout]:
    """All odds at which this bet may be paid, each once."""
    named = _main_payouts(rules) if bet == MAIN else _side_payouts(rules.side_bets[bet])
    seen: set[Money] = set()
    for odds, what in named:
        if odds not in seen:
            seen.add(odds)
            yield Payout(odds, what)


def _main_payouts(rules: Ruleset) -> Iterator[tuple[Money, str]]:
    yield rules.blackjack_pays, "a blackjack"
    for win in rules.instant_wins:
        yield win.pays, f"a hand of {win.cards} cards"
    if rules.surrender != "none":
        yield HALF, "a surrender, which gives half back"


def _side_payouts(offered: OfferedBet) -> Iterator[tuple[Money, str]]:
    for phase, pays in zip(offered.bet.phases, offered.pays, strict=True):
        for line, odds in pays.items():
            yield odds, phase.lines[line]


def _check_payout(sheet: Sheet, tray: Tray, bet: str, limit: BetLimits, payout: Payout) -> None:
    for wager in _wagers(limit, tray):
        paid = whole(Fraction(wager) * payout.odds)
        if tray.makes(paid):
            continue
        at = "" if payout.odds == HALF and bet == MAIN else f" at {odds_words(payout.odds)}"
        even = money_words(whole(tray.unit * payout.odds.denominator))
        sheet.wrong(
            _place(bet, wager, limit),
            f"a bet of {money_words(wager)} is paid {money_words(paid)} for {payout.what}{at}, which can't be made up "
            f'of chips of {tray.words}; write rounding = "up" in [game], or {_chip_help(tray, paid)}, '
            f"or let all bets be multiples of {even}",
        )
        return


def _wagers(limit: BetLimits, tray: Tray) -> Iterator[Money]:
    """As many of the wagers that the limits allow as can differ in how they are paid, the smallest first."""
    most = whole(Fraction(limit.max - limit.min) / limit.step)
    for steps in range(min(int(most), tray.period) + 1):
        yield whole(Fraction(limit.min) + steps * Fraction(limit.step))


def _place(bet: str, wager: Money, limit: BetLimits) -> tuple[str, ...]:
    return ("limits", bet, "min" if wager == limit.min else "step")


def _chip_help(tray: Tray, amount: Money) -> str:
    """The chip that is missing, in words."""
    exact, unit = Fraction(amount), tray.unit
    scale = lcm(exact.denominator, unit.denominator)
    chip = Fraction(gcd(int(exact * scale), int(unit * scale)), scale)
    return f"have a chip of {money_words(whole(chip))} among the chips in [table]"
