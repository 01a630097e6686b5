"""What of Croupier is installed here, and what could be taken for it. Looks; imports nothing for it."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import platform
import sys
from pathlib import Path
from typing import Any, Final

import controller
from controller.doctor.machine import Installed
from controller.doctor.shadows import OURS
from controller.doctor.versions import normal, read_requirement
from controller.store.database import FORMAT

DISTRIBUTION: Final = "croupier-table"
MODEL: Final = Path("/proc/device-tree/model")


def installed() -> Installed:
    ours = Path(controller.__file__).resolve().parent.parent
    libraries: dict[str, str] = {}
    for each in importlib.metadata.distributions():
        name = each.metadata["Name"]
        if name:
            libraries.setdefault(normal(name), each.version)  # the first on the path is the one that is imported
    return Installed(
        version=version(),
        python=platform.python_version(),
        prefix=sys.prefix,
        ours=str(ours),
        made=(ours / "controller" / "__init__.py").stat().st_mtime,
        libraries=libraries,
        requires=tuple(_requires()),
        places={name: _place(name) for name in OURS},
        others={name: _others(name, ours) for name in OURS},
        commands=_commands(),
        running=_running(),
    )


def version() -> str:
    try:
        return importlib.metadata.version(DISTRIBUTION)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


def told() -> dict[str, Any]:
    """As `croupier version --json` has it."""
    here = installed()
    needed = [name for name, _, extra in map(read_requirement, _requires()) if not extra]
    names = sorted({*needed, "rpi-lgpio", "rpi-gpio"} & here.libraries.keys())
    return {
        "croupier": here.version,
        "python": here.python,
        "platform": platform.platform(),
        "machine": _model(),
        "journal_format": FORMAT,
        "libraries": {name: here.libraries[name] for name in names},
        "installed_in": here.ours,
        "prefix": here.prefix,
    }


def _model() -> str:
    try:
        return MODEL.read_text(errors="replace").rstrip("\0\n ")
    except OSError:
        return platform.machine()


def _requires() -> list[str]:
    try:
        return importlib.metadata.requires(DISTRIBUTION) or []
    except importlib.metadata.PackageNotFoundError:
        return []


def _place(name: str) -> str:
    """Where Python takes it from now; empty where it finds none."""
    found = importlib.util.find_spec(name)
    if found is None:
        return ""
    if found.origin is not None:
        at = Path(found.origin).resolve()
        return str(at.parent if at.name == "__init__.py" else at)
    return str(Path(next(iter(found.submodule_search_locations or [""]))).resolve())


def _others(name: str, ours: Path) -> tuple[str, ...]:
    """Everything else on the path that could be imported under this name."""
    found = []
    for entry in dict.fromkeys(sys.path):
        folder = Path(entry or ".").resolve()
        if folder == ours:
            continue
        found += [str(folder / each) for each in (name, f"{name}.py") if (folder / each).exists()]
    return tuple(found)


def _commands() -> tuple[str, ...]:
    """By what they really are: a link to a command is that command."""
    found: dict[str, str] = {}
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        command = Path(folder or ".") / "croupier"
        if os.access(command, os.X_OK) and command.is_file():
            found.setdefault(str(command.resolve()), str(command))
    return tuple(found)


def _running() -> str:
    command = Path(sys.argv[0]) if sys.argv else Path()
    return str(command.resolve()) if command.name == "croupier" and command.is_file() else ""
