"""Every rule option there is, once: its key, what it may be, its default, and what it means.

Games, houses, scripts and the command line all write these keys; `Ruleset` holds the values typed.
Refuses a value that is not of the option's kind, saying what is allowed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from msgspec import Struct

from controller.rules.money import Money, odds_key, parse_amount, parse_odds


class Kind(Struct, frozen=True):
    """How a value is read from a file and written back, in words and in code. `read` raises ValueError."""

    allowed: str
    read: Callable[[Any], Any]
    samples: tuple[Any, ...]
    write: Callable[[Any], Any] = lambda value: value


def flag() -> Kind:
    def read(value: object) -> bool:
        if not isinstance(value, bool):
            raise ValueError("not true or false")
        return value

    return Kind("true, false", read, (True, False))


def number(low: int, high: int) -> Kind:
    def read(value: object) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise ValueError(f"not a whole number from {low} to {high}")
        return value

    return Kind(f"a whole number from {low} to {high}", read, (low, high))


def choice(*names: str) -> Kind:
    def read(value: object) -> str:
        if not isinstance(value, str) or value not in names:
            raise ValueError("not one of its values")
        return value

    return Kind(", ".join(f'"{name}"' for name in names), read, names)


def odds() -> Kind:
    return Kind('a payout such as "3:2"', parse_odds, ("3:2", "6:5", "2:1"), odds_key)


def totals() -> Kind:
    def read(value: object) -> tuple[int, ...]:
        if not isinstance(value, list | tuple) or any(
            isinstance(n, bool) or not isinstance(n, int) or not 4 <= n <= 21 for n in value
        ):
            raise ValueError("not a list of totals")
        if len(set(value)) != len(value):
            raise ValueError("names a total twice")
        return tuple(sorted(value))

    return Kind("a list of hand totals from 4 to 21, such as [9, 10, 11]; [] for none", read, ([], [10, 11]), list)


def span() -> Kind:
    def read(value: object) -> tuple[int, int] | None:
        match value:
            case "none":
                return None
            case [int(low), int(high)] if 0 < low <= high <= 208 and bool not in (type(low), type(high)):
                return low, high
        raise ValueError("not a pair of card counts")

    return Kind(
        'two card counts such as [40, 50], or "none"', read, ([40, 50], "none"), lambda pair: list(pair or ()) or "none"
    )


def chip() -> Kind:
    def read(value: object) -> Money:
        amount = parse_amount(value)
        if amount <= 0:
            raise ValueError("a chip is worth more than nothing")
        return amount

    return Kind('a chip\'s worth, such as "1" or "1/2"', read, ("1", "5"), str)


class InstantWin(Struct, frozen=True):
    """A non-doubled hand of at least `cards` cards whose total lies in the span is paid at once."""

    cards: int
    pays: Money
    total_min: int = 0
    total_max: int = 21


def _write_wins(wins: tuple[InstantWin, ...]) -> list[dict[str, Any]]:
    return [
        {"cards": w.cards, "total_min": w.total_min, "total_max": w.total_max, "pays": odds_key(w.pays)} for w in wins
    ]


def instant_wins() -> Kind:
    known = {
        "cards": number(3, 12),
        "pays": odds(),
        "total_min": number(0, 21),
        "total_max": number(0, 21),
    }

    def read(value: object) -> tuple[InstantWin, ...]:
        if not isinstance(value, list) or not all(isinstance(item, Mapping) for item in value):
            raise ValueError("not a list of tables")
        wins = []
        for item in value:
            for key in item:
                if key not in known:
                    raise ValueError(f"has no key {key!r}")
            for key in ("cards", "pays"):
                if key not in item:
                    raise ValueError(f"lacks {key!r}")
            win = InstantWin(**{key: known[key].read(v) for key, v in item.items()})
            if win.total_min > win.total_max:
                raise ValueError("total_min is above total_max")
            wins.append(win)
        return tuple(wins)

    sample = [{"cards": 5, "total_min": 21, "pays": "2:1"}]
    return Kind('tables with "cards", "pays" and "total_min" or "total_max"', read, ([], sample), _write_wins)


class Option(Struct, frozen=True):
    """One rule option. `about` finishes the sentence "this option says …"."""

    key: str
    kind: Kind
    default: Any
    about: str


OPTIONS: Final[dict[str, Option]] = {
    key: Option(key, kind, default, about)
    for key, kind, default, about in (
        ("decks", number(1, 8), 6, "how many decks of 52 are in the shoe"),
        ("cut_card_from_back", span(), "none", "how many cards lie behind the cut card"),
        # The dealer's hand
        ("dealer_hits_soft_17", flag(), False, "whether the dealer draws on a soft 17"),
        ("dealer_pushes_22", flag(), False, "whether a dealer total of 22 pushes instead of losing"),
        ("dealer_always_draws", flag(), False, "whether the dealer draws with no hand left to compare"),
        ("no_hole_card", flag(), False, "whether the dealer's second card is drawn after the players' play"),
        (
            "dealer_blackjack_takes",
            choice("all", "original"),
            "all",
            "which bets it takes if not checked for",
        ),
        ("up_card", choice("first", "second"), "first", "which of the dealer's two cards lies face up"),
        # How cards lie
        ("player_cards", choice("face_up", "face_down"), "face_up", "how players' first cards lie"),
        ("double_card", choice("face_up", "face_down"), "face_up", "how a double's card lies"),
        # Blackjacks and insurance
        ("blackjack_pays", odds(), "3:2", "what a blackjack pays"),
        ("blackjack_tie", choice("push", "win"), "push", "what a blackjack is worth against a dealer's"),
        ("blackjack_paid", choice("at_once", "in_turn", "after_all"), "in_turn", "when a blackjack is paid"),
        ("insurance", flag(), True, "whether insurance is offered against a dealer's ace"),
        ("insurance_pays", odds(), "2:1", "what insurance pays"),
        # Doubling
        ("double_cards", choice("first_two", "any"), "first_two", "on how many cards a hand may double"),
        ("double_totals", totals(), [], "which totals may double ([] is any)"),
        ("double_soft", flag(), True, "whether soft hands may double, their ace as 1 or as 11"),
        ("double_after_split", flag(), True, "whether split hands may double"),
        ("max_doubles", number(1, 5), 1, "how often one hand may be doubled"),
        # Splitting
        ("pairs", choice("value", "rank"), "value", "whether K-Q is a pair (value) or not (rank)"),
        ("max_hands", number(1, 8), 4, "how many hands a seat may have after splits"),
        ("split_cards", choice("in_turn", "at_once"), "in_turn", "when split hands get their second cards"),
        ("new_hand_plays", choice("next", "last"), "next", "when a hand made by a split is played"),
        ("split_aces", choice("one_card", "play_on"), "one_card", "what split aces get"),
        ("resplit_aces", flag(), False, "whether split aces may be split again"),
        # Surrender and the games' own moves
        ("surrender", choice("none", "early", "late", "any_time"), "none", "when half may be given up"),
        ("instant_wins", instant_wins(), [], "which non-doubled hands win as soon as they are made"),
        ("power_split_totals", totals(), [], "which hard first two cards may power split ([] is none)"),
        ("power_double_totals", totals(), [], "which hard first two cards may power double ([] is none)"),
        # Odd chips
        ("rounding", choice("exact", "up", "down", "nearest"), "exact", "how a payout meets the chips"),
        ("rounding_chip", chip(), "1", "the smallest chip a payout is rounded to"),
    )
}
