"""What of the sessions outlives a restart of the daemon: a file beside the journal that its owner alone reads.

It holds hashes of cookies, never a cookie: who reads it can't sign in with it. A damaged one is set aside by beginning
anew, because it holds nothing that signing in again does not bring back.
"""

from __future__ import annotations

import logging
import secrets
from pathlib import Path
from typing import Final, Literal

import msgspec
from msgspec import Struct

from controller.people.private import read_private, write_private
from controller.surfaces.web.sessions import Session

WHAT: Final = "the sessions file"

_log = logging.getLogger(__name__)


class Kept(Struct, frozen=True, forbid_unknown_fields=True):
    """`table` is this table's secret. `locks` are names, each with the mark of its person and until when, by the wall
    clock, it is locked."""

    table: str
    sessions: tuple[Session, ...] = ()
    locks: dict[str, tuple[str, float]] = {}
    form: Literal[1] = 1


def sessions_path(journal: Path) -> Path:
    return journal.with_suffix(".sessions")


def read_sessions(path: Path) -> Kept:
    """Nobody where there is no file, or one that can't be understood. Raises PeopleRefused for one that others read."""
    data = read_private(path, WHAT)
    if data is None:
        return Kept(secrets.token_hex(32))
    try:
        return msgspec.json.decode(data, type=Kept)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        _log.warning("%s %s is damaged, and everybody signs in anew: %s", WHAT, path, error)
        return Kept(secrets.token_hex(32))


def write_sessions(path: Path, kept: Kept) -> None:
    """Raises PeopleRefused."""
    write_private(path, msgspec.json.encode(kept), WHAT)
