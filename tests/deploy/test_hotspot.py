"""The table's own Wi-Fi network: made once, switched on and off as often as one likes, told to the table alone.

NetworkManager is played by a program that keeps its profiles as the real one does: it takes only files that nobody else
may read, and writes a name with umlauts anew as a list of numbers.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from controller.config.load import load
from controller.hotspot import read_hotspot
from tests.controller.config.conftest import text_of
from tests.deploy.systems import ROOT

SCRIPT = ROOT / "deploy" / "croupier-hotspot"

NMCLI = f"""#!{sys.executable}
import os, pathlib, sys

root = pathlib.Path(os.environ["CROUPIER_HOTSPOT_ROOT"])
file = root / "etc/NetworkManager/system-connections/croupier-hotspot.nmconnection"
known, active = root / "known", root / "active"
asked = sys.argv[1:]
with (root / "asked").open("a") as log:
    print(" ".join(asked), file=log)


def values():
    lines = [line.partition("=") for line in known.read_text().splitlines() if "=" in line]
    return {{key: value for key, _, value in lines}}


def ssid():
    text = values()["ssid"]
    return bytes(map(int, text.split(";")[:-1])).decode() if text.endswith(";") else text


def keep(key, value):
    new = {{**values(), key: value}}
    name = ssid() if key != "ssid" else value
    new["ssid"] = name if name.isascii() else "".join(f"{{each}};" for each in name.encode())
    file.write_text("".join(f"{{each}}={{held}}\\n" for each, held in new.items()))
    known.write_text(file.read_text())


if asked == ["connection", "reload"]:
    known.unlink(missing_ok=True)
    if file.exists() and file.stat().st_mode & 0o777 == 0o600:
        known.write_text(file.read_text())
    sys.exit()
if asked == ["--terse", "--fields", "NAME", "connection", "show", "--active"]:
    print("Wired connection 1" + ("\\ncroupier-hotspot" if active.exists() else ""))
    sys.exit()
if not known.exists():
    sys.exit("Error: unknown connection 'croupier-hotspot'.")
match asked:
    case ["connection", "modify", "croupier-hotspot", "connection.autoconnect", word]:
        keep("autoconnect", {{"yes": "true", "no": "false"}}[word])
    case ["connection", "modify", "croupier-hotspot", "802-11-wireless.ssid", name]:
        keep("ssid", name)
    case ["connection", "up", "croupier-hotspot"]:
        if (root / "no-adapter").exists():
            sys.exit("Error: Connection activation failed: No suitable device found for this connection.")
        active.touch()
    case ["connection", "down", "croupier-hotspot"]:
        if not active.exists():
            sys.exit("Error: 'croupier-hotspot' is not an active connection.")
        active.unlink()
    case ["--show-secrets", "--escape", "no", "--get-values", what, "connection", "show", "croupier-hotspot"]:
        print({{"802-11-wireless.ssid": ssid(), "802-11-wireless-security.psk": values()["psk"]}}[what])
    case _:
        sys.exit(f"Error: no such command: {{asked}}")
"""


class Machine:
    """A folder that stands for a Pi's card, on which NetworkManager runs."""

    def __init__(self, folder: Path) -> None:
        self.root, self.programs = folder / "root", folder / "programs"
        self.profile = self.root / "etc/NetworkManager/system-connections/croupier-hotspot.nmconnection"
        self.told = self.root / "etc/croupier/hotspot"
        self.told.parent.mkdir(parents=True)
        self.program("nmcli", NMCLI)
        self.program("id", '#!/bin/sh\necho "${2:+9}0"\n')  # root, and there is a user croupier
        self.program("chown", f'#!/bin/sh\necho "$*" >>{self.root}/owners\n')

    def program(self, name: str, text: str) -> None:
        self.programs.mkdir(exist_ok=True)
        (self.programs / name).write_text(text)
        (self.programs / name).chmod(0o755)

    def run(self, *arguments: str, path: str = "") -> subprocess.CompletedProcess[str]:
        variables = {"PATH": path or f"{self.programs}:{os.environ['PATH']}", "CROUPIER_HOTSPOT_ROOT": str(self.root)}
        return subprocess.run(
            ["/bin/sh", SCRIPT, *arguments], capture_output=True, text=True, timeout=60, check=False, env=variables
        )

    def good(self, *arguments: str) -> str:
        done = self.run(*arguments)
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    def reboot(self) -> None:
        (self.root / "active").unlink(missing_ok=True)
        if "autoconnect=true" in self.profile.read_text():
            (self.root / "active").touch()

    @property
    def is_up(self) -> bool:
        return (self.root / "active").exists()

    def network(self) -> tuple[str, str]:
        """As the table reads it."""
        found = read_hotspot(self.told)
        assert found is not None
        assert str(found.address) == "10.42.21.1/24"
        return found.name, found.password


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_it_is_made_with_a_password_of_its_own(machine: Machine, tmp_path: Path) -> None:
    said = machine.good("on")
    name, password = machine.network()
    assert name == "Croupier"
    assert re.fullmatch("[a-hjkmnp-z2-9]{12}", password)
    assert f"Network: Croupier\nPassword: {password}\n" in said
    assert machine.is_up
    assert "autoconnect=true" in machine.profile.read_text()
    for file in (machine.profile, machine.told):
        assert file.stat().st_mode & 0o777 == 0o600
        assert [each.name for each in file.parent.iterdir()] == [file.name]
    assert (machine.root / "owners").read_text() == f"croupier: {machine.told}.new\n"
    other = Machine(tmp_path / "other")
    other.good("on")
    assert other.network()[1] != password


def test_the_password_is_no_argument_that_all_programs_may_see(machine: Machine) -> None:
    machine.good("on")
    machine.good("on", "Bar")
    assert machine.network()[1] not in (machine.root / "asked").read_text()


@pytest.mark.parametrize(
    "name",
    ["Table 7", "Großer Saal", "牌桌", "x" * 32, "ü" * 16, "1234", 'say "hi", ok: $HOME `id` #[x]=y', "-e", "it's"],
)
def test_a_name_of_ones_own(name: str, machine: Machine) -> None:
    said = machine.good("on", name)
    assert machine.network()[0] == name
    assert f"Network: {name}\n" in said
    assert f"Network: {name}\n" in machine.good("show")


@pytest.mark.parametrize(
    "name",
    ["", " Table", "Table ", "a;b", "a\\b", "two\nlines", "a\tb", "a\x1bb", "x" * 33, "ü" * 17, b"Stra\xdfe", "end\n"],
)
def test_a_name_that_would_make_trouble_is_refused_and_nothing_made(name: str | bytes, machine: Machine) -> None:
    done = machine.run("on", os.fsdecode(name))
    assert done.returncode == 2
    assert "croupier-hotspot: the network's name" in done.stderr
    assert not machine.profile.exists()
    assert not machine.told.exists()


def test_switched_on_twice_it_is_the_same(machine: Machine) -> None:
    machine.good("on", "Großer Saal")
    first, network = machine.profile.read_text(), machine.network()
    machine.good("on")
    assert machine.network() == network
    machine.good("on", "Großer Saal")
    assert machine.network() == network
    assert "autoconnect=true" in first
    assert machine.is_up


def test_another_name_keeps_the_password_that_people_know(machine: Machine) -> None:
    machine.good("on")
    _, password = machine.network()
    machine.good("on", "Bar")
    assert machine.network() == ("Bar", password)


def test_switched_off_it_stays_off_and_no_sign_asks_people_in(machine: Machine) -> None:
    machine.good("on", "Bar")
    network = machine.network()
    assert "stays off" in machine.good("off")
    assert not machine.is_up
    assert not machine.told.exists()
    machine.reboot()
    assert not machine.is_up
    assert "is off" in machine.good("show")
    machine.good("off")
    machine.good("on")
    assert machine.network() == network
    machine.reboot()
    assert machine.is_up


def test_off_after_a_restart_without_its_adapter(machine: Machine) -> None:
    machine.good("on")
    (machine.root / "active").unlink()
    machine.good("off")
    assert "autoconnect=false" in machine.profile.read_text()


def test_what_was_never_made_is_told(machine: Machine) -> None:
    assert machine.good("show") == "There is no hotspot yet: sudo croupier-hotspot on\n"
    assert machine.good("off") == "There is no hotspot.\n"


def test_without_an_adapter_it_says_what_to_look_at(machine: Machine) -> None:
    (machine.root / "no-adapter").touch()
    done = machine.run("on")
    assert done.returncode == 1
    assert "Wi-Fi adapter" in done.stderr
    assert "country" in done.stderr
    assert not machine.told.exists()
    (machine.root / "no-adapter").unlink()
    machine.good("on")
    assert machine.is_up


def test_the_lines_that_it_shows_are_good_ones(machine: Machine, tmp_path: Path) -> None:
    said = machine.good("on")
    assert machine.good("show") == said
    lines = said.partition("[web]")
    web = (lines[1] + lines[2]).replace("# hotspot_on_sign", "hotspot_on_sign")
    file = tmp_path / "table.toml"
    file.write_text(text_of(web=web.replace("/etc/croupier/hotspot", str(machine.told))))
    config = load(file)
    assert config.web is not None
    assert (config.web.host, config.web.insecure, config.web.hotspot) == ("0.0.0.0", True, machine.told)
    assert config.web.hotspot_on_sign


@pytest.mark.parametrize(
    "arguments", [(), ("start",), ("on", "a", "b"), ("off", "now"), ("show", "me"), ("--help",), ("",)]
)
def test_a_wrong_line_is_told(arguments: tuple[str, ...], machine: Machine) -> None:
    done = machine.run(*arguments)
    assert done.returncode == 2
    assert "usage: croupier-hotspot on [NAME]" in done.stderr


@pytest.mark.parametrize("word", ["on", "off", "show"])
def test_only_root_may(word: str, machine: Machine) -> None:
    machine.program("id", "#!/bin/sh\necho 1000\n")
    done = machine.run(word)
    assert (done.returncode, done.stderr) == (
        3,
        f"croupier-hotspot: only root may do this: sudo croupier-hotspot {word}\n",
    )


def test_without_networkmanager_it_says_what_to_install(machine: Machine) -> None:
    (machine.programs / "nmcli").unlink()
    done = machine.run("on", path=str(machine.programs))
    assert done.returncode == 3
    assert "apt install network-manager" in done.stderr


def test_without_a_table_nothing_is_made(machine: Machine) -> None:
    machine.program("id", '#!/bin/sh\n[ "$2" = "" ] && echo 0\n')
    done = machine.run("on")
    assert done.returncode == 3
    assert "install Croupier first" in done.stderr
    assert not machine.profile.exists()
