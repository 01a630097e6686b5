"""The units, rules and folders as systemd reads them: no complaint, little exposed, as the program says."""

from __future__ import annotations

import configparser
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from controller.cli.common import BAD_RULESET, USAGE
from controller.cli.kiosk import PAGES
from tests.deploy.systems import INSTALL, ROOT

SYSTEMD = ROOT / "deploy" / "systemd"
EXPOSED = 2.5  # of ten; below two is rare


def unit(name: str) -> configparser.SectionProxy:
    read = configparser.ConfigParser(strict=False, interpolation=None, delimiters=("=",))
    read.optionxform = str  # type: ignore[method-assign, assignment]
    read.read(SYSTEMD / name)
    return read["Service"]


@pytest.fixture
def system(tmp_path: Path) -> Path:
    """Where the programs that the units name are there."""
    if shutil.which("systemd-analyze") is None:
        pytest.skip("there is no systemd-analyze here: apt install systemd")
    for program in ("opt/croupier/current/bin/croupier", "usr/bin/cage", "usr/bin/man"):
        (tmp_path / program).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / program).write_text("#!/bin/sh\n")
        (tmp_path / program).chmod(0o755)
    units = tmp_path / "etc" / "systemd" / "system"
    units.mkdir(parents=True)
    for name in ("croupier.service", "croupier-kiosk@.service"):
        shutil.copy(SYSTEMD / name, units)
    shutil.copytree("/usr/lib/systemd/system", tmp_path / "usr/lib/systemd/system", symlinks=True)
    return tmp_path


@pytest.mark.parametrize("name", ["croupier.service", "croupier-kiosk@sign.service"])
def test_systemd_has_nothing_to_complain_of(system: Path, name: str) -> None:
    command = ["systemd-analyze", "verify", f"--root={system}", "--man=no", name]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    ours = [line for line in done.stderr.splitlines() if "croupier" in line]
    assert (done.returncode, ours) == (0, [])


def test_little_of_the_system_is_exposed_to_the_table(system: Path) -> None:
    command = ["systemd-analyze", "security", "--offline=true", str(SYSTEMD / "croupier.service")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    found = re.search(r"Overall exposure level for croupier.service: ([0-9.]+)", done.stdout)
    assert found
    assert float(found[1]) <= EXPOSED


def test_where_only_a_person_can_help_it_is_not_started_again() -> None:
    assert unit("croupier.service")["RestartPreventExitStatus"].split() == [str(USAGE), str(BAD_RULESET)]


def test_the_unit_waits_longer_than_an_orderly_end_takes() -> None:
    from controller.daemon.crew import DRAIN_S
    from controller.daemon.daemon import JOURNAL_S, START_S

    service = unit("croupier.service")
    assert int(service["TimeoutStopSec"]) > 2 * JOURNAL_S + DRAIN_S
    assert int(service["TimeoutStartSec"]) > START_S


def test_every_page_of_the_kiosk_is_one_of_the_installer() -> None:
    assert f"\t{' | '.join(PAGES)}) ;;" in INSTALL.read_text()


@pytest.mark.parametrize("script", ["install", "steps.sh", "deb/build", "deb/postinst", "croupier-hotspot"])
def test_a_script_is_one(script: str) -> None:
    file = ROOT / "deploy" / script
    shell = "bash" if re.match("#!.*bash|# The steps of deploy/install", file.read_text()) else "sh"
    subprocess.run([shell, "-n", file], check=True, timeout=30)


def test_the_rules_are_ones_that_udev_reads(tmp_path: Path) -> None:
    rules = ROOT / "deploy" / "udev" / "60-croupier.rules"
    for line in rules.read_text().splitlines():
        if line and not line.startswith("#"):
            parts = re.fullmatch(r'(?:[A-Z_]+(?:\{[^}]+\})?(?:==|!=|\+=|=)"[^"]*"(?:, |$))+', line)
            assert parts, line
