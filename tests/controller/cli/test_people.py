"""`croupier people`: who may sign in; PINs never on the command line; wrong inputs in words with their status."""

from __future__ import annotations

import json
import os
import pty
import select
import stat
import subprocess
import time
from pathlib import Path

import pytest

from controller.people.book import read_people
from controller.people.pins import fits
from tests.controller.cli.conftest import CROUPIER, Croupier

WAIT_S = 30.0


@pytest.fixture(autouse=True)
def config(tmp_path: Path) -> Path:
    """Only the journal's place counts here: the rest may be wrong just now."""
    path = tmp_path / "table.toml"
    path.write_text('[journal]\npath = "night.db"\n[table]\nseats = 99\n')
    return path


@pytest.fixture
def ann(croupier: Croupier, tmp_path: Path) -> Path:
    """The people file, with Ann in it."""
    added = croupier("people", "add", "Ann", "--role", "dealer", "--pin-stdin", stdin=b"4711\n")
    assert (added.status, added.out, added.err) == (0, "Ann may sign in as dealer.\n", "")
    return tmp_path / "night.people"


def test_somebody_is_added_listed_and_removed(croupier: Croupier, ann: Path) -> None:
    assert stat.S_IMODE(ann.stat().st_mode) == 0o600
    assert fits("4711", read_people(ann).known("Ann").pin)
    assert croupier("people", "add", "Sam", "--role", "supervisor", "--pin-stdin", stdin=b"90210").status == 0
    lines = croupier("people", "list").out.splitlines()
    assert [line.split()[:2] for line in lines] == [["Ann", "dealer"], ["Sam", "supervisor"]]
    listed = croupier("people", "list", "--json").json["people"]
    assert [set(each) for each in listed] == [{"name", "role", "created"}] * 2, "no hash leaves the file"
    assert croupier("people", "remove", "ann").out == "ann can't sign in any more.\n"
    assert [each.name for each in read_people(ann).people] == ["Sam"]


def test_the_table_is_found_by_its_configuration(croupier: Croupier, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "pit.toml").write_text("")
    ran = croupier(
        "people", "add", "Ann", "--role", "dealer", "--pin-stdin", "--config", "other/pit.toml", stdin=b"4711"
    )
    assert ran.status == 0
    assert (tmp_path / "other" / "pit.people").exists()
    assert croupier("people", "list").out.startswith("Nobody yet. croupier people add")


def test_a_new_pin_takes_the_place_of_the_old_one(croupier: Croupier, ann: Path) -> None:
    before = read_people(ann).known("Ann")
    assert croupier("people", "pin", "ann", "--pin-stdin", stdin=b"6283\n").out == "Ann has a new PIN.\n"
    after = read_people(ann).known("Ann")
    assert fits("6283", after.pin)
    assert not fits("4711", after.pin)
    assert (after.role, after.created) == (before.role, before.created)


def test_an_unlock_is_another_one_each_time(croupier: Croupier, ann: Path) -> None:
    marks = []
    for _ in range(3):
        assert croupier("people", "unlock", "Ann").out == "Ann may try again.\n"
        marks.append(read_people(ann).known("Ann").unlocked)
    assert len(set(marks)) == 3


@pytest.mark.parametrize(
    ("pin", "words"),
    [
        (b"0000\n", "too easy to guess"),
        (b"1234\n", "too easy to guess"),
        (b"12\n", "4 to 12 digits"),
        (b"\n", "digits only"),
        (b"", "digits only"),
        (b"abcd\n", "digits only"),
        (b"\xff\xfe4711\n", "digits only"),
        (b"4" * 100_000, "4 to 12 digits"),
    ],
)
def test_a_bad_pin_is_refused_with_six_and_nobody_is_added(
    croupier: Croupier, tmp_path: Path, pin: bytes, words: str
) -> None:
    ran = croupier("people", "add", "Bob", "--role", "dealer", "--pin-stdin", stdin=pin)
    assert (ran.status, ran.out) == (6, "")
    assert words in ran.err
    assert not (tmp_path / "night.people").exists()
    told = croupier("people", "add", "Bob", "--role", "dealer", "--pin-stdin", "--json", stdin=pin)
    assert (told.status, told.json["error"]) == (6, "bad_pin")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("add", "Ann", "--role", "dealer", "--pin-stdin"), "Ann is there already"),
        (("add", "ANN", "--role", "viewer", "--pin-stdin"), "ANN is there already"),
        (("add", " ", "--role", "dealer", "--pin-stdin"), "A name has 1 to 64 characters"),
        (("add", "token", "--role", "dealer", "--pin-stdin"), "choose another name"),
        (("add", "Bob", "--role", "boss", "--pin-stdin"), "'boss' is not one of"),
        (("add", "Bob", "--pin-stdin"), "Missing option '--role'"),
        (("add", "Bob", "--role", "dealer"), "There is nobody to ask for a PIN: say --pin-stdin"),
        (("add", "Bob", "--role", "dealer", "--pin", "4711"), "No such option"),
        (("remove", "Bob"), "There is no 'Bob' among the people of this table: Ann."),
        (("pin", "Bob", "--pin-stdin"), "There is no 'Bob'"),
        (("unlock", "Bob"), "There is no 'Bob'"),
        (("promote", "Ann"), "No such command"),
    ],
)
def test_a_wrong_command_line_exits_with_two_and_changes_nothing(
    croupier: Croupier, ann: Path, arguments: tuple[str, ...], words: str
) -> None:
    before = ann.read_bytes()
    ran = croupier("people", *arguments, stdin=b"4711\n")
    assert (ran.status, ran.out) == (2, "")
    assert words in ran.err
    assert ann.read_bytes() == before


def test_a_people_file_that_can_not_be_used_exits_with_seven_and_stays(croupier: Croupier, ann: Path) -> None:
    good = ann.read_bytes()
    for spoil, words in (
        (lambda: ann.chmod(0o640), "others may read the people file"),
        (lambda: ann.write_bytes(b"{"), "is damaged"),
        (lambda: ann.write_bytes(good.replace(b"dealer", b"boss")), "is damaged"),
    ):
        ann.chmod(0o600)
        ann.write_bytes(good)
        spoil()
        spoilt = ann.read_bytes()
        for command in (("list",), ("remove", "Ann"), ("unlock", "Ann"), ("pin", "Ann", "--pin-stdin")):
            ran = croupier("people", *command, stdin=b"6283\n")
            assert (ran.status, words in ran.err) == (7, True), (command, ran.err)
        assert croupier("people", "list", "--json").json["error"] == "people_file"
        assert ann.read_bytes() == spoilt


def test_without_a_configuration_it_says_where_it_looked(croupier: Croupier, config: Path) -> None:
    config.unlink()
    ran = croupier("people", "list", "--config", "gone.toml")
    assert (ran.status, "gone.toml: there is no such file" in ran.err) == (7, True)
    config.write_text("[journal]\npath = 5\n")
    assert croupier("people", "list").status == 7


def typed(folder: Path, *answers: str) -> tuple[int, str]:
    """At a terminal: what is asked for is answered. The status, and all that stood on the screen."""
    ours, theirs = pty.openpty()
    command = [CROUPIER, "people", "add", "Zoë", "--role", "technician"]
    running = subprocess.Popen(command, cwd=folder, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True)
    os.close(theirs)
    screen, waiting, until = "", list(answers), time.monotonic() + WAIT_S
    try:
        while time.monotonic() < until:
            if not select.select([ours], [], [], 0.1)[0]:
                continue
            try:
                screen += os.read(ours, 4096).decode()
            except OSError:  # the other end is closed
                break
            if waiting and screen.endswith(": "):
                os.write(ours, f"{waiting.pop(0)}\n".encode())
        return running.wait(WAIT_S), screen
    finally:
        running.kill()
        running.wait()
        os.close(ours)


def test_at_a_terminal_the_pin_is_asked_for_twice_and_never_shown(tmp_path: Path) -> None:
    status, screen = typed(tmp_path, "4711", "4711")
    assert status == 0
    assert "PIN for Zoë" in screen
    assert "The same again" in screen
    assert "4711" not in screen
    assert fits("4711", read_people(tmp_path / "night.people").known("zoe").pin)


def test_two_that_differ_are_asked_for_again(tmp_path: Path) -> None:
    status, screen = typed(tmp_path, "4711", "4712", "6283", "6283")
    assert status == 0
    assert "do not match" in screen
    assert fits("6283", read_people(tmp_path / "night.people").known("Zoë").pin)


def test_the_command_and_its_roles_are_in_the_help(croupier: Croupier) -> None:
    assert "people" in croupier("--help").out
    told = croupier("people", "add", "--help").out
    for role in ("viewer", "dealer", "supervisor", "technician"):
        assert role in told
    assert json.dumps("4711") not in told
