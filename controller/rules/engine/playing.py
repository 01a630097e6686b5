"""The players' turns: decisions, the cards they call for, and whose turn is next."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from controller.rules.cards import Card
from controller.rules.engine.awaiting import DecisionBy, PlayerCard
from controller.rules.engine.closing import dealers_turn
from controller.rules.engine.events import CardBurned, CardDealt, DecisionMade, HandSplit
from controller.rules.engine.hand import Hand
from controller.rules.engine.inputs import Action, Decide
from controller.rules.engine.payment import HALF_LOST, settle_hand, turn_up
from controller.rules.engine.state import Events, State
from controller.rules.errors import Refused
from controller.rules.words.reasons import refuse


def advance(r: State, out: Events) -> None:
    """Go to the next hand that wants a card or a decision; blackjacks on the way are paid in their turn."""
    queue = r.queue
    while r.at < len(queue):
        hand = queue[r.at]
        if not hand.done:
            if len(hand.cards) == 1:
                await_card(r, hand, "second")
                return
            r.awaiting = decision = r.decision()
            if not (hand.split and _ace_is_complete(r, hand, decision)):
                return
            hand.done = True
        elif hand.natural and hand.result is None and r.rules.blackjack_paid != "after_all":
            _pay_natural_in_turn(r, hand, out)
        r.at += 1
    dealers_turn(r)


def await_card(r: State, hand: Hand, draw: str) -> None:
    r.awaiting = r.plan.card(hand.seat, hand.number, draw)


def _ace_is_complete(r: State, hand: Hand, decision: DecisionBy) -> bool:
    """Split aces that get one card each are over with it, unless it is an ace that may be split again."""
    return hand.split_ace and r.rules.split_aces == "one_card" and "split" in decision.illegal


def _pay_natural_in_turn(r: State, hand: Hand, out: Events) -> None:
    """With no hole card a blackjack waits while the dealer may still make one."""
    unsure = r.rules.no_hole_card and r.may_be_blackjack and r.rules.blackjack_tie == "push"
    if not unsure:
        settle_hand(r, hand, "blackjack", r.rules.blackjack_pays, "turn", "blackjack", out)


def check_decision(r: State, what: Decide) -> Refused | None:
    """Why the decision may not be taken now; None if it may."""
    awaited = r.awaiting
    assert isinstance(awaited, DecisionBy)
    if what.seat != awaited.seat or what.hand != awaited.hand:
        return refuse("out_of_turn", r.rules, seat=what.seat, hand=what.hand)
    if what.action in awaited.legal:
        return None
    against = awaited.illegal.get(what.action)
    return Refused(*against) if against else refuse("unknown_action", r.rules, action=what.action)


def decide(r: State, what: Decide) -> Events:
    out: Events = [DecisionMade(what.seat, what.hand, what.action)]
    _DO[what.action](r, r.queue[r.at], out)
    return out


def implied_hit(r: State, card: Card) -> Events:
    """A card that leaves the shoe while a decision is awaited is a hit; `Round` asks first if one is legal."""
    return _give(r, r.queue[r.at], card, "hit", True)


def player_card(r: State, card: Card) -> Events:
    """The card the hand in turn (or the split hand to be covered) was waiting for."""
    awaited = r.awaiting
    assert isinstance(awaited, PlayerCard)
    if not r.covers:
        return _give(r, r.queue[r.at], card, awaited.draw, awaited.face_up)
    hand, *rest = r.covers
    r.covers = tuple(rest)
    return _give(r, hand, card, awaited.draw, awaited.face_up)


def _give(r: State, hand: Hand, card: Card, draw: str, face_up: bool) -> Events:
    if not face_up:
        hand.down |= 1 << len(hand.cards)
    hand.add(card)
    r.cards_used += 1
    out: Events = [CardDealt(hand.seat, hand.number, card.code, face_up, draw)]
    _AFTER[draw](r, hand, out)
    if r.covers:
        await_card(r, r.covers[0], "second")
    else:
        advance(r, out)
    return out


def _after_hit(r: State, hand: Hand, out: Events) -> None:
    total = hand.total
    if total > 21:
        _bust(r, hand, out)
    elif r.rules.instant_wins:
        _instant_win(r, hand, total, out)
    elif total == 21 and r.settings.auto_stand_21:
        hand.done = True


def _after_double(r: State, hand: Hand, out: Events) -> None:
    if r.rules.double_card == "face_down":
        hand.done = True  # what it made is nobody's to know until every hand is complete
    elif hand.total > 21:
        _bust(r, hand, out)
    elif not r.rules.asks_after_double:
        hand.done = True


def _after_second(r: State, hand: Hand, out: Events) -> None:
    if hand.total == 21 and r.settings.auto_stand_21:
        hand.done = True


def _after_power_double(r: State, hand: Hand, out: Events) -> None:
    r.power_card = True


def _end_double(r: State, hand: Hand, out: Events) -> None:
    r.power_card = False
    if hand.total > 21:
        _bust(r, hand, out)
    hand.done = True


_AFTER: Final[Mapping[str, Callable[[State, Hand, Events], None]]] = {
    "hit": _after_hit,
    "double": _after_double,
    "second": _after_second,
    "power_double": _after_power_double,
    "rollover": _end_double,
}


def _bust(r: State, hand: Hand, out: Events) -> None:
    turn_up(hand, out)
    settle_hand(r, hand, "bust", -1, "play", "bust", out)


def _instant_win(r: State, hand: Hand, total: int, out: Events) -> None:
    for win in r.rules.instant_wins:
        if len(hand.cards) >= win.cards and win.total_min <= total <= win.total_max:
            turn_up(hand, out)
            settle_hand(r, hand, "instant_win", win.pays, "play", "instant_win", out)
            return


def _hit(r: State, hand: Hand, out: Events) -> None:
    await_card(r, hand, "hit")


def _stand(r: State, hand: Hand, out: Events) -> None:
    hand.done = True
    advance(r, out)


def _double(r: State, hand: Hand, out: Events) -> None:
    turn_up(hand, out)
    hand.doubles += 1
    await_card(r, hand, "double")


def _power_double(r: State, hand: Hand, out: Events) -> None:
    turn_up(hand, out)
    hand.doubles += 1
    await_card(r, hand, "power_double")


def _split(r: State, hand: Hand, out: Events) -> None:
    """Part the two cards; the new hand lies after its parent on the felt, or is played last of its seat."""
    turn_up(hand, out)
    seat = r.seats[hand.seat]
    new = Hand(seat.number, len(seat.hands) + 1)
    new.add(hand.remove_last())
    new.split = hand.split = True
    seat.hands.append(new)
    place = r.at + 1
    if r.rules.new_hand_plays == "last":
        while place < len(r.queue) and r.queue[place].seat == seat.number:
            place += 1
    r.queue.insert(place, new)
    out.append(HandSplit(seat.number, hand.number, new.number))
    if r.rules.split_cards == "at_once":
        r.covers = (hand, new)
    await_card(r, hand, "second")


def _surrender(r: State, hand: Hand, out: Events) -> None:
    turn_up(hand, out)
    settle_hand(r, hand, "surrender", HALF_LOST, "play", "surrender", out)
    advance(r, out)


def _keep(r: State, hand: Hand, out: Events) -> None:
    _end_double(r, hand, out)
    advance(r, out)


def _rollover(r: State, hand: Hand, out: Events) -> None:
    """The double card is burned and can't come back."""
    card = hand.remove_last()
    r.power_card = False
    r.burned += (card,)
    out.append(CardBurned(hand.seat, hand.number, card.code))
    await_card(r, hand, "rollover")


_DO: Final[Mapping[Action, Callable[[State, Hand, Events], None]]] = {
    "hit": _hit,
    "stand": _stand,
    "double": _double,
    "split": _split,
    "surrender": _surrender,
    "power_split": _split,
    "power_double": _power_double,
    "keep": _keep,
    "rollover": _rollover,
}
