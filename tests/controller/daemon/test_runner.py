"""The runner's order: commit, then acknowledge, then show; and what happens while the journal takes nothing."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from controller.daemon import runner as runner_module
from controller.daemon.runner import Change, Runner, recover
from controller.rules.errors import Refused
from controller.store.errors import JournalRefused, JournalUnavailable
from controller.store.journal import Journal
from controller.store.record import Entry, Record
from controller.store.writer import JournalWriter
from controller.table import events as e
from controller.table import inputs as i
from controller.table.state import DeviceMark
from controller.table.table import Table
from tests.controller.table.playing import DEALER, setup_for


class Watched:
    """A real journal that notes when it was asked, and can be out of order."""

    def __init__(self, writer: JournalWriter, log: list[str]) -> None:
        self._writer, self._log = writer, log
        self.broken = ""

    async def commit(self, entries: Sequence[Entry], snapshot: bytes | None = None) -> tuple[Record, ...]:
        self._log.append(f"commit {' '.join(entry.kind for entry in entries)}")
        if self.broken:
            raise JournalUnavailable(self.broken)
        done = await self._writer.commit(entries, snapshot)
        self._log.append("committed")
        return done


@asynccontextmanager
async def running(path: Path, log: list[str]) -> AsyncIterator[tuple[Runner, Watched]]:
    journal = Journal.open(path / "table.db")
    table = recover(setup_for(), journal)
    writer = JournalWriter(journal)
    watched = Watched(writer, log)
    try:
        yield Runner(table, watched), watched
    finally:
        await writer.close()


async def ready(runner: Runner) -> None:
    for what in (i.OpenTable(), i.Shoe("load"), i.Wager(1, "10"), i.OpenRound()):
        await runner.enter(what, DEALER)


async def test_a_card_is_on_the_disk_before_the_shoe_may_forget_it_and_before_anybody_sees_it(tmp_path: Path) -> None:
    log: list[str] = []
    async with running(tmp_path, log) as (runner, _):
        await ready(runner)
        log.clear()
        runner.listen(lambda change: log.append("shown"))
        await runner.report(i.CardLeftShoe("8S"), "shoe", DeviceMark(7, 1), lambda: log.append("acknowledged"))
        assert log == ["commit CardDrawn MarkReached", "committed", "acknowledged", "shown"]
        assert runner.table.state.marks == {"shoe": DeviceMark(7, 1)}


async def test_what_the_journal_has_already_is_acknowledged_and_not_counted_again(tmp_path: Path) -> None:
    log: list[str] = []
    async with running(tmp_path, log) as (runner, _):
        await ready(runner)
        for _ in range(3):
            await runner.report(i.CardLeftShoe("8S"), "shoe", DeviceMark(7, 1), lambda: log.append("acknowledged"))
        assert runner.table.state.shoe.out == {"8S": 1}
        assert log.count("acknowledged") == 3


async def test_a_table_is_the_same_after_a_restart_with_and_without_a_snapshot(tmp_path: Path) -> None:
    async with running(tmp_path, []) as (runner, _):
        await ready(runner)
        for code in ["TS", "7D", "9C", "TH"]:
            await runner.report(i.CardLeftShoe(code), "shoe")
        before = runner.table.state
    async with running(tmp_path, []) as (runner, _):
        assert runner.table.state == before
        for what in (i.Decision(1, 1, "stand"), i.TurnHoleCard(), i.Settle(), i.Wager(2, "50")):
            await runner.enter(what, DEALER)
        before = runner.table.state
    async with running(tmp_path, []) as (runner, _):
        assert runner.table.state == before
        assert runner.table.last is not None


async def test_while_the_disk_is_full_people_are_refused_in_words_and_a_card_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner_module, "RETRY_S", 0.01)
    log: list[str] = []
    async with running(tmp_path, log) as (runner, journal):
        await ready(runner)
        shown: list[Change] = []
        runner.listen(shown.append)
        journal.broken = "the disk is full"
        with pytest.raises(Refused, match="takes no input now: the disk is full") as refused:
            await runner.enter(i.Wager(2, "10"), DEALER)
        assert refused.value.code == "journal_unavailable"
        assert "the disk is full" in runner.trouble
        told: list[str] = []
        waiting = asyncio.create_task(
            runner.report(i.CardLeftShoe("8S"), "shoe", DeviceMark(7, 1), lambda: told.append("acknowledged"))
        )
        while log.count("commit CardDrawn MarkReached") < 3:
            await asyncio.sleep(0.005)
        assert told == []
        assert runner.table.state.shoe.out == {}
        journal.broken = ""
        await waiting
        assert told == ["acknowledged"]
        assert runner.table.state.shoe.out == {"8S": 1}
        assert runner.trouble == ""
        assert len(shown) == 2, "the trouble, and the card"


async def test_a_surface_that_fails_stops_nothing(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async with running(tmp_path, []) as (runner, _):

        def broken(change: Change) -> None:
            raise RuntimeError("no paper")

        runner.listen(broken)
        await ready(runner)
        assert runner.table.state.round is not None
        told = [record for record in caplog.records if "failed to show what changed" in record.getMessage()]
        assert len(told) == 1, "once for the same reason, however often it fails"


async def test_many_at_once_are_taken_one_after_another(tmp_path: Path) -> None:
    async with running(tmp_path, []) as (runner, _):
        await ready(runner)
        await runner.enter(i.Void("none"), i.Actor("supervisor", "Sam"))
        asked = [runner.enter(i.Wager(seat, "10"), DEALER) for seat in range(1, 8)]
        sequences = [number for numbers in await asyncio.gather(*asked) for number in numbers]
        assert sequences == list(range(sequences[0], sequences[0] + 7))
        assert runner.table.state.sequence == sequences[-1], "the table counts as the journal does"


async def test_a_journal_of_another_table_is_refused_in_words(tmp_path: Path) -> None:
    journal = Journal.open(tmp_path / "table.db")
    try:
        journal.append([Entry("dealer:Ann", "CardDrawn", e.encode_event(e.CardDrawn("8S", "shoe")))])
        with pytest.raises(JournalRefused, match="does not fit this table"):
            recover(setup_for(), journal)
        journal.append([Entry("dealer:Ann", "Nonsense", b'{"event":"Nonsense"}')])
        with pytest.raises(JournalRefused, match="does not fit this table"):
            recover(setup_for(), journal)
    finally:
        journal.close()


def test_a_new_table_begins_at_nothing() -> None:
    assert Table(setup_for()).state.sequence == 0
