"""The token that makes a supervisor of a program on the network: a file beside the journal that its owner alone reads.

Made at the first start. One that others may read is refused: whoever read it would be a supervisor.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from pathlib import Path
from typing import Final

from controller.surfaces.web.refusals import WebRefused

LENGTH: Final = 32  # characters that a token has at least
_ANEW: Final = "Delete the file; a new one is made at the next start"


def token_path(journal: Path) -> Path:
    return journal.with_suffix(".token")


def read_or_make_token(path: Path) -> str:
    """Raises WebRefused."""
    try:
        if not os.path.lexists(path):
            _make(path)
        return _read(path)
    except OSError as error:
        if isinstance(error, WebRefused):
            raise
        words = f"the token file {path} can't be used: {error.strerror or error}"
        raise WebRefused(words, advice="The user who runs the table must be able to read it, or to make it") from error


def _make(path: Path) -> None:
    """Whole or not at all: a token that was cut short would be an easy one."""
    beside = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        try:
            os.write(descriptor, f"{secrets.token_urlsafe(LENGTH)}\n".encode())
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        with contextlib.suppress(FileExistsError):  # another was quicker, and his counts
            os.link(beside, path)
    finally:
        os.unlink(beside)


def _read(path: Path) -> str:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        about = os.fstat(descriptor)
        if not stat.S_ISREG(about.st_mode):
            raise WebRefused(f"the token file {path} is no file", advice=_ANEW)
        if about.st_mode & 0o077:
            mode = stat.S_IMODE(about.st_mode)
            words = f"others may read the token file {path} (mode {mode:04o}), and act as a supervisor with it"
            raise WebRefused(words, advice=f"{_ANEW}. If nobody can have read it: chmod 600 {path}")
        token = os.read(descriptor, 4096).decode("ascii", "replace").strip()
    finally:
        os.close(descriptor)
    if len(token) < LENGTH or not (token.isascii() and token.isprintable()) or " " in token:
        raise WebRefused(f"the token file {path} holds no token of at least {LENGTH} characters", advice=_ANEW)
    return token
