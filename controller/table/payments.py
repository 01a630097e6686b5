"""What the dealer pays, takes and leaves in a round, bet by bet in the order of the rules. Names no face-down card.

A bet is listed the moment the round has settled it, with what moves then: a side bet that pays and stays up is listed
once for each time. So the amounts of a round that is over are what each seat won or lost.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, assert_never

from msgspec import Struct

from controller.rules.engine.events import HandSettled, SideBetPaid, SideBetSettled
from controller.rules.engine.round import Round
from controller.rules.money import Money, odds_words
from controller.rules.words.narrate import place
from controller.table.chips import amount_words, chips_words
from controller.table.felt import hands, side_bets
from controller.table.rounds import RoundLog, new_round, rule_input
from controller.table.state import Setup

Kind = Literal["pay", "take", "leave"]
_Settled = HandSettled | SideBetPaid | SideBetSettled


class Payment(Struct, frozen=True):
    """One bet. `amount` is exact and below zero where it is taken; None where the table plays without wagers. `hand` is
    0 and `bet` its name where it is no bet on a hand. `now`: settled by the last thing that happened."""

    number: int
    seat: int
    hand: int
    bet: str
    kind: Kind
    amount: str | None
    words: str
    chips: str
    now: bool


def payments(setup: Setup, log: RoundLog, round_: Round) -> tuple[Payment, ...]:
    """Of the round that `log` came to. Its words are made from what lies face up in `round_`."""
    if not _anything_settled(round_):
        return ()
    told = _Words(setup, round_)
    return tuple(
        told.payment(number, event, now) for number, (event, now) in enumerate(_settled_in_order(setup, log), start=1)
    )


def _anything_settled(round_: Round) -> bool:
    """Spares the round's second playing in most of its steps."""
    return any(
        any(hand.result is not None for hand in seat.hands)
        or any(stake.results for stake in seat.stakes)
        or (seat.insurance is not None and seat.insurance.settled is not None)
        for seat in round_.seats.values()
    )


def _settled_in_order(setup: Setup, log: RoundLog) -> Iterator[tuple[_Settled, bool]]:
    again = new_round(setup.rules, log.bets, setup.settings)
    for entry in log.entries:
        for event in again.apply(rule_input(entry.what)):
            if isinstance(event, _Settled):
                yield event, entry is log.entries[-1]


class _Move(Struct, frozen=True):
    """Money of one bet: `odds` is what a unit of it wins or loses, known with wagers or without."""

    seat: int
    hand: int
    bet: str
    who: str
    net: Money | None
    odds: Money
    why: str

    @property
    def kind(self) -> Kind:
        worth = self.odds if self.net is None else self.net
        return "pay" if worth > 0 else "take" if worth < 0 else "leave"


class _Words:
    """Of one round, as it lies for everybody."""

    def __init__(self, setup: Setup, round_: Round) -> None:
        self._setup, self._round = setup, round_
        self._hands = {(hand.seat, hand.hand): hand.why for hand in hands(round_)}
        self._bets = {(bet.seat, bet.bet): bet for bet in side_bets(round_)}

    def payment(self, number: int, event: _Settled, now: bool) -> Payment:
        move = self._move(event)
        chips = chips_words(move.net, self._setup) if move.net is not None and move.net > 0 else ""
        amount = None if move.net is None else str(move.net)
        words = self._sentence(move, chips)
        return Payment(number, move.seat, move.hand, move.bet, move.kind, amount, words, chips, now)

    def _move(self, event: _Settled) -> _Move:
        match event:
            case HandSettled(seat=seat, hand=hand):
                return _Move(
                    seat, hand, "", place(seat, hand, self._round), event.net, event.odds, self._hands[seat, hand]
                )
            case SideBetPaid(seat=seat, bet=bet):
                offered = self._round.rules.side_bets[bet]
                line = offered.bet.phases[event.phase - 1].lines[event.line]
                why = f"{offered.bet.title}, {line} pays {odds_words(event.odds)}; leave the bet and put a lammer on it"
                return _Move(seat, 0, bet, f"seat {seat}", event.paid, event.odds, why)
            case SideBetSettled(seat=seat, bet=bet):
                view = self._bets[seat, bet]
                why = view.why if bet == "insurance" else f"{view.title}, {view.why}"
                return _Move(seat, 0, bet, f"seat {seat}", *self._at_last(event), why)
            case _:
                assert_never(event)

    def _at_last(self, settled: SideBetSettled) -> tuple[Money | None, Money]:
        """What moves when a side bet is over: its last phase, for those before it were paid in their time."""
        rules = self._round.rules
        if settled.bet == "insurance":
            return settled.net, rules.insurance_pays if settled.outcome == "win" else -1
        for pays, phase in zip(rules.side_bets[settled.bet].pays, settled.phases, strict=True):
            last = phase.net, pays[phase.line] if phase.line is not None else -1
            if phase.line is None:
                break
        return last

    def _sentence(self, move: _Move, chips: str) -> str:
        amount = "" if move.net is None else amount_words(max(move.net, -move.net), self._setup)
        match move.kind:
            case "pay":
                paid = f"{amount}, {move.why}" if amount else move.why
                return f"Pay {move.who}: {paid}{f': {chips}' if chips else ''}."
            case "take":
                part = "half of the bet" if move.odds > -1 else "the bet"
                rest = "; give the rest back" if move.odds > -1 else ""
                return f"Take {amount or part} from {move.who}: {move.why}{rest}."
            case "leave":
                return f"Leave {move.who}'s bet: {move.why}."
