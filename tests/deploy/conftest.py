"""Fixtures for the tests of installing: wheels made once, and a system of its own for every test."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.deploy.systems import ROOT, System


@pytest.fixture
def system(tmp_path: Path) -> System:
    return System(tmp_path / "root")


@pytest.fixture(scope="session")
def wheels() -> Path:
    """As `make wheels` makes them; downloads the locked ones."""
    if os.geteuid() != 0:
        pytest.skip("only root may install programs")
    clean = {name: value for name, value in os.environ.items() if not name.startswith("MAKE") and name != "MFLAGS"}
    subprocess.run(["make", "--no-print-directory", "wheels"], cwd=ROOT, env=clean, check=True, timeout=300)
    return ROOT / "build" / "wheels"
