"""What goes into a journal comes out of it: in order, in whole transactions, after any number of starts."""

from __future__ import annotations

import re
import sqlite3
import stat
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.store.audit import verify
from controller.store.database import APPLICATION_ID
from controller.store.errors import ChainBroken
from controller.store.journal import Journal
from controller.store.record import Entry
from controller.store.rows import PAGE
from tests.controller.store.helpers import card, contents, journal_of, tamper, ticking

NAMES = st.text(st.characters(exclude_categories=["Cs"]))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.floats(allow_nan=False, allow_infinity=False) | NAMES,
    lambda inner: st.lists(inner) | st.dictionaries(NAMES, inner),
    max_leaves=8,
)
ENTRIES = st.builds(Entry, NAMES, NAMES, VALUES.map(msgspec.json.encode))


def test_records_are_numbered_from_one_without_a_gap_over_all_starts(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    returned = []
    for _ in range(3):
        with Journal.open(path) as journal:
            returned += journal.append([card(1), card(2)])
            returned += journal.append([card(3)])
    with Journal.read_only(path) as reader:
        assert list(reader.after(0)) == returned
    assert [record.sequence for record in returned] == list(range(1, 10))
    assert len({record.boot for record in returned}) == 3
    assert len({record.salt for record in returned}) == 9


def test_a_record_says_when_it_was_written_and_by_which_start(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "journal.db", stamp=ticking()) as journal:
        (first,) = journal.append([Entry("dealer", "Stood", b'{"seat":3}')])
        second, third = journal.append([card(1), card(2)])
    assert (first.actor, first.kind, first.data) == ("dealer", "Stood", b'{"seat":3}')
    assert (first.wall, first.clock, first.monotonic_ns) == ("2026-01-02T03:00:00.000Z", "rtc", 0)
    assert second.wall == third.wall == "2026-01-02T03:00:01.000Z"
    assert re.fullmatch("[0-9a-f]{16}", first.boot)


@given(st.lists(st.lists(ENTRIES, max_size=4), max_size=4))
def test_any_entry_in_any_language_comes_back_as_it_was(batches: list[list[Entry]]) -> None:
    with TemporaryDirectory() as directory:
        path = Path(directory) / "journal.db"
        with Journal.open(path) as journal:
            written = [record for batch in batches for record in journal.append(batch)]
        with Journal.open(path) as journal:
            assert list(journal.after(0)) == written
        asked = [entry for batch in batches for entry in batch]
        assert [Entry(record.actor, record.kind, record.data) for record in written] == asked
        assert verify(path).records == len(written)


def test_after_gives_what_is_behind_a_record_over_many_pages(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "journal.db") as journal:
        records = journal.append([card(number) for number in range(2 * PAGE + 3)])
        for sequence in (0, 1, PAGE - 1, PAGE, PAGE + 1, 2 * PAGE + 2, 2 * PAGE + 3, 10 * PAGE):
            assert tuple(journal.after(sequence)) == records[sequence:]


def test_after_stops_at_a_record_that_does_not_follow(tmp_path: Path) -> None:
    path = journal_of(tmp_path / "journal.db", 6)
    tamper(path, "UPDATE record SET data = '{\"n\":9}' WHERE sequence = 4")
    with Journal.open(path) as journal:
        records = journal.after(1)
        assert [next(records).sequence, next(records).sequence] == [2, 3]
        with pytest.raises(ChainBroken, match="record 4"):
            next(records)


def test_records_are_read_while_more_are_written(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    with Journal.open(path) as journal, Journal.read_only(path) as reader:
        first = journal.append([card(number) for number in range(PAGE + 1)])
        reading = reader.after(0)
        seen = [next(reading)]
        more = journal.append([card(number) for number in range(PAGE + 1)])
        seen += reading
        assert tuple(seen) == first + more
        assert reader.head == journal.head == (more[-1].sequence, more[-1].hash)


def test_the_head_of_an_empty_journal_is_its_own(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "a.db") as one, Journal.open(tmp_path / "b.db") as other:
        assert one.head == (0, one.genesis)
        assert one.genesis != other.genesis
        assert list(one.after(0)) == []
        assert one.snapshot() is None


def test_the_newest_two_snapshots_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    with Journal.open(path) as journal:
        for number in range(1, 6):
            journal.append([card(1), card(2)], snapshot=b"state %d" % number)
            journal.append([card(3)])
        assert journal.snapshot() == (14, b"state 5")
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT sequence, data FROM snapshot ORDER BY 1").fetchall() == [
            (11, b"state 4"),
            (14, b"state 5"),
        ]
    with Journal.open(path) as journal:
        assert journal.snapshot() == (14, b"state 5")
        assert [record.sequence for record in journal.after(14)] == [15]


def test_a_snapshot_without_entries_is_of_the_head(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "journal.db") as journal:
        assert journal.append([], snapshot=b"new") == ()
        assert journal.snapshot() == (0, b"new")
        journal.append([card()], snapshot=b"old")
        journal.append([], snapshot=b"newer")
        assert journal.snapshot() == (1, b"newer")


def test_nothing_to_keep_writes_nothing(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "journal.db") as journal:
        before = contents(tmp_path)
        assert journal.append([]) == ()
        assert contents(tmp_path) == before


@pytest.mark.parametrize("change", ["data = x'00'", "\"check\" = x'00'", "data = 7", "data = 'text'"])
def test_a_damaged_snapshot_gives_way_to_the_one_before(tmp_path: Path, change: str) -> None:
    path = tmp_path / "journal.db"
    with Journal.open(path) as journal:
        journal.append([card(1)], snapshot=b"one")
        journal.append([card(2)], snapshot=b"two")
    tamper(path, f"UPDATE snapshot SET {change} WHERE sequence = 2")
    with Journal.open(path) as journal:
        assert journal.snapshot() == (1, b"one")


def test_an_empty_file_is_a_place_for_a_new_journal(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    path.touch()
    with Journal.open(path) as journal:
        journal.append([card()])
    assert verify(path).records == 1


def test_a_journal_may_have_any_name_and_be_reached_over_a_link(tmp_path: Path) -> None:
    link, target = tmp_path / "link", tmp_path / "täble?mode=ro#7 100%.db"
    link.symlink_to(target)
    with Journal.open(link) as journal:
        journal.append([card()])
    assert link.is_symlink()
    assert verify(str(link)).records == verify(target).records == 1


def test_a_new_journal_is_its_owners_alone_and_says_what_it_is(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    with Journal.open(path) as journal:
        journal.append([card()])
        for file in tmp_path.iterdir():
            assert stat.S_IMODE(file.stat().st_mode) == 0o600, file
    assert sorted(file.name for file in tmp_path.iterdir()) == ["journal.db", "journal.db.lock"]
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)
        assert connection.execute("PRAGMA user_version").fetchone() == (1,)
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert connection.execute("SELECT typeof(data), typeof(hash) FROM record").fetchone() == ("text", "blob")


@pytest.mark.parametrize("statement", ["UPDATE record SET actor = 'x'", "DELETE FROM record"])
def test_a_record_is_not_edited_by_accident(tmp_path: Path, statement: str) -> None:
    path = journal_of(tmp_path / "journal.db", 2)
    with closing(sqlite3.connect(path)) as connection, pytest.raises(sqlite3.IntegrityError, match="never"):
        connection.execute(statement)


def test_a_restored_backup_in_sqlites_older_mode_goes_on(tmp_path: Path) -> None:
    path = journal_of(tmp_path / "journal.db", 3)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("VACUUM INTO ?", (str(tmp_path / "backup.db"),))
    with Journal.open(tmp_path / "backup.db") as journal:
        journal.append([card()])
    assert verify(tmp_path / "backup.db").records == 4


def test_a_closed_journal_says_so_and_may_be_closed_again(tmp_path: Path) -> None:
    journal = Journal.open(tmp_path / "journal.db")
    journal.close()
    journal.close()
    for use in (lambda: journal.append([card()]), lambda: list(journal.after(0)), journal.snapshot):
        with pytest.raises(ValueError, match="is closed"):
            use()
