"""Blocking calls in threads: results, errors, time limits, and what becomes of a result that nobody waits for."""

from __future__ import annotations

import asyncio
import threading

import pytest

from drivers.ports.aside import aside
from tests.drivers.ports.contract import nothing_left_behind, until


async def test_the_result_and_the_error_come_back_and_the_thread_is_gone() -> None:
    before = threading.active_count()
    assert await aside(lambda: 7) == 7
    with pytest.raises(ZeroDivisionError):
        await aside(lambda: 1 // 0)
    assert threading.active_count() == before


async def test_a_late_result_is_handed_to_be_undone() -> None:
    async with nothing_left_behind():
        go_on, undone = threading.Event(), list[int]()

        def slow() -> int:
            go_on.wait()
            return 7

        with pytest.raises(TimeoutError):
            await aside(slow, limit_s=0.02, late=undone.append)
        go_on.set()
        await until(lambda: undone == [7])


async def test_a_result_is_undone_exactly_once_whenever_the_waiter_is_cancelled() -> None:
    async with nothing_left_behind():
        for turns in range(40):
            undone, kept = list[int](), list[int]()
            task = asyncio.create_task(aside(lambda turns=turns: turns, late=undone.append))  # type: ignore[misc]
            for _ in range(turns % 8):
                await asyncio.sleep(0)
            task.cancel()
            for result in await asyncio.gather(task, return_exceptions=True):
                if isinstance(result, int):
                    kept.append(result)
            started = turns % 8 > 0  # cancelled before its first step, it never ran
            await until(lambda undone=undone, kept=kept, started=started: len(undone) + len(kept) == started)  # type: ignore[misc]


def test_a_call_that_outlives_the_event_loop_ends_quietly() -> None:
    go_on, undone = threading.Event(), list[int]()

    def slow() -> int:
        go_on.wait()
        return 7

    async def start() -> None:
        with pytest.raises(TimeoutError):
            await aside(slow, limit_s=0.02, late=undone.append)

    asyncio.run(start())
    go_on.set()
    for thread in threading.enumerate():
        if thread.name.startswith("aside"):
            thread.join()
    assert undone == [7]
