"""Commits from the event loop: in order, off the loop, to their end even if nobody waits."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from controller.store.audit import verify
from controller.store.clock import Stamp
from controller.store.errors import JournalUnavailable
from controller.store.journal import Journal
from controller.store.record import Entry
from controller.store.writer import JournalWriter
from tests.controller.store.helpers import card, ticking


class Gate:
    """A clock that stops the journal in the middle of an append until it is let go, and knows who asked."""

    def __init__(self) -> None:
        self.entered, self.open = threading.Event(), threading.Event()
        self.threads: set[threading.Thread] = set()
        self._stamp: Callable[[], Stamp] = ticking()

    def __call__(self) -> Stamp:
        self.threads.add(threading.current_thread())
        self.entered.set()
        assert self.open.wait(30)
        return self._stamp()


async def test_commits_of_many_tasks_are_kept_in_the_order_they_were_asked(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    writer = JournalWriter(Journal.open(path))
    asked: list[int] = []

    async def player(number: int) -> None:
        for turn in range(20):
            await asyncio.sleep(0)
            asked.append(number * 100 + turn)
            records = await writer.commit([card(asked[-1])])
            assert json.loads(records[0].data) == {"n": number * 100 + turn}

    await asyncio.gather(*(player(number) for number in range(10)))
    await writer.close()
    with Journal.read_only(path) as journal:
        assert [json.loads(record.data)["n"] for record in journal.after(0)] == asked
    assert verify(path).records == 200


async def test_the_loop_goes_on_while_the_disk_does_not(tmp_path: Path) -> None:
    gate = Gate()
    writer = JournalWriter(Journal.open(tmp_path / "journal.db", stamp=gate))
    waiting = asyncio.ensure_future(writer.commit([card()]))
    await asyncio.to_thread(gate.entered.wait)
    for _ in range(100):
        await asyncio.sleep(0)
    assert not waiting.done()
    gate.open.set()
    assert (await waiting)[0].sequence == 1
    await writer.commit([card()])
    await writer.close()
    assert len(gate.threads) == 1
    assert threading.main_thread() not in gate.threads
    assert not any(thread.is_alive() for thread in gate.threads)


async def test_a_cancelled_waiter_does_not_cancel_his_commit_running_or_queued(tmp_path: Path) -> None:
    gate = Gate()
    path = tmp_path / "journal.db"
    writer = JournalWriter(Journal.open(path, stamp=gate))
    tasks = [asyncio.ensure_future(writer.commit([card(number)], b"state %d" % number)) for number in range(3)]
    await asyncio.to_thread(gate.entered.wait)
    for task in tasks[:2]:
        task.cancel()
    for task in tasks[:2]:
        with pytest.raises(asyncio.CancelledError):
            await task
    gate.open.set()
    assert (await tasks[2])[0].sequence == 3
    await writer.close()
    with Journal.read_only(path) as journal:
        assert [record.data for record in journal.after(0)] == [b'{"n":0}', b'{"n":1}', b'{"n":2}']
        assert journal.snapshot() == (3, b"state 2")


async def test_a_list_that_changes_after_the_call_does_not_change_the_commit(tmp_path: Path) -> None:
    gate = Gate()
    writer = JournalWriter(Journal.open(tmp_path / "journal.db", stamp=gate))
    entries: list[Entry] = [card(1)]
    waiting = asyncio.ensure_future(writer.commit(entries))
    await asyncio.sleep(0)
    entries.append(card(2))
    gate.open.set()
    assert len(await waiting) == 1
    await writer.close()


async def test_a_commit_that_fails_tells_its_waiter_and_the_next_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    writer = JournalWriter(Journal.open(path))
    await writer.commit([card(1)])
    path.rename(tmp_path / "elsewhere")
    with pytest.raises(JournalUnavailable, match="moved"):
        await writer.commit([card(2)])
    (tmp_path / "elsewhere").rename(path)
    assert (await writer.commit([card(3)]))[0].sequence == 2
    await writer.close()


async def test_closing_waits_for_what_was_asked_and_takes_no_more(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    writer = JournalWriter(Journal.open(path))
    commits = [asyncio.ensure_future(writer.commit([card(number)])) for number in range(50)]
    await asyncio.sleep(0)
    await asyncio.gather(writer.close(), writer.close())
    assert [(await commit)[0].sequence for commit in commits] == list(range(1, 51))
    with pytest.raises(ValueError, match="is closed"):
        await writer.commit([card()])
    await writer.close()
    Journal.open(path).close()  # the lock is free again


async def test_a_cancelled_close_still_closes(tmp_path: Path) -> None:
    gate = Gate()
    path = tmp_path / "journal.db"
    writer = JournalWriter(Journal.open(path, stamp=gate))
    commit = asyncio.ensure_future(writer.commit([card()]))
    closing = asyncio.ensure_future(writer.close())
    await asyncio.to_thread(gate.entered.wait)
    closing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await closing
    gate.open.set()
    assert (await commit)[0].sequence == 1
    await writer.close()
    Journal.open(path).close()
