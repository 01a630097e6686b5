"""What a table is between two events, as one frozen value that can be kept as a snapshot. Holds no logic of rounds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, Final, Literal

import msgspec
from msgspec import Struct

from controller.rules.cards import RANKS, SUITS
from controller.rules.engine.inputs import PlaySettings
from controller.rules.money import Money
from controller.rules.ruleset import Ruleset
from controller.table.events import Bets, Situation, Source
from controller.table.limits import BetLimits, LimitText
from controller.table.rounds import RoundLog

MAIN: Final = "main"  # the bet that every seat has, among the names of the side bets
RECENT: Final = 10  # rounds that a board remembers
DECK: Final = tuple(rank + suit for suit in SUITS for rank in RANKS)


class Setup(Struct, frozen=True):
    """What a table is set up as; it does not change while it runs."""

    name: str
    rules: Ruleset
    seats: int = 7
    currency: str = ""
    money: Literal["cash", "play", "points"] = "cash"  # what chips are worth
    chips: tuple[Money, ...] = ()  # in the dealer's tray
    wagers: bool = True
    limits: Mapping[str, BetLimits] = {}
    burns: bool = False  # a card is burned when a dealer comes in and when a shoe is loaded
    lone_dealer: bool = False  # a party table: the dealer may do what needs a supervisor elsewhere
    settings: PlaySettings = PlaySettings()


class Pending(Struct, frozen=True):
    """New limits that wait for their time."""

    bet: str
    limits: LimitText
    policy: str
    why: str
    due: int


class Held(Struct, frozen=True):
    """A card, or a doubt about one, that a person must decide about. `card` is empty where none was read."""

    number: int
    situation: Situation
    card: str
    words: str
    source: Source = "shoe"


class RaisedAlert(Struct, frozen=True):
    number: int
    words: str
    card: str


class PastHand(Struct, frozen=True):
    """What a hand came to, as everybody at the table saw it."""

    seat: int
    hand: int
    total: str
    outcome: str
    net: str | None


class PastRound(Struct, frozen=True):
    """A round of before in short, for a board."""

    number: int
    dealer: str
    hands: tuple[PastHand, ...]


class ShoeCount(Struct, frozen=True):
    """The cards that left the shoe since it was loaded. `unknown` left it and nobody knows which they were."""

    number: int = 0
    decks: int = 0
    out: dict[str, int] = {}
    unknown: int = 0
    cut_card: bool = False
    passing: str = ""  # "verify" or "count" while cards are only passed through

    @property
    def count(self) -> int:
        return sum(self.out.values()) + self.unknown

    def with_card(self, code: str, change: int = 1) -> dict[str, int]:
        count = self.out.get(code, 0) + change
        rest = {other: times for other, times in self.out.items() if other != code}
        return {**rest, code: count} if count else rest

    def differences(self) -> tuple[dict[str, int], dict[str, int]]:
        """Missing and extra cards, if all of the shoe is out."""
        whole, out = Counter(dict.fromkeys(DECK, self.decks)), Counter(self.out)
        return dict(whole - out), dict(out - whole)


class DeviceMark(Struct, frozen=True):
    """A place in a device's own count: which start of it, and which event."""

    boot: int
    number: int


class State(Struct, frozen=True):
    sequence: int = 0  # events so far
    game: str = ""
    rules: dict[str, Any] = {}  # as written, from which it is told whether they are the same as before
    configured: dict[str, LimitText] = {}  # the limits of the configuration, before anybody changed them
    open: bool = False
    reserved: str = ""  # for whom a closed table is kept
    dealer: str = ""
    shoe: ShoeCount = ShoeCount()
    shoe_change_due: bool = False
    burn_due: bool = False
    round_number: int = 0
    round: RoundLog | None = None
    last: RoundLog | None = None
    recent: tuple[PastRound, ...] = ()  # the newest last
    seated: tuple[int, ...] = ()
    wagers: dict[int, Bets] = {}
    again: tuple[int, ...] = ()  # seats whose wager is that of the round before
    held: tuple[Held, ...] = ()
    held_number: int = 0
    by_hand: tuple[str, ...] = ()  # cards that were named without the shoe, which may still tell them
    by_hand_until: int = 0  # seconds of the wall clock, for a shoe that is back
    faults: dict[str, str] = {}
    holding: tuple[str, ...] = ()  # devices without which no round goes on
    set_aside: tuple[str, ...] = ()  # devices without which the dealer goes on by hand
    limits: dict[str, LimitText] = {}
    pending: tuple[Pending, ...] = ()
    alerts: tuple[RaisedAlert, ...] = ()
    alert_number: int = 0
    alarmed: dict[str, int] = {}  # card → how many of it the last alert about it counted
    marks: dict[str, DeviceMark] = {}


def encode_state(state: State) -> bytes:
    return msgspec.json.encode(state)


def decode_state(data: bytes) -> State:
    """Raises msgspec.ValidationError for what is no state."""
    return msgspec.json.decode(data, type=State)
