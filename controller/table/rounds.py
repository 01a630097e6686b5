"""A round as the list of what was entered, and the round of the rules made from it. Refuses what can't be played."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, assert_never

from msgspec import Struct, structs

from controller.rules.cards import card
from controller.rules.engine import events as rule_events
from controller.rules.engine import inputs as rule_inputs
from controller.rules.engine.inputs import PlaySettings, SeatBet
from controller.rules.engine.round import Round
from controller.rules.money import Money, parse_amount
from controller.rules.ruleset import Ruleset
from controller.table.events import (
    Bets,
    CardDrawn,
    Decided,
    HoleCardTurned,
    Insured,
    OfferEnded,
    PaidAndTaken,
    Peeked,
    RoundEntry,
)


class Entry(Struct, frozen=True):
    """An entry with its place in the journal. `aside`: a card that was named while the shoe was set aside, which may
    still tell it."""

    sequence: int
    what: RoundEntry
    aside: bool = False


class RoundLog(Struct, frozen=True):
    """Everything from which a round can be made again."""

    number: int
    bets: dict[int, Bets]
    entries: tuple[Entry, ...] = ()
    shoe: int = 0  # the number of the shoe that its cards came from

    @property
    def cards(self) -> tuple[CardDrawn, ...]:
        """In the order they came."""
        return tuple(entry.what for entry in self.entries if isinstance(entry.what, CardDrawn))

    def with_card(self, place: int, code: str) -> RoundLog:
        """The same round with another card at a place, from 1."""
        cards = [index for index, entry in enumerate(self.entries) if isinstance(entry.what, CardDrawn)]
        index = cards[place - 1]
        entry = self.entries[index]
        assert isinstance(entry.what, CardDrawn)
        changed = structs.replace(entry, what=structs.replace(entry.what, card=code, source="manual"))
        return structs.replace(self, entries=(*self.entries[:index], changed, *self.entries[index + 1 :]))

    def with_exchanged(self, place: int, other: int) -> RoundLog:
        """The same round with the cards of two places exchanged."""
        one, two = self.cards[place - 1].card, self.cards[other - 1].card
        return self.with_card(place, two).with_card(other, one)


def rule_input(what: RoundEntry) -> rule_inputs.Input:
    """The entry as the rules take it; raises BadCard or ValueError where it names nothing."""
    match what:
        case CardDrawn():
            return card(what.card)
        case Decided():
            action: Any = what.action
            return rule_inputs.Decide(what.seat, what.hand, action)
        case Insured():
            return rule_inputs.Insure(what.seat, money(what.amount))
        case OfferEnded():
            return rule_inputs.CloseOffer()
        case Peeked():
            return rule_inputs.Peek()
        case HoleCardTurned():
            return rule_inputs.TurnHoleCard()
        case PaidAndTaken():
            return rule_inputs.Settle()
        case _:
            assert_never(what)


def new_round(rules: Ruleset, bets: Mapping[int, Bets], settings: PlaySettings) -> Round:
    """Raises Refused where these bets make no round."""
    seats = [
        SeatBet(seat, money(placed.amount), {name: money(amount) for name, amount in placed.side.items()})
        for seat, placed in sorted(bets.items())
    ]
    return Round(rules, seats, settings)


def played(rules: Ruleset, log: RoundLog, settings: PlaySettings) -> Round:
    """The round after all its entries; raises Refused at the first that can't be played."""
    made = new_round(rules, log.bets, settings)
    for entry in log.entries:
        made.apply(rule_input(entry.what))
    return made


def money(text: str | None) -> Money | None:
    return None if text is None else parse_amount(text)


def label(what: RoundEntry) -> str:
    """What an undo would undo, in words."""
    match what:
        case CardDrawn():
            return "the card named by hand"
        case Decided():
            return f"seat {what.seat}, hand {what.hand}: {what.action.replace('_', ' ')}"
        case Insured():
            return f"seat {what.seat}'s insurance"
        case OfferEnded():
            return "the end of the offer"
        case Peeked():
            return "the check for blackjack"
        case HoleCardTurned():
            return "the turning of the hole card"
        case PaidAndTaken():
            return "the paying and taking"
        case _:
            assert_never(what)


RuleEvents = Sequence[rule_events.Event]
