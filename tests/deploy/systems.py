"""An empty Debian system under a folder, and deploy/install for it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]
INSTALL = ROOT / "deploy" / "install"


class System:
    """As much of a Debian as the installer looks at."""

    def __init__(self, root: Path) -> None:
        self.root = root
        (root / "etc").mkdir(parents=True)
        (root / "etc" / "debian_version").write_text("12.12\n")

    def install(self, *arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
        command = ["bash", str(INSTALL), "--root", str(self.root), *map(str, arguments)]
        return subprocess.run(
            command, capture_output=True, text=True, timeout=300, check=False, env={**os.environ, **environment}
        )

    def files(self) -> dict[str, bytes | str]:
        """Everything under it but for the program's own parts: contents of files, targets of links."""
        found: dict[str, bytes | str] = {}
        for path in sorted(self.root.rglob("*")):
            name = str(path.relative_to(self.root))
            if name.startswith("opt/croupier/versions/") and name.count("/") > 3:
                continue
            if path.is_symlink():
                found[name] = os.readlink(path)
            elif path.is_file():
                found[name] = path.read_bytes()
        return found

    def at(self, path: str) -> Path:
        return self.root / path.lstrip("/")


def copy_of_checkout(folder: Path) -> Path:
    """deploy/ with the files beside it that it looks at."""
    folder.mkdir()
    for name in ("deploy", "pyproject.toml", "CHANGELOG.md"):
        subprocess.run(["cp", "-r", ROOT / name, folder], check=True)
    return folder


def program_for_nobody(folder: Path, name: str, script: str) -> str:
    """A PATH on which a program is another one."""
    folder.mkdir(exist_ok=True)
    program = folder / name
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    return f"{folder}:{os.environ['PATH']}"
