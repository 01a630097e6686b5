"""What a round came to, as one frozen value: every wager once, with its result, and where every card went."""

from __future__ import annotations

from fractions import Fraction

from msgspec import Struct

from controller.rules.cards import Card
from controller.rules.engine.events import HandSettled, SideBetSettled
from controller.rules.engine.round import Round
from controller.rules.money import Money, whole


class HandResult(Struct, frozen=True):
    """A settled hand with its cards."""

    result: HandSettled
    cards: tuple[Card, ...]
    total: int
    doubles: int


class DealerResult(Struct, frozen=True):
    cards: tuple[Card, ...]
    total: int
    blackjack: bool

    @property
    def bust(self) -> bool:
        return self.total > 21


class Settlement(Struct, frozen=True):
    """`net` is each seat's profit, None for a seat that plays without wagers."""

    dealer: DealerResult
    hands: tuple[HandResult, ...]
    side_bets: tuple[SideBetSettled, ...]
    net: dict[int, Money | None]
    burned: tuple[Card, ...]
    cards_used: int


def settlement(r: Round) -> Settlement:
    """The result of a round that is over; asking earlier is a mistake of the program."""
    if not r.over:
        raise ValueError("the round is not over: nothing is half-settled")
    hands: list[HandResult] = []
    bets: list[SideBetSettled] = []
    net: dict[int, Money | None] = {}
    for seat in r.seats.values():
        worth = Fraction(0)
        for hand in seat.hands:
            assert hand.result is not None
            hands.append(HandResult(hand.result, tuple(hand.cards), hand.total, hand.doubles))
            worth += hand.result.net or 0
        settled = [stake.settled for stake in seat.stakes]
        if seat.insurance is not None:
            settled.append(seat.insurance.settled)
        for bet in settled:
            if bet is not None:
                bets.append(bet)
                worth += bet.net or 0
        net[seat.number] = None if seat.bet is None else whole(worth)
    dealer = DealerResult(tuple(r.dealer.cards), r.dealer.total, r.dealer.blackjack)
    return Settlement(dealer, tuple(hands), tuple(bets), net, r.burned, r.cards_used)
