"""Runs the command as a user does: a process of its own, with its own exit status and streams."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

CROUPIER = Path(sys.executable).with_name("croupier")


@dataclass(frozen=True)
class Ran:
    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Croupier = Callable[..., Ran]


@pytest.fixture
def croupier(tmp_path: Path) -> Croupier:
    """`croupier("sign", "blackjack")` in an empty folder; no test may end in a traceback."""

    def run(*args: str, stdin: bytes = b"", env: dict[str, str] | None = None) -> Ran:
        done = subprocess.run(
            [CROUPIER, *args],
            input=stdin,
            capture_output=True,
            cwd=tmp_path,
            env={**os.environ, **(env or {})},
            timeout=60,
            check=False,
        )
        ran = Ran(done.returncode, done.stdout.decode(), done.stderr.decode())
        assert "Traceback" not in ran.err
        return ran

    return run
