"""deploy/install: once, again, over an older version, without a network, and off again; what it refuses, in words."""

from __future__ import annotations

import shutil
import stat
import subprocess
import tomllib
from pathlib import Path

import pytest

from tests.deploy.systems import System, copy_of_checkout, program_for_nobody

UNITS = ("croupier.service", "croupier-kiosk@.service")


@pytest.fixture(scope="module")
def installed_once(wheels: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    system = System(tmp_path_factory.mktemp("once") / "root")
    done = system.install("--wheels", wheels)
    assert done.returncode == 0, done.stdout + done.stderr
    return system.root


@pytest.fixture
def installed(system: System, installed_once: Path) -> System:
    """As installed, for this test alone."""
    subprocess.run(["cp", "-a", f"{installed_once}/.", system.root], check=True)
    return system


def test_it_puts_program_users_units_rules_and_a_configuration_there(installed: System) -> None:
    current = installed.at("/opt/croupier/current")
    assert current.is_symlink()
    assert (current / "bin" / "croupier").read_text().startswith(f"#!/opt/croupier/{current.readlink()}/bin/python")
    for unit in UNITS:
        assert installed.at(f"/etc/systemd/system/{unit}").is_file()
    assert installed.at("/etc/udev/rules.d/60-croupier.rules").is_file()
    users = installed.at("/etc/passwd").read_text()
    assert "croupier:" in users
    assert "/usr/sbin/nologin" in users
    groups = {line.split(":")[0]: line.split(":")[3] for line in installed.at("/etc/group").read_text().splitlines()}
    for group in ("dialout", "plugdev", "gpio", "spi", "input"):
        assert "croupier" in groups[group].split(",")


def test_the_configuration_runs_as_it_is_and_its_journal_is_where_the_unit_may_write(
    installed: System, tmp_path: Path
) -> None:
    file = installed.at("/etc/croupier/table.toml")
    assert tomllib.loads(file.read_text())["journal"]["path"] == "/var/lib/croupier/table.db"
    mode = file.stat()
    assert stat.S_IMODE(mode.st_mode) == 0o640
    assert f"croupier:x:{mode.st_gid}:" in installed.at("/etc/group").read_text()
    unit = installed.at("/etc/systemd/system/croupier.service").read_text()
    assert "StateDirectory=croupier" in unit.splitlines()


def test_the_program_runs(installed: System) -> None:
    python = installed.at("/opt/croupier/current") / "bin" / "python"
    done = subprocess.run(
        [python, "-I", "-c", "from controller.cli import main; main()", "games"],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert "power_blackjack" in done.stdout


def test_the_manual_and_the_completions_are_those_of_the_version_that_runs(installed: System) -> None:
    for name, says in {
        "man/man1/croupier.1": ".TH CROUPIER 1",
        "bash-completion/completions/croupier": "complete -o nosort -F",
        "zsh/site-functions/_croupier": "#compdef croupier",
        "fish/vendor_completions.d/croupier.fish": "complete --no-files --command croupier",
    }.items():
        assert str(installed.at(f"/usr/local/share/{name}").readlink()) == f"/opt/croupier/current/share/{name}"
        assert says in (installed.at("/opt/croupier/current") / "share" / name).read_text()


def test_a_second_time_changes_nothing_and_says_so(installed: System, wheels: Path) -> None:
    before = installed.files()
    done = installed.install("--wheels", wheels)
    assert (done.returncode, done.stdout) == (0, "Everything was there already; nothing was changed.\n")
    assert installed.files() == before


def test_what_a_person_changed_in_the_configuration_stays(installed: System, wheels: Path) -> None:
    file = installed.at("/etc/croupier/table.toml")
    file.write_text("# ours\n")
    assert installed.install("--wheels", wheels).returncode == 0
    assert file.read_text() == "# ours\n"


def test_over_an_older_version_the_new_one_is_current_and_the_old_one_is_the_way_back(
    installed: System, wheels: Path
) -> None:
    current = installed.at("/opt/croupier/current")
    versions = current.parent / "versions"
    new = current.readlink().name
    for older in ("0.0.8-aaaaaaaaaaaa", "0.0.9-bbbbbbbbbbbb"):
        (versions / older).mkdir()
    current.unlink()
    current.symlink_to("versions/0.0.9-bbbbbbbbbbbb")
    done = installed.install("--wheels", wheels)
    assert done.returncode == 0, done.stderr
    assert current.readlink().name == new
    assert {each.name for each in versions.iterdir()} == {new, "0.0.9-bbbbbbbbbbbb"}


def test_a_version_that_cannot_be_installed_whole_leaves_the_old_one(
    installed: System, wheels: Path, tmp_path: Path
) -> None:
    lacking = tmp_path / "lacking"
    shutil.copytree(wheels, lacking)
    next(lacking.glob("msgspec-*.whl")).unlink()
    sums = (lacking / "SHA256SUMS").read_text().splitlines()
    (lacking / "SHA256SUMS").write_text("\n".join(line for line in sums if "msgspec" not in line) + "\n")
    before = installed.files()
    done = installed.install("--wheels", lacking)
    assert done.returncode == 1
    assert "Not everything could be installed" in done.stderr
    assert installed.files() == before


def test_wheels_that_were_damaged_on_their_way_are_not_installed(system: System, wheels: Path, tmp_path: Path) -> None:
    damaged = tmp_path / "damaged"
    shutil.copytree(wheels, damaged)
    wheel = next(damaged.glob("click-*.whl"))
    wheel.write_bytes(wheel.read_bytes()[:-100])
    done = system.install("--wheels", damaged)
    assert done.returncode == 3
    assert wheel.name in done.stderr
    assert "was damaged on its way" in done.stderr


def test_taken_off_the_journal_and_the_configuration_stay(installed: System) -> None:
    journal = installed.at("/var/lib/croupier/table.db")
    journal.write_bytes(b"every card of last night")
    configuration = installed.at("/etc/croupier/table.toml").read_bytes()
    done = installed.install("--uninstall")
    assert done.returncode == 0
    assert "Kept: /var/lib/croupier" in done.stdout
    assert journal.read_bytes() == b"every card of last night"
    assert installed.at("/etc/croupier/table.toml").read_bytes() == configuration
    left = [name for name in installed.files() if not name.startswith(("etc/", "var/lib/croupier"))]
    assert left == []
    assert not any("croupier" in name for name in installed.files() if "systemd" in name or "udev" in name)
    again = installed.install("--uninstall")
    assert again.returncode == 0
    assert "nothing to take off" in again.stdout


@pytest.mark.parametrize("what", [(), ("--uninstall",)])
def test_a_dry_run_says_what_would_be_done_and_does_nothing(system: System, what: tuple[str, ...]) -> None:
    system.at("/opt/croupier/versions").mkdir(parents=True)
    before = system.files()
    done = system.install("--dry-run", *what)
    assert done.returncode == 0, done.stderr
    assert "would: " in done.stdout
    assert all(line.startswith(("  would: ", "Kept: ")) for line in done.stdout.splitlines())
    assert system.files() == before


# What it refuses


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--wheel", "x"), "there is no option --wheel"),
        (("--wheels",), "--wheels needs a value"),
        (("--wheels", "no-such-folder"), "no-such-folder is no folder"),
        (("--kiosk", "sing"), "there is no page sing"),
        (("install",), "there is no option install"),
    ],
)
def test_a_wrong_command_line_is_told(system: System, arguments: tuple[str, ...], words: str) -> None:
    done = system.install(*arguments)
    assert done.returncode == 2
    assert words in done.stderr


def test_a_folder_without_wheels_is_no_folder_of_wheels(system: System, tmp_path: Path) -> None:
    done = system.install("--wheels", tmp_path)
    assert done.returncode == 3
    assert "make wheels" in done.stderr


def test_a_system_that_is_no_debian_is_refused(system: System) -> None:
    system.at("/etc/debian_version").unlink()
    done = system.install()
    assert done.returncode == 3
    assert "no Debian or Raspberry Pi OS" in done.stderr


def test_an_old_python_is_refused(system: System, tmp_path: Path) -> None:
    path = program_for_nobody(tmp_path / "bin", "python3", '[ "$1" = -V ] && echo Python 3.9.2; exit 1')
    done = system.install(PATH=path)
    assert done.returncode == 3
    assert "Python 3.9.2" in done.stderr


def test_a_full_disk_is_refused_before_anything_is_done(system: System, tmp_path: Path) -> None:
    path = program_for_nobody(tmp_path / "bin", "df", "echo Avail; echo 51200")
    before = system.files()
    done = system.install(PATH=path)
    assert done.returncode == 3
    assert "only 50 MB are free" in done.stderr
    assert system.files() == before


def test_a_clock_two_years_back_is_told(system: System, tmp_path: Path) -> None:
    script = 'case "$1" in +%s) echo 1600000000 ;; +%F) echo 2020-09-13 ;; *) exec /bin/date "$@" ;; esac'
    done = system.install("--dry-run", PATH=program_for_nobody(tmp_path / "bin", "date", script))
    assert done.returncode == 0
    assert "the clock says 2020-09-13, before this version was made" in done.stdout


def test_a_debian_package_that_is_there_is_not_overwritten(system: System) -> None:
    system.at("/var/lib/dpkg/info").mkdir(parents=True)
    system.at("/var/lib/dpkg/info/croupier-table.list").write_text("/.\n")
    done = system.install("--dry-run")
    assert done.returncode == 3
    assert "apt install ./croupier-table_VERSION.deb" in done.stderr


def test_without_a_network_it_says_what_to_do(system: System, tmp_path: Path) -> None:
    checkout = copy_of_checkout(tmp_path / "checkout")
    (checkout / "requirements.lock").write_text("click==8.5.1 --hash=sha256:" + "0" * 64 + "\n")
    for name in ("controller", "docs", "drivers", "firmware_protocol", "hil"):
        (checkout / name).mkdir()
    command = ["bash", checkout / "deploy" / "install", "--root", system.root]
    nowhere = {"PIP_INDEX_URL": "http://127.0.0.1:9/", "PIP_RETRIES": "0", "PIP_NO_INDEX": "1", "PATH": "/usr/bin:/bin"}
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, env=nowhere)
    assert done.returncode == 1
    assert "make a folder of wheels on another machine" in done.stderr
    assert not list(system.at("/opt/croupier/versions").glob("*"))
