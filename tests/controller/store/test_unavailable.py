"""A commit that cannot be made now: nothing of it is kept, and the same journal goes on when the cause is gone."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from controller.store import database
from controller.store.audit import verify
from controller.store.errors import JournalRefused, JournalUnavailable
from controller.store.journal import Journal
from controller.store.record import Entry, Record
from tests.controller.store.helpers import as_if_cut, card, log_of


def big(number: int) -> Entry:
    return Entry("shoe", "CardRead", b'{"n":%d,"text":"%s"}' % (number, b"x" * 3000))


def fill(path: Path) -> None:
    """Writes until not one byte more fits."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT)
    try:
        for size in (4096, 1):
            while True:
                try:
                    os.write(descriptor, bytes(size))
                except OSError:
                    break
    finally:
        os.close(descriptor)


def append_until_full(journal: Journal, kept: list[Record]) -> None:
    """On a full disk too some may fit: a log that was emptied keeps its room."""
    for _ in range(100):
        kept += journal.append([big(2), big(3)], snapshot=b"two")


def test_on_a_full_disk_nothing_is_written_and_it_goes_on_when_there_is_room(small_disk: Path) -> None:
    path = small_disk / "journal.db"
    with Journal.open(path) as journal:
        kept = list(journal.append([big(1)], snapshot=b"one"))
        for _ in range(3):
            fill(small_disk / "film.mp4")
            head = journal.head
            for _ in range(2):
                with pytest.raises(JournalUnavailable, match=r"the disk is full\. Make room"):
                    append_until_full(journal, kept)
                assert journal.head[0] == kept[-1].sequence >= head[0]
                assert list(journal.after(0)) == kept
            (small_disk / "film.mp4").unlink()
            kept += journal.append([card(4)], snapshot=b"four")
            assert journal.snapshot() == (kept[-1].sequence, b"four")
    assert verify(path).records == len(kept)


def test_what_a_full_disk_refused_is_not_there_after_a_power_cut_either(small_disk: Path, tmp_path: Path) -> None:
    path = small_disk / "journal.db"
    with Journal.open(path) as journal:
        journal.append([card(1)])
        fill(small_disk / "film.mp4")
        with pytest.raises(JournalUnavailable):
            journal.append([big(number) for number in range(20)])
        copy = as_if_cut(path, tmp_path / "cut")
    assert verify(copy).records == 1


def test_no_new_journal_is_begun_on_a_full_disk_and_no_half_of_one_stays(small_disk: Path) -> None:
    fill(small_disk / "film.mp4")
    with pytest.raises(JournalUnavailable, match="cannot be made"):
        Journal.open(small_disk / "journal.db")
    assert not (small_disk / "journal.db").exists()
    (small_disk / "film.mp4").unlink()
    with Journal.open(small_disk / "journal.db") as journal:
        assert journal.append([card()])


def test_a_database_that_may_not_grow_is_a_full_disk(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "journal.db") as journal:
        connection = journal._open()
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
        connection.execute(f"PRAGMA max_page_count = {pages + 2}")
        with pytest.raises(JournalUnavailable, match="the disk is full"):
            journal.append([big(number) for number in range(20)], snapshot=b"state")
        assert (journal.head, list(journal.after(0)), journal.snapshot()) == ((0, journal.genesis), [], None)
        connection.execute("PRAGMA max_page_count = 1000000")
        assert len(journal.append([big(number) for number in range(20)])) == 20
    assert verify(tmp_path / "journal.db").records == 20


def test_a_write_error_in_the_middle_of_a_commit_leaves_nothing_of_it(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    command = [sys.executable, "-m", "tests.controller.store.child", path, "100000"]
    told: list[list[str]] = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        for line in child.stdout:
            told.append(line.split())
            if "unavailable" in (words[0] for words in told) and len(told) > 60:
                break
        child.kill()
    stopped = next(number for number, words in enumerate(told) if words[0] == "unavailable")
    assert stopped > 1
    assert told[stopped][1] == told[stopped - 1][1], "the head moved although nothing was kept"
    after = told[stopped + 1]
    assert int(after[1]) == int(told[stopped][1]) + int(after[3]), "the next commit does not follow directly"
    found = verify(path, head=(int(told[-1][1]), bytes.fromhex(told[-1][2])))
    assert found.records >= int(told[-1][1])


def test_another_program_that_writes_holds_it_up_and_no_longer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "BUSY_S", 0.01)
    path = tmp_path / "journal.db"
    with Journal.open(path) as journal, closing(sqlite3.connect(path, isolation_level=None)) as shell:
        shell.execute("BEGIN IMMEDIATE")
        with pytest.raises(JournalUnavailable, match="another program is writing"):
            journal.append([card()])
        shell.execute("ROLLBACK")
        assert journal.append([card()])[0].sequence == 1


def test_a_record_written_by_another_program_is_not_built_upon(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    with Journal.open(path) as journal, closing(sqlite3.connect(path)) as shell:
        shell.execute("INSERT INTO record VALUES (1, 'b', 'w', 'rtc', 1, 'a', 'k', '1', x'00', x'00')")
        shell.commit()
        with pytest.raises(JournalRefused, match="another program has written into it"):
            journal.append([card()])


@pytest.mark.parametrize("which", ["journal", "log"])
def test_a_journal_that_was_taken_away_takes_nothing_until_it_is_back(tmp_path: Path, which: str) -> None:
    path = tmp_path / "journal.db"
    with Journal.open(path) as journal:
        journal.append([card(1)])
        taken = path if which == "journal" else log_of(path)
        taken.rename(tmp_path / "elsewhere")
        with pytest.raises(JournalUnavailable, match="moved, deleted or replaced"):
            journal.append([card(2)])
        taken.touch()  # a file of the same name is not the same file
        with pytest.raises(JournalUnavailable, match="moved, deleted or replaced"):
            journal.append([card(2)])
        (tmp_path / "elsewhere").rename(taken)
        assert journal.append([card(2)])[0].sequence == 2
    assert verify(path).records == 2


def test_a_snapshot_that_cannot_be_stored_takes_its_entries_along(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "journal.db") as journal:
        with pytest.raises(TypeError):
            journal.append([card()], snapshot=object())  # type: ignore[arg-type]
        assert list(journal.after(0)) == []
        assert journal.append([card()])[0].sequence == 1
