"""Builds the firmware for this machine and for the controller; says in words what is missing, before it is tried."""

from __future__ import annotations

import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import Final, Literal

Board = Literal["native", "simavr"]
SOURCE: Final = Path(__file__).parent
INSTALL: Final = "make firmware-tools (Debian, as root)"
BUILD_S: Final = 300.0


class NotBuilt(Exception):
    """The compiler's own words."""


@cache
def missing(board: Board) -> str:
    """Why firmware can't run on this board here; empty where it can."""
    wanted = {"make": "GNU make", "gcc": "gcc", "od": "od"}
    if board == "simavr":
        wanted |= {"avr-gcc": "avr-gcc", "avr-objcopy": "avr-objcopy", "avr-size": "avr-size"}
    for program, name in wanted.items():
        if shutil.which(program) is None:
            return f"no {name} here: {INSTALL}"
    if board == "simavr" and not _has_simavr():
        return f"no simavr here to run the ATmega328P's firmware: {INSTALL}"
    return ""


def build(into: Path, board: Board, *, sanitize: bool = False, **variables: str) -> Path:
    """The folder with the programs. `variables` are the Makefile's, such as SERIAL. Raises NotBuilt."""
    targets = ("native",) if board == "native" else ("avr", "simavr")
    settings = {"OUT": str(into), "SANITIZE": str(int(sanitize)), **variables}
    words = [f"{name}={value}" for name, value in settings.items()]
    # MAKEFLAGS of a make above this one would pass its own variables down
    command = [
        "env",
        "-u",
        "MAKEFLAGS",
        "-u",
        "MFLAGS",
        "make",
        "--silent",
        "--jobs=2",
        "--directory",
        str(SOURCE),
        *targets,
    ]
    done = subprocess.run([*command, *words], capture_output=True, text=True, timeout=BUILD_S, check=False)
    if done.returncode != 0:
        raise NotBuilt(done.stdout + done.stderr)
    return into


def _has_simavr() -> bool:
    asked = "#include <simavr/sim_avr.h>\n#include <libelf.h>\n"
    command = ["gcc", "-E", "-x", "c", "-"]
    return subprocess.run(command, input=asked, capture_output=True, text=True, check=False).returncode == 0
