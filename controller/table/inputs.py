"""Everything that can be told to a table: by its people and by its devices. Frozen values, no logic.

Money is exact text (`"10"`, `"5/2"`), cards are two-letter codes, times are whole seconds.
"""

from __future__ import annotations

import re
from typing import Final, Literal, get_args

from msgspec import Struct

from controller.table.events import VoidBets

AnswerName = Literal["deal", "begin", "burn", "same", "name", "confirm", "by_hand", "void"]
Role = Literal["device", "dealer", "supervisor"]


def snake(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


class Actor(Struct, frozen=True):
    """Who says it: a device by its name, or a person in a role."""

    role: Role
    name: str

    def __str__(self) -> str:
        return f"{self.role}:{self.name}"


class _Input(Struct, frozen=True, tag=snake, tag_field="input", forbid_unknown_fields=True):
    """Written in JSON as `{"input": "open_round", …}`."""


# The table's day


class OpenTable(_Input, frozen=True):
    pass


class CloseTable(_Input, frozen=True):
    """`reserved`: for whom it is kept until it opens, such as "Harbour party"."""

    reserved: str = ""


class DealerIn(_Input, frozen=True):
    """A dealer takes over."""

    name: str


class DealerOut(_Input, frozen=True):
    """The dealer leaves the table."""


class Shoe(_Input, frozen=True):
    """`load`: the shoe was filled anew. `verify`: all its cards are passed through, before the first round, until
    `verified`. `count`: what is left in it is passed through, after the last round, until `counted`."""

    action: Literal["load", "verify", "verified", "count", "counted"]


class CutCard(_Input, frozen=True):
    """The dealer saw the cut card come out, of a shoe that can't tell it."""


class Limits(_Input, frozen=True):
    """New limits for one bet: when they are to count, and why. `policy` is next_round, next_shoe or notice:30m."""

    bet: str
    min: str
    max: str
    step: str
    policy: str
    why: str


class Alert(_Input, frozen=True):
    """An alert was seen."""

    number: int


class Fault(_Input, frozen=True):
    """Go on in spite of a fault: its cards are dealt by hand."""

    device: str


# A round


class Seat(_Input, frozen=True):
    """Somebody sits down, or leaves and takes the wager along."""

    seat: int
    taken: bool = True


class Wager(_Input, frozen=True):
    """What a seat bets: in the next round, and the same again until it is changed. No amount where the table plays
    without."""

    seat: int
    amount: str | None = None
    side: dict[str, str | None] = {}


class OpenRound(_Input, frozen=True):
    """Betting is closed: the cards may come."""


class Decision(_Input, frozen=True):
    seat: int
    hand: int
    action: str


class Insurance(_Input, frozen=True):
    seat: int
    amount: str | None = None


class CloseOffer(_Input, frozen=True):
    """Insurance, or surrender before the check, is closed."""


class Peek(_Input, frozen=True):
    pass


class TurnHoleCard(_Input, frozen=True):
    pass


class Settle(_Input, frozen=True):
    """The dealer turns what lies face down, pays and takes."""


class NextRound(_Input, frozen=True):
    """The one step that leads on: open the round, close an offer, check, turn the hole card, pay and take."""


class Card(_Input, frozen=True):
    """A card that a person names, because no device read it."""

    card: str


class Answer(_Input, frozen=True):
    """To the question that is open. `cards` go with `name`, `reason` with `void`."""

    answer: AnswerName
    cards: tuple[str, ...] = ()
    reason: str = ""


class Undo(_Input, frozen=True):
    """The last entry of the round counts no more."""


class Replace(_Input, frozen=True):
    """The last decision was another: undone and entered anew in one step."""

    seat: int
    hand: int
    action: str


class TakeBack(_Input, frozen=True):
    """The last card was not dealt where the table thinks: it is held, and the table asks where it belongs."""


class Void(_Input, frozen=True):
    """`returned`: no bet of the round counts; `settled_stand`: those that are settled already do."""

    reason: str
    bets: VoidBets = "returned"


class Correct(_Input, frozen=True):
    """A card of this round or of the last one was another: `place` counts the round's cards from 1."""

    round: int
    place: int
    card: str


class Exchange(_Input, frozen=True):
    """Two cards of this round or of the last one went to each other's seat."""

    round: int
    place: int
    other: int


# Devices


class CardLeftShoe(_Input, frozen=True):
    card: str


class CardUnread(_Input, frozen=True):
    """A card left the shoe unread, or two at once."""

    reason: str
    cards: int = 1


class CardsMissed(_Input, frozen=True):
    """The shoe can't prove that it told every card."""

    words: str


class CutCardCame(_Input, frozen=True):
    pass


class ShoeRanEmpty(_Input, frozen=True):
    """No card is left in it, whether or not the cut card was seen."""


class DeviceTrouble(_Input, frozen=True):
    device: str
    words: str
    holds: bool = False  # no round goes on without this device


class DeviceWell(_Input, frozen=True):
    device: str


class Attempted(_Input, frozen=True):
    """Somebody tried what is not theirs: kept, and nothing else."""

    what: str
    words: str


class Looked(_Input, frozen=True):
    """Time went by: what was due is done. `decide` is told the time."""


FromPeople = (
    OpenTable
    | CloseTable
    | DealerIn
    | DealerOut
    | Shoe
    | CutCard
    | Limits
    | Alert
    | Fault
    | Seat
    | Wager
    | OpenRound
    | Decision
    | Insurance
    | CloseOffer
    | Peek
    | TurnHoleCard
    | Settle
    | NextRound
    | Card
    | Answer
    | Undo
    | Replace
    | TakeBack
    | Void
    | Correct
    | Exchange
)
FromDevices = (
    CardLeftShoe
    | CardUnread
    | CardsMissed
    | CutCardCame
    | ShoeRanEmpty
    | DeviceTrouble
    | DeviceWell
    | Attempted
    | Looked
)
Input = FromPeople | FromDevices
PEOPLE: Final[tuple[type, ...]] = get_args(FromPeople)
SUPERVISOR_ONLY: Final[tuple[type, ...]] = (Limits, Alert, Void, Correct, Exchange)
