"""The cards of a round by the place they are corrected by: who has each one, and which nobody has seen yet."""

from __future__ import annotations

from msgspec import Struct

from controller.rules.engine.events import CardBurned, CardDealt, HandSplit
from controller.rules.engine.round import Round
from controller.table.events import CardDrawn
from controller.table.rounds import RoundLog, new_round, rule_input
from controller.table.state import Setup


class CardAt(Struct, frozen=True):
    """`place` counts the round's cards from 1, in the order they came. Seat 0 is the dealer; `card` is None while it
    lies face down. One that was burned belongs to no hand any more."""

    place: int
    seat: int
    hand: int
    card: str | None
    burned: bool = False
    by_hand: bool = False  # a person named it, because no device read it


class RoundCards(Struct, frozen=True):
    round: int
    cards: tuple[CardAt, ...]


def cards_of(setup: Setup, log: RoundLog) -> RoundCards:
    """Raises Refused where the round can't be played as it is written."""
    round_ = new_round(setup.rules, log.bets, setup.settings)
    hands: dict[tuple[int, int], list[int]] = {}
    burned: dict[int, tuple[int, int]] = {}
    place = 0
    for entry in log.entries:
        place += isinstance(entry.what, CardDrawn)
        for event in round_.apply(rule_input(entry.what)):
            match event:
                case CardDealt(seat=seat, hand=hand):
                    hands.setdefault((seat, hand), []).append(place)
                case HandSplit(seat=seat, hand=hand, new_hand=new):
                    hands[seat, new] = [hands[seat, hand].pop()]
                case CardBurned(seat=seat, hand=hand):
                    burned[hands[seat, hand].pop()] = (seat, hand)
    drawn = log.cards
    found = [
        CardAt(place, seat, hand, code, False, drawn[place - 1].source == "manual")
        for (seat, hand), places in hands.items()
        for place, code in zip(places, _seen(round_, seat, hand), strict=True)
    ]
    found += [
        CardAt(place, seat, hand, drawn[place - 1].card, True, drawn[place - 1].source == "manual")
        for place, (seat, hand) in burned.items()
    ]
    return RoundCards(log.number, tuple(sorted(found, key=lambda each: each.place)))


def _seen(round_: Round, seat: int, hand: int) -> list[str | None]:
    lie = round_.seats[seat].hands[hand - 1] if seat else round_.dealer
    return [None if lie.down >> index & 1 else card.code for index, card in enumerate(lie.cards)]
