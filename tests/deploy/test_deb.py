"""The Debian package: what is in it, what it asks for, and that its scripts leave the house's files alone."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

from tests.deploy.systems import ROOT

VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]


@pytest.fixture(scope="module")
def package(wheels: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("dpkg-deb") is None:
        pytest.skip("a Debian package is built on Debian: there is no dpkg-deb here")
    if subprocess.run(["/usr/bin/python3", "-c", "import venv, ensurepip"], check=False).returncode:
        pytest.skip("Debian's own python3 can't make virtual environments here: apt install python3-venv")
    out = tmp_path_factory.mktemp("deb")
    python = subprocess.run(["/usr/bin/python3", "-V"], capture_output=True, text=True, check=True).stdout
    ours = subprocess.run(["python3", "-V"], capture_output=True, text=True, check=True).stdout
    same = python.split(".")[:2] == ours.split(".")[:2]  # else the wheels are made for another one
    command = ["bash", ROOT / "deploy" / "deb" / "build", out, *([wheels] if same else [])]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (made,) = out.glob("*.deb")
    return made


@pytest.fixture(scope="module")
def unpacked(package: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("unpacked")
    subprocess.run(["dpkg-deb", "--raw-extract", package, folder], check=True)
    return folder


def test_it_is_called_as_packages_are_and_says_which_python_it_is_for(package: Path) -> None:
    architecture = subprocess.run(["dpkg", "--print-architecture"], capture_output=True, text=True, check=True).stdout
    assert package.name == f"croupier-table_{VERSION}_{architecture.strip()}.deb"
    fields = subprocess.run(["dpkg-deb", "--field", package], capture_output=True, text=True, check=True).stdout
    depends = re.search(r"^Depends: python3 \(>= 3\.(\d+)~\), python3 \(<< 3\.(\d+)~\)", fields, re.MULTILINE)
    assert depends
    assert int(depends[2]) == int(depends[1]) + 1
    assert "@" not in fields.replace("croupier@localhost", "")


def test_everything_is_there_and_belongs_to_root(package: Path) -> None:
    listed = subprocess.run(["dpkg-deb", "--contents", package], capture_output=True, text=True, check=True).stdout
    assert all(line.split()[1] == "root/root" for line in listed.splitlines())
    for path in (
        "./opt/croupier/current/bin/croupier",
        "./usr/bin/croupier -> /opt/croupier/current/bin/croupier",
        "./usr/lib/systemd/system/croupier.service",
        "./usr/lib/systemd/system/croupier-kiosk@.service",
        "./usr/lib/udev/rules.d/60-croupier.rules",
        "./usr/lib/sysusers.d/croupier.conf",
        "./usr/lib/tmpfiles.d/croupier.conf",
        "./usr/sbin/croupier-hotspot",
        "./usr/share/man/man1/croupier.1.gz",
        "./usr/share/bash-completion/completions/croupier",
        "./usr/share/zsh/vendor-completions/_croupier",
        "./usr/share/fish/vendor_completions.d/croupier.fish",
    ):
        assert re.search(rf"{re.escape(path)}$", listed, re.MULTILINE), path


def test_nothing_in_it_names_the_machine_that_built_it(unpacked: Path) -> None:
    bin_folder = unpacked / "opt/croupier/current/bin"
    for script in [*bin_folder.iterdir(), unpacked / "opt/croupier/current/pyvenv.cfg"]:
        if script.is_file() and not script.is_symlink():
            assert "/tmp/" not in script.read_text(), script
    assert (bin_folder / "croupier").read_text().startswith("#!/opt/croupier/current/bin/python")
    assert not list((unpacked / "opt").rglob("pip"))


def test_the_program_in_it_runs(unpacked: Path) -> None:
    (site,) = (unpacked / "opt/croupier/current/lib").glob("python3*/site-packages")
    command = ["/usr/bin/python3", "-c", "from controller.cli import main; main()", "--version"]
    done = subprocess.run(
        command,
        env={"PYTHONPATH": str(site), "PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert VERSION in done.stdout
    assert list(site.rglob("*.pyc")), "compiled, because its user may not write beside it"


def test_the_sums_are_those_of_its_files(unpacked: Path) -> None:
    subprocess.run(["md5sum", "--check", "--quiet", "--strict", "DEBIAN/md5sums"], cwd=unpacked, check=True)


def test_no_script_of_it_removes_the_journal(unpacked: Path) -> None:
    for script in ("preinst", "postinst", "prerm", "postrm"):
        text = (unpacked / "DEBIAN" / script).read_text()
        subprocess.run(["sh", "-n", unpacked / "DEBIAN" / script], check=True)
        assert not re.search(r"rm .*(/var/lib/croupier|\$STATE)", text)
