"""A round of before, made again from the journal's records: who entered what, what it came to, what was corrected."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from msgspec import Struct

from controller.table import events as e
from controller.table.felt import HandView, SideBetView, dealer_hand, hands, side_bets
from controller.table.rounds import Entry, RoundLog, played
from controller.table.state import Setup


class Kept(Struct, frozen=True):
    """An event as the journal has it: its number, when, and who."""

    sequence: int
    wall: str
    actor: str
    event: e.Event


class RoundOnRecord(Struct, frozen=True):
    """`log` is the round as it counts now, after undos and corrections; `steps` is all that happened, in order."""

    number: int
    status: Literal["in_play", "ended", "void"]
    log: RoundLog
    net: dict[int, str | None]
    corrections: tuple[e.CardCorrected | e.CardsExchanged, ...]
    steps: tuple[Kept, ...]


class RoundReport(Struct, frozen=True):
    """A round as it lay on the felt at its end, for those who may see the table's past."""

    number: int
    status: str
    began: str
    hands: tuple[HandView, ...]
    dealer: HandView | None
    side_bets: tuple[SideBetView, ...]
    net: dict[int, str | None]
    void_reason: str
    corrected: int


def round_on_record(number: int, kept: Iterable[Kept]) -> RoundOnRecord | None:
    """From the records behind the one that began it, in order; None where they hold no such round."""
    log: RoundLog | None = None
    status: Literal["in_play", "ended", "void"] = "in_play"
    net: dict[int, str | None] = {}
    corrections: list[e.CardCorrected | e.CardsExchanged] = []
    steps: list[Kept] = []
    for each in kept:
        event = each.event
        if isinstance(event, e.RoundBegun):
            if log is None and event.number == number:
                log = RoundLog(number, event.bets)
                steps.append(each)
                continue
            if log is None or status == "in_play":
                continue
            if event.number > number + 1:
                break  # a round is corrected only while it is the last one
        if log is None:
            continue
        if isinstance(event, e.CardCorrected | e.CardsExchanged):
            if event.round == number:
                log = _corrected(log, event)
                corrections.append(event)
                steps.append(each)
        elif status == "in_play":
            steps.append(each)
            if isinstance(event, e.RoundEnded | e.RoundVoided):
                status, net = "ended" if isinstance(event, e.RoundEnded) else "void", event.net
            else:
                log = _entered(log, each.sequence, event)
    return None if log is None else RoundOnRecord(number, status, log, net, tuple(corrections), tuple(steps))


def report(setup: Setup, found: RoundOnRecord) -> RoundReport:
    round_ = played(setup.rules, found.log, setup.settings)
    voided = next((each.event for each in found.steps if isinstance(each.event, e.RoundVoided)), None)
    return RoundReport(
        found.number,
        found.status,
        found.steps[0].wall,
        hands(round_),
        dealer_hand(round_),
        side_bets(round_),
        found.net,
        voided.reason if voided else "",
        len(found.corrections),
    )


def _entered(log: RoundLog, sequence: int, event: e.Event) -> RoundLog:
    entries: Sequence[Entry] = log.entries
    match event:
        case e.Undone() | e.CardTakenBack():
            return RoundLog(log.number, log.bets, tuple(entries[:-1]))
        case (
            e.CardDrawn()
            | e.Decided()
            | e.Insured()
            | e.OfferEnded()
            | e.Peeked()
            | e.HoleCardTurned()
            | e.PaidAndTaken()
        ):
            return RoundLog(log.number, log.bets, (*entries, Entry(sequence, event)))
    return log


def _corrected(log: RoundLog, event: e.CardCorrected | e.CardsExchanged) -> RoundLog:
    if isinstance(event, e.CardCorrected):
        return log.with_card(event.place, event.card)
    return log.with_exchanged(event.place, event.other)
