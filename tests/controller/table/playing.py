"""A table that is played at in tests: inputs in, events kept, and a bot that enters whatever is awaited."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from controller.library import load_game
from controller.rules.cards import DECK
from controller.rules.engine import awaiting as a
from controller.rules.errors import Refused
from controller.table import inputs as i
from controller.table.decisions import decide
from controller.table.events import Event, decode_event, encode_event
from controller.table.limits import BetLimits
from controller.table.state import Setup
from controller.table.table import Table

DEALER = i.Actor("dealer", "Ann")
SUPERVISOR = i.Actor("supervisor", "Sam")
SHOE = i.Actor("device", "shoe")


def setup_for(game: str = "blackjack", **changes: Any) -> Setup:
    rules = load_game(game, {})
    limits = {"main": BetLimits(10, 500, 5)}
    return Setup(**{"name": "Table 7", "rules": rules, "limits": limits, **changes})


class Played:
    """Commits at once what is decided, as events that went through their JSON."""

    def __init__(self, setup: Setup | None = None) -> None:
        self.table = Table(setup if setup is not None else setup_for())
        first = self.table.set_up()
        assert first is not None
        self.table.apply(first)
        self.events: list[Event] = [first]
        self.now = 1_800_000_000

    def tell(self, what: i.Input, actor: i.Actor | None = None) -> tuple[Event, ...]:
        if actor is None:
            actor = DEALER if isinstance(what, i.PEOPLE) else SHOE
        events = decide(self.table, what, actor, self.now)
        for event in events:
            again = decode_event(encode_event(event))
            assert again == event
            self.table.apply(again)
        self.events += events
        return events

    def refused(self, what: i.Input, actor: i.Actor | None = None) -> Refused:
        before = self.table.state
        with pytest.raises(Refused) as refused:
            self.tell(what, actor)
        assert self.table.state == before
        assert refused.value.message
        return refused.value

    def cards(self, codes: str) -> None:
        for code in codes.split():
            self.tell(i.CardLeftShoe(code))

    def ready(self, *seats: int, amount: str | None = "10") -> Played:
        """Open, with a shoe and a bet at each seat."""
        self.tell(i.OpenTable())
        self.tell(i.Shoe("load"))
        for seat in seats or (1,):
            self.tell(i.Wager(seat, amount))
        return self

    @property
    def held(self) -> list[str]:
        return [each.situation for each in self.table.state.held]


def next_input(table: Table, chance: Random) -> i.Input:
    """Something that a table in good order takes now."""
    round_ = table.round
    if round_ is None:
        return i.OpenRound()
    match round_.awaiting:
        case a.DecisionBy(seat=seat, hand=hand, legal=legal):
            action = chance.choice(legal)
            if action == "hit" and table.setup.settings.implied_hit and chance.random() < 0.5:
                return i.CardLeftShoe(chance.choice(DECK).code)  # the card itself says so
            return i.Decision(seat, hand, action)
        case a.InsuranceOffer() | a.SurrenderOffer():
            return i.CloseOffer()
        case a.PeekDue():
            return i.Peek()
        case a.HoleCardDue():
            return i.TurnHoleCard()
        case a.SettlementDue():
            return i.Settle()
    return i.CardLeftShoe(chance.choice(DECK).code)


def play_round(played: Played, chance: Random) -> None:
    """One whole round."""
    played.tell(i.OpenRound())
    while played.table.round is not None:
        played.tell(next_input(played.table, chance))
