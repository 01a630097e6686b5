"""The overlay for a studio: transparent, late by as much as it was asked to be, and blank rather than wrong."""

from __future__ import annotations

import time
from typing import Any

from playwright.sync_api import expect

from tests.pages.browsing import Pages
from tests.pages.served import Table

SIZE: dict[str, Any] = {"width": 1920, "height": 1080}


def test_it_shows_the_round_on_nothing(table: Table, page: Pages) -> None:
    table.open(1)
    overlay = page("/overlay", **SIZE)
    expect(overlay.locator("#limits")).to_have_text("$10 to $500")
    expect(overlay.locator("#dealer")).to_be_hidden()
    table.enter_all("open_round")
    table.deal("TS", "7D", "9C", "4H")
    expect(overlay.locator("#dealer .card")).to_have_count(2)
    expect(overlay.locator("#dealer .card-down")).to_have_count(1)
    expect(overlay.locator(".seat .total")).to_have_text("19")
    assert "4H" not in overlay.content()
    for part in ("html", "body", "#overlay"):
        ground = overlay.locator(part).evaluate("each => getComputedStyle(each).backgroundColor")
        assert ground == "rgba(0, 0, 0, 0)", part


def test_it_is_blank_when_the_table_is_closed_or_gone(table: Table, page: Pages) -> None:
    overlay = page("/overlay", **SIZE)
    expect(overlay.locator("html")).to_have_attribute("data-stale", "0")
    expect(overlay.locator("#overlay")).to_be_hidden()
    table.open(1)
    expect(overlay.locator("#overlay")).to_be_visible()
    table.kill()
    expect(overlay.locator("#overlay")).to_be_hidden()
    assert overlay.locator("body").inner_text() == ""
    table.start()
    expect(overlay.locator("#overlay")).to_be_visible()
    expect(overlay.locator("#limits")).to_have_text("$10 to $500")


def test_nothing_reaches_a_late_overlay_before_its_time(table: Table, page: Pages) -> None:
    table.open(1)
    context = page.browser(**SIZE)
    overlay = context.new_page()
    heard: list[tuple[float, str]] = []
    overlay.on(
        "websocket", lambda line: line.on("framereceived", lambda text: heard.append((time.monotonic(), str(text))))
    )
    begun = time.monotonic()
    overlay.goto(f"{table.url}/overlay?delay=3")
    expect(overlay.locator("#overlay")).to_be_hidden()
    table.enter_all("open_round")
    dealt = time.monotonic()
    table.deal("TS", "7D")
    expect(overlay.locator("#dealer .card")).to_have_attribute("data-card", "7D")
    told = [(at, text) for at, text in heard if '"beat"' not in text]
    assert told
    assert all(at >= begun + 3 for at, _ in told)
    assert all(at >= dealt + 3 for at, text in told if "7D" in text)


def test_a_late_overlay_is_blank_after_a_restart_until_it_is_certain_again(table: Table, page: Pages) -> None:
    table.open(1)
    overlay = page("/overlay?delay=2", **SIZE)
    expect(overlay.locator("#overlay")).to_be_visible()
    table.kill()
    expect(overlay.locator("#overlay")).to_be_hidden()
    table.start()
    expect(overlay.locator("#overlay")).to_be_visible()
