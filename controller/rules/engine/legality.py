"""Which decisions a hand may take, and for each it may not, why. Pure: a function of the rules and a few facts.

`Round.awaiting` shows what this says and `Round.apply` obeys it, so the two can't disagree. The order of the
tests in a rule is the order in which reasons are given.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from msgspec import Struct

from controller.rules.engine.hand import best_total
from controller.rules.engine.inputs import ACTIONS, Action
from controller.rules.ruleset import Ruleset
from controller.rules.words.reasons import reason_words


class Facts(NamedTuple):
    """All of a hand and its seat that a decision's legality depends on."""

    hard: int
    ace: bool
    pair: bool
    two_cards: bool
    split: bool
    doubles: int
    hands: int
    power_card: bool
    checked: bool  # the dealer has looked for blackjack


class Choices(Struct, frozen=True):
    """What a hand may do, and the reason against everything else: action to (code, words)."""

    legal: tuple[Action, ...]
    illegal: Mapping[str, tuple[str, str]]


def _hit(rules: Ruleset, hand: Facts) -> str | None:
    if hand.doubles:
        return "hit_after_double"
    return "split_aces_one_card" if _one_card_ace(rules, hand) else None


def _stand(rules: Ruleset, hand: Facts) -> str | None:
    return None


def _double(rules: Ruleset, hand: Facts) -> str | None:
    if rules.double_cards == "first_two" and not hand.two_cards:
        return "double_not_two_cards"
    if rules.double_totals and not _double_total(rules, hand):
        return "double_not_" + "_".join(map(str, rules.double_totals))
    if _soft(hand) and not rules.double_soft:
        return "double_not_soft"
    if hand.split and not rules.double_after_split:
        return "double_after_split"
    if hand.doubles >= rules.max_doubles:
        return "double_too_many"
    return "split_aces_one_card" if _one_card_ace(rules, hand) else None


def _double_total(rules: Ruleset, hand: Facts) -> bool:
    """An ace is 1 or 11 (R-14), unless only hard hands may double."""
    if _soft(hand) and not rules.double_soft:
        return False
    return hand.hard in rules.double_totals or best_total(hand.hard, hand.ace) in rules.double_totals


def _soft(hand: Facts) -> bool:
    return best_total(hand.hard, hand.ace) != hand.hard


def _split(rules: Ruleset, hand: Facts) -> str | None:
    if hand.doubles:
        return "split_after_double"
    if not hand.pair:
        return "split_not_a_pair"
    if hand.hands >= rules.max_hands:
        return "split_too_many_hands"
    return "split_aces_again" if hand.split and hand.ace and not rules.resplit_aces else None


def _surrender(rules: Ruleset, hand: Facts) -> str | None:
    if rules.surrender == "none":
        return "surrender_not_offered"
    if rules.surrender == "any_time":
        return None
    if not hand.two_cards or hand.split:
        return "surrender_not_first_two"
    return "surrender_too_late" if rules.surrender == "early" and hand.checked else None


def _power_split(rules: Ruleset, hand: Facts) -> str | None:
    return _power("power_split", rules.power_split_totals, hand)


def _power_double(rules: Ruleset, hand: Facts) -> str | None:
    return _power("power_double", rules.power_double_totals, hand)


def _power(name: str, totals: tuple[int, ...], hand: Facts) -> str | None:
    if not totals:
        return f"{name}_not_offered"
    if not hand.two_cards or hand.split:
        return f"{name}_not_first_two"
    if hand.ace or hand.hard not in totals:
        return f"{name}_not_hard_" + "_".join(map(str, totals))
    return None


def _keep(rules: Ruleset, hand: Facts) -> str | None:
    return None if hand.power_card else "keep_without_power_double"


def _rollover(rules: Ruleset, hand: Facts) -> str | None:
    return None if hand.power_card else "rollover_without_power_double"


def _one_card_ace(rules: Ruleset, hand: Facts) -> bool:
    """A split ace that got its one card: it decides anything only while it may be split again, so it is a pair."""
    return rules.split_aces == "one_card" and hand.split and hand.ace and hand.pair


_RULES: Final[Mapping[Action, Callable[[Ruleset, Facts], str | None]]] = {
    "hit": _hit,
    "stand": _stand,
    "double": _double,
    "split": _split,
    "surrender": _surrender,
    "power_split": _power_split,
    "power_double": _power_double,
    "keep": _keep,
    "rollover": _rollover,
}
_ENDS_POWER_DOUBLE: Final = ("keep", "rollover")


def choices(rules: Ruleset, facts: Facts) -> Choices:
    """The choices of one hand. Callers keep the answer: there are few different ones in a game."""
    illegal: dict[str, tuple[str, str]] = {}
    for action in ACTIONS:
        code = _RULES[action](rules, facts)
        if facts.power_card and action not in _ENDS_POWER_DOUBLE:
            code = "power_double_needs_keep_or_rollover"
        if code is not None:
            illegal[action] = (code, reason_words(code, rules))
    return Choices(tuple(a for a in ACTIONS if a not in illegal), illegal)
