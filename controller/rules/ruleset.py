"""A game's rules as one frozen, typed value, checked for combinations that can't be played.

Built by `rulebook` from TOML; everything else (the round, the words, the settlement) asks this value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, Final, Literal

from msgspec import Struct

from controller.rules.money import Money
from controller.rules.options import InstantWin
from controller.rules.sidebets import OfferedBet

Surrender = Literal["none", "early", "late", "any_time"]
Face = Literal["face_up", "face_down"]


class Ruleset(Struct, frozen=True, kw_only=True, dict=True):
    """The rules of one table. Field names are the option keys; `options.py` says what each means."""

    game: str
    name: str
    summary: str = ""

    decks: int
    cut_card_from_back: tuple[int, int] | None
    dealer_hits_soft_17: bool
    dealer_pushes_22: bool
    dealer_always_draws: bool
    no_hole_card: bool
    dealer_blackjack_takes: Literal["all", "original"]
    up_card: Literal["first", "second"]
    player_cards: Face
    double_card: Face
    blackjack_pays: Money
    blackjack_tie: Literal["push", "win"]
    blackjack_paid: Literal["at_once", "in_turn", "after_all"]
    insurance: bool
    insurance_pays: Money
    double_cards: Literal["first_two", "any"]
    double_totals: tuple[int, ...]
    double_soft: bool
    double_after_split: bool
    max_doubles: int
    pairs: Literal["value", "rank"]
    max_hands: int
    split_cards: Literal["in_turn", "at_once"]
    new_hand_plays: Literal["next", "last"]
    split_aces: Literal["one_card", "play_on"]
    resplit_aces: bool
    surrender: Surrender
    instant_wins: tuple[InstantWin, ...]
    power_split_totals: tuple[int, ...]
    power_double_totals: tuple[int, ...]
    rounding: Literal["exact", "up", "down", "nearest"]
    rounding_chip: Money
    side_bets: Mapping[str, OfferedBet]

    @property
    def asks_after_double(self) -> bool:
        """Whether a doubled hand still has something to decide (re-double or surrender)."""
        return self.max_doubles > 1 or self.surrender == "any_time"

    @property
    def may_stand_21(self) -> bool:
        """Whether a table may stand a 21 by itself (R-07): not where drawing on it can win something, and not where
        cards lie face down, for the turn that passes on would tell what they are."""
        return not self.instant_wins and self.player_cards == "face_up"

    @cached_property
    def derived(self) -> dict[Any, Any]:
        """What the engine has worked out about these rules and will ask again; never part of their value."""
        return {}


_Combination = tuple[tuple[str, ...], Callable[[Ruleset], bool], str]

# The keys it concerns, the test, the words; an error points at the key that the last file set.
_IMPOSSIBLE: Final[tuple[_Combination, ...]] = (
    (
        ("surrender", "no_hole_card"),
        lambda r: r.no_hole_card and r.surrender in ("late", "any_time"),
        "late surrender follows a check for blackjack, and no_hole_card has none",
    ),
    (
        ("up_card", "no_hole_card"),
        lambda r: r.no_hole_card and r.up_card == "second",
        "with no_hole_card the dealer's first card is the one face up",
    ),
    (
        ("max_doubles", "double_cards"),
        lambda r: r.max_doubles > 1 and r.double_cards == "first_two",
        "a re-double is on three cards or more, and double_cards is first_two",
    ),
    (
        ("double_card", "max_doubles", "surrender"),
        lambda r: r.double_card == "face_down" and r.asks_after_double,
        "a hand whose double card lies face down has nothing more to decide",
    ),
    (
        ("double_card", "power_double_totals"),
        lambda r: r.double_card == "face_down" and bool(r.power_double_totals),
        "a power double is kept or rolled over, so its card lies face up",
    ),
    (
        ("power_split_totals", "max_hands"),
        lambda r: bool(r.power_split_totals) and r.max_hands < 2,
        "a power split makes two hands, and max_hands is 1",
    ),
)


def impossible(rules: Ruleset) -> tuple[tuple[str, ...], str] | None:
    """The first combination of options that can't be played, as the keys it concerns and why; or None."""
    return next(((keys, words) for keys, true, words in _IMPOSSIBLE if true(rules)), None)
