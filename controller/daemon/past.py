"""The rounds that are over, from the journal, for those who may see the table's past. Knows no round in play.

Reads on a connection of its own, off the event loop. A round whose rules are others today is shown by those of then.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec
from msgspec import Struct

from controller.daemon.past_rules import settings_then, setup_then
from controller.daemon.past_told import RoundSummary, RoundTold
from controller.library import as_options
from controller.rules.errors import Refused
from controller.rules.money import parse_amount, whole
from controller.store.errors import ChainBroken, JournalError
from controller.store.record import Record
from controller.store.rounds import RoundReader
from controller.surfaces.pack_down import Day, day
from controller.surfaces.playback import Playback, playback
from controller.table.alert_log import PastAlert, alert_log
from controller.table.events import LimitsApplied, LimitsScheduled, RoundBegun, RoundVoided, TableSetUp, decode_event
from controller.table.export import round_script
from controller.table.history import Kept, RoundOnRecord, report, round_on_record
from controller.table.rounds import RoundLog
from controller.table.state import Setup

T = TypeVar("T")
_LIMITS: Final = (TableSetUp, LimitsScheduled, LimitsApplied)


class PastRounds:
    """Fulfils `controller.surfaces.web.desk.Rounds`. Each call raises Refused where the journal can't be read."""

    summary_type: type[Struct] = RoundSummary
    record_type: type[Struct] = RoundTold

    def __init__(self, journal: Path, setup: Setup) -> None:
        self._journal, self._setup = journal.resolve(), setup

    async def round_list(self, before: int | None, limit: int) -> Sequence[RoundSummary]:
        return await self._reading(lambda reader: self._list(reader, before, limit))

    async def round(self, number: int) -> RoundTold | None:
        return await self._reading(lambda reader: self._told(reader, number))

    async def script(self, number: int) -> dict[str, Any] | None:
        """Raises Refused where there is nothing to settle, or no script can name its rules."""
        return await self._reading(lambda reader: self._script(reader, number))

    async def playback(self, number: int, *, simulated: bool) -> Playback | None:
        """Step by step. Raises Refused where the rules of then are not known any more."""
        return await self._reading(lambda reader: self._playback(reader, number, simulated))

    async def day(self) -> tuple[int, Day | None]:
        return await self._reading(_day)

    async def alerts(self, limit: int) -> Sequence[PastAlert]:
        return await self._reading(lambda reader: alert_log(_kept(reader.seldom()))[:limit])

    async def _reading(self, what: Callable[[RoundReader], T]) -> T:
        return await asyncio.to_thread(self._read, what)

    def _read(self, what: Callable[[RoundReader], T]) -> T:
        try:
            with RoundReader.of(self._journal) as reader:
                return what(reader)
        except JournalError as error:
            raise Refused("journal_unavailable", f"The past can't be read now: {error}") from error
        except (ChainBroken, msgspec.MsgspecError) as error:
            words = f"The journal is damaged there: {error}. croupier audit verify says more."
            raise Refused("journal_broken", words) from error

    # In the thread

    def _list(self, reader: RoundReader, before: int | None, limit: int) -> list[RoundSummary]:
        """One more is looked for, because the newest may be in play."""
        began = reader.newest(before, limit + 1)
        if not began:
            return []
        rounds = _rounds_behind(reader, began[-1], len(began))
        told = [_summary(each, self._set_up(reader, each)) for each in reversed(rounds) if each.status != "in_play"]
        return told[:limit]

    def _told(self, reader: RoundReader, number: int) -> RoundTold | None:
        found = _found(reader, number)
        if found is None:
            return None
        was = self._set_up(reader, found)
        told = {field: getattr(_summary(found, was), field) for field in RoundSummary.__struct_fields__}
        try:
            whole_report = report(settings_then(setup_then(self._setup, was), found), found)
        except Refused as refused:
            return RoundTold(**told, problem=refused.message)
        return RoundTold(**told, hands=whole_report.hands, dealer=whole_report.dealer, side_bets=whole_report.side_bets)

    def _script(self, reader: RoundReader, number: int) -> dict[str, Any] | None:
        found = _found(reader, number)
        if found is None:
            return None
        if found.status == "void":  # and what lies face down in it was never turned
            raise Refused("round_void", f"Round {number} was voided: there is nothing to settle.")
        setup = settings_then(setup_then(self._setup, self._set_up(reader, found)), found)
        return round_script(setup, found.log, *as_options(setup.rules))

    def _playback(self, reader: RoundReader, number: int, simulated: bool) -> Playback | None:
        found = _found(reader, number)
        if found is None:
            return None
        setup = settings_then(setup_then(self._setup, self._set_up(reader, found)), found)
        limits = [
            each.event for each in _kept(reader.seldom(found.steps[0].sequence)) if isinstance(each.event, _LIMITS)
        ]
        return playback(setup, found, limits=limits, last=self._last(reader, setup, number), simulated=simulated)

    def _last(self, reader: RoundReader, setup: Setup, number: int) -> RoundLog | None:
        """What had ended before this round, by the same rules: screens went back to it when this one was voided."""
        before = (_found(reader, each) for each in range(number - 1, 0, -1))
        found = next((each for each in before if each is not None and each.status == "ended"), None)
        if found is None:
            return None
        try:
            rules = setup_then(self._setup, self._set_up(reader, found)).rules
            same = rules == setup.rules and settings_then(setup, found).settings == setup.settings
        except Refused:
            return None
        return found.log if same else None

    def _set_up(self, reader: RoundReader, found: RoundOnRecord) -> TableSetUp | None:
        record = reader.set_up(found.steps[0].sequence)
        event = decode_event(record.data) if record is not None else None
        return event if isinstance(event, TableSetUp) else None


def _day(reader: RoundReader) -> tuple[int, Day | None]:
    """Since the last opening; with the number of the newest record that it is told from."""
    opened = reader.opened()
    newest = [0]

    def noted(kept: Iterable[Kept]) -> Iterator[Kept]:
        for each in kept:
            newest[0] = each.sequence
            yield each

    found = day(noted(_kept(reader.after(opened - 1)))) if opened is not None else None
    return newest[0] or reader.head[0], found


def _found(reader: RoundReader, number: int) -> RoundOnRecord | None:
    """None for one that is in play, too."""
    began = reader.began(number)
    found = round_on_record(number, _kept(reader.after(began - 1))) if began is not None else None
    return None if found is None or found.status == "in_play" else found


def _rounds_behind(reader: RoundReader, sequence: int, count: int) -> list[RoundOnRecord]:
    """So many rounds from the one that this record began, in order; each with what follows up to the next but one,
    for as long as it may be corrected."""
    cut: list[list[Kept]] = []
    for each in _kept(reader.after(sequence - 1)):
        if isinstance(each.event, RoundBegun):
            if len(cut) > count:
                break
            cut.append([])
        for part in cut[-2:]:
            part.append(each)
    found = []
    for part in cut[:count]:
        began = part[0].event
        assert isinstance(began, RoundBegun)
        round_ = round_on_record(began.number, part)
        assert round_ is not None
        found.append(round_)
    return found


def _kept(records: Iterable[Record]) -> Iterator[Kept]:
    return (Kept(each.sequence, each.wall, each.actor, decode_event(each.data)) for each in records)


def _summary(found: RoundOnRecord, was: TableSetUp | None) -> RoundSummary:
    last = next(each for each in reversed(found.steps) if each.event not in found.corrections)
    return RoundSummary(
        number=found.number,
        status="void" if found.status == "void" else "ended",
        game=was.game if was is not None else "",
        began=found.steps[0].wall,
        ended=last.wall,
        net=found.net,
        difference=_difference(found),
        corrected=len(found.corrections),
        void_reason=last.event.reason if isinstance(last.event, RoundVoided) else "",
    )


def _difference(found: RoundOnRecord) -> dict[int, str]:
    sums: dict[int, Fraction] = {}
    for each in found.corrections:
        for seat, amount in each.difference.items():
            sums[seat] = sums.get(seat, Fraction(0)) + parse_amount(amount)
    return {seat: str(whole(amount)) for seat, amount in sorted(sums.items())}
