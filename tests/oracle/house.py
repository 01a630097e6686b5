"""What a script may say before a card is dealt: the games' options, money, cards, seats. Refuses the rest.

Everything here is a plain table or a plain check, read off the games' texts; nothing is shared with the
product.
"""

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

Card = tuple[str, str]  # rank ("A", "2" … "10", "J", "Q", "K") and suit letter

RANKS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
SUITS = ("S", "H", "D", "C")
VALUE = {"A": 1, "J": 10, "Q": 10, "K": 10} | {str(n): n for n in range(2, 11)}
CARDS: dict[str, Card] = {rank + suit: (rank, suit) for rank in RANKS for suit in SUITS} | {
    "T" + suit: ("10", suit) for suit in SUITS
}
ACTIONS = {"stand", "hit", "double", "redouble", "split", "surrender", "insurance"} | {
    "power_split",
    "power_double",
    "keep",
    "rollover",
}
MONEY = re.compile(r"[0-9]+(/[0-9]+)?")
RATIO = re.compile(r"([0-9]+):([0-9]+)")


class Refused(Exception):
    """The script cannot be settled; `hand` is the hand whose decision was wanted, if that is why."""

    def __init__(self, code: str, message: str, hand: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hand = hand


@dataclass(frozen=True)
class Nature:
    """What no option of a game can change."""

    side_bets: frozenset[str] = frozenset()
    up_card: int = 0  # which of the dealer's two cards is face up
    pairs_by_rank: bool = False  # K-Q is no pair
    double_totals: tuple[int, ...] = ()  # empty: any total
    double_any_number_of_cards: bool = False
    doubles_allowed: int = 1
    split_cards_at_once: bool = False  # both halves covered at once, new hand played last
    push_22: bool = False
    instant_winners: bool = False
    power: bool = False
    blackjack_stage: str = "turn"


NATURES = {
    "super_fun_21_extreme": Nature(
        side_bets=frozenset({"precious_diamond"}),
        double_any_number_of_cards=True,
        doubles_allowed=3,
        push_22=True,
        instant_winners=True,
        blackjack_stage="deal",
    ),
    "monte_carlo": Nature(
        up_card=1,
        pairs_by_rank=True,
        double_totals=(9, 10, 11),
        split_cards_at_once=True,
        blackjack_stage="after_all",
    ),
    "power_blackjack": Nature(push_22=True, power=True),
    "chinese_fortune_21": Nature(side_bets=frozenset({"ten_eleven_or_bust"})),
    "blackjack": Nature(side_bets=frozenset({"perfect_pairs", "twenty_one_plus_three"})),
}

EITHER = (True, False)
ORDINARY: dict[str, Any] = {
    "decks": 6,
    "blackjack_pays": "3:2",
    "blackjack_tie": "push",
    "dealer_hits_soft_17": False,
    "insurance": True,
    "double_after_split": True,
    "double_soft": True,
    "resplit_aces": False,
    "split_aces": "one_card",
    "max_hands": 4,
    "surrender": "none",
    "no_hole_card": False,
    "dealer_blackjack_takes": "all",
}
DEFAULTS: dict[str, dict[str, Any]] = {
    "blackjack": ORDINARY,
    "super_fun_21_extreme": ORDINARY
    | {
        "blackjack_pays": "2:1",
        "blackjack_tie": "win",
        "dealer_hits_soft_17": True,
        "insurance": False,
        "resplit_aces": True,
        "split_aces": "play_on",
        "surrender": "any_time",
    },
    "monte_carlo": ORDINARY | {"double_after_split": False, "max_hands": 3},
    "power_blackjack": ORDINARY | {"dealer_hits_soft_17": True},
    "chinese_fortune_21": ORDINARY | {"dealer_hits_soft_17": True},
}
ORDINARY_OFFER: dict[str, tuple[Any, ...]] = {
    "decks": tuple(range(1, 9)),
    "blackjack_tie": ("push",),
    "dealer_hits_soft_17": EITHER,
    "insurance": EITHER,
    "double_after_split": EITHER,
    "double_soft": EITHER,
    "resplit_aces": EITHER,
    "split_aces": ("one_card", "play_on"),
    "max_hands": tuple(range(1, 9)),
    "surrender": ("none", "early", "late", "any_time"),
    "no_hole_card": (False,),
    "dealer_blackjack_takes": ("all",),
}
OFFERS: dict[str, dict[str, tuple[Any, ...]]] = {
    "blackjack": ORDINARY_OFFER
    | {
        "blackjack_tie": ("win", "push"),
        "no_hole_card": EITHER,
        "dealer_blackjack_takes": ("all", "original"),
    },
    "super_fun_21_extreme": ORDINARY_OFFER
    | {
        "decks": (2, 6, 8),
        "blackjack_pays": ("2:1", "12:5", "5:2"),
        "blackjack_tie": ("win", "push"),
        "dealer_hits_soft_17": (True,),
    },
    "monte_carlo": ORDINARY_OFFER | {"blackjack_pays": ("3:2",), "surrender": ("none", "early", "late")},
    "power_blackjack": ORDINARY_OFFER
    | {
        "decks": (6,),
        "blackjack_pays": ("3:2",),
        "dealer_hits_soft_17": (True,),
        "max_hands": tuple(range(2, 9)),
    },
    "chinese_fortune_21": ORDINARY_OFFER | {"decks": (1, 2, 4, 6, 8), "blackjack_tie": ("win", "push")},
}


@dataclass(frozen=True)
class Seat:
    """One player's place: the bet and the side bets, in the order written."""

    number: int
    bet: Fraction
    side: tuple[tuple[str, Fraction], ...]


@dataclass(frozen=True)
class Script:
    """A script whose every word has been checked, so that only play can refuse it now."""

    nature: Nature
    options: dict[str, Any]
    blackjack_pays: Fraction
    seats: tuple[Seat, ...]
    shoe: list[Card]
    actions: list[list[Any]]


def read(script: dict[str, Any]) -> Script:
    """Check the whole script in the agreed order: game, options, seats, side bets, cards, action names."""
    game = script.get("game")
    if game not in NATURES:
        raise Refused("unknown_game", f"no game is called {game!r}")
    nature = NATURES[game]
    options = read_options(game, script.get("options") or {})
    seats = read_seats(script["seats"], nature)
    shoe = read_shoe(script["shoe"], options["decks"])
    actions: list[list[Any]] = script.get("actions") or []
    for action in actions:
        if action[2] not in ACTIONS:
            raise Refused(f"unknown_action:{action[2]}", f"there is no action {action[2]!r}")
    return Script(nature, options, ratio(options["blackjack_pays"]), seats, shoe, actions)


def read_options(game: str, given: dict[str, Any]) -> dict[str, Any]:
    """The game's defaults with the script's own options over them, each checked in the order written."""
    options = dict(DEFAULTS[game])
    for key, value in given.items():
        if key not in options:
            raise Refused(f"unknown_option:{key}", f"{game} has no option {key!r}")
        offered = OFFERS[game].get(key)
        if offered is None:
            good = isinstance(value, str) and ratio(value) > 0
        else:
            good = any(type(value) is type(one) and value == one for one in offered)
        if not good:
            raise Refused(f"bad_option:{key}", f"{game} does not offer {key} = {value!r}")
        options[key] = value
    if options["dealer_blackjack_takes"] == "original" and not options["no_hole_card"]:
        raise Refused("bad_option:dealer_blackjack_takes", "it has a meaning only without a hole card")
    if options["no_hole_card"] and options["surrender"] in ("late", "any_time"):
        raise Refused("bad_option:surrender", "late surrender follows a check, and without a hole card there is none")
    return options


def ratio(text: str) -> Fraction:
    """`"3:2"` as a number; 0 when it is not a positive ratio."""
    found = RATIO.fullmatch(text)
    if not found or int(found[1]) == 0 or int(found[2]) == 0:
        return Fraction(0)
    return Fraction(int(found[1]), int(found[2]))


def money(text: Any) -> Fraction:
    """An exact positive amount; 0 stands for anything that is not one."""
    if not isinstance(text, str) or not MONEY.fullmatch(text):
        return Fraction(0)
    top, _, bottom = text.partition("/")
    return Fraction(int(top), int(bottom or 1)) if int(bottom or 1) else Fraction(0)


def read_seats(written: list[dict[str, Any]], nature: Nature) -> tuple[Seat, ...]:
    """All seats first, then all side bets."""
    taken: set[int] = set()
    for one in written:
        number = one.get("seat")
        if type(number) is not int or number < 1:
            raise Refused(f"bad_seat:{number}", f"{number!r} is no seat number")
        if number in taken:
            raise Refused(f"seat_twice:{number}", f"seat {number} is written twice")
        taken.add(number)
        if money(one.get("bet")) <= 0:
            raise Refused(f"bad_bet:{number}", f"{one.get('bet')!r} is no bet")
    seats = []
    for one in written:
        side = []
        for name, text in (one.get("side") or {}).items():
            if name not in nature.side_bets:
                raise Refused("side_bet_not_offered", f"{name} is not offered here")
            amount = money(text)
            if amount <= 0:
                raise Refused(f"bad_bet:{one['seat']}", f"{text!r} is no bet on {name}")
            side.append((name, amount))
        seats.append(Seat(one["seat"], money(one["bet"]), tuple(side)))
    return tuple(seats)


def read_shoe(written: list[Any], decks: int) -> list[Card]:
    """Every card must be one, and there may be no more of it than the decks hold."""
    shoe = []
    for text in written:
        card = CARDS.get(text) if isinstance(text, str) else None
        if card is None:
            raise Refused(f"bad_card:{text}", f"{text!r} is no card")
        shoe.append(card)
    seen: dict[Card, int] = {}
    for card in shoe:
        seen[card] = seen.get(card, 0) + 1
        if seen[card] > decks:
            raise Refused(f"too_many:{card[0]}{card[1]}", f"{decks} decks hold only {decks} of it")
    return shoe


def total(cards: list[Card]) -> int:
    """The best count: one ace is 11 where that does not pass 21."""
    low = sum(VALUE[rank] for rank, _ in cards)
    return low + 10 if low <= 11 and any(rank == "A" for rank, _ in cards) else low


def is_soft(cards: list[Card]) -> bool:
    """An ace in it is counted as 11."""
    return total(cards) != sum(VALUE[rank] for rank, _ in cards)


def is_natural(cards: list[Card]) -> bool:
    """Two cards, an ace and a ten-value."""
    return len(cards) == 2 and total(cards) == 21
