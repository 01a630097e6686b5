"""Proves that the wheel holds our packages and nothing else, and that a stranger can install and use it."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PACKAGES: list[str] = PYPROJECT["tool"]["setuptools"]["packages"]
VERSION: str = PYPROJECT["project"]["version"]
ABOUT = f"croupier_table-{VERSION}.dist-info"
SHIPPED = (".py", ".toml", ".typed")


def run(*command: str | Path, cwd: Path) -> str:
    """The output of a command that must succeed; what it said is the failure's story."""
    # Without these, the new environment could see the modules of the one that runs the tests.
    clean = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")}
    done = subprocess.run(command, cwd=cwd, env=clean, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, (
        f"{' '.join(map(str, command))} exited with {done.returncode}\n{done.stdout}{done.stderr}"
    )
    return done.stdout


def files_to_commit() -> list[str]:
    """What a commit of everything would hold; an ignored file must not be in the wheel by accident."""
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout: cannot tell the project's files from left-overs")
    listed = run("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", cwd=ROOT)
    return [name for name in listed.split("\0") if name and (ROOT / name).is_file()]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from a copy: setuptools leaves build/ and egg-info where it builds."""
    copy = tmp_path_factory.mktemp("source")
    for name in files_to_commit():
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, copy / name)
    out = tmp_path_factory.mktemp("wheel")
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check")
    run(*pip, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", out, copy, cwd=out)
    (built,) = out.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def names(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def test_the_wheel_has_our_four_packages_at_its_top_and_no_tests_or_deploy(names: set[str]) -> None:
    tops = {name.partition("/")[0] for name in names}
    assert tops == {"controller", "drivers", "firmware_protocol", "hil", ABOUT}


def test_the_wheel_has_exactly_the_modules_games_and_pages_of_our_packages(names: set[str]) -> None:
    folders = {package.replace(".", "/") for package in PACKAGES}
    shipped = {name for name in files_to_commit() if name.endswith(SHIPPED)}
    ours = {name for name in shipped if name.rpartition("/")[0] in folders}
    ours |= {name for name in files_to_commit() if name.startswith("firmware_protocol/")}  # the firmware author's kit
    ours |= {name for name in files_to_commit() if name.startswith("hil/firmware/")}
    ours |= {name for name in files_to_commit() if name.startswith("controller/surfaces/pages/")}
    ours |= {name for name in files_to_commit() if name.startswith("hil/") and name.endswith(".css")}
    ours |= {
        f"controller/surfaces/documents/{name[5:]}" for name in files_to_commit() if re.match(r"docs/[^/]+\.md$", name)
    }
    in_wheel = {name for name in names if ".dist-info/" not in name}
    assert in_wheel == ours


def test_the_wheel_carries_its_licence(names: set[str]) -> None:
    assert f"{ABOUT}/licenses/LICENSE" in names


@pytest.mark.network
def test_a_stranger_installs_the_wheel_with_the_runtime_lock_and_uses_it_from_an_empty_folder(
    wheel: Path, tmp_path: Path
) -> None:
    environment, empty = tmp_path / "venv", tmp_path / "empty"
    empty.mkdir()
    run(sys.executable, "-m", "venv", environment, cwd=tmp_path)
    pip = (environment / "bin" / "python", "-m", "pip", "--disable-pip-version-check", "install", "--quiet")
    run(*pip, "--require-hashes", "-r", ROOT / "requirements.lock", cwd=empty)
    run(*pip, "--no-deps", wheel, cwd=empty)
    croupier = environment / "bin" / "croupier"
    assert VERSION in run(croupier, "--version", cwd=empty)
    assert "power_blackjack" in run(croupier, "games", cwd=empty)
    python = environment / "bin" / "python"
    asked = "from controller.surfaces.web.documents import DOCUMENTS, page; print(all(map(page, DOCUMENTS)))"
    assert run(python, "-c", asked, cwd=empty) == "True\n"
