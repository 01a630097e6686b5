"""From the last player's turn to the end: the dealer's hand, and every bet that waited for it."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from controller.rules.cards import Card
from controller.rules.engine.awaiting import DEALER_CARD, HOLE_CARD, OVER, SETTLEMENT
from controller.rules.engine.events import Event, RoundSettled, Stage
from controller.rules.engine.hand import Hand
from controller.rules.engine.inputs import Settle, TurnHoleCard
from controller.rules.engine.payment import judge_side_bets, settle_hand, settle_insurance, turn_up
from controller.rules.engine.plan import DEALER_DREW, HOLE_TURNED
from controller.rules.engine.state import Events, State
from controller.rules.ruleset import Ruleset


def must_draw(rules: Ruleset, hard: int, ace: bool) -> bool:
    """The dealer's rule, for a hand by its hard count."""
    if ace and hard < 12:
        return hard < 7 or (hard == 7 and rules.dealer_hits_soft_17)
    return hard < 17


def dealers_turn(r: State) -> None:
    """The hole card is turned only where something depends on the dealer's hand (R-06, R-21)."""
    if r.rules.no_hole_card:
        draws = hand_matters(r) or _blackjack_matters(r)
        r.awaiting = DEALER_CARD if draws else SETTLEMENT
    else:
        r.awaiting = HOLE_CARD if hand_matters(r) else SETTLEMENT


def hand_matters(r: State) -> bool:
    """Whether a bet hangs on the dealer's final hand; a blackjack is compared with a blackjack only."""
    for hand in r.queue:
        if hand.result is None and not hand.natural:
            return True
    return r.rules.dealer_always_draws or (r.side_bets and side_bet_live(r))


def side_bet_live(r: State) -> bool:
    for seat in r.seats.values():
        for stake in seat.stakes:
            if stake.settled is None:
                return True
    return False


def _blackjack_matters(r: State) -> bool:
    """No hole card: whether a waiting blackjack or an insurance needs the dealer's second card."""
    return r.may_be_blackjack and (
        any(hand.result is None for hand in r.queue) or any(seat.insurance for seat in r.seats.values())
    )


def turn_hole_card(r: State, what: TurnHoleCard) -> Sequence[Event]:
    dealer = r.dealer
    dealer.down = 0
    r.awaiting = DEALER_CARD if must_draw(r.rules, dealer.hard, dealer.ace) else SETTLEMENT
    return HOLE_TURNED[dealer.cards[1 if r.rules.up_card == "first" else 0]]


def dealer_card(r: State, card: Card) -> Sequence[Event]:
    """A card of the dealer's; with no hole card the second one may settle all that was waiting."""
    dealer = r.dealer
    dealer.add(card)
    r.cards_used += 1
    draws = must_draw(r.rules, dealer.hard, dealer.ace)
    if draws and r.rules.no_hole_card:
        draws = hand_matters(r)
    r.awaiting = DEALER_CARD if draws else SETTLEMENT
    return DEALER_DREW[card]


def settle(r: State, what: Settle) -> Events:
    """Turn everything up, then pay and take in order; blackjacks that are paid after all others come last."""
    out: Events = []
    if r.dealer.down:
        turn_up(r.dealer, out)
    dealer_blackjack = r.dealer.blackjack
    dealer_total = r.dealer.total
    stage: Stage = "final" if r.rules.no_hole_card else "peek"
    naturals = []
    for hand in r.queue:
        if hand.down:
            turn_up(hand, out)
        if hand.result is not None:
            continue
        if hand.natural:
            naturals.append(hand)
        elif dealer_blackjack:
            _lose_to_blackjack(r, hand, stage, out)
        else:
            _compare(r, hand, dealer_total, out)
    if r.up_value == 1:
        settle_insurance(r, dealer_blackjack, stage, out)
    if r.side_bets:
        judge_side_bets(r, "dealer", out)
    for hand in naturals:
        _settle_natural(r, hand, dealer_blackjack, stage, out)
    r.awaiting = OVER
    out.append(RoundSettled(dealer_total, r.cards_used))
    return out


def _compare(r: State, hand: Hand, dealer: int, out: Events) -> None:
    """Against the dealer's final total. A hand that busts unseen (its double card lay face down) has lost."""
    total = hand.total
    if total > 21:
        settle_hand(r, hand, "bust", -1, "final", "bust", out)
    elif dealer > 21:
        if dealer == 22 and r.rules.dealer_pushes_22:
            settle_hand(r, hand, "push", 0, "final", "dealer_22", out)
        else:
            settle_hand(r, hand, "win", 1, "final", "dealer_bust", out)
    elif total > dealer:
        settle_hand(r, hand, "win", 1, "final", "higher", out)
    elif total == dealer:
        settle_hand(r, hand, "push", 0, "final", "tie", out)
    else:
        settle_hand(r, hand, "lose", -1, "final", "lower", out)


def _lose_to_blackjack(r: State, hand: Hand, stage: Stage, out: Events) -> None:
    """Found by the check it takes the original bet, all there is; found late it takes what the rules say."""
    if r.rules.no_hole_card and r.rules.dealer_blackjack_takes == "original":
        lost = any(h.result is not None and h.result.odds < 0 for h in r.seats[hand.seat].hands)
        if lost:
            settle_hand(r, hand, "push", 0, stage, "original_bet_only", out)
        else:
            settle_hand(r, hand, "lose", Fraction(-1, 1 << hand.doubles), stage, "original_bet_only", out)
    else:
        settle_hand(r, hand, "lose", -1, stage, "dealer_blackjack", out)


def _settle_natural(r: State, hand: Hand, dealer_blackjack: bool, stage: Stage, out: Events) -> None:
    if dealer_blackjack and r.rules.blackjack_tie == "push":
        settle_hand(r, hand, "push", 0, stage, "blackjack_tie", out)
        return
    if not dealer_blackjack:
        stage = "after_all" if r.rules.blackjack_paid == "after_all" else "final"
    settle_hand(r, hand, "blackjack", r.rules.blackjack_pays, stage, "blackjack", out)
