"""A round as it lies on the felt for everybody: cards, totals, wagers, results. A face-down card is None."""

from __future__ import annotations

from typing import assert_never

from msgspec import Struct

from controller.rules.engine import awaiting as a
from controller.rules.engine.events import SideBetSettled
from controller.rules.engine.hand import Cards, Hand
from controller.rules.engine.round import Round
from controller.rules.engine.settlement import DealerResult, HandResult
from controller.rules.engine.state import Seat, Stake
from controller.rules.money import Money
from controller.rules.words.narrate import shown_total
from controller.rules.words.why import why_hand, why_side_bet


class HandView(Struct, frozen=True):
    """A hand as it lies. Empty texts where there is nothing to say yet; `rounded` is what rounding to chips added."""

    seat: int
    hand: int
    cards: tuple[str | None, ...]
    total: str
    wager: str | None = None
    doubles: int = 0
    outcome: str = ""
    net: str | None = None
    stage: str = ""
    why: str = ""
    rounded: str = ""


class SideBetView(Struct, frozen=True):
    """A side bet or insurance. `paid` is what it has paid so far while it stays up: a lammer marks it."""

    seat: int
    bet: str
    title: str
    wager: str | None
    paid: str | None = None
    outcome: str = ""
    net: str | None = None
    why: str = ""
    rounded: str = ""


def hands(round_: Round) -> tuple[HandView, ...]:
    return tuple(_hand(round_, seat, hand) for seat in round_.seats.values() for hand in seat.hands)


def dealer_hand(round_: Round) -> HandView | None:
    """None before the dealer has a card."""
    if not round_.dealer.cards:
        return None
    cards = _cards(round_.dealer)
    return HandView(0, 1, cards, shown_total(round_.dealer))


def side_bets(round_: Round) -> tuple[SideBetView, ...]:
    views: list[SideBetView] = []
    for seat in round_.seats.values():
        views += [_stake(round_, seat, stake) for stake in seat.stakes]
        if seat.insurance is not None:
            bet = SideBetView(seat.number, "insurance", "Insurance", _money(seat.insurance.amount))
            views.append(_settled(round_, bet, seat.insurance.settled))
    return tuple(views)


def awaited_words(round_: Round) -> str:
    """Who or what the round waits for, in words for everybody."""
    match round_.awaiting:
        case a.DecisionBy(seat=seat, hand=hand):
            return f"seat {seat}" if len(round_.seats[seat].hands) == 1 else f"seat {seat}, hand {hand}"
        case a.InsuranceOffer():
            return "insurance"
        case a.SurrenderOffer():
            return "surrender"
        case a.PeekDue():
            return "the dealer to check for blackjack"
        case a.HoleCardDue():
            return "the hole card"
        case a.SettlementDue():
            return "the dealer to pay and take"
        case a.FirstCard(seat=seat) | a.PlayerCard(seat=seat) | a.DealerCard(seat=seat):
            return f"a card for seat {seat}" if seat else "a card for the dealer"
        case a.Nothing():
            return ""
        case _:
            assert_never(round_.awaiting)


def _hand(round_: Round, seat: Seat, hand: Hand) -> HandView:
    result = hand.result
    wager = seat.bet * (1 << hand.doubles) if seat.bet is not None else None
    cards, total = _cards(hand), shown_total(hand) if hand.cards else ""
    if result is None:
        return HandView(hand.seat, hand.number, cards, total, _money(wager), hand.doubles)
    whole = HandResult(result, tuple(hand.cards), hand.total, hand.doubles)
    return HandView(
        hand.seat,
        hand.number,
        cards,
        total,
        _money(wager),
        hand.doubles,
        result.outcome,
        _money(result.net),
        result.stage,
        why_hand(round_.rules, whole, _dealer_as_seen(round_)),
        str(result.rounded) if result.rounded else "",
    )


def _dealer_as_seen(round_: Round) -> DealerResult:
    """For the words of a hand that is settled early: they must not tell what lies face down."""
    dealer = round_.dealer
    seen = tuple(card for place, card in enumerate(dealer.cards) if not dealer.down >> place & 1)
    if len(seen) == len(dealer.cards):
        return DealerResult(seen, dealer.total, dealer.blackjack)
    return DealerResult(seen, sum(card.value for card in seen), False)


def _stake(round_: Round, seat: Seat, stake: Stake) -> SideBetView:
    paid = [result.net for result in stake.results if result.net is not None and result.line is not None]
    bet = SideBetView(
        seat.number,
        stake.offered.key,
        stake.offered.bet.title,
        _money(stake.wager),
        _money(sum(paid[1:], paid[0])) if paid and stake.settled is None else None,
    )
    return _settled(round_, bet, stake.settled)


def _settled(round_: Round, bet: SideBetView, settled: SideBetSettled | None) -> SideBetView:
    if settled is None:
        return bet
    return SideBetView(
        bet.seat,
        bet.bet,
        bet.title,
        bet.wager,
        None,
        settled.outcome,
        _money(settled.net),
        why_side_bet(round_.rules, settled),
        str(settled.rounded) if settled.rounded else "",
    )


def _cards(hand: Cards) -> tuple[str | None, ...]:
    return tuple(None if hand.down >> place & 1 else card.code for place, card in enumerate(hand.cards))


def _money(amount: Money | None) -> str | None:
    return None if amount is None else str(amount)
