"""Groups, ports, pins, files, journal, service, versions and shadows: what is wrong, and what the remedy says."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from msgspec.structs import replace

from controller.doctor.checks import examine
from controller.doctor.finding import worst
from controller.doctor.groups import group_of
from controller.doctor.machine import DeviceSeen, Machine, Seen
from controller.doctor.setting import FORBIDDEN
from controller.doctor.unit import read_unit
from controller.doctor.users import Account, account_of, may
from controller.doctor.versions import fits, read_requirement
from controller.store.journal import Journal
from tests.controller.doctor.pi import GROUP, INSTALLED, PASSWD, SHOE, UNIT, config_in, found, looked, make, one
from tests.controller.store.helpers import card, journal_of, tamper

ON_PINS = DeviceSeen(name="sign", driver="display.tm1637", address="pins 23 and 24", state="ready", words="ready")
CROUPIER = account_of("croupier", PASSWD, GROUP)
assert CROUPIER is not None


def at(node: str, gid: int = 20, mode: int = 0o660, **more: object) -> DeviceSeen:
    fields = {"state": "opens", "words": "it opens", **more}
    return replace(SHOE, node=node, node_mode=mode, node_uid=0, node_gid=gid, **fields)


def by_croupier(machine: Machine, *gids: int) -> Machine:
    return replace(machine, runner=Account("croupier", 990, (985, *gids)), under_unit=True)


# Groups and ports


@pytest.mark.parametrize(
    ("device", "group"),
    [
        (SHOE, "dialout"),
        (at("/dev/ttyUSB0", gid=20), "dialout"),
        (at("/dev/ttyUSB0", gid=986), "gpio"),  # whatever udev made of it
        (at("/dev/ttyUSB0", gid=0), "dialout"),
        (ON_PINS, "gpio"),
        (replace(SHOE, address="usb:8765:1234"), "plugdev"),
        (replace(SHOE, address="usb:1209:ca4d", node="/dev/ttyACM0"), "dialout"),
        (replace(SHOE, address="by-id:usb-FTDI"), "dialout"),
        (replace(SHOE, address="/dev/input/by-id/usb-keypad"), "input"),
        (replace(SHOE, driver="console.evdev", address="usb:1234:5678"), "input"),
        (replace(SHOE, address="/dev/spidev0.0"), "spi"),
        (replace(SHOE, address="socket://10.0.0.7:4001"), ""),
        (replace(SHOE, address="rfc2217://host:4001"), ""),
    ],
)
def test_the_group_is_the_one_that_this_device_needs(device: DeviceSeen, group: str) -> None:
    assert group_of(device, GROUP) == group


def test_a_user_in_the_wrong_group_is_told_which_one_is_lacking(tmp_path: Path) -> None:
    machine = looked(make(tmp_path / "root"), config_in(tmp_path), devices=[at("/dev/ttyUSB0"), ON_PINS])
    (wrong,) = found(by_croupier(machine, 986), "groups")
    assert (wrong.grade, wrong.words) == (
        "broken",
        "croupier, who runs the table, is not in the group dialout, which shoe (/dev/ttyUSB0) needs.",
    )
    assert wrong.remedy == "sudo usermod -aG dialout croupier, then sudo systemctl restart croupier."
    assert one(by_croupier(machine, 986, 20), "groups").grade == "good"
    (port, _) = found(by_croupier(machine, 986), "devices")
    assert (port.grade, "may not use /dev/ttyUSB0" in port.words) == ("broken", True)


def test_groups_that_no_device_needs_are_not_asked_for(tmp_path: Path) -> None:
    on_network = replace(SHOE, address="socket://10.0.0.7:4001")
    machine = looked(make(tmp_path / "root"), config_in(tmp_path), devices=[on_network])
    assert one(by_croupier(machine), "groups").grade == "good"
    simulated = replace(SHOE, simulated=True)
    assert one(by_croupier(replace(machine, devices=(simulated,))), "groups").grade == "good"


def test_a_group_that_is_not_there_or_not_yet_in_force_is_told(tmp_path: Path) -> None:
    root = make(tmp_path / "root", files={"etc/group": GROUP.replace("gpio", "gpia")})
    machine = looked(root, config_in(tmp_path), devices=[ON_PINS])
    missing = one(by_croupier(machine), "groups")
    assert (missing.grade, "There is no group gpio" in missing.words) == ("broken", True)
    me = Account("pi", 1000, (1000, 20))
    fresh = replace(looked(root, config_in(tmp_path), devices=[SHOE]), me=me, runner=me, active_groups=(1000,))
    told = one(fresh, "groups")
    assert (told.grade, told.remedy) == ("look", "Log out and in again, or restart the machine.")


@pytest.mark.parametrize(
    ("state", "grade"),
    [
        ("ready", "good"),
        ("answers", "good"),
        ("opens", "good"),
        ("silent", "look"),
        ("missing", "broken"),
        ("held", "broken"),
        ("forbidden", "broken"),
        ("failed", "broken"),
    ],
)
def test_every_state_of_a_port_has_its_grade_and_a_bad_one_its_remedy(tmp_path: Path, state: str, grade: str) -> None:
    device = replace(SHOE, state=state, words="so it is", advice="")
    told = one(looked(make(tmp_path / "root"), config_in(tmp_path), devices=[device]), "devices")
    assert (told.grade, bool(told.remedy)) == (grade, grade != "good")
    assert "so it is" in told.words


# Pins


@pytest.mark.parametrize(
    ("model", "libraries", "grade", "words"),
    [
        (5, {"rpi-lgpio": "0.6"}, "good", "rpi-lgpio"),
        (4, {"rpi-gpio": "0.7.1"}, "good", "RPi.GPIO"),
        (5, {"rpi-gpio": "0.7.1"}, "broken", "can't use the pins of a Pi 5"),
        (4, {"rpi-gpio": "0.7.1", "rpi-lgpio": "0.6"}, "broken", "Both"),
        (3, {}, "broken", "no library"),
    ],
)
def test_the_gpio_library_must_fit_the_pi(
    tmp_path: Path, model: int, libraries: dict[str, str], grade: str, words: str
) -> None:
    here = replace(INSTALLED, libraries=libraries, requires=())
    told = one(looked(make(tmp_path / "r", model), config_in(tmp_path), devices=[ON_PINS], installed=here), "pins")
    assert (told.grade, words in told.words) == (grade, True), told
    if grade == "broken":
        assert "pip" in told.remedy


def test_pins_on_a_machine_that_has_none_are_told(tmp_path: Path) -> None:
    root = make(tmp_path / "r", files={"proc/device-tree/model": None})
    without = replace(INSTALLED, libraries={}, requires=())
    told = one(looked(root, config_in(tmp_path), devices=[ON_PINS], installed=without), "pins")
    assert (told.grade, "simulated" in told.remedy) == ("broken", True)
    assert one(looked(root, config_in(tmp_path), devices=[ON_PINS]), "pins").grade == "look"
    assert one(looked(root, config_in(tmp_path), devices=[SHOE], installed=without), "pins").grade == "good"


# Files and journal


def seen(machine: Machine, **fields: object) -> Machine:
    about = {
        "path": "/var/lib/croupier/table.db",
        "what": "the journal",
        "kind": "file",
        "mode": 0o600,
        "uid": 990,
        "gid": 985,
    }
    return by_croupier(replace(machine, files=(Seen(**{**about, "private": True, "written": True, **fields}),)))


@pytest.mark.parametrize(
    ("fields", "grade", "remedy"),
    [
        ({}, "good", ""),
        ({"uid": 0}, "broken", "sudo chown croupier: /var/lib/croupier/table.db"),
        ({"uid": 0, "mode": 0o666, "private": False}, "look", "sudo chown croupier:"),
        ({"mode": 0o640}, "broken", "sudo chmod 600"),
        ({"mode": 0o644}, "broken", "sudo chmod 600"),
        ({"mode": 0o400}, "broken", "sudo chown"),
        ({"kind": "folder"}, "broken", "Move it away"),
        ({"trouble": "Permission denied"}, "look", "sudo croupier doctor"),
        ({"kind": "none"}, "good", ""),
        ({"what": "the key file", "written": False, "uid": 0, "mode": 0o640}, "good", ""),
        ({"what": "the key file", "written": False, "uid": 0, "mode": 0o644}, "broken", "sudo chmod 640"),
        (
            {"what": "the configuration", "written": False, "private": False, "uid": 0, "gid": 0, "mode": 0o640},
            "broken",
            "chgrp croupier",
        ),
    ],
)
def test_a_file_that_is_not_the_tables_is_told(
    tmp_path: Path, fields: dict[str, object], grade: str, remedy: str
) -> None:
    told = found(seen(looked(make(tmp_path / "root"), config_in(tmp_path)), **fields), "files")
    assert worst(told) == grade
    assert any(remedy in each.remedy for each in told), told


def test_a_file_of_roots_in_the_tables_folder_is_seen_on_the_real_disk(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root may give a file away")
    config = config_in(tmp_path / "table")
    journal_of(config.with_suffix(".db"), 1)
    for path in (config.parent, config, *config.parent.glob("table.db*")):
        os.chown(path, 990, 985)
    root = make(tmp_path / "root")
    assert found(by_croupier(looked(root, config)), "files")[0].grade == "good"
    people = config.with_suffix(".people")
    people.write_text("{}")
    people.chmod(0o600)
    (told,) = found(by_croupier(looked(root, config)), "files")
    assert (told.grade, told.remedy) == ("broken", f"sudo chown croupier: {people}")
    assert "probably made with sudo" in told.words


def test_the_owners_bits_are_the_owners() -> None:
    assert not may(Account("a", 5, (7,)), 4, mode=0o077, uid=5, gid=7)
    assert may(Account("a", 5, (7,)), 4, mode=0o040, uid=6, gid=7)
    assert not may(Account("a", 5, (7,)), 4, mode=0o004, uid=6, gid=7)
    assert may(Account("root", 0), 6, mode=0, uid=6, gid=7)


def test_a_good_a_newer_a_torn_and_a_strange_journal(tmp_path: Path) -> None:
    config, root = config_in(tmp_path / "table"), make(tmp_path / "root")
    journal = journal_of(config.with_suffix(".db"), 3)
    assert "3 records" in one(looked(root, config), "journal").words
    tamper(journal, "PRAGMA user_version = 9")
    newer = one(looked(root, config), "journal")
    assert (newer.grade, "newer Croupier" in newer.words, "Install the newer" in newer.remedy) == ("broken", True, True)
    tamper(journal, "PRAGMA user_version = 1", "UPDATE record SET data = '{\"n\":9}' WHERE sequence = 3")
    torn = one(looked(root, config), "journal")
    assert (torn.grade, "is broken" in torn.words, "croupier backup restore" in torn.remedy) == ("broken", True, True)
    for end in ("", "-wal", "-shm"):
        journal.with_name(journal.name + end).unlink(missing_ok=True)
    journal.write_bytes(b"SQLite format 3\0" + bytes(200))
    assert one(looked(root, config), "journal").grade == "broken"
    journal.write_text("a shopping list, and quite a long one at that")
    assert "not a journal" in one(looked(root, config), "journal").words
    journal.unlink()
    assert one(looked(root, config), "journal").grade == "good"


def test_a_table_that_takes_no_input_is_told(tmp_path: Path) -> None:
    machine = looked(make(tmp_path / "root"), config_in(tmp_path), trouble="the disk is full.")
    assert found(machine, "journal")[0].words == "The running table takes no input: the disk is full."


def test_the_doctor_leaves_no_file_behind_for_a_table_to_stumble_over(tmp_path: Path) -> None:
    config = config_in(tmp_path / "table")
    with Journal.open(config.with_suffix(".db")) as journal:
        journal.append([card()])
    before = {path.name for path in config.parent.iterdir()}
    looked(make(tmp_path / "root"), config)
    left = {path.name for path in config.parent.iterdir()} - before
    assert left <= {"table.db-wal", "table.db-shm"}  # what SQLite keeps, its owner the journal's


# Configuration, service, sandbox


def test_without_a_configuration_the_rest_is_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    told = examine(looked(make(tmp_path / "root")))
    subjects = {each.subject for each in told}
    assert {"configuration", "power", "disk", "room", "versions", "clock"} <= subjects
    assert next(each for each in told if each.subject == "configuration").grade == "look"


def test_a_bad_configuration_is_told_with_its_place(tmp_path: Path) -> None:
    config = config_in(tmp_path, "[table]\nname = 7\nseets = 3\n")
    told = found(looked(make(tmp_path / "root"), config), "configuration")
    assert worst(told) == "broken"
    assert any("table.toml:3" in each.words and "seats" in each.words for each in told)


def service(machine: Machine, **fields: str) -> Machine:
    usual = {
        "LoadState": "loaded",
        "ActiveState": "active",
        "UnitFileState": "enabled",
        "NRestarts": "0",
        "Result": "success",
        "WatchdogUSec": "30s",
    }
    return replace(machine, service={**usual, **fields})


@pytest.mark.parametrize(
    ("fields", "grade", "words"),
    [
        ({}, "good", "runs"),
        ({"ActiveState": "inactive"}, "look", "does not run"),
        (
            {"ActiveState": "failed", "Result": "exit-code", "ExecMainStatus": "7"},
            "broken",
            "configuration can't be used",
        ),
        ({"ActiveState": "failed", "Result": "watchdog"}, "broken", "watchdog"),
        ({"NRestarts": "3"}, "look", "3 times"),
        ({"UnitFileState": "disabled"}, "look", "come up by itself"),
        ({"WatchdogUSec": "0"}, "look", "without a watchdog"),
        ({"ActiveState": "activating", "SubState": "auto-restart", "NRestarts": "8"}, "look", "8 restarts"),
        ({"NRestarts": ""}, "good", "runs"),
    ],
)
def test_the_services_state_is_told(tmp_path: Path, fields: dict[str, str], grade: str, words: str) -> None:
    root = make(tmp_path, files={"etc/systemd/system/croupier.service": UNIT})
    told = found(service(looked(root), **fields), "service")
    assert (worst(told), any(words in each.words for each in told)) == (grade, True), told


def test_a_journal_and_a_configuration_outside_the_sandbox_are_told(tmp_path: Path) -> None:
    config = config_in(tmp_path / "table")
    unit = UNIT.replace("/etc/croupier/table.toml", str(config))
    root = make(tmp_path / "root", files={"etc/systemd/system/croupier.service": unit})
    machine = looked(root, config)
    assert (machine.under_unit, machine.runner.name) == (True, "croupier")
    told = found(machine, "service")
    assert any(
        "may not write the journal" in each.words and "/var/lib/croupier/table.db" in each.remedy for each in told
    )
    assert any("can't see the configuration" in each.words for each in told) is str(config).startswith("/tmp/")
    other = looked(make(tmp_path / "other", files={"etc/systemd/system/croupier.service": UNIT}), config)
    assert not other.under_unit
    assert worst(found(other, "service")) == "good"


def test_a_unit_is_read_with_its_drop_ins() -> None:
    plain = read_unit([UNIT])
    assert (plain.user, plain.config, plain.strict, plain.no_home) == (
        "croupier",
        "/etc/croupier/table.toml",
        True,
        True,
    )
    assert plain.may_write("/var/lib/croupier/table.db")
    assert not plain.may_write("/var/lib/croupiers/table.db")
    assert not plain.may_write("/home/pi/table.db")
    assert plain.hides("/home/pi/table.toml")
    more = read_unit([UNIT, "[Service]\nReadWritePaths=/data /srv/x\nProtectHome=no\nUser=ann\n"])
    assert (more.user, more.may_write("/data/table.db"), more.hides("/home/pi/table.toml")) == ("ann", True, False)
    assert (
        read_unit(["[Service]\nUser=x\n"]).config,
        read_unit([]).user,
        read_unit(["ExecStart=' --config"]).config,
    ) == ("", "root", "")
    none = read_unit(
        [UNIT, "[Service]\nExecStart=\nExecStart=/opt/x/croupier run --config=/data/t.toml\nProtectSystem=no\n"]
    )
    assert (none.config, none.may_write("/anywhere")) == ("/data/t.toml", True)


# Versions and shadows


@pytest.mark.parametrize(
    ("version", "wanted", "good"),
    [
        ("8.1.7", ">=8.1", True), ("8.0.9", ">=8.1", False), ("0.54.0", ">=0.35,<0.54", False),
        ("0.53.2", ">=0.35,<0.54", True),
        ("8.1", ">=8.1.0", True), ("2.0rc1", ">=2.0", True), ("1.4.9", "~=1.4.2", True), ("1.5.0", "~=1.4.2", False),
        ("3.5", "!=3.5", False), ("3.5.1", "==3.5.*", True), ("10.0", ">=9", True), ("5", "", True),
    ],
)  # fmt: skip
def test_versions_are_compared_as_numbers(version: str, wanted: str, good: bool) -> None:
    assert fits(version, wanted) is good


def test_requirements_are_read() -> None:
    assert read_requirement("uvicorn[standard]>=0.35,<0.54") == ("uvicorn", ">=0.35,<0.54", False)
    assert read_requirement('rpi-lgpio>=0.6; extra == "pi"') == ("rpi-lgpio", ">=0.6", True)
    assert read_requirement("RPi.GPIO (>=0.7)") == ("rpi-gpio", ">=0.7", False)


def test_old_and_missing_libraries_and_an_old_python_are_told(tmp_path: Path) -> None:
    old = replace(INSTALLED, python="3.9.2", libraries={"click": "8.0.1"})
    told = found(looked(make(tmp_path), installed=old), "versions")
    assert [each.grade for each in told] == ["broken"] * 3
    assert "click is 8.0.1, and >=8.1 is needed" in told[1].words
    assert "msgspec is not installed" in told[2].words


def test_packages_and_commands_that_hide_ours_are_told(tmp_path: Path) -> None:
    ours = INSTALLED.ours
    hidden = replace(INSTALLED, places={"drivers": "/home/pi/drivers"}, others={"drivers": ("/home/pi/drivers",)})
    told = one(looked(make(tmp_path), installed=hidden), "shadows")
    assert (told.grade, "/home/pi/drivers" in told.words) == ("broken", True)
    beside = replace(INSTALLED, places={"hil": f"{ours}/hil"}, others={"hil": ("/opt/hil.py",)})
    assert one(looked(make(tmp_path), installed=beside), "shadows").grade == "look"
    two = replace(INSTALLED, commands=("/home/pi/.local/bin/croupier", "/usr/bin/croupier"))
    told = one(looked(make(tmp_path), installed=two), "shadows")
    assert (told.grade, "2 commands croupier" in told.words) == ("look", True)


def test_a_check_that_fails_says_so_and_stops_no_other(tmp_path: Path) -> None:
    def fails(machine: Machine) -> list[object]:
        raise KeyError("soc")

    def goes_on(machine: Machine) -> list[object]:
        return []

    machine = replace(looked(make(tmp_path)), failures={"service": "TimeoutExpired: systemctl"})
    told = examine(machine, {"broken": fails, "next": goes_on})  # type: ignore[dict-item]
    assert [(each.subject, each.grade) for each in told] == [("service", "look"), ("broken", "look")]
    assert "KeyError" in told[1].words


def test_a_configuration_that_is_kept_from_this_user_is_not_called_missing_or_wrong(tmp_path: Path) -> None:
    machine = replace(looked(make(tmp_path)), config="/etc/croupier/table.toml", problems=(f"/x {FORBIDDEN}",))
    told = one(machine, "configuration")
    assert (told.grade, told.remedy) == ("look", "Ask as root: sudo croupier doctor.")
