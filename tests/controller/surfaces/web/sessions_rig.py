"""A table at which people can sign in, with a clock that the test sets; and somebody's browser."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from controller.people.book import PeopleFile, Person, Role, change_people, people_path
from controller.people.pins import hash_pin
from controller.store.journal import JournalReader
from controller.surfaces.web.session_desk import SignIn
from controller.surfaces.web.session_file import sessions_path
from controller.table.events import AttemptRefused, decode_event
from tests.controller.surfaces.web.client import Answer
from tests.controller.surfaces.web.rig import Rig, serving

PINS: dict[Role, str] = {"viewer": "8350", "dealer": "4711", "supervisor": "90210", "technician": "5309"}
NAMES: dict[Role, str] = {"viewer": "Vic", "dealer": "Ann", "supervisor": "Sam", "technician": "Tom"}
PEOPLE = tuple(Person(NAMES[role], role, hash_pin(pin), 1_800_000_000) for role, pin in PINS.items())


class Clock:
    """Wall clock and monotonic clock, which go only when they are told to."""

    def __init__(self) -> None:
        self.at = 1_800_000_000.0

    def wall(self) -> float:
        return self.at

    def monotonic(self) -> float:
        return self.at - 1_799_999_000.0


class Browser:
    """Keeps its cookies, and says its Origin as every browser does."""

    def __init__(self, rig: Rig) -> None:
        self.rig = rig
        self.cookies: dict[str, str] = {}
        self.origin: str | None = f"http://127.0.0.1:{rig.listening.port}"

    @property
    def headers(self) -> dict[str, str]:
        said = {"Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items())} if self.cookies else {}
        return {**said, **({"Origin": self.origin} if self.origin is not None else {})}

    async def ask(self, method: str, path: str, what: Any = None, **more: Any) -> Answer:
        body = None if what is None else json.dumps(what).encode()
        answer = await self.rig.ask(method, path, body=body, headers={**self.headers, **more})
        name, _, value = answer.headers.get("set-cookie", "").partition(";")[0].partition("=")
        if name:
            self.cookies[name] = value
        return answer

    async def sign_in(self, name: str, pin: str) -> Answer:
        return await self.ask("POST", "/api/v1/session", {"name": name, "pin": pin})

    async def signed_in(self, role: Role) -> Browser:
        answer = await self.sign_in(NAMES[role], PINS[role])
        assert answer.status == 200, answer.body
        return self

    async def who(self) -> Mapping[str, Any]:
        found: dict[str, Any] = (await self.ask("GET", "/api/v1/session")).json
        return found

    async def enter(self, **what: Any) -> Answer:
        return await self.ask("POST", "/api/v1/inputs", what)


def with_people(folder: Path) -> Path:
    path = people_path(folder / "table.db")
    if not path.exists():
        for person in PEOPLE:
            change_people(path, lambda people, person=person: people.plus(person))
    return path


@asynccontextmanager
async def table(folder: Path, clock: Clock | None = None, **more: Any) -> AsyncIterator[Rig]:
    folder.mkdir(exist_ok=True)
    clock = clock or Clock()
    people, sessions = PeopleFile(with_people(folder)), sessions_path(folder / "table.db")
    signing = SignIn(people, sessions, now=clock.wall, monotonic=clock.monotonic)
    async with serving(folder, signing=signing, **more) as rig:
        yield rig


def attempts(folder: Path) -> list[tuple[str, AttemptRefused]]:
    """Who told it, and what was told; when the table has ended."""
    with JournalReader.of(folder / "table.db") as reader:
        made = [(record.actor, decode_event(record.data)) for record in reader.after(0)]
    return [(actor, event) for actor, event in made if isinstance(event, AttemptRefused)]
