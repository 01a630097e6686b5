"""Rounds found by their numbers, in a journal that another connection is writing."""

from __future__ import annotations

import os
from pathlib import Path

from controller.store.journal import Journal
from controller.store.record import Entry
from controller.store.rounds import BEGAN, NEWEST, SELDOM, SET_UP, RoundReader
from tests.controller.store.helpers import card


def begun(number: int) -> Entry:
    return Entry("dealer:Ann", "RoundBegun", f'{{"event":"RoundBegun","number":{number},"bets":{{}}}}'.encode())


def set_up(game: str) -> Entry:
    return Entry("device:configuration", "TableSetUp", f'{{"event":"TableSetUp","game":"{game}"}}'.encode())


def filled(path: Path) -> Journal:
    """Three rounds of two cards each, set up anew before the third."""
    journal = Journal.open(path)
    journal.append([set_up("blackjack")])
    for number in (1, 2):
        journal.append([begun(number), card(), card()])
    journal.append([set_up("monte_carlo"), begun(3), card()])
    return journal


def test_a_round_is_found_where_it_began(tmp_path: Path) -> None:
    with filled(tmp_path / "table.db"), RoundReader.of(tmp_path / "table.db") as reader:
        assert [reader.began(number) for number in (1, 2, 3, 4, 0)] == [2, 5, 9, None, None]
        assert [record.sequence for record in reader.after(9 - 1)] == [9, 10]


def test_the_newest_come_first(tmp_path: Path) -> None:
    with filled(tmp_path / "table.db"), RoundReader.of(tmp_path / "table.db") as reader:
        assert reader.newest(None, 10) == [9, 5, 2]
        assert reader.newest(None, 2) == [9, 5]
        assert reader.newest(3, 2) == [5, 2]
        assert reader.newest(1, 2) == []


def test_what_the_table_was_set_up_as_is_what_was_said_last_before(tmp_path: Path) -> None:
    with filled(tmp_path / "table.db"), RoundReader.of(tmp_path / "table.db") as reader:
        games = []
        for sequence in (2, 5, 9):
            record = reader.set_up(sequence)
            assert record is not None
            games.append(record.data.split(b'"')[7].decode())
        assert games == ["blackjack", "blackjack", "monte_carlo"]
        assert reader.set_up(1) is None


def test_every_question_goes_by_an_index(tmp_path: Path) -> None:
    with filled(tmp_path / "table.db") as journal:
        for question, values in ((BEGAN, (1,)), (NEWEST, (9, 9)), (SET_UP, (9,)), (SELDOM, (9,))):
            plan = journal._ask("", lambda connection: connection.execute(f"EXPLAIN QUERY PLAN {question}", values))  # noqa: B023
            words = [row[3].decode() for row in plan]
            assert len(words) == 1
            assert words[0].startswith("SEARCH record USING INDEX"), words


def test_reading_beside_the_writer_takes_none_of_its_locks_away(tmp_path: Path) -> None:
    """The kernel drops all locks of a program on a file when any of its descriptors of that file is closed, and then
    an audit elsewhere would take itself for the last user of the log and remove it."""
    path = tmp_path / "table.db"

    def locks() -> set[str]:
        inodes = {str(each.stat().st_ino): each.name for each in tmp_path.iterdir()}
        lines = [line.split() for line in Path("/proc/locks").read_text().splitlines()]
        return {inodes.get(line[5].split(":")[-1], "") for line in lines if line[4] == str(os.getpid())} - {""}

    with filled(path) as journal:
        before = locks()
        assert {"table.db", "table.db-shm"} <= before
        with RoundReader.of(path) as reader:
            assert reader.began(1) == 2
        with Journal.read_only(path) as other:
            assert other.head == journal.head
        assert locks() == before
