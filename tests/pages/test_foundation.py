"""The fixtures themselves: a table can be dealt at, killed and signed in to, and a page that misbehaves is noticed."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser

from tests.pages.browsing import Pages
from tests.pages.served import Refused, Table


def test_a_table_is_dealt_at_and_goes_on_where_it_was_killed(table: Table) -> None:
    table.open(1)
    table.enter_all("open_round")
    table.deal("8S", "TD", "9C")
    assert table.state()["dealer"]["cards"] == ["TD"]
    table.kill()
    table.start()
    table.deal("AD")
    assert table.state()["dealer"]["cards"] == ["TD", None]


def test_what_a_table_refuses_is_raised(table: Table) -> None:
    with pytest.raises(Refused, match="closed"):
        table.enter({"input": "open_round"}, who="dealer:Ann")


@pytest.mark.parametrize("role", ["dealer", "supervisor", "technician"])
def test_a_browser_can_be_signed_in(role: str, table: Table, page: Pages) -> None:
    opened = page("/sign", role=role)
    who = opened.evaluate("async () => (await fetch('/api/v1/session')).json()")
    assert (who["role"], who["name"]) == (role, table.names[role])


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("console.error('something is wrong')", "something is wrong"),
        ("setTimeout(() => { throw new Error('a bug') })", "a bug"),
        ("fetch('/missing').catch(() => {})", "404"),
        ("new WebSocket('ws://127.0.0.1:1/').onerror = () => {}", "127.0.0.1:1"),
        ("fetch('http://127.0.0.1:1/').catch(() => {})", "127.0.0.1:1"),
    ],
)
def test_a_page_that_misbehaves_fails_its_test(script: str, words: str, table: Table, chromium: Browser) -> None:
    pages = Pages(chromium, table)
    opened = pages("/pages/base.css")
    with opened.expect_event("console" if "bug" not in script else "pageerror"):
        opened.evaluate(script)
    with pytest.raises(AssertionError, match=words):
        pages.close()


def test_an_error_that_is_meant_can_be_allowed(table: Table, page: Pages) -> None:
    page.allow("status of 404")
    opened = page("/pages/base.css")
    with opened.expect_event("console"):
        opened.evaluate("fetch('/missing')")
