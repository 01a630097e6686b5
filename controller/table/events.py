"""What happened at a table, one frozen record each: what the journal keeps and the state is made of.

They hold the truth, face-down cards included; what a reader may know of it is decided in `views`.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec
from msgspec import Struct

from controller.table.limits import LimitText

Source = Literal["shoe", "manual"]
Situation = Literal[
    "game_before_time",
    "unexpected_card",
    "extra_card",
    "behind_a_question",
    "taken_back",
    "named_already",
    "misread",
    "double_feed",
    "missed",
]
VoidBets = Literal["returned", "settled_stand"]


class Bets(Struct, frozen=True):
    """What lies at one seat."""

    amount: str | None = None
    side: dict[str, str | None] = {}


class _Event(Struct, frozen=True, tag=True, tag_field="event"):
    """Written in JSON as `{"event": "CardDrawn", …}`."""


class TableSetUp(_Event, frozen=True):
    """The table was started as something it was not before: other rules, or other limits in its configuration."""

    game: str
    rules: dict[str, Any]
    limits: dict[str, LimitText]


class TableOpened(_Event, frozen=True):
    pass


class TableClosed(_Event, frozen=True):
    """`reserved`: for whom it is kept, if it is."""

    reserved: str = ""


class DealerCameIn(_Event, frozen=True):
    name: str


class DealerWentOut(_Event, frozen=True):
    name: str


class ShoeLoaded(_Event, frozen=True):
    number: int
    decks: int


class VerificationBegun(_Event, frozen=True):
    """All cards are passed through the shoe, before the first round."""


class CountBegun(_Event, frozen=True):
    """What is left in the shoe is passed through, after the last round."""


class ShoeVerified(_Event, frozen=True):
    """All cards were passed through: which are missing and which are too many, each with how many."""

    missing: dict[str, int]
    extra: dict[str, int]


class ShoeCounted(_Event, frozen=True):
    """The dealt cards and the rest together: which are missing and which are too many."""

    missing: dict[str, int]
    extra: dict[str, int]


class CutCardSeen(_Event, frozen=True):
    pass


class SeatTaken(_Event, frozen=True):
    """Somebody sits there; cards come with a wager, or at once where the table plays without."""

    seat: int


class SeatCleared(_Event, frozen=True):
    seat: int


class WagerPlaced(_Event, frozen=True):
    seat: int
    amount: str | None
    side: dict[str, str | None]


class RoundBegun(_Event, frozen=True):
    """With the wagers that lay when betting closed."""

    number: int
    bets: dict[int, Bets]


class CardDrawn(_Event, frozen=True):
    """A card came into the round, where the round awaited it."""

    card: str
    source: Source
    held: int = 0  # the question it was held for, if it was


class CardBurned(_Event, frozen=True):
    """`card` is empty where nobody knows which it was."""

    card: str
    source: Source
    held: int = 0
    why: str = ""


class CardPassed(_Event, frozen=True):
    """While the shoe is verified or counted."""

    card: str


class CardHeld(_Event, frozen=True):
    """A card that must not be counted into a round yet, or a doubt about one: the question that the table asks."""

    number: int
    situation: Situation
    card: str = ""
    words: str = ""
    source: Source = "shoe"  # who told the card: one that a person named stays marked so


class CardTakenBack(_Event, frozen=True):
    """The round's last card was not meant so: it is held under this number until it is said where it belongs."""

    sequence: int
    number: int


class CardToldAgain(_Event, frozen=True):
    """The card in question is one that was named by hand: it is counted already, under the name it was given."""

    number: int


class QuestionAnswered(_Event, frozen=True):
    """A doubt is settled; the cards that were named follow as events of their own."""

    number: int
    answer: str
    cards: tuple[str, ...] = ()
    at: int = 0  # seconds of the wall clock


class Decided(_Event, frozen=True):
    seat: int
    hand: int
    action: str


class Insured(_Event, frozen=True):
    seat: int
    amount: str | None


class OfferEnded(_Event, frozen=True):
    pass


class Peeked(_Event, frozen=True):
    pass


class HoleCardTurned(_Event, frozen=True):
    pass


class PaidAndTaken(_Event, frozen=True):
    """The dealer turned what lay face down, paid and took."""


class RoundEnded(_Event, frozen=True):
    """What each seat won or lost; None where it played without wagers."""

    number: int
    net: dict[int, str | None]


class RoundVoided(_Event, frozen=True):
    """`returned`: no bet of the round counts; `settled_stand`: those settled before it was voided do. `net` is what
    each seat won or lost by that."""

    number: int
    reason: str
    bets: VoidBets
    net: dict[int, str | None]


class Undone(_Event, frozen=True):
    """The entry with this sequence number counts no more."""

    sequence: int
    label: str


class CardCorrected(_Event, frozen=True):
    """A card of a round was another; the round is settled anew, and the difference is what changes hands."""

    round: int
    place: int
    was: str
    card: str
    difference: dict[int, str] = {}


class CardsExchanged(_Event, frozen=True):
    """Two cards of a round lay at each other's place."""

    round: int
    place: int
    other: int
    difference: dict[int, str] = {}


class LimitsScheduled(_Event, frozen=True):
    bet: str
    before: LimitText
    after: LimitText
    policy: str
    why: str
    due: int = 0  # seconds of the wall clock, for a notice


class LimitsApplied(_Event, frozen=True):
    bet: str
    before: LimitText
    after: LimitText


class FaultBegan(_Event, frozen=True):
    device: str
    words: str
    holds: bool


class FaultEnded(_Event, frozen=True):
    device: str
    set_aside: bool = False
    at: int = 0  # seconds of the wall clock


class AlertRaised(_Event, frozen=True):
    """Something about the cards is wrong. `words` name no card: `card` does, for those who may know."""

    number: int
    words: str
    card: str = ""


class AlertAcknowledged(_Event, frozen=True):
    number: int


class AttemptRefused(_Event, frozen=True):
    """Somebody tried what is not theirs, or could not show who they are; nothing came of it."""

    what: str
    words: str


class MarkReached(_Event, frozen=True):
    """The journal has this device's events up to here: it is asked to go on behind it after a restart."""

    device: str
    boot: int
    number: int


RoundEntry = CardDrawn | Decided | Insured | OfferEnded | Peeked | HoleCardTurned | PaidAndTaken
Event = (
    RoundEntry
    | TableSetUp
    | TableOpened
    | TableClosed
    | DealerCameIn
    | DealerWentOut
    | ShoeLoaded
    | VerificationBegun
    | CountBegun
    | ShoeVerified
    | ShoeCounted
    | CutCardSeen
    | SeatTaken
    | SeatCleared
    | WagerPlaced
    | RoundBegun
    | CardBurned
    | CardPassed
    | CardHeld
    | CardTakenBack
    | CardToldAgain
    | QuestionAnswered
    | RoundEnded
    | RoundVoided
    | Undone
    | CardCorrected
    | CardsExchanged
    | LimitsScheduled
    | LimitsApplied
    | FaultBegan
    | FaultEnded
    | AlertRaised
    | AlertAcknowledged
    | AttemptRefused
    | MarkReached
)

_decoder: msgspec.json.Decoder[Event] = msgspec.json.Decoder(Event)
_encoder = msgspec.json.Encoder()


def encode_event(event: Event) -> bytes:
    return _encoder.encode(event)


def decode_event(data: bytes) -> Event:
    """Raises msgspec.ValidationError for what is no event."""
    return _decoder.decode(data)
