"""Files that cannot be the journal are refused in words, and stay as they were to the byte."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from controller.store.audit import verify
from controller.store.errors import JournalRefused
from controller.store.journal import Journal
from tests.controller.store.helpers import as_if_cut, card, contents, journal_of, log_of, tamper

NOBODY = 65534


def refused(path: Path) -> str:
    """What the journal says of this file, opened to write and to read; it must leave everything as it was."""
    before = contents(path.parent)
    with pytest.raises(JournalRefused) as reading:
        Journal.read_only(path).close()
    assert contents(path.parent) == before
    assert reading.value.advice
    return refused_to_write(path)


def refused_to_write(path: Path) -> str:
    before = contents(path.parent)
    with pytest.raises(JournalRefused) as writing:
        Journal.open(path).close()
    assert contents(path.parent) == before
    assert writing.value.advice
    assert str(path.resolve()) in writing.value.words
    return str(writing.value)


@pytest.mark.parametrize(
    "content",
    [
        b"dear diary",
        b"\x00",
        random.Random(21).randbytes(8192),
        b"SQLite format 3\x00" + bytes(84),
        b"SQLite format 3\x00" + random.Random(22).randbytes(4080),
    ],
    ids=["text", "one byte", "random bytes", "only a heading", "a heading and random bytes"],
)
def test_a_file_of_something_else_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "journal.db"
    path.write_bytes(content)
    assert "not a journal of Croupier" in refused(path) or "another program" in refused(path)


@pytest.mark.parametrize("mode", ["delete", "wal"])
def test_the_database_of_another_program_is_refused_even_while_it_has_a_log(tmp_path: Path, mode: str) -> None:
    path = tmp_path / "music.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA journal_mode = {mode}")
        connection.execute("CREATE TABLE record (sequence INTEGER PRIMARY KEY, title TEXT)")
        connection.execute("INSERT INTO record (title) VALUES ('Blue Monday')")
        connection.commit()
        running = as_if_cut(path, tmp_path / "copy") if mode == "wal" else path
        assert "database of another program" in refused(running)
    assert "database of another program" in refused(path)


def test_a_newer_format_is_refused_with_both_numbers(tmp_path: Path) -> None:
    path = journal_of(tmp_path / "journal.db", 1)
    tamper(path, "PRAGMA user_version = 2")
    assert "a newer Croupier has written it (format 2; this one knows up to 1)" in refused(path)


def test_a_format_that_was_never_set_is_refused(tmp_path: Path) -> None:
    path = journal_of(tmp_path / "journal.db", 1)
    tamper(path, "PRAGMA user_version = 0")
    assert "never finished" in refused(path)


def test_a_directory_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    path.mkdir()
    assert "not a file but a directory" in refused(path)


def test_a_pipe_is_refused_without_waiting_for_its_other_end(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    os.mkfifo(path)
    with pytest.raises(JournalRefused, match="not a file but a device, a pipe"):
        Journal.open(path)


@pytest.mark.parametrize("kept", [1, 100, 512, 4096, 5000, 8192])
def test_a_journal_cut_short_is_refused(tmp_path: Path, kept: int) -> None:
    path = journal_of(tmp_path / "journal.db", 50)
    path.write_bytes(path.read_bytes()[:kept])
    refused_to_write(path)


def test_a_journal_cut_short_is_refused_and_its_log_stays_too(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "journal.db") as journal:
        journal.append([card(number) for number in range(50)])
        copy = as_if_cut(journal.path, tmp_path / "cut")
    copy.write_bytes(copy.read_bytes()[:4096])
    log_of(copy).write_bytes(log_of(copy).read_bytes()[:100])
    refused_to_write(copy)


def test_an_end_that_does_not_follow_is_refused(tmp_path: Path) -> None:
    path = journal_of(tmp_path / "journal.db", 5)
    tamper(path, "UPDATE record SET data = '{\"n\":9}' WHERE sequence = 5")
    assert "damaged at its end: record 5" in refused_to_write(path)


def test_an_altered_only_record_is_refused(tmp_path: Path) -> None:
    path = journal_of(tmp_path / "journal.db", 1)
    tamper(path, "UPDATE record SET actor = 'x'")
    assert "damaged at its end: record 1" in refused_to_write(path)


def test_a_gap_before_the_end_is_refused(tmp_path: Path) -> None:
    path = journal_of(tmp_path / "journal.db", 5)
    tamper(path, "DELETE FROM record WHERE sequence = 4")
    assert "record 4 is missing" in refused_to_write(path)


def test_records_cut_off_behind_a_snapshot_are_noticed(tmp_path: Path) -> None:
    path = journal_of(tmp_path / "journal.db", 5, snapshot=b"state")
    tamper(path, "DELETE FROM record WHERE sequence > 3")
    assert "the records end at 3, and a snapshot of record 5 is there" in refused_to_write(path)


@pytest.mark.parametrize(
    "statement", ["DROP TABLE record", "DROP TABLE meta", "DELETE FROM meta", "DROP TABLE snapshot"]
)
def test_a_journal_without_one_of_its_parts_is_refused(tmp_path: Path, statement: str) -> None:
    path = journal_of(tmp_path / "journal.db", 1)
    tamper(path, statement)
    refused_to_write(path)


def test_a_refused_journal_with_a_log_keeps_the_log(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "journal.db") as journal:
        journal.append([card(1), card(2)])
        tamper(journal.path, "UPDATE record SET actor = 'x' WHERE sequence = 2")
        copy = as_if_cut(journal.path, tmp_path / "cut")
    before = {path: path.read_bytes() for path in (copy, log_of(copy))}
    with pytest.raises(JournalRefused, match="record 2"):
        Journal.open(copy)
    assert {path: path.read_bytes() for path in before} == before


def test_a_log_without_its_journal_is_not_thrown_away(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "journal.db") as journal:
        journal.append([card()])
        copy = as_if_cut(journal.path, tmp_path / "cut")
    copy.unlink()
    assert "journal.db-wal with the newest records" in refused(copy)
    copy.touch()
    assert "journal.db-wal with the newest records" in refused(copy)


def test_no_journal_is_refused_where_none_may_be_made(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    with pytest.raises(JournalRefused, match="there is no journal at"):
        Journal.open(path, create=False)
    with pytest.raises(JournalRefused, match="there is no journal at"):
        Journal.read_only(path)
    assert list(tmp_path.iterdir()) == []


def test_a_directory_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(JournalRefused, match=f"Make the directory {tmp_path}/deep"):
        Journal.open(tmp_path / "deep" / "journal.db")


def test_a_second_opening_in_the_same_program_is_refused_and_the_first_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    with Journal.open(path) as journal:
        journal.append([card(1)])
        with pytest.raises(JournalRefused, match=f"this program already .pid {os.getpid()}."):
            Journal.open(path)
        journal.append([card(2)])
    with Journal.open(path) as journal:
        assert journal.head[0] == 2


def test_a_second_process_is_refused_with_the_pid_of_the_first(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    command = [sys.executable, "-m", "tests.controller.store.child", path]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        try:
            assert child.stdout is not None
            assert child.stdout.readline() == f"open {child.pid}\n"
            with pytest.raises(JournalRefused, match=rf"another program \(pid {child.pid}, \S+\)"):
                Journal.open(path)
            child.stdout.readline()
            with Journal.read_only(path) as reader:  # an audit is not refused
                assert reader.head[0] > 0
        finally:
            child.kill()
    with Journal.open(path) as journal:  # and a dead one holds nothing
        assert journal.append([card()])


@contextmanager
def somebody_else(directory: Path) -> Iterator[None]:
    """Everything inside is done as a user who owns nothing."""
    if os.geteuid() != 0:
        pytest.skip("only root may become another user")
    assert directory.exists()
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.fixture
def open_directory() -> Iterator[Path]:
    """Not below tmp_path, which other users may not enter."""
    directory = Path(tempfile.mkdtemp())
    directory.chmod(0o755)
    yield directory
    shutil.rmtree(directory)


def test_a_directory_one_may_not_write_to_is_refused(open_directory: Path) -> None:
    with (
        somebody_else(open_directory),
        pytest.raises(JournalRefused, match=r"Permission denied.*needs to read and write"),
    ):
        Journal.open(open_directory / "journal.db")
    assert list(open_directory.iterdir()) == []


def test_the_journal_of_another_user_is_refused_and_stays(open_directory: Path) -> None:
    path = journal_of(open_directory / "journal.db", 2)
    before = contents(open_directory)
    with somebody_else(open_directory):
        for use in (Journal.open, Journal.read_only):
            with pytest.raises(JournalRefused, match="cannot be read: Permission denied"):
                use(path)
    assert contents(open_directory) == before


def test_a_journal_one_may_read_but_not_write_is_refused_and_can_be_audited(open_directory: Path) -> None:
    path = journal_of(open_directory / "journal.db", 2)
    path.chmod(0o644)
    path.with_name("journal.db.lock").chmod(0o666)
    before = contents(open_directory)
    with somebody_else(open_directory):
        with pytest.raises(JournalRefused, match="cannot be written: Permission denied"):
            Journal.open(path)
        assert verify(path).records == 2
    assert contents(open_directory) == before


def test_a_disk_mounted_to_read_only_is_refused_and_can_be_audited(small_disk: Path) -> None:
    path = journal_of(small_disk / "journal.db", 2)
    path.with_name("journal.db.lock").unlink()
    before = contents(small_disk)
    subprocess.run(["mount", "-o", "remount,ro", small_disk], check=True)
    with pytest.raises(JournalRefused, match=r"Read-only file system\. Mount the disk for writing"):
        Journal.open(path)
    with pytest.raises(JournalRefused, match="Read-only file system"):
        Journal.open(small_disk / "another.db")
    assert verify(path).records == 2
    assert contents(small_disk) == before


def test_a_log_that_cannot_be_read_in_place_is_said(small_disk: Path, tmp_path: Path) -> None:
    with Journal.open(tmp_path / "journal.db") as journal:
        journal.append([card()])
        copy = as_if_cut(journal.path, small_disk)
    subprocess.run(["mount", "-o", "remount,ro", small_disk], check=True)
    with pytest.raises(JournalRefused, match="Copy both into a directory you may write to"):
        Journal.read_only(copy)
