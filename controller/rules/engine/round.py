"""One round as a state machine: what it awaits, and the one way in. Pure; cards come from outside, one at a time.

`check(input)` raises `Refused` with the reason, `allows(input)` answers, `apply(input)` does it and returns what
happened. A refusal changes nothing. `after(input)` leaves this round alone and returns the next one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from controller.rules.cards import Card
from controller.rules.engine import closing, dealing, playing
from controller.rules.engine.awaiting import (
    DealerCard,
    DecisionBy,
    FirstCard,
    HoleCardDue,
    InsuranceOffer,
    Nothing,
    PeekDue,
    PlayerCard,
    SettlementDue,
    SurrenderOffer,
)
from controller.rules.engine.events import DEALER, Event
from controller.rules.engine.hand import Cards
from controller.rules.engine.inputs import (
    CloseOffer,
    Decide,
    Input,
    Insure,
    Peek,
    PlaySettings,
    SeatBet,
    Settle,
    TurnHoleCard,
)
from controller.rules.engine.plan import plan_of
from controller.rules.engine.state import Seat, Stake, State
from controller.rules.errors import Refused
from controller.rules.ruleset import Ruleset
from controller.rules.words.reasons import refuse

Check = Callable[[State, Any], Refused | None]
Do = Callable[[State, Any], Sequence[Event]]

_DEFAULT: Final = PlaySettings()
_ON_CARD: Final[Mapping[type, Do]] = {
    FirstCard: dealing.deal_card,
    PlayerCard: playing.player_card,
    DecisionBy: playing.implied_hit,
    DealerCard: closing.dealer_card,
}


# What may be told to a round, by what it awaits: the test whether this one is legal, if there is one, and doing it.
_ON_INPUT: Final[Mapping[type, Mapping[type, tuple[Check | None, Do]]]] = {
    FirstCard: {},
    PlayerCard: {},
    DealerCard: {},
    DecisionBy: {Decide: (playing.check_decision, playing.decide)},
    InsuranceOffer: {
        Insure: (dealing.check_insurance, dealing.insure),
        CloseOffer: (None, dealing.close_offer),
    },
    SurrenderOffer: {
        Decide: (dealing.check_early_surrender, dealing.surrender_early),
        CloseOffer: (None, dealing.close_offer),
    },
    PeekDue: {Peek: (None, dealing.peek)},
    HoleCardDue: {TurnHoleCard: (None, closing.turn_hole_card)},
    SettlementDue: {Settle: (None, closing.settle)},
    Nothing: {},
}


class Round(State):
    """A round from closed betting to settlement."""

    __slots__ = ()

    def __init__(self, rules: Ruleset, seats: Sequence[SeatBet], settings: PlaySettings = _DEFAULT) -> None:
        if settings.auto_stand_21 and not rules.may_stand_21:
            raise refuse("auto_stand_not_possible", rules)
        self.rules = rules
        self.settings = settings
        self.side_bets = False
        self.seats = taken = {}
        self.queue = queue = []
        for bet in seats:
            number, amount = bet.seat, bet.bet
            if number in taken or number < 1 or (amount is not None and amount <= 0):
                raise self._no_seat(bet)
            seat = taken[number] = Seat(number, amount)
            if bet.side:
                seat.stakes = self._stakes(bet)
            queue.append(seat.hands[0])
        if not queue:
            raise refuse("no_seats", rules)
        self.dealer = dealer = Cards(DEALER, 1)
        self.order = [*queue, dealer]
        self.plan = plan = plan_of(rules)
        self.deal, self.awaiting = plan.deal(tuple(taken))
        self.cards_used = self.at = self.up_value = 0
        self.power_card = self.checked = False
        self.covers = self.burned = ()

    def _no_seat(self, bet: SeatBet) -> Refused:
        if bet.seat in self.seats:
            return refuse("seat_twice", self.rules, seat=bet.seat)
        return refuse("bad_seat" if bet.seat < 1 else "bad_bet", self.rules, seat=bet.seat)

    def _stakes(self, bet: SeatBet) -> tuple[Stake, ...]:
        stakes = []
        for name, wager in bet.side.items():
            offered = self.rules.side_bets.get(name)
            if offered is None:
                raise refuse("side_bet_not_offered", self.rules, bet=name)
            if (wager is None) != (bet.bet is None) or (wager is not None and wager <= 0):
                raise refuse("bad_bet", self.rules, seat=bet.seat)
            stakes.append(Stake(offered, wager))
        self.side_bets = True
        return tuple(stakes)

    @property
    def over(self) -> bool:
        return self.awaiting.__class__ is Nothing

    def apply(self, what: Input) -> Sequence[Event]:
        """Do it and say what happened, in order; or raise `Refused` and change nothing."""
        awaited = self.awaiting.__class__
        if what.__class__ is Card:
            if awaited is FirstCard:
                return dealing.deal_card(self, what)
            handler = _ON_CARD.get(awaited)
            if handler is None or (awaited is DecisionBy and not self._card_is_hit()):
                raise self._unexpected("card_not_expected")
            return handler(self, what)
        found = _ON_INPUT[awaited].get(what.__class__)
        if found is None:
            raise self.refusal(what) or self._unexpected("not_now")
        check, do = found
        if check is not None:
            refused = check(self, what)
            if refused is not None:
                raise refused
        return do(self, what)

    def refusal(self, what: Input) -> Refused | None:
        """Why this may not happen now, or None if it may."""
        awaited = self.awaiting.__class__
        if isinstance(what, Card):
            expected = self._card_is_hit() if awaited is DecisionBy else awaited in _ON_CARD
            return None if expected else self._unexpected("card_not_expected")
        found = _ON_INPUT[awaited].get(what.__class__)
        if found is not None:
            return found[0](self, what) if found[0] else None
        if isinstance(what, Insure):
            return dealing.check_insurance(self, what)
        return self._unexpected("not_now")

    def check(self, what: Input) -> None:
        refusal = self.refusal(what)
        if refusal is not None:
            raise refusal

    def allows(self, what: Input) -> bool:
        return self.refusal(what) is None

    def after(self, what: Input) -> tuple[Round, Sequence[Event]]:
        """The round as it is after this input, and what happened; this one stays as it is."""
        following = self.copy()
        return following, following.apply(what)

    def _card_is_hit(self) -> bool:
        awaited = self.awaiting
        return self.settings.implied_hit and isinstance(awaited, DecisionBy) and "hit" in awaited.legal

    def _unexpected(self, code: str) -> Refused:
        return refuse(code, self.rules, awaiting=self.awaiting.__class__.__name__)

    def copy(self) -> Round:
        """An independent round in the same state."""
        twin = Round.__new__(Round)
        for name in State.__slots__:
            setattr(twin, name, getattr(self, name))
        twin.seats = {number: seat.copy() for number, seat in self.seats.items()}
        twin.dealer = self.dealer.copy()
        twin.order = [*(seat.hands[0] for seat in twin.seats.values()), twin.dealer]
        twin.queue = [twin.seats[hand.seat].hands[hand.number - 1] for hand in self.queue]
        twin.covers = tuple(twin.seats[hand.seat].hands[hand.number - 1] for hand in self.covers)
        return twin

    def state(self) -> tuple[Any, ...]:
        """Everything about this round, as a value that can be compared."""
        return (
            self.rules,
            self.settings,
            self.awaiting,
            tuple(seat.state() for seat in self.seats.values()),
            self.dealer.state(),
            tuple((hand.seat, hand.number) for hand in self.queue),
            tuple((hand.seat, hand.number) for hand in self.covers),
            self.at,
            self.power_card,
            self.checked,
            self.burned,
            self.cards_used,
        )
