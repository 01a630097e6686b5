"""A round told as it happens, in a dealer's words, for anyone who may watch: face-down cards are not named."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, assert_never

from controller.rules.cards import Card, card
from controller.rules.engine.events import (
    DEALER,
    CardBurned,
    CardDealt,
    CardsTurned,
    DealerPeeked,
    DecisionMade,
    Event,
    HandSettled,
    HandSplit,
    InsuranceTaken,
    OfferClosed,
    Outcome,
    RoundSettled,
    SideBetPaid,
    SideBetSettled,
)
from controller.rules.engine.hand import Cards
from controller.rules.engine.inputs import Input
from controller.rules.engine.round import Round
from controller.rules.money import Money, money_words, odds_words

SUIT_SIGNS: Final = {"C": "♣", "D": "♦", "H": "♥", "S": "♠"}
FACE_DOWN: Final = "▮"
_RESULTS: Final[dict[Outcome, str]] = {
    "win": "wins",
    "lose": "loses",
    "push": "pushes",
    "bust": "is bust",
    "surrender": "gives up half",
    "blackjack": "is paid for a blackjack",
    "instant_win": "wins at once",
}


def card_sign(shown: Card) -> str:
    return shown.text[:-1] + SUIT_SIGNS[shown.suit]


def shown_cards(cards: Sequence[Card], down: int) -> str:
    """Cards as they lie, `10♠ ▮`; `down` has a bit for each face-down one."""
    return " ".join(FACE_DOWN if down >> place & 1 else card_sign(c) for place, c in enumerate(cards))


def shown_total(hand: Cards) -> str:
    """`soft 17`, or nothing while a card lies face down."""
    if hand.down:
        return ""
    return f"soft {hand.total}" if hand.soft else str(hand.total)


def place(seat: int, hand: int, r: Round) -> str:
    if seat == DEALER:
        return "the dealer"
    return f"seat {seat}" if len(r.seats[seat].hands) == 1 else f"seat {seat}, hand {hand}"


def narrate(r: Round, what: Input, events: Sequence[Event]) -> Iterator[str]:
    """The sentences for what one input did; the first cards are told when all of them lie."""
    for event in events:
        sentence = _sentence(r, event)
        if sentence:
            yield sentence[0].upper() + sentence[1:]


def _sentence(r: Round, event: Event) -> str:
    match event:
        case CardDealt(draw="deal"):
            return _deal(r) if r.cards_used == len(r.deal) else ""
        case CardDealt():
            return _card_dealt(r, event)
        case CardsTurned():
            names = " and ".join(card_sign(card(code)) for code in event.cards)
            total = f": {shown_total(r.dealer)}" if event.seat == DEALER else ""
            return f"{place(event.seat, event.hand, r)} turns {names}{total}."
        case DecisionMade():
            return f"{place(event.seat, event.hand, r)}: {event.action.replace('_', ' ')}."
        case HandSplit():
            return f"Seat {event.seat} now has hands {event.hand} and {event.new_hand}."
        case CardBurned():
            return f"{card_sign(card(event.card))} is burned."
        case InsuranceTaken():
            amount = "" if event.amount is None else f" for {money_words(event.amount)}"
            return f"Seat {event.seat} takes insurance{amount}."
        case OfferClosed():
            return f"{event.offer.replace('_', ' ')} is closed."
        case DealerPeeked():
            return f"The dealer checks: {'blackjack' if event.blackjack else 'no blackjack'}."
        case SideBetPaid():
            return f"Seat {event.seat}'s {_bet_title(r, event.bet)} {_paid(event.odds, event.paid)}; the bet stays up."
        case SideBetSettled():
            return f"Seat {event.seat}'s {_bet_title(r, event.bet)} {_RESULTS[event.outcome]}{_money(event.net)}."
        case HandSettled():
            return f"{place(event.seat, event.hand, r)} {_RESULTS[event.outcome]}{_money(event.net)}."
        case RoundSettled():
            return ""
        case _:
            assert_never(event)


def _deal(r: Round) -> str:
    """The cards as they were dealt: a blackjack that is turned up at once is told after this."""
    down = [0] * len(r.order)
    for place, bit, *_ in r.deal:
        down[place] |= bit
    lie = [shown_cards(hand.cards, bits) for hand, bits in zip(r.order, down, strict=True)]
    seats = [f"seat {number} {cards}" for number, cards in zip(r.seats, lie, strict=False)]
    return f"dealt: {'; '.join([*seats, f'the dealer {lie[-1]}'])}."


def _card_dealt(r: Round, event: CardDealt) -> str:
    who = place(event.seat, event.hand, r)
    if not event.face_up:
        return f"{who} gets a card face down."
    hand = r.dealer if event.seat == DEALER else r.seats[event.seat].hands[event.hand - 1]
    total = shown_total(hand)
    verb = "draws" if event.seat == DEALER else "gets"
    return f"{who} {verb} {card_sign(card(event.card))}{f': {total}' if total else ''}."


def _bet_title(r: Round, bet: str) -> str:
    return r.rules.side_bets[bet].bet.title if bet in r.rules.side_bets else bet


def _paid(odds: Money, paid: Money | None) -> str:
    return f"pays {odds_words(odds)}{_money(paid)}"


def _money(net: Money | None) -> str:
    if net is None or net == 0:
        return ""
    return f": {'+' if net > 0 else ''}{money_words(net)}"
