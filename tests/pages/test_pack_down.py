"""The day's end on the pages: the organiser's summary, and "safe to unplug" only while it is true."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.pages.browsing import Pages
from tests.pages.dealing import console_of
from tests.pages.served import Table


def test_the_dealer_and_the_pit_see_the_day_and_when_it_is_safe(table: Table, page: Pages) -> None:
    console = console_of(page, table)
    box = console.page.locator("#pack-down")
    expect(box).to_be_hidden()
    table.enter({"input": "open_table"})
    table.enter({"input": "shoe", "action": "load"})
    expect(box).to_be_hidden()
    table.enter({"input": "close_table"})
    expect(box).to_contain_text("Safe to unplug")
    expect(box).to_contain_text("Rounds: 0")
    shown, screen = box.bounding_box(), console.page.viewport_size
    assert shown is not None
    assert screen is not None
    assert shown["width"] > 0.9 * screen["width"]  # and the felt below has not pushed it aside
    pit = page("/pit?lang=es", role="supervisor").locator("#pack-down")
    expect(pit).to_contain_text("Ya se puede desenchufar")
    table.enter({"input": "open_table"})
    expect(box).to_be_hidden()
    expect(pit).to_be_hidden()


def test_a_page_that_hears_nothing_any_more_does_not_say_safe(table: Table, page: Pages) -> None:
    console = console_of(page, table)
    box = console.page.locator("#pack-down")
    table.enter({"input": "open_table"})
    table.enter({"input": "close_table"})
    expect(box).to_contain_text("Safe to unplug")
    page.allow("ERR_")
    page.allow("WebSocket")
    table.kill()
    expect(box.get_by_text("Safe to unplug")).to_be_hidden()
