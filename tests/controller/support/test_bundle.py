"""The bundle is useful, and holds no secret: they are planted everywhere, and searched for in every byte."""

from __future__ import annotations

import json
import os
import secrets
import stat
import tarfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace
from pytest_mock import MockerFixture

from controller.backup.errors import BackupRefused
from controller.cli.doctor import lines
from controller.doctor.machine import DeviceSeen, Machine
from controller.people.book import Person, change_people
from controller.people.pins import hash_pin
from controller.store.journal import Journal
from controller.store.record import Entry, Record
from controller.support.bundle import README, write_bundle
from controller.support.past import past
from controller.support.redact import OUT, Redacted, Scrubber
from controller.table import events as e
from controller.table.events import encode_event
from tests.controller.doctor.pi import CONFIG, SHOE, config_in, looked, make

PEM = Path(__file__).parents[1] / "surfaces" / "web" / "localhost.pem"
KEY = secrets.token_hex(32)
TOKEN = secrets.token_urlsafe(32)
PIN = "836152"
IN_CONFIG = {
    "password": "hunter2-and-more",
    "device key": secrets.token_hex(16),
    "comment": "the PIN of the manager is 4711",
    "login": "ann:s3cr3t",
    "misspelt": "a-word-nobody-knows",
}
MORE = f"""
# {IN_CONFIG["comment"]}
[web]
listen = "127.0.0.1:8021"
certificate = "{PEM}"
key = "{PEM}"
[[display]]
name = "sign"
shows = "limits"
driver = "tablelink"
port = "socket://10.0.0.7:4001"
key_file = "sign.key"
"""
WRONG = f"""
password = "{IN_CONFIG["password"]}"
key = "{IN_CONFIG["device key"]}"
prot = "{IN_CONFIG["misspelt"]}"
port = "socket://{IN_CONFIG["login"]}@10.0.0.7:4001"
"""


def events() -> list[e.Event]:
    """Two rounds, the second in play with a hole card."""
    bets = {1: e.Bets("70")}
    return [
        e.TableOpened(),
        e.DealerCameIn("Annabel"),
        e.ShoeLoaded(1, 6),
        e.FaultBegan("shoe", "lost the 7D", True),
        e.FaultEnded("shoe"),
        e.RoundBegun(1, bets),
        e.CardDrawn("TS", "shoe"),
        e.RoundEnded(1, {1: "70"}),
        e.RoundBegun(2, bets),
        e.CardDrawn("9C", "shoe"),
        e.CardDrawn("QH", "shoe"),
        e.FaultBegan("sign", "in the middle of the round", False),
    ]


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """A Pi with a table that has a secret in each of its places."""
    config = config_in(tmp_path / "table", CONFIG + MORE)
    folder = config.parent
    (folder / "sign.key").write_text(f"{KEY}\n")
    (folder / "table.token").write_text(f"{TOKEN}\n")
    change_people(folder / "table.people", lambda now: now.plus(Person("Ann", "dealer", hash_pin(PIN), 1)))
    with Journal.open(folder / "table.db") as journal:
        for event in events():
            journal.append([Entry("dealer:Annabel", type(event).__name__, encode_event(event))])
    unit = "[Service]\nUser=croupier\nEnvironment=SECRET=very-secret-environment\n"
    files: dict[str, str | None] = {
        "etc/systemd/system/croupier.service": unit,
        "proc/mounts": "/dev/root / ext4 rw 0 0\n//nas/x /mnt cifs username=ann,password=mounted-secret 0 0\n",
        "etc/passwd": "margaret:x:1001:1001:Margaret:/home/margaret:/bin/sh\n",
    }
    sign = DeviceSeen(
        name="sign", driver="display.tablelink", address="socket://10.0.0.7:4001", words=f"key {KEY} is refused"
    )
    return looked(make(tmp_path / "root", files=files), config, devices=[SHOE, sign])


def log() -> str:
    return (
        f"Oct 01 croupier[7]: supervisor:Ann signed in with the token {TOKEN}\n"
        f"Oct 01 croupier[7]: bug: CardDrawn(card='QH') and Q♥ and the queen of hearts, key={KEY.upper()}\n"
        f"Oct 01 croupier[7]: shoe: ready\n"
    )


def bundle(machine: Machine, target: Path) -> dict[str, str]:
    write_bundle(machine, target, lines=lines, log=log)
    with tarfile.open(target) as tar:
        files = {}
        for member in tar:
            file = tar.extractfile(member)
            assert file is not None
            files[member.name.rpartition("/")[2]] = file.read().decode()
    return files


def planted(folder: Path) -> dict[str, str]:
    person = json.loads((folder / "table.people").read_text())["people"][0]
    return {
        "token": TOKEN,
        "key": KEY,
        "key in capitals": KEY.upper(),
        "PIN hash": person["pin"]["hash"],
        "PIN salt": person["pin"]["salt"],
        "hole card": "QH",
        "hole card's sign": "Q♥",
        "hole card in words": "queen of hearts",
        "an open card": "9C",
        "a card in a device's words": "7D",
        "TLS key": PEM.read_text().splitlines()[5],
        "comment": "4711",
        "environment": "very-secret-environment",
        "mount": "mounted-secret",
        "somebody's account": "margaret",
        "dealer": "Annabel",
        "person": "Ann ",
        "wager": '"70"',
    }


def test_no_secret_is_in_any_byte_of_it(machine: Machine, tmp_path: Path) -> None:
    files = bundle(machine, tmp_path / "b.tar.gz")
    for name, text in files.items():
        for what, secret in planted(tmp_path / "table").items():
            assert secret not in text, (what, name)
    assert "shoe: ready" in files["log.txt"]


def test_it_holds_what_helps(machine: Machine, tmp_path: Path) -> None:
    files = bundle(machine, tmp_path / "b.tar.gz")
    assert files["README.txt"] == README
    for name in set(files) - {"README.txt"}:
        assert name in README, name
    config = json.loads(files["config.json"])
    assert config["display"][0]["port"] == "socket://10.0.0.7:4001"
    assert config["limits"]["main"]["max"] == "500"
    journal = json.loads(files["journal.json"])
    assert (journal["whole"], journal["records"], len(journal["head"])) == (True, 8, 64)
    assert journal["kinds"]["CardDrawn"] == 1
    assert [each["device"] for each in journal["troubles"] if each["what"] == "FaultBegan"] == ["shoe"]
    assert {each["who"] for each in journal["troubles"]} == {"dealer"}
    assert json.loads(files["doctor.json"])
    assert "get_throttled" in files["machine.txt"]
    assert json.loads(files["version.json"])["journal_format"] == 1


def test_a_configuration_with_mistakes_tells_where_they_are_and_quotes_nothing(
    machine: Machine, tmp_path: Path
) -> None:
    config = config_in(tmp_path / "table", CONFIG + MORE.replace('port = "socket://10.0.0.7:4001"\n', WRONG))
    broken = replace(looked(tmp_path / "root", config), files=machine.files)
    assert broken.table is None
    files = bundle(broken, tmp_path / "b.tar.gz")
    for name, text in files.items():
        for what, secret in {**planted(tmp_path / "table"), **IN_CONFIG}.items():
            assert secret not in text, (what, name)
    assert "display.0.password" in files["doctor.txt"] or "password" in files["config.json"]
    assert json.loads(files["config.json"])["display"][0]["password"] == OUT


def test_without_toml_there_is_no_configuration_in_it(machine: Machine, tmp_path: Path) -> None:
    config = config_in(tmp_path / "table", 'key = "open-sesame-open\n[')
    files = bundle(looked(tmp_path / "root", config), tmp_path / "b.tar.gz")
    assert all("open-sesame" not in text for text in files.values())
    assert "left out" in files["config.json"]


def test_it_is_its_owners_and_overwrites_nothing(machine: Machine, tmp_path: Path) -> None:
    target = tmp_path / "b.tar.gz"
    bundle(machine, target)
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    before = target.read_bytes()
    for where, words in ((target, "is there already"), (tmp_path / "no" / "b.tar.gz", "there is no folder")):
        with pytest.raises(BackupRefused, match=words):
            write_bundle(machine, where, lines=lines, log=log)
    assert target.read_bytes() == before


def test_a_secret_that_slips_through_keeps_it_from_being_written(
    machine: Machine, tmp_path: Path, mocker: MockerFixture
) -> None:
    mocker.patch("controller.support.bundle.version_told", return_value={"croupier": TOKEN})
    with pytest.raises(BackupRefused, match=r"version\.json would hold something secret"):
        write_bundle(machine, tmp_path / "b.tar.gz", lines=lines, log=log)
    assert not (tmp_path / "b.tar.gz").exists()


@pytest.mark.parametrize("what", ["torn", "strange", "unreadable"])
def test_a_bad_journal_is_told_and_the_rest_is_there(machine: Machine, tmp_path: Path, what: str) -> None:
    journal = tmp_path / "table" / "table.db"
    if what == "torn":
        journal.write_bytes(journal.read_bytes()[:6000])
    elif what == "strange":
        journal.write_text("a shopping list that is long enough")
    else:
        journal.unlink()
        os.mkfifo(journal)
    told = json.loads(bundle(machine, tmp_path / "b.tar.gz")["journal.json"])
    assert told["problem"]


def sealed(*kept: e.Event) -> Sequence[Record]:
    return [
        Record(
            sequence=number, boot="b", wall="2026-10-01T20:00:00.000Z", clock="ntp", monotonic_ns=number,
            actor="device:shoe", kind=type(event).__name__, data=encode_event(event), salt=bytes(16), hash=bytes(32),
        )
        for number, event in enumerate(kept, 1)
    ]  # fmt: skip


def test_what_is_told_of_the_past_does_not_depend_on_the_round_in_play() -> None:
    before = events()[:8]
    rounds = (
        (e.RoundBegun(2, {}), e.CardDrawn("QH", "shoe")),
        (
            e.RoundBegun(2, {}),
            e.CardDrawn("2S", "shoe"),
            e.AlertRaised(1, "impossible", "2S"),
            e.CardDrawn("3S", "shoe"),
        ),
        (),
    )
    told = [past(sealed(*before, *more)) for more in rounds]
    assert told[0] == told[1] == told[2]
    assert told[0].records == 8
    assert past([]).records == 0


def test_only_what_is_known_to_be_harmless_is_told() -> None:
    data = {
        "shoe": {
            "driver": "ours",
            "port": "/dev/ttyUSB0",
            "key": "aa",
            "baud": 9600,
            "key_file": "ff" * 16,
            "api_token": "x",
        },
        "display": [{"driver": "theirs", "port": "p", "baud": 1, "anything": {"deep": ["nested-secret"]}}],
        "strange": {"a": 1},
        "lonely": "value-of-lonely",
        "game": {"ruleset": "blackjack", "decks": 6},
    }
    told = Redacted(
        data, lambda kind, name: frozenset(("baud", "key", "key_file", "api_token") if name == "ours" else ())
    )
    assert told.data["shoe"] == {
        "driver": "ours",
        "port": "/dev/ttyUSB0",
        "key": OUT,
        "baud": 9600,
        "key_file": OUT,
        "api_token": OUT,
    }
    assert told.data["display"] == [{"driver": "theirs", "port": "p", "baud": OUT, "anything": OUT}]
    assert told.data["strange"] == {"a": OUT}
    assert told.data["lonely"] == OUT
    assert told.data["game"] == {"ruleset": "blackjack", "decks": 6}
    assert {"nested-secret", "value-of-lonely", "aa", "x"} <= told.left_out


def test_the_scrubber_leaves_ordinary_words_alone() -> None:
    scrub = Scrubber(["k" * 20], ["word"], ["Al"])
    assert scrub("Also 17:09 AS 10♣ USB_2C A10K1234 Al kkkkkkkkkkkkkkkkkkkk sword") == (
        f"Also 17:09 ?? ?? USB_?? A10K1234 {OUT} {OUT} s{OUT}"
    )
    assert scrub.each({"n": 7, "t": ["AS", None, True]}) == {"n": 7, "t": ["??", None, True]}
