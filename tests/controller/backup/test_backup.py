"""A backup holds all of a table, proves it, brings it back, and destroys nothing."""

from __future__ import annotations

import io
import os
import shutil
import stat
import tarfile
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from pytest_mock import MockerFixture

from controller.backup.archive import LABEL, Label
from controller.backup.contents import items_of
from controller.backup.create import Made, create
from controller.backup.errors import BackupRefused
from controller.backup.restore import restore
from controller.config.load import load
from controller.config.problems import BadConfig
from controller.people.private import write_private
from controller.store import audit
from controller.store.errors import ChainBroken, JournalRefused
from controller.store.journal import Journal
from tests.controller.doctor.pi import CONFIG
from tests.controller.store.helpers import card, contents, journal_of, tamper

RULES = 'extends = "house.toml"\nname = "Ours"\n'
HOUSE = 'extends = "blackjack"\nname = "House"\n'
MORE = """
[[display]]
name = "sign"
shows = "limits"
driver = "tablelink"
port = "/dev/no-sign"
key_file = "{keys}/sign.key"
"""


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A table with every kind of file: its configuration."""
    folder, keys = tmp_path / "table", tmp_path / "keys"
    (folder / "rules").mkdir(parents=True)
    keys.mkdir()
    (folder / "rules" / "ours.toml").write_text(RULES)
    (folder / "rules" / "house.toml").write_text(HOUSE)
    (keys / "sign.key").write_text("00112233445566778899aabbccddeeff\n")
    (keys / "sign.key").chmod(0o600)
    config = folder / "table.toml"
    config.write_text(CONFIG.replace('"power_blackjack"', '"rules/ours.toml"') + MORE.format(keys=keys))
    journal_of(folder / "table.db", 20, snapshot=b"{}")
    write_private(folder / "table.people", b'{"form":1,"people":[]}', "the people file")
    write_private(folder / "table.token", b"t" * 43, "the token file")
    return config


@pytest.fixture
def backup(table: Path, tmp_path: Path) -> Path:
    create(table, tmp_path / "backup.tar.gz")
    return tmp_path / "backup.tar.gz"


def add(journal: Path, count: int = 1) -> None:
    with Journal.open(journal) as opened:
        opened.append([card(number) for number in range(count)])


def repacked(backup: Path, into: Path, change: Callable[[str, bytes], bytes | None]) -> Path:
    """The same archive with members changed, or left out where `change` gives None."""
    with tarfile.open(backup) as old, tarfile.open(into, "w:gz") as new:
        for member in old:
            file = old.extractfile(member)
            assert file is not None
            data = change(member.name, file.read())
            if data is not None:
                member.size = len(data)
                new.addfile(member, io.BytesIO(data))
    return into


def relabelled(backup: Path, into: Path, **changes: object) -> Path:
    def change(name: str, data: bytes) -> bytes:
        return msgspec.json.encode({**msgspec.json.decode(data), **changes}) if name == LABEL else data

    return repacked(backup, into, change)


# What is in it


def test_everything_that_the_configuration_names_is_in_it(table: Path, tmp_path: Path) -> None:
    load(table)  # it is a good one
    made = create(table, tmp_path / "b.tar.gz")
    roles = {each.place: each.role for each in made.label.files}
    assert roles == {
        "table.toml": "configuration",
        "table.db": "journal",
        "table.people": "people",
        "table.token": "token",
        "rules/ours.toml": "ruleset",
        "rules/house.toml": "ruleset",
        "sign.key": "key",
    }
    assert set(made.secret) == {"table.db", "table.people", "table.token", "sign.key"}
    assert (made.label.records, made.missing, made.label.table) == (20, (), "Table 7")
    assert stat.S_IMODE((tmp_path / "b.tar.gz").stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_two_files_of_one_name_get_places_of_their_own(table: Path, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "sign.key").write_text("ff" * 16)
    text = table.read_text() + '[[console]]\ndriver = "tablelink"\nport = "auto"\nkeys = {hit = 1}\n'
    table.write_text(text + f'key_file = "{tmp_path}/other/sign.key"\n')
    places = [item.place for item in items_of(table)[1] if item.role == "key"]
    assert places == ["sign.key", "2-sign.key"]


def test_a_named_file_that_is_not_there_is_told_and_the_rest_is_kept(table: Path, tmp_path: Path) -> None:
    (tmp_path / "keys" / "sign.key").unlink()
    (table.parent / "table.people").unlink()
    made = create(table, tmp_path / "b.tar.gz")
    assert made.missing == (str(tmp_path / "keys" / "sign.key"),)
    assert len(made.label.files) == 5


def test_a_table_that_never_ran_has_a_backup_too(table: Path, tmp_path: Path) -> None:
    for path in table.parent.glob("table.db*"):
        path.unlink()
    made = create(table, tmp_path / "b.tar.gz")
    assert (made.label.journal, made.missing) == (None, (str(table.parent / "table.db"),))
    assert restore(tmp_path / "b.tar.gz", tmp_path / "new").written


def test_what_a_daemon_writes_meanwhile_does_not_tear_it(table: Path, tmp_path: Path) -> None:
    journal = table.parent / "table.db"
    with Journal.open(journal) as running:
        running.append([card(number) for number in range(50)])  # in the log, not yet in the file
        made = create(table, tmp_path / "b.tar.gz")
        running.append([card()])
    assert made.label.records == 70
    restore(tmp_path / "b.tar.gz", tmp_path / "new")
    assert audit.verify(tmp_path / "new" / "table.db").records == 70


# Refused while it is made


def refused(made: Callable[[], object]) -> str:
    with pytest.raises(BackupRefused) as caught:
        made()
    return str(caught.value)


def test_it_never_writes_over_a_file_nor_into_a_folder_that_is_not_there(
    table: Path, tmp_path: Path, backup: Path
) -> None:
    before = backup.read_bytes()
    assert "is there already" in refused(lambda: create(table, backup))
    assert "is there already" in refused(lambda: create(table, table.parent / "table.db"))
    assert "there is no folder" in refused(lambda: create(table, tmp_path / "no" / "b.tar.gz"))
    assert backup.read_bytes() == before


@pytest.mark.parametrize("what", ["altered", "newer", "strange"])
def test_a_bad_journal_has_no_backup_and_leaves_no_file(table: Path, tmp_path: Path, what: str) -> None:
    journal = table.parent / "table.db"
    if what == "altered":
        tamper(journal, "UPDATE record SET data = '{}' WHERE sequence = 7")
    elif what == "newer":
        tamper(journal, "PRAGMA user_version = 9")
    else:
        journal.write_bytes(b"x" * 4096)
    with pytest.raises((ChainBroken, JournalRefused)):
        create(table, tmp_path / "b.tar.gz")
    assert not (tmp_path / "b.tar.gz").exists()
    assert not list(tmp_path.glob(".croupier*"))


def test_a_full_disk_leaves_no_half_backup(table: Path, tmp_path: Path, small_disk: Path) -> None:
    add(table.parent / "table.db", 3000)
    with pytest.raises((BackupRefused, OSError)) as caught:
        create(table, small_disk / "b.tar.gz")
    assert any(word in str(caught.value) for word in ("No space left", "full")), caught.value
    assert not list(small_disk.iterdir())


def test_a_configuration_that_is_no_toml_is_told(table: Path, tmp_path: Path) -> None:
    table.write_text("[table\n")
    with pytest.raises(BadConfig):
        create(table, tmp_path / "b.tar.gz")


# Bringing it back


def test_on_a_new_machine_everything_is_there_again(table: Path, tmp_path: Path, backup: Path) -> None:
    back = restore(backup, tmp_path / "new")
    new = tmp_path / "new"
    assert (new / "table.toml").read_bytes() == table.read_bytes()
    assert (new / "rules" / "house.toml").read_text() == HOUSE
    assert audit.verify(new / "table.db").head == audit.verify(table.parent / "table.db").head
    for name in ("table.db", "table.people", "table.token", "sign.key"):
        assert stat.S_IMODE((new / name).stat().st_mode) == 0o600, name
    assert not [path for path in new.rglob("*") if ".restore-" in path.name]
    assert len(back.written) == 7
    add(new / "table.db")  # a daemon goes on with it


def test_where_it_was_it_may_go_back_unless_root_is_asked_to_write_anywhere(table: Path, backup: Path) -> None:
    shutil.rmtree(table.parent)
    if os.geteuid() == 0:
        words = refused(lambda: restore(backup, None))
        assert "/etc/croupier" in words
        assert "--to FOLDER" in words
        assert not table.exists()
    else:
        assert "there is no folder" in refused(lambda: restore(backup, None))
        table.parent.mkdir()
        (table.parent / "rules").mkdir()
        restore(backup, None)
        assert table.exists()


def test_on_the_installed_places_it_goes_back_and_belongs_to_whose_folder_it_is(
    table: Path, tmp_path: Path, backup: Path, mocker: MockerFixture
) -> None:
    mocker.patch("controller.backup.restore.HOMES", (table.parent, tmp_path / "keys"))
    before = contents(table.parent)
    shutil.rmtree(table.parent)
    assert "Install Croupier first" in refused(lambda: restore(backup, None))
    (table.parent / "rules").mkdir(parents=True)
    if os.geteuid() == 0:
        os.chown(table.parent, 990, 985)
    restore(backup, None)
    now = contents(table.parent)
    for name in ("table.toml", "table.people", "table.token", "rules/ours.toml", "rules/house.toml"):
        assert now[name] == before[name]
    assert audit.verify(table.parent / "table.db").records == 20
    assert {path.stat().st_uid for path in table.parent.iterdir() if path.is_file()} == {table.parent.stat().st_uid}


def test_twice_changes_nothing(tmp_path: Path, backup: Path) -> None:
    new = tmp_path / "new"
    restore(backup, new)
    before = contents(new)
    again = restore(backup, new)
    assert (again.written, len(again.same), contents(new)) == ((), 7, before)


def test_an_older_state_of_the_same_journal_makes_way_and_is_kept(table: Path, tmp_path: Path, backup: Path) -> None:
    new = tmp_path / "new"
    restore(backup, new)
    add(table.parent / "table.db", 5)
    create(table, tmp_path / "later.tar.gz")
    back = restore(tmp_path / "later.tar.gz", new)
    assert audit.verify(new / "table.db").records == 25
    (kept,) = back.kept
    assert audit.verify(kept).records == 20


def test_a_journal_with_more_records_is_left_alone_unless_told_and_then_kept(
    table: Path, tmp_path: Path, backup: Path
) -> None:
    new = tmp_path / "new"
    restore(backup, new)
    add(new / "table.db", 3)
    before = contents(new)
    words = refused(lambda: restore(backup, new))
    assert "23 records and the backup only 20" in words
    assert "--replace" in words
    assert contents(new) == before
    with Journal.open(new / "table.db") as open_one:
        open_one.append([card()])  # what is still in the log must go with it
        copy = tmp_path / "as-killed"
        shutil.copytree(new, copy)
    back = restore(backup, copy, replace=True)
    (kept,) = back.kept
    assert audit.verify(kept).records == 24
    assert audit.verify(copy / "table.db").records == 20
    add(copy / "table.db")


@pytest.mark.parametrize("what", ["another", "torn", "strange", "other_records"])
def test_another_or_a_torn_journal_is_in_the_way_and_kept(tmp_path: Path, backup: Path, what: str) -> None:
    new = tmp_path / "new"
    restore(backup, new)
    there = new / "table.db"
    if what == "other_records":
        tamper(there, "UPDATE record SET data = '{}' WHERE sequence = 20")
    elif what == "torn":
        there.write_bytes(there.read_bytes()[:5000])
    else:
        there.unlink()
        journal_of(there, 2) if what == "another" else there.write_text("no journal at all")
    before = there.read_bytes()
    assert "nothing was restored" in refused(lambda: restore(backup, new))
    assert there.read_bytes() == before
    back = restore(backup, new, replace=True)
    assert Path(back.kept[0]).read_bytes() == before
    assert audit.verify(there).records == 20


def test_other_files_that_differ_are_in_the_way_and_kept(tmp_path: Path, backup: Path) -> None:
    new = tmp_path / "new"
    restore(backup, new)
    (new / "table.toml").write_text("# ours\n")
    assert "table.toml is there already and differs" in refused(lambda: restore(backup, new))
    back = restore(backup, new, replace=True)
    assert Path(back.kept[0]).read_text() == "# ours\n"


def test_while_a_daemon_has_the_journal_nothing_is_restored(tmp_path: Path, backup: Path) -> None:
    new = tmp_path / "new"
    restore(backup, new)
    with Journal.open(new / "table.db") as journal:
        with pytest.raises(JournalRefused, match="in use by"):
            restore(backup, new, replace=True)
        journal.append([card()])
    assert audit.verify(new / "table.db").records == 21


# Bad backups


def test_a_backup_that_is_cut_anywhere_is_refused_and_changes_nothing(tmp_path: Path, backup: Path) -> None:
    whole = backup.read_bytes()
    cut = tmp_path / "cut.tar.gz"
    for length in (0, 1, 9, 10, 300, len(whole) // 3, len(whole) // 2, len(whole) - 100, len(whole) - 1):
        cut.write_bytes(whole[:length])
        refused(lambda: restore(cut, tmp_path / "new"))
        assert not (tmp_path / "new").exists(), length


def test_a_backup_with_any_byte_changed_is_refused_or_brings_back_the_same(tmp_path: Path, backup: Path) -> None:
    whole, bad = bytearray(backup.read_bytes()), tmp_path / "bad.tar.gz"
    for place in range(0, len(whole), max(1, len(whole) // 60)):
        changed = bytearray(whole)
        changed[place] ^= 0x55
        bad.write_bytes(changed)
        try:
            restore(bad, tmp_path / "new")
        except BackupRefused:
            assert not (tmp_path / "new").exists()
        else:  # a byte that says nothing, such as the time in gzip's head
            assert audit.verify(tmp_path / "new" / "table.db").records == 20
            shutil.rmtree(tmp_path / "new")


def test_a_strangers_file_is_refused(tmp_path: Path) -> None:
    stranger = tmp_path / "holiday.tar.gz"
    with tarfile.open(stranger, "w:gz") as tar:
        tar.addfile(tarfile.TarInfo("beach.jpg"))
    assert "is no backup of Croupier" in refused(lambda: restore(stranger, tmp_path / "new"))
    stranger.write_bytes(b"PK\3\4 some zip")
    assert "no whole backup" in refused(lambda: restore(stranger, tmp_path / "new"))
    assert "there is no file" in refused(lambda: restore(tmp_path / "none", tmp_path / "new"))
    assert "is a folder" in refused(lambda: restore(tmp_path, tmp_path / "new"))


def test_a_newer_one_is_refused(tmp_path: Path, backup: Path) -> None:
    newer = relabelled(backup, tmp_path / "newer.tar.gz", form=2)
    assert "newer Croupier" in refused(lambda: restore(newer, tmp_path / "new"))


def test_the_journal_of_a_newer_version_in_it_is_refused(tmp_path: Path, backup: Path) -> None:
    import hashlib

    journal = tmp_path / "j.db"
    with tarfile.open(backup) as tar:
        file = tar.extractfile("files/table.db")
        assert file is not None
        journal.write_bytes(file.read())
    tamper(journal, "PRAGMA user_version = 9")
    data = journal.read_bytes()

    def change(name: str, old: bytes) -> bytes:
        if name == "files/table.db":
            return data
        if name != LABEL:
            return old
        label = msgspec.json.decode(old)
        for each in label["files"]:
            if each["role"] == "journal":
                each.update(size=len(data), sha256=hashlib.sha256(data).hexdigest())
        return msgspec.json.encode(label)

    newer = repacked(backup, tmp_path / "newer.tar.gz", change)
    assert "newer Croupier" in refused(lambda: restore(newer, tmp_path / "new"))
    assert not (tmp_path / "new").exists()


def test_a_journal_that_is_shorter_than_the_list_says_is_refused(tmp_path: Path, backup: Path) -> None:
    shorter = relabelled(backup, tmp_path / "s.tar.gz", records=21)
    assert "ends at record 20" in refused(lambda: restore(shorter, tmp_path / "new"))


@pytest.mark.parametrize("place", ["../evil", "/etc/evil", "a/../../evil", ".", "", "a//b", "x\ny"])
def test_no_file_comes_out_of_its_folder(tmp_path: Path, backup: Path, place: str) -> None:
    def change(name: str, data: bytes) -> bytes:
        if name != LABEL:
            return data
        label = msgspec.json.decode(data)
        label["files"][0]["place"] = place
        return msgspec.json.encode(label)

    evil = repacked(backup, tmp_path / "evil.tar.gz", change)
    assert "outside of its folder" in refused(lambda: restore(evil, tmp_path / "new"))


def test_a_member_left_out_or_added_is_refused(tmp_path: Path, backup: Path) -> None:
    left_out = repacked(backup, tmp_path / "a.tar.gz", lambda name, data: None if name.endswith(".people") else data)
    assert "table.people is missing" in refused(lambda: restore(left_out, tmp_path / "new"))
    with tarfile.open(backup) as old, tarfile.open(tmp_path / "b.tar.gz", "w:gz") as new:
        for member in old:
            new.addfile(member, old.extractfile(member))
        new.addfile(tarfile.TarInfo("files/more"))
    assert "own list" in refused(lambda: restore(tmp_path / "b.tar.gz", tmp_path / "new"))


def test_the_list_says_what_was_made(backup: Path) -> None:
    with tarfile.open(backup) as tar:
        file = tar.extractfile(LABEL)
        assert file is not None
        label = msgspec.json.decode(file.read(), type=Label)
    assert label.form == 1
    assert isinstance(Made(label, (), (), False).label.head, str)


def test_a_disk_that_is_too_small_is_told_and_nothing_stays_on_it(
    table: Path, tmp_path: Path, small_disk: Path
) -> None:
    add(table.parent / "table.db", 4000)
    create(table, tmp_path / "large.tar.gz")
    words = refused(lambda: restore(tmp_path / "large.tar.gz", small_disk / "new"))
    assert "No space left" in words
    assert not list(small_disk.iterdir())
