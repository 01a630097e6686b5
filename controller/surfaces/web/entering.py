"""Enters what people send: each once, however often and however close together it is sent with the same key.

An entry that began is never cut short with the connection it came by: a journal that has it and a table that has not
would part ways.
"""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict
from typing import Final

from msgspec import Struct

from controller.rules.errors import Refused
from controller.surfaces.web.desk import Running
from controller.surfaces.web.people import Principal, actor_of
from controller.surfaces.web.problems import Problem, problem, rejected
from controller.table.inputs import FromPeople
from controller.table.views import dealer_view

KEYS: Final = 1_000  # answers that are remembered
KEY_LENGTH: Final = 128
UNAVAILABLE: Final = "journal_unavailable"  # the runner's code where nothing can be kept


class Entered(Struct, frozen=True):
    """`sequences` are the journal's numbers of what the input came to; none where all was so already."""

    sequences: tuple[int, ...]
    changed: bool


Outcome = Entered | Problem


class _First(Struct, frozen=True):
    what: FromPeople
    entry: asyncio.Task[Outcome]


class Entering:
    """`counts` are the inputs so far by what became of them: changed, unchanged, refused, unavailable."""

    def __init__(self, running: Running) -> None:
        self.counts: Counter[str] = Counter(changed=0, unchanged=0, refused=0, unavailable=0)
        self._running = running
        self._first: OrderedDict[tuple[Principal, str], _First] = OrderedDict()
        self._entries: set[asyncio.Task[Outcome]] = set()

    async def enter(self, what: FromPeople, who: Principal, key: str | None) -> tuple[Outcome, bool]:
        """What became of it, and whether that was known already. Raises Rejected for what can't be entered at all."""
        if key is None:
            return await asyncio.shield(self._begin(what, who)), False
        first = self._first.get((who, key))
        if first is None:
            first = self._remember(what, who, key)
            return await asyncio.shield(first.entry), False
        if first.what != what:
            raise rejected("key_reused", f"The key {key!r} belongs to another input of yours. Make a new one for each.")
        return await asyncio.shield(first.entry), True

    async def finish(self, seconds: float) -> None:
        """Waits for the entries that have begun."""
        if self._entries:
            await asyncio.wait(self._entries, timeout=seconds)

    def _remember(self, what: FromPeople, who: Principal, key: str) -> _First:
        if len(self._first) >= KEYS:
            oldest = next((each for each, first in self._first.items() if first.entry.done()), None)
            if oldest is not None:
                del self._first[oldest]
        first = self._first[who, key] = _First(what, self._begin(what, who))
        first.entry.add_done_callback(lambda entry: self._forget_if_nothing_was_decided(who, key, entry))
        return first

    def _forget_if_nothing_was_decided(self, who: Principal, key: str, entry: asyncio.Task[Outcome]) -> None:
        """The table said neither yes nor no: the same may be sent again, and then counts."""
        outcome = None if entry.cancelled() or entry.exception() is not None else entry.result()
        if outcome is None or (isinstance(outcome, Problem) and outcome.code == UNAVAILABLE):
            del self._first[who, key]

    def _begin(self, what: FromPeople, who: Principal) -> asyncio.Task[Outcome]:
        entry = asyncio.create_task(self._enter(what, who), name=f"enter {type(what).__name__}")
        self._entries.add(entry)
        entry.add_done_callback(self._entries.discard)
        return entry

    async def _enter(self, what: FromPeople, who: Principal) -> Outcome:
        try:
            sequences = await self._running.enter(what, actor_of(who))
        except Refused as refused:
            if refused.code == UNAVAILABLE:
                self.counts["unavailable"] += 1
                return problem("unavailable", refused.message, code=UNAVAILABLE)
            self.counts["refused"] += 1
            legal = dealer_view(self._running.table).legal
            return problem("refused", refused.message, code=refused.code, legal=legal)
        self.counts["changed" if sequences else "unchanged"] += 1
        return Entered(sequences, bool(sequences))
