"""The start page: the way to every other page, and how the table is."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from controller.surfaces.web.pages import PAGES, qr_svg
from tests.pages.browsing import Pages
from tests.pages.looking import contrasts
from tests.pages.served import Table

LINKED = ("sign", "board", "dealer", "pit", "overlay", "docs")


def test_every_page_is_there_with_its_address_and_its_qr_code(table: Table, page: Pages) -> None:
    start = page("/")
    cards = start.locator(".surface")
    expect(cards).to_have_count(len(LINKED))
    for name in LINKED:
        card = start.locator(f"#surface-{name}")
        url = f"{table.url}/{name}"
        expect(card.locator(".url")).to_have_text(url)
        expect(card.locator(".url")).to_have_attribute("href", url)
        image = card.locator("img")
        assert image.evaluate("each => each.decode().then(() => each.naturalWidth > 0)")
        source = image.get_attribute("src")
        assert source is not None
        assert start.request.get(table.url + source).body() == qr_svg(url)
        assert f"/{name}" in PAGES


def test_it_says_how_the_table_is(table: Table, page: Pages) -> None:
    start = page("/")
    expect(start.locator("h1")).to_have_text("Table 7")
    expect(start.locator("#status")).to_contain_text("closed")
    table.open(1)
    expect(start.locator("#status")).to_contain_text("open for bets")
    expect(start.locator("#status")).to_contain_text("$10 to $500")
    expect(start.get_by_text("SIMULATED")).to_be_visible()
    assert {text: ratio for text, ratio in contrasts(start).items() if ratio < 4.5} == {}


def test_it_says_who_is_signed_in(table: Table, page: Pages) -> None:
    expect(page("/").locator("#who")).to_have_text("Sign in")
    expect(page("/", role="dealer").locator("#who")).to_contain_text("Ann, dealer")
    expect(page("/?lang=es", role="supervisor").locator("#who")).to_contain_text("Sam, supervisor")


@pytest.mark.parametrize(("locale", "words"), [("es-MX", "Cartel de límites"), ("de-DE", "Limit sign")])
def test_it_speaks_the_browsers_language_where_it_can(locale: str, words: str, table: Table, page: Pages) -> None:
    expect(page("/", locale=locale).locator("#surface-sign h2")).to_have_text(words)


def test_the_language_can_be_chosen_and_is_kept_on_the_way(table: Table, page: Pages) -> None:
    start = page("/")
    start.get_by_text("Español").click()
    start.locator("#surface-sign h2 a").click()
    expect(start.locator("#state")).to_have_text("CERRADA")
