"""What happened in a round, one frozen record each; `apply` returns them, a journal keeps them.

Seat 0 is the dealer. A card is its two-letter code. Records hold the truth, face-down cards included: what a
reader may know of them is decided elsewhere.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from controller.rules.money import Money

Outcome = Literal["win", "lose", "push", "bust", "surrender", "blackjack", "instant_win"]
Stage = Literal["deal", "peek", "turn", "play", "final", "after_all", "after_round"]
DEALER = 0


class CardDealt(Struct, frozen=True, gc=False, tag=True):
    """A card came to lie in a hand; `draw` says for what (deal, hit, double, second, power_double, …)."""

    seat: int
    hand: int
    card: str
    face_up: bool
    draw: str


class CardsTurned(Struct, frozen=True, tag=True):
    """Cards of a hand that lay face down are face up now."""

    seat: int
    hand: int
    cards: tuple[str, ...]


class DecisionMade(Struct, frozen=True, gc=False, tag=True):
    seat: int
    hand: int
    action: str


class HandSplit(Struct, frozen=True, gc=False, tag=True):
    """The second card of `hand` became the first of `new_hand`, with a wager of its own."""

    seat: int
    hand: int
    new_hand: int


class CardBurned(Struct, frozen=True, gc=False, tag=True):
    seat: int
    hand: int
    card: str


class InsuranceTaken(Struct, frozen=True, tag=True):
    seat: int
    amount: Money | None


class OfferClosed(Struct, frozen=True, gc=False, tag=True):
    offer: Literal["insurance", "early_surrender"]


class DealerPeeked(Struct, frozen=True, gc=False, tag=True):
    blackjack: bool


class SideBetPaid(Struct, frozen=True, tag=True):
    """A phase of a side bet paid and the bet stays up: a lammer marks it."""

    seat: int
    bet: str
    phase: int
    line: str
    odds: Money
    paid: Money | None


class PhaseResult(Struct, frozen=True):
    """What one phase of a side bet came to: the line it paid, or None; the money in or out."""

    line: str | None
    net: Money | None


class SideBetSettled(Struct, frozen=True, tag=True):
    seat: int
    bet: str
    wager: Money | None
    net: Money | None
    outcome: Literal["win", "lose", "push"]
    stage: Stage
    phases: tuple[PhaseResult, ...]
    rounded: Money = 0


class HandSettled(Struct, frozen=True, gc=False, tag=True):
    """A hand is over: `odds` is what each unit of its `wager` wins (negative: loses), `reason` the rule."""

    seat: int
    hand: int
    outcome: Outcome
    stage: Stage
    reason: str
    odds: Money
    wager: Money | None
    net: Money | None
    rounded: Money = 0


class RoundSettled(Struct, frozen=True, gc=False, tag=True):
    """Everything is paid and taken; the cards go to the discard rack."""

    dealer_total: int
    cards_used: int


Event = (
    CardDealt
    | CardsTurned
    | DecisionMade
    | HandSplit
    | CardBurned
    | InsuranceTaken
    | OfferClosed
    | DealerPeeked
    | SideBetPaid
    | SideBetSettled
    | HandSettled
    | RoundSettled
)
