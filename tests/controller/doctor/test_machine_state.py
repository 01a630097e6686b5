"""Power, heat, card, room and clock, from the files of Pis in good and bad states."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from controller.doctor.checks import examine
from controller.doctor.finding import worst
from controller.doctor.machine import Space
from controller.store.journal import Journal
from tests.controller.doctor.pi import INSTALLED, config_in, found, looked, make, one
from tests.controller.store.helpers import card

THROTTLED = "sys/devices/platform/soc/soc:firmware/get_throttled"
ALARM = "sys/class/hwmon/hwmon1/in0_lcrit_alarm"


@pytest.mark.parametrize("model", [3, 4, 5])
def test_a_good_pi_is_good_in_everything_that_is_the_machines(tmp_path: Path, model: int) -> None:
    machine = looked(make(tmp_path / "root", model), config_in(tmp_path))
    for subject in ("power", "heat", "disk", "clock", "versions", "shadows", "pins"):
        assert one(machine, subject).grade == "good", subject


@pytest.mark.parametrize(
    ("files", "grade", "words"),
    [
        ({THROTTLED: "50005\n"}, "broken", "right now"),
        ({THROTTLED: "throttled=0x50005\n"}, "broken", "right now"),
        ({THROTTLED: "50000\n"}, "look", "at times"),
        ({THROTTLED: None, ALARM: "1\n"}, "broken", "right now"),
        ({THROTTLED: None, ALARM: "0\n"}, "good", "held"),
        ({THROTTLED: None, ALARM: None}, "look", "does not say"),
        ({THROTTLED: "nonsense\n", ALARM: None}, "look", "does not say"),
        (
            {THROTTLED: None, "sys/devices/platform/soc@107c000000/soc@107c000000:firmware/get_throttled": "1"},
            "broken",
            "now",
        ),
    ],
)
def test_a_weak_supply_is_told(tmp_path: Path, files: dict[str, str | None], grade: str, words: str) -> None:
    told = one(looked(make(tmp_path, files=files)), "power")
    assert (told.grade, words in told.words) == (grade, True), told
    assert told.remedy or grade == "good"


@pytest.mark.parametrize(
    ("temperature", "bits", "grade"),
    [
        ("47000", "0", "good"),
        ("80500", "0", "look"),
        ("86000", "0", "broken"),
        ("60000", "80000", "look"),
        ("60000", "8", "look"),
    ],
)
def test_heat_is_told(tmp_path: Path, temperature: str, bits: str, grade: str) -> None:
    files: dict[str, str | None] = {"sys/class/thermal/thermal_zone0/temp": temperature, THROTTLED: bits}
    assert one(looked(make(tmp_path, files=files)), "heat").grade == grade


@pytest.mark.parametrize(
    ("name", "text", "grade", "words"),
    [
        ("sys/fs/ext4/mmcblk0p2/errors_count", "12\n", "broken", "12 errors"),
        ("sys/block/mmcblk0/device/pre_eol_info", "0x03\n", "broken", "used up"),
        ("sys/block/mmcblk0/device/pre_eol_info", "0x02\n", "look", "80 %"),
        ("sys/block/mmcblk0/device/pre_eol_info", "0x01\n", "good", ""),
        ("sys/block/mmcblk0/device/life_time", "0x01 0x0b\n", "look", "more than"),
        ("sys/block/mmcblk0/device/life_time", "0x01 0x02\n", "good", ""),
        (
            "sys/kernel/debug/mmc0/err_stats",
            "# Command Timeout Occurred:\t 0\n# Data CRC Errors Occurred:\t 7\n",
            "look",
            "Data CRC Errors Occurred: 7",
        ),
        ("sys/kernel/debug/mmc0/err_stats", "# Command Timeout Occurred:\t 0\n", "good", ""),
    ],
)
def test_a_failing_card_is_told_before_it_dies(tmp_path: Path, name: str, text: str, grade: str, words: str) -> None:
    told = one(looked(make(tmp_path, files={name: text})), "disk")
    assert (told.grade, words in told.words) == (grade, True), told
    if grade != "good":
        assert "croupier backup create" in told.remedy


@pytest.mark.parametrize(
    ("mounts", "grade", "words"),
    [
        ("/dev/mmcblk0p2 / ext4 ro,noatime 0 0\n", "broken", "may only be read"),
        ("/dev/mmcblk0p2 / ext4 ro,noatime 0 0\n/dev/sda1 {there} ext4 rw 0 0\n", "good", ""),
        (
            "overlay / overlay rw,lowerdir=/overlay/lower,upperdir=/overlay/upper 0 0\n",
            "broken",
            "gone when the power goes",
        ),
        ("/dev/root / ext4 rw 0 0\ntmpfs {there} tmpfs rw 0 0\n", "broken", "gone when the power goes"),
    ],
)
def test_a_journal_that_would_not_last_is_told(tmp_path: Path, mounts: str, grade: str, words: str) -> None:
    there = tmp_path / "my table"
    text = mounts.format(there=str(there).replace(" ", "\\040"))
    told = one(looked(make(tmp_path / "root", files={"proc/mounts": text}), config_in(there)), "disk")
    assert (told.grade, words in told.words) == (grade, True), told


def test_a_full_disk_and_too_little_memory_are_told(tmp_path: Path) -> None:
    machine = looked(make(tmp_path, files={"proc/meminfo": "MemAvailable:      40000 kB\n"}))
    full = Space(path="/var/lib/croupier", what="the journal", free=0, total=1 << 34, files=9)
    none = Space(path="/var/log", what="the log", free=1 << 33, total=1 << 34, files=0)
    btrfs = Space(path="/data", what="data", free=1 << 33, total=1 << 34, files=None)
    told = found(replace(machine, spaces=(full, none, btrfs)), "room")
    assert [each.grade for each in told] == ["broken", "broken", "good", "broken"]
    assert "The disk is full for the journal (/var/lib/croupier)" in told[0].words


def test_a_clock_two_years_back_is_told_by_the_journal_and_by_the_installation(tmp_path: Path) -> None:
    config = config_in(tmp_path / "table")
    with Journal.open(config.with_suffix(".db")) as journal:
        journal.append([card()])
        last = int(next(journal.unproven(0)).wall[:4])
    root = make(tmp_path / "root")
    back = one(looked(root, config, wall=f"{last - 2}-10-01T20:00:00.000Z", clock="rtc"), "clock")
    assert (back.grade, "years" in back.words, "the last record of the journal" in back.words) == ("broken", True, True)
    assert "date -s" in back.remedy
    new = one(looked(root, wall="2025-03-01T10:00:00.000Z", clock="rtc"), "clock")
    assert (new.grade, "2 years before this Croupier was installed" in new.words) == ("broken", True)
    unset = one(looked(root, wall="1970-01-01T00:05:00.000Z", clock="unset"), "clock")
    assert (unset.grade, "never set" in unset.words) == ("broken", True)


def test_who_keeps_the_clock_is_told(tmp_path: Path) -> None:
    rtc: dict[str, str | None] = {
        "sys/class/rtc/rtc0/name": "rtc-ds1307 1-0068\n",
        "sys/class/rtc/rtc0/since_epoch": "1790000000\n",
    }
    nobody = one(looked(make(tmp_path / "none"), clock="rtc"), "clock")
    with_rtc = one(looked(make(tmp_path / "rtc", files=rtc), clock="rtc"), "clock")
    no_battery = one(
        looked(make(tmp_path / "dead", 5, {**rtc, "sys/class/rtc/rtc0/since_epoch": "35\n"}), clock="rtc"), "clock"
    )
    assert (nobody.grade, with_rtc.grade, no_battery.grade) == ("look", "good", "look")
    assert "rtc-ds1307" in with_rtc.words


def test_an_empty_root_folder_breaks_no_check(tmp_path: Path) -> None:
    machine = looked(tmp_path)
    told = found(machine, "power") + found(machine, "disk") + found(machine, "service")
    assert worst(told) == "good"
    assert not [each for each in found(machine, "clock") if "failed" in each.words]


def test_nonsense_in_every_file_breaks_no_check(tmp_path: Path) -> None:
    names = [name for name in make(tmp_path).rglob("*") if name.is_file()]
    for path in names:
        path.write_bytes(b"\xff\xfe:::: nonsense\n=\n-\n:x\n" * 3)
    machine = looked(
        tmp_path, config_in(tmp_path / "table"), installed=replace(INSTALLED, requires=("???", ""), python="x")
    )
    assert not [each for each in examine(machine) if "check itself failed" in each.words]
