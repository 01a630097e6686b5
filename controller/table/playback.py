"""A round of before, step by step: when, who, what it was in a dealer's words, and what everybody could see after it.

Shows nothing that was not seen: a card that was never turned stays face down, whatever the journal knows of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct, structs

from controller.rules.errors import Refused
from controller.table import events as e
from controller.table.felt import HandView, SideBetView
from controller.table.history import Kept, RoundOnRecord
from controller.table.rounds import RoundLog
from controller.table.state import Setup, State
from controller.table.step_words import StepKind, kind_of, step_words
from controller.table.table import Table
from controller.table.views import PublicView, public_view


class Felt(Struct, frozen=True):
    """How the round lay for everybody at the table."""

    hands: tuple[HandView, ...] = ()
    dealer: HandView | None = None
    side_bets: tuple[SideBetView, ...] = ()
    burned: tuple[str, ...] = ()
    awaiting: str = ""


class Step(Struct, frozen=True):
    """`seen` is what screens and signs were made of from then on; `difference` is what a correction changed for each
    seat."""

    sequence: int
    at: str
    who: str
    kind: StepKind
    words: tuple[str, ...]
    difference: dict[int, str]
    felt: Felt
    seen: PublicView


def table_before(
    setup: Setup, found: RoundOnRecord, limits: Iterable[e.Event] = (), last: RoundLog | None = None
) -> Table:
    """The table when the round began, as far as anybody could see it. `limits` are the journal's events about limits
    before it, `last` is the round that had ended before it."""
    table = Table(setup, State())
    for event in limits:
        table.apply(event)
    began = found.steps[0]
    assert isinstance(began.event, e.RoundBegun)
    state = structs.replace(
        table.state,
        sequence=began.sequence - 1,
        open=True,
        round_number=found.number - 1,
        seated=tuple(sorted(began.event.bets)),
        wagers=began.event.bets,
        last=last,
    )
    return Table(setup, state)


def steps(table: Table, found: RoundOnRecord) -> Iterator[Step]:
    """From the table before the round. Raises Refused where what was entered does not make the round again."""
    felt = Felt()
    for together in _inputs(found.steps):
        first = together[0]
        words: list[str] = []
        for each in together:
            words += _apply(table, each)
        felt = _felt(table, found.number, felt)
        yield Step(
            first.sequence,
            first.wall,
            who(first.actor),
            kind_of([each.event for each in together]),
            tuple(words),
            first.event.difference if isinstance(first.event, e.CardCorrected | e.CardsExchanged) else {},
            felt,
            public_view(table),
        )


def who(actor: str) -> str:
    """`dealer:Ann` is dealer Ann; a device is called by its name alone."""
    role, _, name = actor.partition(":")
    return name if role == "device" and name else actor.replace(":", " ", 1)


def _apply(table: Table, kept: Kept) -> list[str]:
    # What belongs to other rounds is not among the steps, and an undo names what it undoes by its number.
    table.state = structs.replace(table.state, sequence=kept.sequence - 1)
    before = table.fork()
    try:
        told = table.apply(kept.event) if not _is_of_before(table, kept.event) else ()
    except (Refused, ValueError) as error:
        words = f"What was entered does not make this round again: record {kept.sequence} can't be played ({error})."
        raise Refused("not_again", words) from error
    return step_words(before, table, kept.event, told)


def _is_of_before(table: Table, event: e.Event) -> bool:
    """About a question that was asked before the round: this table does not have it, and no screen shows it."""
    return isinstance(event, e.CardToldAgain) and all(held.number != event.number for held in table.state.held)


def _felt(table: Table, number: int, before: Felt) -> Felt:
    """A round that was voided lies there as it lay; the screens have gone back to the one before it."""
    view = public_view(table)
    if view.round != number:
        return structs.replace(before, awaiting="")
    return Felt(
        view.hands, view.dealer, view.side_bets, view.burned, view.awaiting if table.state.round is not None else ""
    )


def _inputs(kept: Iterable[Kept]) -> Iterator[list[Kept]]:
    """What came of one input stands together: nobody ever saw the table between its events."""
    together: list[Kept] = []
    for each in kept:
        if isinstance(each.event, e.MarkReached):
            continue
        if together and not _follows(together[-1], each):
            yield together
            together = []
        together.append(each)
    if together:
        yield together


def _follows(before: Kept, kept: Kept) -> bool:
    if (before.wall, before.actor) != (kept.wall, kept.actor):
        return False
    match kept.event:
        case e.RoundEnded() | e.AlertRaised() | e.LimitsApplied():
            return True
        case e.CardDrawn(held=held) | e.CardBurned(held=held):
            return held > 0
        case e.Decided():
            return isinstance(before.event, e.Undone)
    return False
