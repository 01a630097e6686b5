"""Fixtures for the tests of the pages: a table, pages of it, and whatever a test needs of both.

No test here is `async`: while Playwright's plain API is at work, its own loop is the thread's.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from tests.pages.browsing import ARGUMENTS, CHROMIUM, Pages
from tests.pages.served import Table

expect.set_options(timeout=30_000)  # for what must happen; a busy machine takes its time

Tables = Callable[..., Table]


@pytest.fixture(scope="package")
def chromium() -> Iterator[Browser]:
    if not os.access(CHROMIUM, os.X_OK):
        pytest.skip(f"there is no browser: {CHROMIUM} is missing; `make browser` installs it on Debian, as root")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(ARGUMENTS))
        yield browser
        browser.close()


@pytest.fixture
def tables(tmp_path: Path, chromium: Browser) -> Iterator[Tables]:
    """Makes a running table: `tables(game="free_bet_blackjack", limits=("5", "100", "5"))`."""
    with ExitStack() as stack:

        def make(**wishes: Any) -> Table:
            made = Table(tmp_path, **wishes)
            stack.callback(made.close)
            made.begin()
            return made

        yield make


@pytest.fixture
def table(tables: Tables) -> Table:
    """Power Blackjack, $10 to $500; closed."""
    return tables()


@pytest.fixture
def page(chromium: Browser, table: Table) -> Iterator[Pages]:
    """Opens pages of `table`: `page("/sign")`. At the end none may have said an error or asked another machine."""
    pages = Pages(chromium, table)
    yield pages
    pages.close()


@pytest.fixture
def pages_of(chromium: Browser) -> Iterator[Callable[[Table], Pages]]:
    """As `page`, of a table that a test made itself."""
    made: list[Pages] = []

    def of(table: Table) -> Pages:
        made.append(Pages(chromium, table))
        return made[-1]

    yield of
    for pages in made:
        pages.close()
