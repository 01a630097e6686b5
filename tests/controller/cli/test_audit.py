"""`croupier audit`: proves, says the head, writes out; words, JSON and exit codes."""

from __future__ import annotations

import csv
import io
import json
import stat
from pathlib import Path

import pytest

from controller.store.journal import Journal
from tests.controller.cli.conftest import Croupier
from tests.controller.store.helpers import card, contents, journal_of, tamper


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    return journal_of(tmp_path / "journal.db", 5)


def test_a_whole_journal_is_proven_with_its_head(croupier: Croupier, journal: Path) -> None:
    ran = croupier("audit", "verify", str(journal))
    head = croupier("audit", "head", str(journal))
    assert (ran.status, ran.err, head.status) == (0, "", 0)
    assert "whole. 5 records in order, from 1 start." in ran.out
    assert f"head {head.out}" in ran.out


def test_verify_and_head_speak_json(croupier: Croupier, journal: Path) -> None:
    found = croupier("audit", "verify", str(journal), "--json").json
    head = croupier("audit", "head", str(journal), "--json").json
    assert set(found) == {"records", "head", "boots", "first", "last"}
    assert head == {"sequence": 5, "hash": found["head"]}
    assert (found["records"], found["boots"], found["last"]) == (5, 1, "2026-01-02T03:00:04.000Z")


def test_a_broken_journal_exits_with_five_and_names_the_record(croupier: Croupier, journal: Path) -> None:
    tamper(journal, "UPDATE record SET actor = 'dealer' WHERE sequence = 3")
    ran = croupier("audit", "verify", str(journal))
    assert (ran.status, ran.out) == (5, "")
    assert f"error: {journal} is broken: record 3 does not follow" in ran.err
    ran = croupier("audit", "verify", str(journal), "--json")
    assert (ran.status, ran.json["error"]) == (5, "broken")
    assert "record 3" in ran.json["message"]


def test_a_known_head_shows_what_was_cut_off(croupier: Croupier, journal: Path) -> None:
    head = croupier("audit", "head", str(journal)).out.strip()
    ran = croupier("audit", "verify", str(journal), "--head", head)
    assert (ran.status, "the known head is in it" in ran.out) == (0, True)
    tamper(journal, "DELETE FROM record WHERE sequence > 2")
    assert croupier("audit", "verify", str(journal)).status == 0
    ran = croupier("audit", "verify", str(journal), "--head", head)
    assert ran.status == 5
    assert "ends at record 2, and the known head is record 5: its end was cut off" in ran.err


def test_a_head_that_is_none_is_an_error_of_the_command_line(croupier: Croupier, journal: Path) -> None:
    ran = croupier("audit", "verify", str(journal), "--head", "five")
    assert ran.status == 2
    assert "a head is NUMBER:HASH with 64 hexadecimal digits, not 'five'" in ran.err


@pytest.mark.parametrize("command", ["verify", "head", "export"])
def test_a_file_that_is_no_journal_exits_with_five_and_stays(croupier: Croupier, tmp_path: Path, command: str) -> None:
    diary = tmp_path / "diary.txt"
    diary.write_text("dear diary")
    for path, words in ((diary, "not a journal of Croupier"), (tmp_path / "none.db", "there is no journal at")):
        ran = croupier("audit", command, str(path))
        assert (ran.status, ran.out) == (5, "")
        assert words in ran.err
    assert croupier("audit", "verify", str(diary), "--json").json["error"] == "refused"
    assert [path.name for path in tmp_path.iterdir()] == ["diary.txt"]


def test_an_audit_does_not_change_the_journal_and_runs_beside_a_daemon(croupier: Croupier, tmp_path: Path) -> None:
    with Journal.open(tmp_path / "journal.db") as journal:
        journal.append([card(1), card(2)])
        before = contents(tmp_path)["journal.db"]
        for command in ("verify", "head", "export"):
            assert croupier("audit", command, str(journal.path)).status == 0
        assert contents(tmp_path)["journal.db"] == before
        assert journal.append([card(3)])[0].sequence == 3


def test_json_lines_go_to_standard_output(croupier: Croupier, journal: Path) -> None:
    ran = croupier("audit", "export", str(journal), "--since", "4")
    lines = [json.loads(line) for line in ran.out.splitlines()]
    assert [(line["sequence"], line["data"]) for line in lines] == [(4, {"n": 4}), (5, {"n": 5})]


def test_csv_goes_into_a_new_file_of_its_owner_alone(croupier: Croupier, journal: Path, tmp_path: Path) -> None:
    output = tmp_path / "night.csv"
    ran = croupier("audit", "export", str(journal), "--format", "csv", "--output", str(output))
    assert (ran.status, ran.out, ran.err) == (0, "", "")
    rows = list(csv.DictReader(io.StringIO(output.read_bytes().decode(), newline="")))
    assert [row["data"] for row in rows] == [f'{{"n":{number}}}' for number in range(1, 6)]
    assert stat.S_IMODE(output.stat().st_mode) == 0o600


def test_an_export_never_writes_over_a_file_least_of_all_the_journal(croupier: Croupier, journal: Path) -> None:
    before = journal.read_bytes()
    ran = croupier("audit", "export", str(journal), "--output", str(journal))
    assert ran.status == 2
    assert "is there already" in ran.err
    assert journal.read_bytes() == before


def test_an_export_that_cannot_be_written_says_so_and_leaves_no_half(croupier: Croupier, journal: Path) -> None:
    ran = croupier("audit", "export", str(journal), "--output", str(journal.parent / "no" / "night.csv"))
    assert ran.status == 2
    assert "cannot be written" in ran.err
    tamper(journal, "UPDATE record SET actor = x'ff' WHERE sequence = 3")
    output = journal.parent / "night.jsonl"
    ran = croupier("audit", "export", str(journal), "--output", str(output))
    assert ran.status == 5
    assert "record 3 cannot be read" in ran.err
    assert not output.exists()


def test_the_exit_code_is_in_the_help(croupier: Croupier) -> None:
    help_text = croupier("--help").out
    assert "5  the journal is broken or cannot be read" in help_text
    assert "audit" in help_text
