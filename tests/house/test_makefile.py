"""Proves that the Makefile, CI, the lock files and the package list agree with each other and the disk."""

import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
LOCKS = ("requirements.lock", "requirements-dev.lock")
LOCKS_APART = ("requirements-fuzz.lock", "requirements-kernel.lock")
TARGETS = (
    "help",
    "setup",
    "run",
    "test",
    "test-hil",
    "test-pages",
    "explore",
    "check",
    "bench",
    "secrecy",
    "soak",
    "fuzz",
    "firmware",
    "firmware-tools",
    "browser",
    "screenshots",
    "hil",
    "hil-kernel",
    "hil-firmware",
    "power-cut",
    "uml-kernel",
    "wheels",
    "deb",
    "test-deploy",
    "hil-service",
    "lock",
    "clean",
)
NOT_SHIPPED = {"tests", "deploy"}


def make(*arguments: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    # A make above this one (`make test`) would pass its flags down and change the output.
    clean = {k: v for k, v in os.environ.items() if not k.startswith("MAKE") and k != "MFLAGS"}
    command = ("make", "--no-print-directory", *arguments)
    return subprocess.run(command, cwd=cwd, env=clean, capture_output=True, text=True, timeout=60, check=False)


def fresh_checkout(folder: Path) -> Path:
    """As much of a new clone as `make setup` needs; the .venv of this one stays out of reach."""
    for name in ("Makefile", "pyproject.toml", "requirements-dev.lock"):
        shutil.copy(ROOT / name, folder / name)
    return folder


def normal(name: str) -> str:
    """A distribution's name as indexes compare them: PEP 503."""
    return re.sub(r"[-_.]+", "-", name).lower()


def name_of(requirement: str) -> str:
    return normal(re.split(r"[^A-Za-z0-9._-]", requirement, maxsplit=1)[0])


def pins(lock: str) -> dict[str, str]:
    """Each locked distribution with its version."""
    text = (ROOT / lock).read_text()
    return {normal(m[1]): m[2] for m in re.finditer(r"^([A-Za-z0-9._-]+)==([^\s;\\]+)", text, re.MULTILINE)}


def packages_on_disk() -> set[str]:
    """Every folder with Python in it, as a dotted name, except those that are not shipped."""
    tops = [d for d in ROOT.iterdir() if (d / "__init__.py").exists() and d.name not in NOT_SHIPPED]
    files = [f.relative_to(ROOT) for top in tops for f in top.rglob("*.py")]
    return {".".join(f.parent.parts) for f in files if not any(part.startswith(".") for part in f.parts)}


@pytest.mark.parametrize("target", TARGETS)
def test_help_says_what_every_target_does(target: str) -> None:
    assert re.search(rf"^  {target} +\w.*$", make("help").stdout, re.MULTILINE)


def test_help_forgets_no_target_of_the_makefile() -> None:
    phony = re.search(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert phony
    shown = re.findall(r"^  ([a-z-]+) ", make("help").stdout, re.MULTILINE)
    assert sorted(phony[1].split()) == sorted(shown) == sorted(TARGETS)


def test_make_without_a_target_says_what_there_is() -> None:
    assert make().stdout == make("help").stdout


def test_setup_refuses_an_old_python_in_words(tmp_path: Path) -> None:
    old = tmp_path / "python3"
    old.write_text('#!/bin/sh\ncase "$1" in -V) echo "Python 3.9.2" ;; *) exit 1 ;; esac\n')
    old.chmod(0o755)
    done = make("setup", f"PYTHON={old}", cwd=fresh_checkout(tmp_path))
    assert done.returncode != 0
    assert "needs Python 3.11 or newer" in done.stderr
    assert "Python 3.9.2" in done.stderr


def test_setup_says_what_to_do_where_there_is_no_python(tmp_path: Path) -> None:
    done = make("setup", "PYTHON=no-such-python", cwd=fresh_checkout(tmp_path))
    assert done.returncode != 0
    assert "Install Python 3.11 or newer" in done.stderr


def test_ci_runs_check_and_the_tests_and_nothing_else() -> None:
    ci = ROOT / ".ci" / "run"
    lines = [line for line in ci.read_text().splitlines() if line and not line.startswith("#")]
    assert lines == [
        "set -euo pipefail",
        'cd "$(dirname "${BASH_SOURCE[0]}")/.."',
        'if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then',
        '    make browser || echo "no browser"',
        '    make firmware-tools || echo "no simavr"',
        "fi",
        "make check",
        "make test",
        "make test-hil",
        "make test-deploy",
        'make test-pages || make test-pages ARGS="--last-failed --last-failed-no-failures none"',
        "make hil-kernel",
        'make power-cut ARGS="--cuts 2"',
    ]
    assert os.access(ci, os.X_OK)


@pytest.mark.parametrize("lock", [*LOCKS, *LOCKS_APART])
def test_every_locked_requirement_has_a_hash(lock: str) -> None:
    joined = (ROOT / lock).read_text().replace("\\\n", " ")
    lines = [line for line in joined.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    assert lines
    assert [line for line in lines if not re.search(r"==\S+ .*--hash=sha256:[0-9a-f]{64}", line)] == []


@pytest.mark.parametrize("lock", [*LOCKS, *LOCKS_APART])
def test_a_lock_names_no_index_and_no_path_of_the_machine_that_made_it(lock: str) -> None:
    text = (ROOT / lock).read_text()
    assert re.findall(r"://|--(?:extra-)?index-url|--find-links|--trusted-host|\s/\w+", text) == []


def test_the_locks_hold_what_the_project_asks_for_and_the_same_versions() -> None:
    runtime, dev = (pins(lock) for lock in LOCKS)
    extras = PROJECT["project"]["optional-dependencies"]
    assert {name_of(r) for r in PROJECT["project"]["dependencies"]} <= runtime.keys(), "run: make lock"
    assert {name_of(r) for r in extras["dev"]} <= dev.keys(), "run: make lock"
    assert runtime.items() <= dev.items(), "run: make lock"
    assert not {name_of(r) for r in extras["pi"]} & dev.keys()


def test_the_package_list_equals_the_folders_on_disk() -> None:
    elsewhere = PROJECT["tool"]["setuptools"]["package-dir"]  # folders without Python, under another name in the wheel
    assert all((ROOT / folder).is_dir() for folder in elsewhere.values())
    assert set(PROJECT["tool"]["setuptools"]["packages"]) == packages_on_disk() | set(elsewhere)


def test_every_package_has_an_init_file() -> None:
    folders = {ROOT / package.replace(".", "/") for package in packages_on_disk()}
    assert sorted(str(f.relative_to(ROOT)) for f in folders if not (f / "__init__.py").exists()) == []
