"""Parts that break down and are begun again, and failures that are told once and counted."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import pytest

from controller.daemon import keeping
from controller.daemon.keeping import EndedByItself, Failures, Part, Started, Work
from tests.drivers.scripted import until


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeping, "AGAIN_S", 0.001)
    monkeypatch.setattr(keeping, "AGAIN_MOST_S", 0.004)
    monkeypatch.setattr(keeping, "END_S", 0.05)


@asynccontextmanager
async def kept(part: Part) -> AsyncIterator[Part]:
    task = asyncio.create_task(part.keep())
    try:
        yield part
    finally:
        task.cancel()
        await asyncio.wait((task,))


def failing(*errors: Exception) -> tuple[Work, list[str]]:
    """Work that raises these one after the other, and then goes on."""
    log: list[str] = []
    left: Iterator[Exception] = iter(errors)

    async def work(started: Started) -> None:
        log.append("begun")
        for error in left:
            raise error
        started()
        log.append("works")
        try:
            await asyncio.Event().wait()
        finally:
            log.append("ended")

    return work, log


async def test_a_part_that_breaks_down_is_begun_again_until_it_works(caplog: pytest.LogCaptureFixture) -> None:
    heard: list[Exception] = []
    work, log = failing(*(KeyError(number) for number in range(12)))
    async with kept(Part("the sign", work, Failures(), on_failure=heard.append)):
        await until(lambda: "works" in log)
    assert log.count("begun") == 13
    assert log[-1] == "ended"
    assert len(heard) == 12
    told = [record.getMessage() for record in caplog.records]
    assert told[0] == "the sign broke down and is begun again"
    assert told[1].startswith(
        "the sign broke down and is begun again, 10 times now for the same reason (KeyError in work"
    )
    assert len(told) == 2, "another number in the message is no other reason"


async def test_a_part_that_comes_to_an_end_or_cancels_itself_has_broken_down() -> None:
    ends = iter((None, asyncio.CancelledError()))
    heard: list[Exception] = []

    async def work(started: Started) -> None:
        end = next(ends, ...)
        if end is ...:
            await asyncio.Event().wait()
        if isinstance(end, BaseException):
            raise end

    async with kept(Part("the clock", work, Failures(), on_failure=heard.append)):
        await until(lambda: len(heard) == 2)
    assert [str(error) for error in heard] == ["the clock came to an end", "the clock was cancelled by nobody"]
    assert all(isinstance(error, EndedByItself) for error in heard)


async def test_what_a_person_must_change_is_told_at_the_first_start_and_tried_again_later() -> None:
    work, log = failing(PermissionError("no port for us"))
    async with kept(Part("the web", work, Failures(), must_start=True)) as part:
        with pytest.raises(PermissionError, match="no port for us"):
            await part.up
    assert log == ["begun"], "it is not tried again"

    async def works_once(started: Started) -> None:
        started()
        log.append("works")
        raise PermissionError("no port for us")

    log.clear()
    async with kept(Part("the web", works_once, Failures(), must_start=True)) as part:
        await part.up
        await until(lambda: log.count("works") == 3)


async def test_a_bug_at_the_first_start_keeps_nobody_waiting() -> None:
    work, log = failing(ZeroDivisionError())
    async with kept(Part("the web", work, Failures(), must_start=True)) as part:
        await part.up
        await until(lambda: "works" in log)


async def test_a_part_that_does_not_end_when_it_is_told_to_is_left_behind(caplog: pytest.LogCaptureFixture) -> None:
    end = asyncio.Event()

    async def deaf(started: Started) -> None:
        while not end.is_set():
            try:
                await end.wait()
            except asyncio.CancelledError:
                continue

    async with kept(Part("the web", deaf, Failures())) as part:
        await asyncio.sleep(0)
    assert part.left
    assert "the web did not end within 0.05 seconds and is left behind" in caplog.text
    end.set()
    await asyncio.sleep(0)


def test_failures_of_different_parts_and_places_are_different(caplog: pytest.LogCaptureFixture) -> None:
    failures = Failures()

    def raised(error: Exception) -> Exception:
        try:
            raise error
        except Exception as caught:
            return caught

    def elsewhere(error: Exception) -> Exception:
        try:
            raise error
        except Exception as caught:
            return caught

    with caplog.at_level(logging.ERROR):
        assert failures.tell("sign", "failed", raised(KeyError(1)))
        assert not failures.tell("sign", "failed", raised(KeyError(2)))
        assert failures.tell("board", "failed", raised(KeyError(1)))
        assert failures.tell("sign", "failed", elsewhere(KeyError(1)))
        assert failures.tell("sign", "failed", raised(ValueError()))
    assert caplog.text.count("Traceback") == 4
