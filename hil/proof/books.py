"""The books of a table, made from its journal alone: which cards it has, what each seat won, and rounds as scripts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

from msgspec import Struct

from controller.library import as_options
from controller.rules.engine.settlement import settlement
from controller.rules.money import parse_amount
from controller.store.journal import Journal
from controller.table import events as e
from controller.table.events import decode_event
from controller.table.export import round_script
from controller.table.history import Kept, round_on_record
from controller.table.rounds import played
from controller.table.state import Setup


class ShoeBook(Struct):
    """The cards of one load. `unread` left the shoe and were given up unread, by a person's answer."""

    cards: Counter[str]
    unread: int = 0


class RoundBook(Struct):
    """A round that was settled: what the journal says each seat won, and the script of it."""

    number: int
    net: dict[int, str | None]
    script: dict[str, Any]


def read(journal: Path) -> list[Kept]:
    with Journal.read_only(journal) as reader:
        return [Kept(each.sequence, each.wall, each.actor, decode_event(each.data)) for each in reader.after(0)]


def shoes(kept: Iterable[Kept]) -> list[ShoeBook]:
    """Each card once: when it left the shoe, or when a person named the one that left it unread."""
    books = [ShoeBook(Counter())]
    counted: dict[int, int] = {}  # the questions that are about a card, and how many of its cards are not counted yet
    drawn: dict[int, str] = {}
    in_question: dict[int, str] = {}
    for each in kept:
        book = books[-1]
        match each.event:
            case e.ShoeLoaded():
                books.append(ShoeBook(Counter()))
            case e.CardHeld(number=number, card=card, situation=situation):
                counted[number] = 0 if card else {"misread": 1, "double_feed": 2}.get(situation, 0)
                book.cards.update([card] if card else [])
                in_question[number] = card
            case e.CardToldAgain(number=number):
                book.cards[in_question[number]] -= 1
            case e.CardTakenBack(number=number):
                counted[number] = 0
            case e.QuestionAnswered(number=number):
                counted[number] = -1  # what is named behind it counts
            case e.CardDrawn(card=card, held=held) | e.CardBurned(card=card, held=held):
                drawn[each.sequence] = card
                if held and counted.get(held) == 0:
                    continue
                counted[held] = -1 if held else 0
                if card:
                    book.cards[card] += 1
                else:
                    book.unread += 1
            case e.Undone(sequence=sequence) if sequence in drawn:
                book.cards[drawn[sequence]] -= 1
            case e.CardCorrected(was=was, card=card):
                book.cards[was] -= 1
                book.cards[card] += 1
            case e.RoundVoided():
                book.unread += sum(waiting for waiting in counted.values() if waiting > 0)
                counted = dict.fromkeys(counted, 0)
    return books[1:]


def rounds(setup: Setup, kept: list[Kept]) -> Iterator[RoundBook]:
    """The settled rounds as they count now; voided ones have nothing to settle."""
    game, options = as_options(setup.rules)
    at = {each.event.number: index for index, each in enumerate(kept) if isinstance(each.event, e.RoundBegun)}
    for number, index in at.items():
        found = round_on_record(number, kept[index : index + 2_000])
        if found is None or found.status != "ended":
            continue
        net = found.net
        if found.corrections:  # what was paid at first, and what changed hands behind it
            done = settlement(played(setup.rules, found.log, setup.settings)).net
            net = {seat: None if won is None else str(won) for seat, won in done.items()}
            _check_differences(found.net, net, found.corrections)
        yield RoundBook(number, net, round_script(setup, found.log, game, options))


def _check_differences(
    before: dict[int, str | None], after: dict[int, str | None], changes: Iterable[e.CardCorrected | e.CardsExchanged]
) -> None:
    for seat, paid in before.items():
        moved = sum((Fraction(parse_amount(change.difference.get(seat, "0"))) for change in changes), Fraction(0))
        if Fraction(parse_amount(paid or "0")) + moved != Fraction(parse_amount(after[seat] or "0")):
            raise ValueError(f"seat {seat} was paid {paid}, then {moved}, and should have {after[seat]}")


def house_takes(settled: dict[str, Any]) -> Fraction:
    """What the house won in a settlement as `croupier settle` prints it, hand by hand and bet by bet."""
    nets = [each["net"] for each in (*settled["hands"], *settled["side_bets"])]
    return -sum((Fraction(parse_amount(net)) for net in nets if net is not None), Fraction(0))
