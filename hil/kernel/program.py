"""Finds the User-Mode Linux program and what the tests inside need beside .venv; builds and boots nothing.

A program named in CROUPIER_UML must be there; where none is named and none is found, there is a reason to skip.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
NAMED_BY: Final = "CROUPIER_UML"
BUILT: Final = Path(".uml/linux-uml")  # what `make uml-kernel` makes
BESIDE: Final = Path("../shared/uml/linux-uml")  # a program that several checkouts share
LOCK: Final = Path("requirements-kernel.lock")
LIBRARIES: Final = Path(".uml/libraries")  # not in .venv, which holds what its own lock says and no more


class NoProgram(Exception):
    """There is no kernel to boot: the suite is skipped, with these words."""


class BadProgram(Exception):
    """A kernel was named, and it is none: a mistake to be told, not a reason to skip."""


class NoLibraries(Exception):
    """What the tests inside need could not be installed: a failure, because there is a kernel to run them in."""


def find_program(root: Path = ROOT, environment: Mapping[str, str] = os.environ) -> Path:
    """The named program, else the one built here, else the one beside the checkout."""
    named = environment.get(NAMED_BY)
    if named:
        if not _can_run(Path(named)):
            raise BadProgram(f"{NAMED_BY} names {named}, which is no program that can be run.")
        return Path(named).resolve()
    for place in (BUILT, BESIDE):
        if _can_run(root / place):
            return (root / place).resolve()
    raise NoProgram(
        f"SKIPPED: no User-Mode Linux program in ${NAMED_BY}, at {BUILT}, or beside the checkout at {BESIDE}. "
        "Build one with: make uml-kernel"
    )


def _can_run(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)


def libraries(root: Path = ROOT) -> Path:
    """The folder with rpi-lgpio in it, filled from the lock file when that has changed."""
    folder, stamp = root / LIBRARIES, root / LIBRARIES / ".lock"
    digest = hashlib.sha256((root / LOCK).read_bytes()).hexdigest()
    if not stamp.exists() or stamp.read_text() != digest:
        print(f"hil-kernel: installing {LOCK} into {LIBRARIES}", flush=True)
        if subprocess.run(install_command(root)).returncode:
            raise NoLibraries(f"{LOCK} could not be installed; pip's own words are above. It needs the network once.")
        stamp.write_text(digest)
    return folder


def install_command(root: Path) -> list[str]:
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", "install"]
    return [*pip, "--require-hashes", "--upgrade", "--target", str(root / LIBRARIES), "--requirement", str(root / LOCK)]
