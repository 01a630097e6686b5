"""The people file: kept whole, its owner's alone, refused in words where it is not as it should be."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from controller.people import private
from controller.people.book import PeopleFile, Person, change_people, good_name, people_path, read_people
from controller.people.errors import BadName, PeopleRefused
from controller.people.pins import hash_pin

PIN = hash_pin("4711")
ANN = Person("Ann", "dealer", PIN, 1_800_000_000)
ZOE = Person("Zoë", "supervisor", PIN, 1_800_000_000)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = people_path(tmp_path / "table.db")
    change_people(made, lambda people: people.plus(ANN).plus(ZOE))
    return made


def test_it_stands_beside_the_journal_and_is_its_owners_alone(path: Path) -> None:
    assert path.name == "table.people"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [each.name for each in path.parent.iterdir()] == ["table.people"], "nothing is left beside it"
    assert read_people(path).people == (ANN, ZOE)
    assert "4711" not in path.read_text()


def test_where_there_is_no_file_there_is_nobody(tmp_path: Path) -> None:
    assert read_people(tmp_path / "table.people").people == ()


@pytest.mark.parametrize("name", ["Ann", "ann", " ANN ", "zoe", "ZOË", "Zoë"])
def test_a_name_is_found_however_it_is_written(name: str, path: Path) -> None:
    assert read_people(path).named(name) in (ANN, ZOE)


def test_a_name_is_there_once_and_can_be_changed_and_removed(path: Path) -> None:
    with pytest.raises(BadName, match="there already"):
        change_people(path, lambda people: people.plus(Person("ANN", "viewer", PIN, 1)))
    assert read_people(path).people == (ANN, ZOE)
    change_people(path, lambda people: people.changed("ann", role="technician"))
    assert read_people(path).known("Ann").role == "technician"
    change_people(path, lambda people: people.minus("ann"))
    assert read_people(path).people == (ZOE,)
    with pytest.raises(BadName, match="no 'Ann' among the people of this table: Zoë"):
        read_people(path).known("Ann")


@pytest.mark.parametrize("name", ["", "   ", "x" * 65, "a\x00b", "a\u202eb", "Token"])
def test_a_name_that_nobody_can_have_is_refused(name: str) -> None:
    with pytest.raises(BadName):
        good_name(name)


def test_names_keep_their_letters_and_lose_stray_blanks() -> None:
    assert good_name("  José   Luis ") == "José Luis"


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o644])
def test_one_that_others_may_read_is_refused_with_what_to_do(mode: int, path: Path) -> None:
    path.chmod(mode)
    with pytest.raises(PeopleRefused, match=rf"others may read the people file .*mode {mode:04o}.*chmod 600"):
        read_people(path)
    with pytest.raises(PeopleRefused):
        change_people(path, lambda people: people.minus("Ann"))


def damaged(path: Path, change: Any) -> None:
    data = json.loads(path.read_text())
    change(data)
    path.write_text(json.dumps(data))


@pytest.mark.parametrize(
    "text",
    [b"", b"{", b"[]", b"\xff\xfe", b'{"form": 2, "people": []}', b'{"people": [{"name": "Ann"}]}'],
)
def test_a_damaged_one_is_refused_in_words_and_left_as_it_is(text: bytes, path: Path) -> None:
    path.write_bytes(text)
    with pytest.raises(PeopleRefused, match=r"the people file .* is damaged: .*Put a good copy in its place"):
        change_people(path, lambda people: people.plus(ANN))
    assert path.read_bytes() == text


def test_an_unknown_role_a_foolish_hash_and_a_name_twice_are_damage(path: Path) -> None:
    good = path.read_text()
    for change in (
        lambda data: data["people"][0].update(role="boss"),
        lambda data: data["people"][0]["pin"].update(n=2**30),
        lambda data: data["people"].append(data["people"][0]),
        lambda data: data["people"][0].update(more=1),
    ):
        path.write_text(good)
        damaged(path, change)
        with pytest.raises(PeopleRefused, match="is damaged"):
            read_people(path)


def test_a_link_a_folder_and_a_huge_file_are_refused(path: Path, tmp_path: Path) -> None:
    link, folder, huge = tmp_path / "link", tmp_path / "folder", tmp_path / "huge"
    link.symlink_to(path)
    folder.mkdir()
    huge.touch(0o600)
    huge.write_bytes(b" " * (private.LARGEST + 1))
    for each, words in ((link, "no link"), (folder, "is no file"), (huge, "more than")):
        with pytest.raises(PeopleRefused, match=words):
            read_people(each)


def test_one_that_may_not_be_read_is_told_in_words(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(*_: object) -> int:  # root, as whom tests may run, may read everything
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", denied)
    with pytest.raises(PeopleRefused, match=r"can't be read: Permission denied. The user who runs the table"):
        read_people(path)


def test_a_folder_that_is_missing_is_told_in_words(tmp_path: Path) -> None:
    with pytest.raises(PeopleRefused, match="Make the folder"):
        change_people(tmp_path / "no" / "table.people", lambda people: people.plus(ANN))


def test_a_write_that_fails_changes_nothing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    before = path.read_bytes()
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(PeopleRefused, match="can't be written: No space left on device"):
        change_people(path, lambda people: people.minus("Ann"))
    assert path.read_bytes() == before
    assert [each.name for each in path.parent.iterdir()] == ["table.people"]


def test_what_the_daemon_knows_follows_the_file(path: Path) -> None:
    kept = PeopleFile(path)
    assert kept.people().named("Ann") == ANN
    assert kept.people() is kept.people(), "read once"
    change_people(path, lambda people: people.minus("Ann"))
    assert kept.people().named("Ann") is None
    path.chmod(0o644)
    for _ in range(2):
        with pytest.raises(PeopleRefused):
            kept.people()
    path.chmod(0o600)
    assert kept.people().named("Zoë") == ZOE
    path.unlink()
    assert kept.people().people == ()


def test_many_who_add_at_once_lose_nobody(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path\n"
        "from controller.people.book import Person, change_people\n"
        "from controller.people.pins import NOBODY\n"
        "for number in range(10):\n"
        "    person = Person(f'{sys.argv[2]} {number}', 'dealer', NOBODY, 1)\n"
        "    change_people(Path(sys.argv[1]), lambda people: people.plus(person))\n"
    )
    path = tmp_path / "table.people"
    running = [subprocess.Popen([sys.executable, "-c", program, path, name]) for name in ("a", "b", "c")]
    assert [each.wait(60) for each in running] == [0, 0, 0]
    assert len(read_people(path).people) == 30
