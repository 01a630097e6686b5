"""Where people sign in: a name and a PIN become a session, a cookie becomes a principal. Tries are limited, and PINs
are hashed one at a time outside of the loop, so that no flood of them holds up a table.

Everything is told in the same words and the same time for a name that is unknown as for a PIN that is wrong.
"""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import shlex
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from controller.people.book import NAME_LENGTH, People, PeopleFile, Person, key_of, people_path
from controller.people.errors import PeopleRefused
from controller.people.pins import LONGEST, NOBODY, fits
from controller.people.tries import Held, Tries, Wrong
from controller.surfaces.web.people import AS, CHALLENGE, Peer, Principal
from controller.surfaces.web.problems import Rejected, rejected
from controller.surfaces.web.refusals import WebRefused
from controller.surfaces.web.session_file import Kept, read_sessions, sessions_path, write_sessions
from controller.surfaces.web.sessions import Session, Sessions

WAITING: Final = 8  # that may wait for their PIN to be looked at; each takes a fraction of a second
SAVE_S: Final = 300.0  # between two writes that only say when sessions were used

_log = logging.getLogger(__name__)


class SignIn:
    """An authenticator too. `beat` it each second and `finish` it."""

    def __init__(
        self,
        people: PeopleFile,
        sessions: Path,
        *,
        now: Callable[[], float] = time.time,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """Raises WebRefused where a file can't be used."""
        self._file, self._path, self._now, self._monotonic = people, sessions, now, monotonic
        try:
            people.people()
            kept = read_sessions(sessions)
        except PeopleRefused as error:
            raise WebRefused(error.words, advice=error.advice) from error
        self._sessions = Sessions(kept.table, kept.sessions, now=now())
        self._tries = Tries()
        self._tries.lock_again(
            {name: (mark, until - now()) for name, (mark, until) in kept.locks.items() if until > now()}, monotonic()
        )
        self._trouble = ""
        self._turn = asyncio.Lock()
        self._waiting = 0
        self._watching: dict[str, list[Callable[[], None]]] = {}
        self._saving = asyncio.Lock()
        self._save_tasks: set[asyncio.Task[None]] = set()
        self._saved = monotonic()
        self._written = kept

    @classmethod
    def beside(cls, journal: Path) -> SignIn:
        """With the files of a table. Raises WebRefused."""
        return cls(PeopleFile(people_path(journal)), sessions_path(journal))

    @property
    def cookie(self) -> str:
        return self._sessions.cookie

    # Who asks

    def principal(self, peer: Peer, headers: Mapping[str, str]) -> Principal | None:
        """A cookie that is worth nothing shows nothing: a browser sends it by itself."""
        session = self.session(headers)
        if session is None:
            return None
        if AS in headers:
            raise rejected("not_allowed", "Who has signed in acts under the own name.")
        self._sessions.use(session, self._now())
        return Principal(session.role, session.name)

    def session(self, headers: Mapping[str, str]) -> Session | None:
        return self._sessions.find(headers, self._people(), self._now())

    @contextmanager
    def watched(self, headers: Mapping[str, str], cut: Callable[[], None]) -> Iterator[None]:
        """While a stream is open: it is cut when its session ends."""
        session = self.session(headers)
        if session is None:
            yield
            return
        cuts = self._watching.setdefault(session.digest, [])
        cuts.append(cut)
        try:
            yield
        finally:
            cuts.remove(cut)
            if not cuts:
                self._watching.pop(session.digest, None)

    # Coming and going

    async def sign_in(self, name: str, pin: str, address: str, old: Session | None) -> tuple[str, Session]:
        """The cookie's value, and the session. Raises Rejected. The session that this browser had before ends."""
        self._check_held(name, address)
        if self._waiting >= WAITING:
            raise rejected("too_many_tries", "Many sign in just now. Try again in a moment.", headers=_after(2))
        self._waiting += 1
        try:
            async with self._turn:  # one after another, or many at once would all be tried before the first is counted
                self._check_held(name, address)
                person = await self._identified(name, pin, address)
        finally:
            self._waiting -= 1
        self._tries.right(key_of(name))
        value, session, gone = self._sessions.begin(person, self._now())
        self._end([*gone, *([old] if old is not None else [])])
        await self._save()
        return value, session

    async def sign_out(self, session: Session) -> None:
        self._end([session])
        await self._save()

    def known_name(self, name: str) -> str:
        """For the journal: a name that nobody has may be a PIN in the wrong field."""
        person = self._people().named(name)
        return person.name if person is not None else "somebody unknown"

    def beat(self) -> None:
        """Ends what has ended by itself, and writes now and then."""
        gone = self._sessions.sweep(self._people(), self._now())
        self._end(gone)
        if gone or self._monotonic() - self._saved >= SAVE_S:
            task = asyncio.create_task(self._save(), name="sessions")
            self._save_tasks.add(task)
            task.add_done_callback(self._save_tasks.discard)

    async def finish(self) -> None:
        await self._save()

    # Inside

    def _people(self) -> People:
        """Nobody while the file can't be used: then everybody is signed out."""
        try:
            people = self._file.people()
        except PeopleRefused as error:
            if self._trouble != str(error):
                self._trouble = str(error)
                _log.error("everybody is signed out: %s", error)
            return People()
        if self._trouble:
            self._trouble = ""
            _log.warning("the people file is good again")
        return people

    def _check_held(self, name: str, address: str) -> None:
        mark = _forgiven(self._people().named(name))
        held = self._tries.held(key_of(name), mark, _network(address), self._monotonic())
        if held is not None:
            raise _held(name, held)

    async def _identified(self, name: str, pin: str, address: str) -> Person:
        people = self._people()
        if self._trouble:
            words = "Nobody can sign in now: the table's people file can't be used. The daemon's log says why."
            raise rejected("unavailable", words)
        person = people.named(name)
        right = await asyncio.to_thread(fits, pin, person.pin if person is not None else NOBODY)
        if person is not None and right:
            return person
        wrong = self._tries.wrong(key_of(name), _forgiven(person), _network(address), self._monotonic())
        if not wrong.left:
            await self._save()
        raise _wrong(name, wrong)

    def _end(self, gone: Iterable[Session]) -> None:
        for each in gone:
            self._sessions.end(each)
            for cut in self._watching.pop(each.digest, ()):
                cut()

    async def _save(self) -> None:
        """In a thread: a disk that sleeps would hold up the table. Where it can't be, they last until the restart."""
        async with self._saving:
            self._saved = self._monotonic()
            locks = self._tries.locks(self._monotonic())
            until = {name: (mark, self._now() + seconds) for name, (mark, seconds) in locks.items()}
            kept = Kept(self._sessions.table, self._sessions.all(), until)
            if kept == self._written:
                return
            try:
                await asyncio.to_thread(write_sessions, self._path, kept)
                self._written = kept
            except PeopleRefused as error:
                _log.error("who is signed in must sign in again after a restart: %s", error)


def checked(name: str, pin: str) -> tuple[str, str]:
    """What may be tried at all. Raises Rejected."""
    if not name.strip() or len(name) > NAME_LENGTH or not name.isprintable():
        raise rejected("bad_field", f"A name has 1 to {NAME_LENGTH} characters.", path="name")
    if not (pin.isascii() and pin.isdigit()) or len(pin) > LONGEST:
        raise rejected("bad_field", f"A PIN is digits, at most {LONGEST}.", path="pin")
    return name, pin


def _forgiven(person: Person | None) -> str:
    """Another one with a new PIN, and when the person was unlocked."""
    return "" if person is None else f"{person.pin.salt} {person.unlocked}"


def _network(address: str) -> str:
    """Who has one address of IPv6 has 2**64 of them."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    return str(found) if found.version == 4 else str(ipaddress.ip_network((found, 64), strict=False))


def _held(name: str, held: Held) -> Rejected:
    if held.locked:
        return rejected("locked", _locked_words(name, held.wait), headers=_after(held.wait))
    words = f"Too many wrong PINs: wait {_span(held.wait)}, then try again."
    return rejected("too_many_tries", words, headers=_after(held.wait))


def _wrong(name: str, wrong: Wrong) -> Rejected:
    if not wrong.left:
        return rejected("locked", _locked_words(name, wrong.wait), headers=_after(wrong.wait))
    words = "This name and this PIN do not belong together."
    if wrong.wait >= 1:
        words += f" Wait {_span(wrong.wait)} before you try again."
    more = "After one more wrong PIN" if wrong.left == 1 else f"After {wrong.left} more wrong PINs"
    headers = {**CHALLENGE, **(_after(wrong.wait) if wrong.wait else {})}
    return rejected("wrong_pin", f"{words} {more} the name is locked for a time.", headers=headers)


def _locked_words(name: str, seconds: float) -> str:
    unlock = f"croupier people unlock {shlex.quote(name.strip())}"
    return f"Too many wrong PINs: locked for {_span(seconds)}; a supervisor can unlock with {unlock}."


def _span(seconds: float) -> str:
    whole = max(1, -int(-seconds // 1))
    if whole < 120:
        return "1 second" if whole == 1 else f"{whole} seconds"
    return f"{-(-whole // 60)} minutes"


def _after(seconds: float) -> dict[str, str]:
    return {"Retry-After": str(max(1, -int(-seconds // 1)))}
