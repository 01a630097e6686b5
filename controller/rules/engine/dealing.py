"""From the first card to the first decision: the deal, side bets on first cards, insurance, the check for blackjack."""

from __future__ import annotations

from collections.abc import Sequence

from controller.rules.cards import Card
from controller.rules.engine.awaiting import PEEK, SETTLEMENT, InsuranceOffer, SurrenderOffer
from controller.rules.engine.events import DealerPeeked, DecisionMade, Event, InsuranceTaken, OfferClosed
from controller.rules.engine.inputs import CloseOffer, Decide, Insure, Peek
from controller.rules.engine.payment import (
    HALF_LOST,
    judge_side_bets,
    settle_hand,
    settle_insurance,
    turn_up,
)
from controller.rules.engine.playing import advance
from controller.rules.engine.state import Events, Insurance, State
from controller.rules.errors import Refused
from controller.rules.words.reasons import refuse


def deal_card(r: State, card: Card) -> Sequence[Event]:
    """One of the first cards: to each seat in order, then the dealer, twice round."""
    place, down, dealt, following = r.deal[r.cards_used]
    hand = r.order[place]
    hand.cards.append(card)  # Hand.add, written out: most cards of a night come this way
    value = card.value
    hand.hard += value
    if value == 1:
        hand.ace = True
    if down:
        hand.down |= down
    r.cards_used += 1
    if following is not None:
        r.awaiting = following
        return dealt[card]
    out: Events = [*dealt[card]]
    _first_cards_lie(r, out)
    return out


def _first_cards_lie(r: State, out: Events) -> None:
    rules = r.rules
    r.up_value = up = r.dealer.cards[0 if rules.up_card == "first" else 1].value
    naturals = False
    for hand in r.queue:
        if hand.hard == 11 and hand.ace:
            hand.natural = hand.done = naturals = True
            turn_up(hand, out)
    if r.side_bets:
        judge_side_bets(r, "deal", out)
    if naturals and (rules.blackjack_tie == "win" or not r.may_be_blackjack):
        _pay_naturals_at_once(r, out)
    if up == 1 and rules.insurance:
        r.awaiting = InsuranceOffer(tuple(r.seats))
    elif up == 1 or up == 10:
        _after_insurance(r, out)
    else:
        advance(r, out)


def _pay_naturals_at_once(r: State, out: Events) -> None:
    if r.rules.blackjack_paid == "at_once":
        for hand in r.queue:
            if hand.natural and hand.result is None:
                settle_hand(r, hand, "blackjack", r.rules.blackjack_pays, "deal", "blackjack", out)


def _after_insurance(r: State, out: Events) -> None:
    """An ace or a ten is up: early surrender first, if it is offered, then the check for blackjack."""
    if r.rules.surrender == "early" and not r.rules.no_hole_card:
        undecided = tuple(hand.seat for hand in r.queue if not hand.done)
        if undecided:
            r.awaiting = SurrenderOffer(undecided)
            return
    _check_or_play(r, out)


def _check_or_play(r: State, out: Events) -> None:
    """The dealer checks only if there is a hole card and anything still hangs on the answer."""
    if not r.rules.no_hole_card:
        for hand in r.queue:
            if hand.result is None:
                r.awaiting = PEEK
                return
        if any(seat.insurance for seat in r.seats.values()):
            r.awaiting = PEEK
            return
    advance(r, out)


def check_insurance(r: State, what: Insure) -> Refused | None:
    """Why a seat may not insure, or not for so much; None if it may."""
    seat = r.seats.get(what.seat)
    if not r.rules.insurance:
        return refuse("insurance_not_offered", r.rules)
    if r.up_value != 1:
        return refuse("insurance_no_ace", r.rules)
    if not isinstance(r.awaiting, InsuranceOffer):
        return refuse("insurance_closed", r.rules)
    if seat is None:
        return refuse("no_such_seat", r.rules, seat=what.seat)
    if (seat.bet is None) != (what.amount is None) or (what.amount is not None and what.amount <= 0):
        return refuse("insurance_amount", r.rules, seat=what.seat)
    if what.amount is not None and seat.bet is not None and what.amount * 2 > seat.bet:
        return refuse("insurance_over_half", r.rules)
    return refuse("insurance_twice", r.rules, seat=what.seat) if seat.insurance else None


def insure(r: State, what: Insure) -> Events:
    r.seats[what.seat].insurance = Insurance(what.amount)
    r.awaiting = InsuranceOffer(tuple(number for number, seat in r.seats.items() if not seat.insurance))
    return [InsuranceTaken(what.seat, what.amount)]


def check_early_surrender(r: State, what: Decide) -> Refused | None:
    """Before the check only surrender is asked, of any seat that has not given up or a blackjack."""
    seat = r.seats.get(what.seat)
    if what.action != "surrender":
        return refuse("only_surrender_now", r.rules)
    if seat is None or what.hand != 1 or seat.hands[0].done:
        return refuse("out_of_turn", r.rules, seat=what.seat, hand=what.hand)
    return None


def surrender_early(r: State, what: Decide) -> Events:
    """Give up half before the check; the offer goes on for the other seats."""
    out: Events = [DecisionMade(what.seat, what.hand, what.action)]
    hand = r.seats[what.seat].hands[0]
    turn_up(hand, out)
    settle_hand(r, hand, "surrender", HALF_LOST, "play", "surrender", out)
    _after_insurance(r, out)
    return out


def close_offer(r: State, what: CloseOffer) -> Events:
    if isinstance(r.awaiting, InsuranceOffer):
        out: Events = [OfferClosed("insurance")]
        _after_insurance(r, out)
    else:
        out = [OfferClosed("early_surrender")]
        _check_or_play(r, out)
    return out


def peek(r: State, what: Peek) -> Events:
    """The one moment before the hole card is turned when anything depends on it."""
    blackjack = r.dealer.blackjack
    r.checked = True
    out: Events = [DealerPeeked(blackjack)]
    if blackjack:
        turn_up(r.dealer, out)
        r.awaiting = SETTLEMENT
        return out
    if r.up_value == 1:
        settle_insurance(r, False, "peek", out)
    _pay_naturals_at_once(r, out)
    advance(r, out)
    return out
