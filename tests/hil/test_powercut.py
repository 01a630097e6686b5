"""The harness of the power cut without a kernel: when it cuts, what it believes, why it is skipped, what the control
forgets. The cuts themselves are `make power-cut`."""

from __future__ import annotations

import platform
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from itertools import islice, pairwise
from pathlib import Path

import pytest

from controller.store.journal import Journal
from controller.store.record import Entry
from controller.table import events as e
from hil.powercut import guest
from hil.powercut.__main__ import main, planned
from hil.powercut.campaign import Broken, Campaign
from hil.powercut.evidence import cards_in, judge
from hil.powercut.moments import AtCard, DiskFull, WhileBooting, WhileMounting, control_moments, moments
from hil.powercut.shoe import OutOfStep, Shoe
from tests.hil.test_kernel import program_at

BOOT = 7
CARDS = ("8S", "TD", "AC", "8S")


def card(number: int, code: str) -> list[e.Event]:
    return [e.CardDrawn(code, "shoe"), e.MarkReached("shoe", BOOT, number)]


def journal_with(folder: Path, *transactions: list[e.Event]) -> None:
    with Journal.open(folder / "table.db") as journal:
        for events in transactions:
            journal.append([Entry("device:shoe", type(each).__name__, e.encode_event(each)) for each in events])


def numbered(codes: tuple[str, ...]) -> list[list[e.Event]]:
    return [card(number, code) for number, code in enumerate(codes, 1)]


# What a cut left behind


def test_every_acknowledged_card_once_and_in_order_is_no_trouble(tmp_path: Path) -> None:
    journal_with(tmp_path, [e.MarkReached("shoe", BOOT, 0)], *numbered(CARDS))
    assert cards_in(tmp_path / "table.db") == list(enumerate(CARDS, 1))
    found = judge(tmp_path, CARDS, acknowledged=4)
    assert (found.journalled, found.lost, found.trouble) == (4, 0, "")


def test_a_card_that_was_journalled_and_not_yet_acknowledged_is_no_trouble(tmp_path: Path) -> None:
    journal_with(tmp_path, *numbered(CARDS))
    assert judge(tmp_path, CARDS, acknowledged=3).trouble == ""


def test_an_acknowledged_card_that_is_not_there_is_named(tmp_path: Path) -> None:
    journal_with(tmp_path, *numbered(CARDS[:2]))
    found = judge(tmp_path, CARDS, acknowledged=4)
    assert (found.lost, found.trouble) == (2, "LOST: AC (card 3), 8S (card 4)")


def test_many_lost_cards_are_counted(tmp_path: Path) -> None:
    found = judge(tmp_path, CARDS * 2, acknowledged=8)
    assert (found.journalled, found.lost) == (0, 8)
    assert found.trouble.endswith("and 3 more")


def test_no_journal_yet_is_no_trouble_where_nothing_was_acknowledged(tmp_path: Path) -> None:
    assert judge(tmp_path, CARDS, acknowledged=0).trouble == ""


def test_a_card_that_is_there_twice_is_told(tmp_path: Path) -> None:
    journal_with(tmp_path, *numbered(CARDS[:2]), card(2, "TD"))
    assert judge(tmp_path, CARDS, acknowledged=2).trouble == (
        "card 3 of the shoe was AC; the journal has TD with number 2"
    )


def test_another_card_than_left_the_shoe_is_told(tmp_path: Path) -> None:
    journal_with(tmp_path, card(1, "8S"), card(2, "TC"))
    assert "was TD; the journal has TC" in judge(tmp_path, CARDS, acknowledged=2).trouble


def test_more_cards_than_left_the_shoe_are_told(tmp_path: Path) -> None:
    journal_with(tmp_path, *numbered(CARDS))
    assert "card 3 of the shoe" in judge(tmp_path, CARDS[:2], acknowledged=2).trouble


def test_a_broken_journal_is_told(tmp_path: Path) -> None:
    journal_with(tmp_path, *numbered(CARDS))
    with sqlite3.connect(tmp_path / "table.db") as connection:
        connection.execute("DROP TRIGGER record_is_not_deleted")
        connection.execute("DELETE FROM record WHERE sequence = 3")
    connection.close()
    found = judge(tmp_path, CARDS, acknowledged=4)
    assert found.trouble.startswith("the journal is broken: ")
    assert found.lost == 4, "nothing in it is proven"


def test_half_a_file_is_a_broken_journal(tmp_path: Path) -> None:
    (tmp_path / "table.db").write_bytes(b"SQLite format 3\0 and then the disk was full")
    assert judge(tmp_path, CARDS, acknowledged=0).trouble.startswith("the journal is broken: ")


# When


def test_the_same_seed_cuts_at_the_same_moments() -> None:
    assert list(islice(moments(5), 30)) == list(islice(moments(5), 30)) != list(islice(moments(6), 30))


def test_a_long_run_cuts_twice_in_a_row_before_the_table_is_up_and_once_on_a_full_disk() -> None:
    kinds = [type(moment) for moment in planned(1, 20)]
    assert (WhileMounting, WhileBooting) in pairwise(kinds)
    assert kinds.count(DiskFull) == 1
    assert kinds[-1] is AtCard, "the table is played on after the disk has room again"


def test_a_short_run_cuts_at_cards() -> None:
    assert {type(moment) for moment in planned(1, 2)} == {AtCard}


@pytest.mark.parametrize("seed", range(20))
def test_the_control_is_cut_only_when_it_has_something_to_lose(seed: int) -> None:
    assert all(isinstance(moment, AtCard) and moment.cards > 1 for moment in islice(control_moments(seed), 5))


# The shoe


@pytest.fixture
def shoe() -> Iterator[Shoe]:
    with Shoe(1) as made:
        yield made


def test_a_card_that_nobody_acknowledged_stays_and_no_other_leaves(shoe: Shoe) -> None:
    assert shoe.deal(1, 0)
    assert not shoe.deal(1, 1)
    assert not shoe.deal(1, 0), "the table has not been told of it yet"
    shoe.attend()
    assert (len(shoe.dealt), shoe.acknowledged) == (1, 0)


@pytest.mark.parametrize("asked", [(2, 0), (1, 3), (0, 1)])
def test_a_table_that_waits_for_another_card_is_out_of_step(shoe: Shoe, asked: tuple[int, int]) -> None:
    with pytest.raises(OutOfStep, match=r"the table waits for card \d of shoe \d; the shoe has card"):
        shoe.deal(*asked)
    assert not shoe.dealt


# The control


def synchronous(folder: Path, before: str) -> str:
    """What SQLite says of a connection that the store opened, in a process of its own."""
    code = (
        f"{before}\n"
        "from pathlib import Path\n"
        "from controller.store import database\n"
        f"path = Path({str(folder / 'table.db')!r})\n"
        "database.create(path)\n"
        "print(database.connect(path).execute('PRAGMA synchronous').fetchone()[0])\n"
    )
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


def test_the_control_waits_for_no_disk_and_the_table_does(tmp_path: Path) -> None:
    careless, real = tmp_path / "careless", tmp_path / "real"
    careless.mkdir()
    real.mkdir()
    assert synchronous(careless, "from hil.powercut.careless import forget_the_disk; forget_the_disk()") == "0"
    assert synchronous(real, "") == "2"


# What can't be run


def fake_campaign(folder: Path, shoe: Shoe, script: str) -> Campaign:
    """A program that is no kernel, and a disk that nobody made anything of."""
    program = program_at(folder / "linux", script)
    return Campaign(program, shutil.which("true") or "true", folder, shoe, seed=1, careless=False)


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("echo panic; exit 1", "the kernel stopped by itself. The last that the guest said:\npanic"),
        ("echo '@no-disk'; sleep 60", "the guest could not mount its disk"),
        ("echo '@ended 5'; sleep 60", "the table ended by itself, with status 5"),
        ("echo '@asks missed: were all seen?'; sleep 60", "the table asks: missed: were all seen?"),
        ("echo '@card 1'; sleep 60", "the table waits for '1', which is no place in a shoe"),
        ("echo '@card 1 7'; sleep 60", "the table waits for card 8 of shoe 1; the shoe has card 1 of shoe 0 next"),
    ],
)
def test_a_guest_that_does_not_go_on_is_told_with_its_last_words(
    tmp_path: Path, shoe: Shoe, script: str, words: str
) -> None:
    with pytest.raises(Broken) as broken:
        list(fake_campaign(tmp_path, shoe, script).run([AtCard(1, 0.0)]))
    assert words in str(broken.value)


def test_a_disk_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    maker = program_at(tmp_path / "mkfs", "echo 'no such feature' >&2; exit 1")
    with pytest.raises(RuntimeError, match=r"could not make the guest's disk .*: no such feature"):
        guest.make_image(str(maker), tmp_path / "disk.img")


def test_without_a_kernel_it_is_skipped_with_the_reason(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "aarch64")
    assert main([]) == 0
    assert capsys.readouterr().out == ("power cut: SKIPPED: User-Mode Linux exists for x86-64 only; this is aarch64.\n")


def test_without_a_maker_of_disks_it_is_skipped_with_the_package_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "x86_64")
    monkeypatch.setenv("CROUPIER_UML", str(program_at(tmp_path / "linux")))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(guest, "SYSTEM_TOOLS", ())
    assert main([]) == 0
    assert "SKIPPED: no mkfs.ext4 to make the guest's disk with. On Debian: apt install e2fsprogs" in (
        capsys.readouterr().out
    )


def test_a_kernel_that_was_named_and_is_none_is_a_mistake(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "x86_64")
    monkeypatch.setenv("CROUPIER_UML", "/nothing/here")
    assert main([]) == 2
    assert "CROUPIER_UML names /nothing/here" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [["--cuts", "0"], ["--keep", "."]])
def test_what_cannot_be_asked_is_refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(arguments)
    assert left.value.code == 2
    assert arguments[0] in capsys.readouterr().err
