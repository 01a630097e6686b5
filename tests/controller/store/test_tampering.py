"""Whatever is changed in a journal, verify names the first record that is wrong."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from controller.store import rows
from controller.store.audit import ChainBroken, head_text, read_head, verify
from controller.store.errors import JournalRefused
from controller.store.journal import Journal
from controller.store.record import sealed
from tests.controller.store.helpers import card, journal_of, tamper

COUNT = 12
CHANGES = {
    "boot": ("'0000'", "''", "x'ff'", "NULLIF(1, 2) IS NULL"),
    "wall": ("'2026-01-02T03:00:00.001Z'", "7"),
    "clock": ("'ntp'", "'sundial'", "1"),
    "monotonic_ns": ("monotonic_ns + 1", "-1", "'soon'", "1.5"),
    "actor": ("'Shoe'", "actor || ' '", "x'f09f83'"),
    "kind": ("'Misread'", "''"),
    "data": ("'{\"n\":99}'", "data || ' '", "'not json'", "x'ff'", "5"),
    "salt": ("x''", "zeroblob(16)", "salt || x'00'", "0"),
    "hash": ("zeroblob(32)", "x''", "'text'", "0"),
}


def broken(path: Path, **known: tuple[int, bytes]) -> ChainBroken:
    with pytest.raises(ChainBroken) as raised:
        verify(path, **known)
    if not known:
        assert str(raised.value.sequence) in str(raised.value)
    return raised.value


@pytest.mark.parametrize("sequence", [1, 2, 7, COUNT])
@pytest.mark.parametrize(("field", "value"), [(field, value) for field, values in CHANGES.items() for value in values])
def test_a_changed_field_is_found_in_its_record(tmp_path: Path, field: str, value: str, sequence: int) -> None:
    path = journal_of(tmp_path / "journal.db", COUNT)
    tamper(path, f"UPDATE record SET {field} = {value} WHERE sequence = {sequence}")
    assert broken(path).sequence == sequence


@pytest.mark.parametrize("seed", range(30))
def test_a_single_flipped_bit_is_found(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    path = journal_of(tmp_path / "journal.db", COUNT)
    sequence = chance.randint(1, COUNT)
    field = chance.choice(("salt", "hash", "data", "actor", "kind", "boot", "wall"))
    with closing(sqlite3.connect(path)) as connection:
        query = f"SELECT CAST({field} AS BLOB) FROM record WHERE sequence = ?"
        value = bytearray(connection.execute(query, (sequence,)).fetchone()[0])
    value[chance.randrange(len(value))] ^= 1 << chance.randrange(8)
    tamper(path, f"UPDATE record SET {field} = ? WHERE sequence = {sequence}", values=(bytes(value),))
    assert broken(path).sequence == sequence


@pytest.mark.parametrize("gone", [1, 2, 7, COUNT - 1])
def test_a_deleted_record_is_missing(tmp_path: Path, gone: int) -> None:
    path = journal_of(tmp_path / "journal.db", COUNT)
    tamper(path, f"DELETE FROM record WHERE sequence = {gone}")
    error = broken(path)
    assert (error.sequence, str(error)) == (gone, f"record {gone} is missing: {gone + 1} comes next")


def test_a_deleted_record_whose_followers_moved_up_is_found(tmp_path: Path) -> None:
    path = journal_of(tmp_path / "journal.db", COUNT)
    moves = (f"UPDATE record SET sequence = {number - 1} WHERE sequence = {number}" for number in range(6, COUNT + 1))
    tamper(path, "DELETE FROM record WHERE sequence = 5", *moves)
    assert broken(path).sequence == 5


def test_two_exchanged_records_are_found_at_the_first(tmp_path: Path) -> None:
    path = journal_of(tmp_path / "journal.db", COUNT)
    tamper(
        path,
        "UPDATE record SET sequence = -1 WHERE sequence = 4",
        "UPDATE record SET sequence = 4 WHERE sequence = 9",
        "UPDATE record SET sequence = 9 WHERE sequence = -1",
    )
    assert broken(path).sequence == 4


@pytest.mark.parametrize("sequence", [0, -5])
def test_a_record_before_the_first_is_found(tmp_path: Path, sequence: int) -> None:
    path = journal_of(tmp_path / "journal.db", COUNT)
    tamper(path, f"INSERT INTO record SELECT {sequence}, {rows.COLUMNS.partition(', ')[2]} FROM record LIMIT 1")
    assert broken(path).sequence == sequence


def test_an_added_record_is_found(tmp_path: Path) -> None:
    path = journal_of(tmp_path / "journal.db", COUNT)
    new = COUNT + 1
    tamper(path, f"INSERT INTO record SELECT {new}, {rows.COLUMNS.partition(', ')[2]} FROM record WHERE sequence = 3")
    assert broken(path).sequence == new


def test_a_record_sealed_anew_no_longer_carries_the_next(tmp_path: Path) -> None:
    path = journal_of(tmp_path / "journal.db", COUNT)
    forge(path, 6)
    assert broken(path).sequence == 7


def test_another_journals_number_breaks_the_first_record(tmp_path: Path) -> None:
    path = journal_of(tmp_path / "journal.db", COUNT)
    tamper(path, "UPDATE meta SET value = zeroblob(32)")
    assert broken(path).sequence == 1


def test_a_journal_written_anew_is_whole_and_does_not_have_the_known_head(tmp_path: Path) -> None:
    path = journal_of(tmp_path / "journal.db", COUNT)
    with Journal.read_only(path) as journal:
        known = journal.head
    forge(path, *range(6, COUNT + 1))
    assert verify(path).records == COUNT
    error = broken(path, head=known)
    assert error.sequence == COUNT
    assert "written anew" in str(error)


def test_an_end_that_was_cut_off_shows_against_a_known_head(tmp_path: Path) -> None:
    path = journal_of(tmp_path / "journal.db", COUNT)
    with Journal.read_only(path) as journal:
        known = journal.head
    assert verify(path, head=known).records == COUNT
    tamper(path, "DELETE FROM record WHERE sequence > 8")
    assert verify(path).records == 8
    error = broken(path, head=known)
    assert error.sequence == 9
    assert "its end was cut off" in str(error)


def test_a_head_written_down_long_ago_still_holds(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    with Journal.open(path) as journal:
        for number in range(COUNT):
            known = journal.head
            journal.append([card(number)])
            assert verify(path, head=known).records == number + 1
        another = (0, bytes(32))
        assert broken(path, head=another).sequence == 0


def test_a_head_can_be_written_down_and_read_again() -> None:
    head = (1042, bytes(range(32)))
    assert read_head(f" {head_text(head)}\n") == head


@pytest.mark.parametrize("text", ["", "7", f"7:{'0' * 63}", f"x:{'0' * 64}", f"-1:{'0' * 64}", f"7:{'g' * 64}"])
def test_what_is_no_head_is_said_with_what_one_is(text: str) -> None:
    with pytest.raises(ValueError, match="a head is NUMBER:HASH"):
        read_head(text)


@pytest.mark.parametrize("seed", range(12))
def test_a_page_of_zeros_or_noise_in_the_middle_is_found(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    path = tmp_path / "journal.db"
    with Journal.open(path) as journal:
        journal.append([card(number) for number in range(1200)])
    with closing(sqlite3.connect(path)) as connection:
        query = "SELECT pageno FROM dbstat WHERE name = 'record' AND pagetype = 'leaf'"
        try:
            pages = [page for (page,) in connection.execute(query)]
        except sqlite3.OperationalError:
            pytest.skip("this SQLite does not tell its pages")
    content = bytearray(path.read_bytes())
    page = chance.choice(pages[:-2]) - 1  # the last ones are looked at when it is opened
    content[page * 4096 : page * 4096 + 4096] = chance.randbytes(4096) if seed % 2 else bytes(4096)
    path.write_bytes(content)
    with closing(sqlite3.connect(path)) as connection:
        number = 0
        while readable(connection, number + 1):
            number += 1
    assert number < 1200
    assert broken(path).sequence == number + 1


def readable(connection: sqlite3.Connection, sequence: int) -> bool:
    """Whether SQLite finds this record, asked in another way than the journal asks."""
    try:
        return connection.execute("SELECT hash FROM record WHERE sequence = ?", (sequence,)).fetchone() is not None
    except sqlite3.DatabaseError:
        return False


def forge(path: Path, *sequences: int) -> None:
    """Rewrites these records as someone would who knows how they are sealed."""
    with Journal.read_only(path) as journal:
        records = {record.sequence: record for record in journal.unproven()}
        previous = {0: journal.genesis, **{number: record.hash for number, record in records.items()}}
    tamper(path)
    with closing(sqlite3.connect(path)) as connection, connection:
        for number in sequences:
            forged = sealed(previous[number - 1], records[number])
            if number == sequences[0]:
                forged = sealed(previous[number - 1], type(forged)(**{**plain(forged), "data": b'{"n":77}'}))
            previous[number] = forged.hash
            connection.execute(
                "UPDATE record SET data = ?, hash = ? WHERE sequence = ?", (forged.data.decode(), forged.hash, number)
            )


def plain(record: object) -> dict[str, object]:
    return {name: getattr(record, name) for name in record.__struct_fields__}  # type: ignore[attr-defined]


def test_an_empty_journal_is_whole(tmp_path: Path) -> None:
    found = verify(journal_of(tmp_path / "journal.db", 0))
    assert (found.records, found.boots, found.first, found.last) == (0, 0, None, None)


def test_a_whole_journal_is_told_in_numbers(tmp_path: Path) -> None:
    path = journal_of(tmp_path / "journal.db", 3)
    journal_of(path, 2)
    found = verify(path)
    assert (found.records, found.boots) == (5, 2)
    assert (found.first, found.last) == ("2026-01-02T03:00:00.000Z", "2026-01-02T03:00:01.000Z")
    with Journal.read_only(path) as journal:
        assert bytes.fromhex(found.head) == journal.head[1]


def test_what_is_no_journal_is_refused_and_not_called_broken(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    path.write_text("dear diary")
    with pytest.raises(JournalRefused):
        verify(path)
