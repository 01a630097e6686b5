"""Commits to the journal on a thread of its own, one after the other, so that the event loop never waits for a disk."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from controller.store.journal import Journal
from controller.store.record import Entry, Record

T = TypeVar("T")


class JournalWriter:
    """Owns the journal from here on: nobody else may use it before `close` has returned, and then it is closed.

    A commit that fails takes none with it that waits behind it; whoever must not be written without the one before
    waits for that one first.
    """

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="journal")
        self._closed: asyncio.Future[None] | None = None

    async def commit(self, entries: Sequence[Entry], snapshot: bytes | None = None) -> tuple[Record, ...]:
        """The records when they are on the disk; raises what Journal.append raises. In the order of the calls.

        Once called it is done, even if nobody waits for it any more: a card that is half-forgotten would be worse.
        """
        if self._closed is not None:
            raise ValueError(f"the journal {self._journal.path} is closed")
        kept = tuple(entries)  # the caller's list may change before the thread comes to it
        return await asyncio.shield(self._in_thread(lambda: self._journal.append(kept, snapshot=snapshot)))

    async def close(self) -> None:
        """Waits for every commit asked for so far, then closes the journal. May be called again."""
        if self._closed is None:
            self._closed = self._in_thread(self._journal.close)
        await asyncio.shield(self._closed)
        self._thread.shutdown()

    def _in_thread(self, work: Callable[[], T]) -> asyncio.Future[T]:
        return asyncio.wrap_future(self._thread.submit(work))
