"""What is written out for others can be read by them, and proven by them."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from controller.store.audit import as_csv, as_json_lines
from controller.store.journal import Journal
from controller.store.record import Entry, Record, checked, genesis, hash_of, sealed
from tests.controller.store.helpers import journal_of, tamper

FIRST = genesis(b"export")
NAMES = st.text(st.characters(exclude_categories=["Cs"]))
AWKWARD = 'say "21",\nthen; stop\r\n=1+1\t♠\x00\u2028'


def record(actor: str, kind: str, data: object) -> Record:
    entry = Entry(actor, kind, msgspec.json.encode(data))
    plain = Record(
        sequence=1,
        boot="b0",
        wall="2026-01-02T03:04:05.678Z",
        clock="ntp",
        monotonic_ns=7,
        actor=entry.actor,
        kind=entry.kind,
        data=entry.data,
        salt=b"0123456789abcdef",
    )
    return sealed(FIRST, plain)


def from_csv(text: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text.decode(), newline=""), strict=True))


def proven(row: dict[str, str]) -> bool:
    """Whether the row alone is enough to compute its hash."""
    again = Record(
        sequence=int(row["sequence"]),
        boot=row["boot"],
        wall=row["wall"],
        clock=row["clock"],  # type: ignore[arg-type]
        monotonic_ns=int(row["monotonic_ns"]),
        actor=row["actor"],
        kind=row["kind"],
        data=row["data"].encode(),
        salt=bytes.fromhex(row["salt"]),
    )
    return hash_of(FIRST, again).hex() == row["hash"]


def test_quotes_and_newlines_come_through_a_csv_file() -> None:
    (row,) = from_csv(b"".join(as_csv([record(AWKWARD, AWKWARD, {"note": AWKWARD})])))
    assert row["actor"] == row["kind"] == json.loads(row["data"])["note"] == AWKWARD
    assert proven(row)


@given(NAMES, NAMES, NAMES)
def test_any_text_comes_through_both_and_can_be_proven(actor: str, kind: str, note: str) -> None:
    one = record(actor, kind, {"note": note})
    (row,) = from_csv(b"".join(as_csv([one])))
    assert (row["actor"], row["kind"], json.loads(row["data"])) == (actor, kind, {"note": note})
    assert proven(row)
    (line,) = as_json_lines([one])
    assert line.count(b"\n") == 1
    read = json.loads(line)
    assert (read["actor"], read["kind"], read["data"]) == (actor, kind, {"note": note})
    assert one.data in line


def test_a_line_of_json_has_every_field_and_the_data_as_an_object() -> None:
    (line,) = as_json_lines([record("shoe", "CardRead", {"card": "8S"})])
    read = json.loads(line)
    assert list(read) == list(Record.__struct_fields__)
    assert read["data"] == {"card": "8S"}
    assert (len(read["salt"]), len(read["hash"])) == (32, 64)


def test_an_empty_journal_is_a_heading_or_nothing() -> None:
    assert list(as_json_lines([])) == []
    assert list(as_csv([])) == [b"sequence,boot,wall,clock,monotonic_ns,actor,kind,data,salt,hash\r\n"]


def test_a_broken_journal_is_written_out_as_it_stands(tmp_path: Path) -> None:
    path = journal_of(tmp_path / "journal.db", 4)
    tamper(path, "UPDATE record SET data = 'no json' || char(10) WHERE sequence = 2")
    with Journal.read_only(path) as journal:
        lines = [json.loads(line) for line in b"".join(as_json_lines(journal.unproven())).splitlines()]
        rows = from_csv(b"".join(as_csv(journal.unproven())))
    assert [line["data"] for line in lines] == [{"n": 1}, "no json\n", {"n": 3}, {"n": 4}]
    assert rows[1]["data"] == "no json\n"


def test_the_lines_of_a_whole_journal_prove_the_chain(tmp_path: Path) -> None:
    path = journal_of(tmp_path / "journal.db", 4)
    with Journal.read_only(path) as journal:
        first = journal.genesis
        rows = from_csv(b"".join(as_csv(journal.after(0))))
    again = [
        Record(
            **{**row, "sequence": int(row["sequence"]), "monotonic_ns": int(row["monotonic_ns"])}
            | {"data": row["data"].encode(), "salt": bytes.fromhex(row["salt"]), "hash": bytes.fromhex(row["hash"])}  # type: ignore[arg-type]
        )
        for row in rows
    ]
    assert len(list(checked(again, sequence=0, previous=first))) == 4
