"""Money in and out of a round: hands, insurance and side bets, exact, rounded only where the house says so."""

from __future__ import annotations

from fractions import Fraction
from typing import Final, Literal

from controller.rules.cards import Card
from controller.rules.engine.events import (
    CardsTurned,
    HandSettled,
    Outcome,
    PhaseResult,
    SideBetPaid,
    SideBetSettled,
    Stage,
)
from controller.rules.engine.hand import Cards, Hand
from controller.rules.engine.state import Events, Seat, Stake, State
from controller.rules.money import Money, round_to_chip, whole

HALF_LOST: Final = Fraction(-1, 2)


def settle_hand(r: State, hand: Hand, outcome: Outcome, odds: Money, stage: Stage, reason: str, out: Events) -> None:
    """End a hand with its outcome; a hand is settled once."""
    bet = r.seats[hand.seat].bet
    wager = net = None
    rounded: Money = 0
    if bet is not None:
        wager = bet * (1 << hand.doubles)
        net = wager * odds
        if net.__class__ is not int or r.rules.rounding != "exact":
            net, rounded = _net(r, wager, odds)
    hand.done = True
    hand.result = HandSettled(hand.seat, hand.number, outcome, stage, reason, odds, wager, net, rounded)
    out.append(hand.result)


def _net(r: State, wager: Money, odds: Money) -> tuple[Money, Money]:
    """The profit on a wager, and what rounding to the house's chip added to it.

    The house rounds what it hands over: a win, or the part of a wager it gives back. A full loss is no payout.
    """
    exact = _exact(wager * odds)
    rules = r.rules
    if rules.rounding == "exact" or odds in (-1, 0):
        return exact, 0
    handed = exact if exact > 0 else wager + exact
    rounded = round_to_chip(handed, rules.rounding_chip, rules.rounding) - handed
    return _exact(exact + rounded), _exact(rounded)


def _exact(amount: Money) -> Money:
    return whole(Fraction(amount))


def turn_up(hand: Cards, out: Events) -> None:
    """Turn the hand's face-down cards, if any."""
    if hand.down:
        turned = tuple(card.code for place, card in enumerate(hand.cards) if hand.down >> place & 1)
        hand.down = 0
        out.append(CardsTurned(hand.seat, hand.number, turned))


def settle_insurance(r: State, dealer_blackjack: bool, stage: Stage, out: Events) -> None:
    """Pay or take every insurance, on its own, whatever the seat's hands came to."""
    for seat in r.seats.values():
        taken = seat.insurance
        if taken is None or taken.settled:
            continue
        odds = r.rules.insurance_pays if dealer_blackjack else -1
        net: Money | None = None
        rounded: Money = 0
        if taken.amount is not None:
            net, rounded = _net(r, taken.amount, odds)
        outcome: Literal["win", "lose"] = "win" if dealer_blackjack else "lose"
        phases = (PhaseResult(None, net),)
        taken.settled = SideBetSettled(seat.number, "insurance", taken.amount, net, outcome, stage, phases, rounded)
        out.append(taken.settled)


def judge_side_bets(r: State, stage: Literal["deal", "dealer"], out: Events) -> None:
    """Put every live side bet that waits for this stage through its phase."""
    for seat in r.seats.values():
        if seat.stakes and stage == "deal":
            turn_up(seat.hands[0], out)  # a bet can't be paid or taken on cards that nobody has seen
        for stake in seat.stakes:
            phases = stake.offered.bet.phases
            while stake.settled is None and phases[stake.phase].stage == stage:
                _judge(r, seat, stake, out)


def _judge(r: State, seat: Seat, stake: Stake, out: Events) -> None:
    waited = stake.offered.bet.phases[stake.phase].stage == "dealer"
    dealer = r.dealer.cards if waited else [r.up_card]
    hit = stake.offered.judge(stake.phase, first_two(seat), dealer)
    line, odds = hit if hit else (None, -1)
    net: Money | None = None
    if stake.wager is not None:
        net, rounded = _net(r, stake.wager, odds)
        stake.rounded = _exact(stake.rounded + rounded)
    stake.results = (*stake.results, PhaseResult(line, net))
    last = stake.phase + 1 == len(stake.offered.bet.phases)
    if line is not None and not last:
        out.append(SideBetPaid(seat.number, stake.offered.key, stake.phase + 1, line, odds, net))
        stake.phase += 1
        return
    _settle_stake(seat, stake, "after_round" if waited else "deal", out)


def _settle_stake(seat: Seat, stake: Stake, stage: Stage, out: Events) -> None:
    """The bet is over: returned after its last phase, or taken by the phase that paid nothing."""
    results = stake.results
    worth = _worth(stake)
    missing = len(stake.offered.bet.phases) - len(results)
    nothing: Money | None = None if stake.wager is None else 0
    results += (PhaseResult(None, nothing),) * missing
    net = None if stake.wager is None else _exact(sum(Fraction(r.net or 0) for r in results))
    outcome: Literal["win", "lose", "push"] = "win" if worth > 0 else "lose" if worth < 0 else "push"
    stake.settled = SideBetSettled(
        seat.number, stake.offered.key, stake.wager, net, outcome, stage, results, stake.rounded
    )
    out.append(stake.settled)


def _worth(stake: Stake) -> Money:
    """What one unit of the stake came to, known with wagers or without."""
    units = Fraction(0)
    for phase, result in enumerate(stake.results):
        units += -1 if result.line is None else stake.offered.pays[phase][result.line]
    return units


def first_two(seat: Seat) -> list[Card]:
    """The seat's first two cards, also after they were split: side bets belong to them (R-24)."""
    if len(seat.hands) == 1:
        return seat.hands[0].cards[:2]
    return [seat.hands[0].cards[0], seat.hands[1].cards[0]]
