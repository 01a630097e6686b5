"""Everything that can be told to a round, besides a `Card` that left the shoe. Frozen values, no logic."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, get_args

from msgspec import Struct

from controller.rules.cards import Card
from controller.rules.money import Money

Action = Literal["hit", "stand", "double", "split", "surrender", "power_split", "power_double", "keep", "rollover"]
ACTIONS: Final[tuple[Action, ...]] = get_args(Action)


class SeatBet(Struct, frozen=True):
    """A seat in play when betting closes. Without a wager results read as odds."""

    seat: int
    bet: Money | None = None
    side: Mapping[str, Money | None] = {}


class Decide(Struct, frozen=True, gc=False):
    """A player's decision, as the dealer enters it."""

    seat: int
    hand: int
    action: Action


class Insure(Struct, frozen=True):
    """A seat takes insurance; without wagers the amount is left out."""

    seat: int
    amount: Money | None = None


class CloseOffer(Struct, frozen=True, gc=False):
    """Insurance, or early surrender, has been offered to all and is over."""


class Peek(Struct, frozen=True, gc=False):
    """The dealer checks the hole card for blackjack."""


class TurnHoleCard(Struct, frozen=True, gc=False):
    """The dealer turns the hole card face up."""


class Settle(Struct, frozen=True, gc=False):
    """The dealer turns what still lies face down, pays and takes."""


Input = Card | Decide | Insure | CloseOffer | Peek | TurnHoleCard | Settle


class PlaySettings(Struct, frozen=True):
    """How a table plays, apart from the rules: R-07 and the shoe that drives."""

    implied_hit: bool = True
    auto_stand_21: bool = False
