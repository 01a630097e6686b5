"""What a round waits for, as a value. Every surface is made from it: the console's buttons, the coach, the API.

These values are also the round's state: which inputs it takes is decided by which of them it holds.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from controller.rules.engine.events import DEALER
from controller.rules.engine.inputs import Action


class CardFor(Struct, frozen=True, gc=False):
    """A card: for whom, how it will lie, and what for. Seat 0 is the dealer."""

    seat: int
    hand: int
    face_up: bool
    draw: str


class FirstCard(CardFor, frozen=True, gc=False):
    """One of the first cards, dealt to everybody in order."""


class PlayerCard(CardFor, frozen=True, gc=False):
    """A card that a decision or a split called for."""


class DealerCard(CardFor, frozen=True, gc=False):
    """A card the dealer must draw."""


class DecisionBy(Struct, frozen=True):
    """A decision. `illegal` gives every other action its reason: (code, words)."""

    seat: int
    hand: int
    legal: tuple[Action, ...]
    illegal: Mapping[str, tuple[str, str]]


class InsuranceOffer(Struct, frozen=True):
    """Insurance, by the seats that have not taken it; closed by `CloseOffer`."""

    seats: tuple[int, ...]


class SurrenderOffer(Struct, frozen=True):
    """Surrender before the check, by the seats that still may; closed by `CloseOffer`."""

    seats: tuple[int, ...]


class PeekDue(Struct, frozen=True):
    """The dealer looks under the up card."""


class HoleCardDue(Struct, frozen=True):
    """The dealer turns the hole card."""


class SettlementDue(Struct, frozen=True):
    """The dealer turns what lies face down, pays and takes."""


class Nothing(Struct, frozen=True):
    """The round is over."""


Awaiting = (
    FirstCard
    | PlayerCard
    | DealerCard
    | DecisionBy
    | InsuranceOffer
    | SurrenderOffer
    | PeekDue
    | HoleCardDue
    | SettlementDue
    | Nothing
)

PEEK: Final = PeekDue()
HOLE_CARD: Final = HoleCardDue()
DEALER_CARD: Final = DealerCard(DEALER, 1, True, "draw")
SETTLEMENT: Final = SettlementDue()
OVER: Final = Nothing()
