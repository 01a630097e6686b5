"""Who is signed in: sessions by the hash of their cookie, bound to a person, a role and this table. Pure: the caller
passes the time; what is random comes from `secrets` when a session begins.

A session ends by signing out, when nothing was asked for long, after a shift, and as soon as the person is removed or
has another role or PIN.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable, Mapping
from typing import Final

import msgspec
from msgspec import Struct

from controller.people.book import People, Person, Role, key_of

IDLE_S: Final = 30 * 60.0
LONGEST_S: Final = 12 * 3600.0  # a shift
OF_ONE: Final = 8  # sessions that one person may have: screens, not more
PREFIX: Final = "croupier_"  # of the cookie's name; what follows is the table's own, because a browser sends the
# cookies of one host to every port of it, and two tables may run on one machine


class Session(Struct, frozen=True, forbid_unknown_fields=True):
    """`digest` is the cookie's hash; `mark` is of the person's record as it was. Times are of the wall clock."""

    digest: str
    name: str
    role: Role
    mark: str
    began: float
    used: float


class Sessions:
    """`table` is a secret of this table: a cookie of another one is nothing here."""

    def __init__(self, table: str, kept: Iterable[Session] = (), *, now: float = 0.0) -> None:
        """`kept` are those of before a restart. One that lies ahead of the clock is taken as used just now: a Pi that
        lost its power comes back in the past."""
        self.table = table
        self.cookie = PREFIX + hashlib.sha256(f"name {table}".encode()).hexdigest()[:8]
        self._all = {
            each.digest: msgspec.structs.replace(each, began=min(each.began, now), used=min(each.used, now))
            for each in kept
        }

    def begin(self, person: Person, now: float) -> tuple[str, Session, tuple[Session, ...]]:
        """The cookie's value, the session, and the oldest ones of this person that had to go."""
        value = secrets.token_urlsafe(32)
        mine = [each for each in self._all.values() if key_of(each.name) == key_of(person.name)]
        gone = tuple(sorted(mine, key=lambda each: each.used)[: max(0, len(mine) - OF_ONE + 1)])
        for each in gone:
            del self._all[each.digest]
        session = Session(self._digest(value), person.name, person.role, mark_of(person), now, now)
        self._all[session.digest] = session
        return value, session, gone

    def find(self, headers: Mapping[str, str], people: People, now: float) -> Session | None:
        """Whose cookie it is. Changes nothing: `use` says that it was used."""
        value = cookie_of(headers, self.cookie)
        session = self._all.get(self._digest(value)) if value else None
        return session if session is not None and _holds(session, people, now) else None

    def use(self, session: Session, now: float) -> None:
        self._all[session.digest] = msgspec.structs.replace(session, used=now)

    def end(self, session: Session) -> None:
        self._all.pop(session.digest, None)

    def sweep(self, people: People, now: float) -> tuple[Session, ...]:
        """Those that have ended by themselves."""
        gone = tuple(each for each in self._all.values() if not _holds(each, people, now))
        for each in gone:
            del self._all[each.digest]
        return gone

    def all(self) -> tuple[Session, ...]:
        return tuple(self._all.values())

    def _digest(self, value: str) -> str:
        return hashlib.sha256(f"{self.table} {value}".encode()).hexdigest()


def ends_at(session: Session) -> float:
    """If nothing is asked until then."""
    return min(session.used + IDLE_S, session.began + LONGEST_S)


def mark_of(person: Person | None) -> str:
    """Another one as soon as a person has another role or PIN, or is gone."""
    return "" if person is None else f"{person.role} {person.pin.salt}"


def carries_session(headers: Mapping[str, str]) -> bool:
    """Whether a browser sent a cookie of ours along, whatever it is worth."""
    return any(name.startswith(PREFIX) for name, _ in _cookies(headers))


def cookie_of(headers: Mapping[str, str], wanted: str) -> str:
    return next((value for name, value in _cookies(headers) if name == wanted), "")


def _cookies(headers: Mapping[str, str]) -> list[tuple[str, str]]:
    pairs = (each.partition("=") for each in headers.get("cookie", "").split(";"))
    return [(name.strip(), value.strip()) for name, _, value in pairs]


def _holds(session: Session, people: People, now: float) -> bool:
    return now < ends_at(session) and mark_of(people.named(session.name)) == session.mark
