"""What a round holds between two inputs, and the small questions every part of it asks. Changed only by `Round`."""

from __future__ import annotations

from typing import Any

from controller.rules.cards import Card
from controller.rules.engine.awaiting import Awaiting, DecisionBy
from controller.rules.engine.events import Event, PhaseResult, SideBetSettled
from controller.rules.engine.hand import Cards, Hand
from controller.rules.engine.inputs import PlaySettings
from controller.rules.engine.plan import DealStep, Plan
from controller.rules.money import Money
from controller.rules.ruleset import Ruleset
from controller.rules.sidebets import OfferedBet

Events = list[Event]


class Stake:
    """A side bet of one seat: which phase it waits for, and what the earlier ones came to."""

    __slots__ = ("offered", "phase", "results", "rounded", "settled", "wager")

    def __init__(self, offered: OfferedBet, wager: Money | None) -> None:
        self.offered = offered
        self.wager = wager
        self.phase = 0
        self.results: tuple[PhaseResult, ...] = ()
        self.rounded: Money = 0
        self.settled: SideBetSettled | None = None

    def copy(self) -> Stake:
        twin = Stake.__new__(Stake)
        for name in Stake.__slots__:
            setattr(twin, name, getattr(self, name))
        return twin

    def state(self) -> tuple[Any, ...]:
        return (self.offered.key, self.wager, self.phase, self.results, self.rounded, self.settled)


class Insurance:
    """A seat's insurance; without wagers it has no amount."""

    __slots__ = ("amount", "settled")

    def __init__(self, amount: Money | None, settled: SideBetSettled | None = None) -> None:
        self.amount = amount
        self.settled = settled


class Seat:
    """A seat in play: its bet, its hands in the order they were made, its side bets, its insurance."""

    __slots__ = ("bet", "hands", "insurance", "number", "stakes")

    def __init__(self, number: int, bet: Money | None) -> None:
        self.number = number
        self.bet = bet
        self.hands = [Hand(number, 1)]
        self.stakes: tuple[Stake, ...] = ()
        self.insurance: Insurance | None = None

    def copy(self) -> Seat:
        twin = Seat(self.number, self.bet)
        twin.hands = [hand.copy() for hand in self.hands]
        twin.stakes = tuple(stake.copy() for stake in self.stakes)
        if self.insurance is not None:
            twin.insurance = Insurance(self.insurance.amount, self.insurance.settled)
        return twin

    def state(self) -> tuple[Any, ...]:
        hands = tuple(hand.state() for hand in self.hands)
        stakes = tuple(stake.state() for stake in self.stakes)
        insurance = self.insurance and (self.insurance.amount, self.insurance.settled)
        return (self.number, self.bet, hands, stakes, insurance)


class State:
    """The whole of a round. `queue` is every player hand in the order of play, `at` the one whose turn it is."""

    __slots__ = (
        "at",
        "awaiting",
        "burned",
        "cards_used",
        "checked",
        "covers",
        "deal",
        "dealer",
        "order",
        "plan",
        "power_card",
        "queue",
        "rules",
        "seats",
        "settings",
        "side_bets",
        "up_value",
    )

    rules: Ruleset
    plan: Plan
    settings: PlaySettings
    awaiting: Awaiting
    deal: tuple[DealStep, ...]
    order: list[Cards]  # who is dealt to: each seat's first hand, then the dealer
    side_bets: bool  # whether any seat has one
    seats: dict[int, Seat]
    dealer: Cards
    queue: list[Hand]
    at: int
    covers: tuple[Hand, ...]  # split hands that still get their second cards at once
    power_card: bool  # a power double's card lies on the hand in turn, to be kept or rolled over
    up_value: int  # of the dealer's up card; 0 until the first cards lie
    checked: bool  # the dealer has looked for blackjack
    burned: tuple[Card, ...]
    cards_used: int

    @property
    def up_card(self) -> Card:
        """The dealer's face-up first card, once the first cards lie."""
        return self.dealer.cards[1 if self.rules.up_card == "second" else 0]

    @property
    def may_be_blackjack(self) -> bool:
        """Whether the dealer's up card is one that a blackjack may be under."""
        return self.up_value in (1, 10)

    def decision(self) -> DecisionBy:
        """The decision that the hand in turn has before it."""
        hand = self.queue[self.at]
        count = len(hand.cards)
        pair = False
        if count == 2:
            first, second = hand.cards
            pair = first.value == second.value and (first.rank == second.rank or self.rules.pairs == "value")
        key: tuple[int, ...] = (hand.seat, hand.hard, hand.ace, pair, count == 2, self.checked)
        if hand.split or hand.doubles:
            hands = len(self.seats[hand.seat].hands)
            key += (hand.number, hand.split, hand.doubles, hands, self.power_card)
        found = self.plan.decisions.get(key)
        return self.plan.decide(key) if found is None else found
