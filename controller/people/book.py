"""The people file of a table: who may sign in, in which role. Changed by the command line alone, read by the daemon.

Beside the journal, and of its owner alone. A file that is damaged is refused in words and left as it is: an empty one
in its place would lock everybody out, or let somebody in.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Final, Literal, get_args

import msgspec
from msgspec import Struct

from controller.people.errors import BadName, PeopleRefused
from controller.people.pins import PinHash
from controller.people.private import alone, read_private, write_private

Role = Literal["viewer", "dealer", "supervisor", "technician"]
ROLES: Final[tuple[Role, ...]] = get_args(Role)
NAME_LENGTH: Final = 64
TOKEN: Final = "token"  # how the journal names a program that came with the token
WHAT: Final = "the people file"
REPAIR: Final = "Put a good copy in its place, or move it away and add everybody anew with croupier people add"


class Person(Struct, frozen=True, forbid_unknown_fields=True):
    """`created` and `unlocked` are seconds of the wall clock; `unlocked` is when wrong PINs were last forgiven."""

    name: str
    role: Role
    pin: PinHash
    created: int
    unlocked: int = 0


class People(Struct, frozen=True, forbid_unknown_fields=True):
    form: Literal[1] = 1  # of the file
    people: tuple[Person, ...] = ()

    def named(self, name: str) -> Person | None:
        """However the name is written."""
        wanted = key_of(name)
        return next((each for each in self.people if key_of(each.name) == wanted), None)

    def plus(self, person: Person) -> People:
        if self.named(person.name) is not None:
            raise BadName(f"{person.name} is there already; croupier people pin gives a new PIN.")
        return People(people=(*self.people, person))

    def minus(self, name: str) -> People:
        gone = self.known(name)
        return People(people=tuple(each for each in self.people if each is not gone))

    def changed(self, name: str, **changes: object) -> People:
        old = self.known(name)
        new = msgspec.structs.replace(old, **changes)
        return People(people=tuple(new if each is old else each for each in self.people))

    def known(self, name: str) -> Person:
        """Raises BadName where there is no such person."""
        found = self.named(name)
        if found is None:
            there = ", ".join(each.name for each in self.people) or "nobody yet"
            raise BadName(f"There is no {name!r} among the people of this table: {there}.")
        return found


def people_path(journal: Path) -> Path:
    return journal.with_suffix(".people")


def key_of(name: str) -> str:
    """By this two writings of a name are the same one: Zoë is zoe, because not every screen has an ë to type."""
    apart = unicodedata.normalize("NFKD", " ".join(name.split()).casefold())
    return "".join(each for each in apart if not unicodedata.combining(each))


def good_name(name: str) -> str:
    """As it is kept. Raises BadName."""
    name = unicodedata.normalize("NFC", " ".join(name.split()))
    if not name or len(name) > NAME_LENGTH or not name.isprintable():
        raise BadName(f"A name has 1 to {NAME_LENGTH} characters that can be printed.")
    if key_of(name) == TOKEN:
        raise BadName(f"{TOKEN!r} is how the journal names a program with the table's token; choose another name.")
    return name


def read_people(path: Path) -> People:
    """Nobody where there is no file. Raises PeopleRefused."""
    data = read_private(path, WHAT)
    if data is None:
        return People()
    try:
        people = msgspec.json.decode(data, type=People)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise PeopleRefused(f"{WHAT} {path} is damaged: {error}", advice=REPAIR) from error
    names = [key_of(each.name) for each in people.people]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise PeopleRefused(f"{WHAT} {path} is damaged: {twice!r} is in it twice", advice=REPAIR)
    return people


def change_people(path: Path, change: Callable[[People], People]) -> People:
    """Reads, changes and writes, and nobody else does meanwhile. Raises PeopleRefused, and what `change` raises."""
    with alone(path, WHAT):
        people = change(read_people(path))
        write_private(path, msgspec.json.format(msgspec.json.encode(people), indent=2) + b"\n", WHAT)
    return people


class PeopleFile:
    """The file as it is now, read again when it has changed."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._seen: tuple[int, ...] | None = None
        self._people = People()

    def people(self) -> People:
        """Raises PeopleRefused."""
        seen = self._look()
        if seen != self._seen:
            self._seen = None  # what is raised now is raised again until the file is good
            self._people = read_people(self.path)
            self._seen = seen
        return self._people

    def _look(self) -> tuple[int, ...]:
        try:
            about = self.path.lstat()
        except FileNotFoundError:
            return ()
        except OSError as error:
            raise PeopleRefused(f"{WHAT} {self.path} can't be read: {error.strerror}") from error
        return about.st_ino, about.st_size, about.st_mtime_ns, about.st_ctime_ns, about.st_mode
