"""Best play of a blackjack game dealt from an infinite deck, exact, and the dealer's hand from a fresh shoe.

Knows no rule of its own: what is legal, when the dealer draws and what a blackjack pays is asked of the engine and
its ruleset. Refuses nothing; it is meant for games without surrender, side bets and power options.
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import cache

from controller.rules.engine.closing import must_draw
from controller.rules.engine.hand import best_total
from controller.rules.engine.legality import Facts, choices
from controller.rules.ruleset import Ruleset

VALUES = range(1, 11)
CHANCE = {value: Fraction(4 if value == 10 else 1, 13) for value in VALUES}
BUST = 22  # every total over 21 is as good as any other where dealer 22 does not push


def dealer_hands(rules: Ruleset) -> Iterator[tuple[int, int, Fraction]]:
    """Every final hand of a dealer who always plays it out, from a fresh shoe: total, cards, probability."""
    left = {value: 4 * rules.decks * (4 if value == 10 else 1) for value in VALUES}

    def drawn(hard: int, ace: bool, cards: int, chance: Fraction) -> Iterator[tuple[int, int, Fraction]]:
        if cards >= 2 and not must_draw(rules, hard, ace):
            yield best_total(hard, ace), cards, chance
            return
        size = sum(left.values())
        for value in VALUES:
            if not left[value]:
                continue
            here = chance * Fraction(left[value], size)
            left[value] -= 1
            yield from drawn(hard + value, ace or value == 1, cards + 1, here)
            left[value] += 1

    return drawn(0, False, 0, Fraction(1))


class InfiniteDeck:
    """Values of every hand against every up card, per unit bet, once the dealer has checked for blackjack."""

    def __init__(self, rules: Ruleset) -> None:
        self.rules = rules
        self.dealer = cache(self._dealer)
        self.stand = cache(self._stand)
        self.play = cache(self._play)
        self.legal = cache(self._legal)
        self.final = {up: self._final(up) for up in VALUES}

    def edge(self) -> Fraction:
        """What best play wins per unit bet: negative is the house's."""
        rules = self.rules
        worth = Fraction(0)
        for up in VALUES:
            blackjack = {1: CHANCE[10], 10: CHANCE[1]}.get(up, Fraction(0))
            for first in VALUES:
                for second in VALUES:
                    dealt = CHANCE[up] * CHANCE[first] * CHANCE[second]
                    if {first, second} == {1, 10}:
                        won = (1 - blackjack) * rules.blackjack_pays
                    else:
                        won = (1 - blackjack) * self.first_two(up, first, second) - blackjack
                    worth += dealt * won
        return worth

    def first_two(self, up: int, first: int, second: int) -> Fraction:
        best = self.play(up, first + second, 1 in (first, second), first == second, True, False, 1)
        if "split" in self.legal(up, first + second, first == 1, first == second, True, False, 1):
            best = max(best, self.split(up, first, hands=2, waiting=2))
        return best

    def split(self, up: int, value: int, hands: int, waiting: int) -> Fraction:
        """`waiting` of the seat's `hands` lie with one card and are still to be played, in turn."""
        if not waiting:
            return Fraction(0)
        worth = Fraction(0)
        rest = self.split(up, value, hands, waiting - 1)
        for second in VALUES:
            hard, ace, pair = value + second, 1 in (value, second), value == second
            legal = self.legal(up, hard, ace, pair, True, True, hands)
            if value == 1 and self.rules.split_aces == "one_card":  # over with its card, unless split again
                here = self.stand(up, hard, ace) + rest
            else:
                here = self.play(up, hard, ace, pair, True, True, hands) + rest
            if "split" in legal:
                here = max(here, self.split(up, value, hands + 1, waiting + 1))
            worth += CHANCE[second] * here
        return worth

    def _legal(self, up: int, hard: int, ace: bool, pair: bool, two: bool, split: bool, hands: int) -> tuple[str, ...]:
        facts = Facts(hard, ace, pair, two, split, doubles=0, hands=hands, power_card=False, checked=up in (1, 10))
        return choices(self.rules, facts).legal

    def _play(self, up: int, hard: int, ace: bool, pair: bool, two: bool, split: bool, hands: int) -> Fraction:
        """The best of every legal action but a split."""
        legal = self.legal(up, hard, ace, pair, two, split, hands)
        worth = [self.stand(up, hard, ace)] if "stand" in legal else []
        drawn = [(chance, hard + value, ace or value == 1) for value, chance in CHANCE.items()]
        if "hit" in legal:
            after = [(p, self.play(up, h, a, False, False, split, hands) if h < BUST else -1) for p, h, a in drawn]
            worth.append(sum((p * value for p, value in after), Fraction(0)))
        if "double" in legal:
            after = [(p, self.stand(up, h, a) if h < BUST else -1) for p, h, a in drawn]
            worth.append(2 * sum((p * value for p, value in after), Fraction(0)))
        return max(worth)

    def _stand(self, up: int, hard: int, ace: bool) -> Fraction:
        mine = best_total(hard, ace)
        final = self.final[up].items()
        wins = sum((p for total, p in final if total < mine or total == BUST), Fraction(0))
        return wins - sum((p for total, p in final if mine < total < BUST), Fraction(0))

    def _final(self, up: int) -> dict[int, Fraction]:
        """The dealer's totals without a blackjack: with an ace or a ten up it has been checked for."""
        under = {1: 10, 10: 1}.get(up)
        known = 1 - CHANCE[under] if under else Fraction(1)
        totals: dict[int, Fraction] = {}
        for hole, chance in CHANCE.items():
            if hole == under:
                continue
            for total, p in self.dealer(up + hole, 1 in (up, hole)).items():
                totals[total] = totals.get(total, Fraction(0)) + chance / known * p
        return totals

    def _dealer(self, hard: int, ace: bool) -> dict[int, Fraction]:
        if not must_draw(self.rules, hard, ace):
            return {min(best_total(hard, ace), BUST): Fraction(1)}
        totals: dict[int, Fraction] = {}
        for value, chance in CHANCE.items():
            for total, p in self.dealer(hard + value, ace or value == 1).items():
                totals[total] = totals.get(total, Fraction(0)) + chance * p
        return totals
