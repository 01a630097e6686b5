"""The documents for people: they open, lead to one another, and are printed in one column."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from controller.surfaces.web.documents import DOCUMENTS
from tests.pages.browsing import Pages
from tests.pages.looking import contrasts
from tests.pages.served import Table


def test_the_start_page_leads_to_the_three_readers_documents(table: Table, page: Pages) -> None:
    opened = page("/")
    for name, heading in {
        "dealer": "For the dealer: your table in ten minutes",
        "technician": "For the technician: from a blank Pi to a running table",
        "engineer": "For firmware and test engineers",
    }.items():
        opened.click(f"#readers a[href='/docs/{name}']")
        expect(opened.locator("h1")).to_have_text(heading)
        opened.go_back()


def test_every_link_of_every_document_opens_without_a_complaint(table: Table, page: Pages) -> None:
    opened = page("/docs/dealer")
    for name in DOCUMENTS:
        opened.goto(f"{table.url}/docs/{name}")
        links = opened.evaluate("() => [...document.querySelectorAll('a')].map((a) => a.getAttribute('href'))")
        for place in (link[1:] for link in links if link.startswith("#")):
            assert opened.locator(f"[id='{place}']").count() == 1, (name, place)
        for link in {link for link in links if link.startswith("/")}:
            assert opened.request.get(table.url + link).ok, (name, link)


def test_one_leads_to_another(table: Table, page: Pages) -> None:
    opened = page("/docs/engineer")
    opened.click("main a:has-text('bench.md') >> nth=0")
    expect(opened).to_have_url(f"{table.url}/docs/bench")
    opened.click("nav a:has-text('technician')")
    expect(opened.locator("nav a[aria-current]")).to_have_text("For the technician")
    assert {text: ratio for text, ratio in contrasts(opened).items() if ratio < 4.5} == {}


@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_runs_out_of_the_side(width: int, table: Table, page: Pages) -> None:
    opened = page("/docs/technician", width=width)
    assert opened.evaluate("() => document.documentElement.scrollWidth <= innerWidth")


def test_printed_it_is_one_column_and_the_dealers_is_one_page(table: Table, page: Pages) -> None:
    opened = page("/docs/dealer", width=794, height=1123)
    opened.emulate_media(media="print")
    expect(opened.locator("nav")).to_be_hidden()
    assert opened.evaluate("() => getComputedStyle(document.body).display") == "block"
    printed = opened.pdf(format="A4", prefer_css_page_size=True)
    assert len(re.findall(rb"/Type /Page\b", printed)) == 1


def test_a_document_that_there_is_not_is_refused_in_words(table: Table, page: Pages) -> None:
    opened = page("/docs/dealer")
    for name in ("nothing", "..%2F..%2Fsecret", "dealer.md"):
        answer = opened.request.get(f"{table.url}/docs/{name}")
        assert answer.status == 404
        assert answer.headers["content-type"] == "application/problem+json"
    answer = opened.request.get(f"{table.url}/docs/dealer")
    assert "default-src 'self'" in answer.headers["content-security-policy"]
    assert "unsafe" not in answer.headers["content-security-policy"]


def test_the_tables_own_sheet_has_the_limits_of_now_and_is_one_page(table: Table, page: Pages) -> None:
    opened = page("/")
    opened.click("#readers a[href='/docs/sheet']")
    expect(opened.locator("h1")).to_have_text("Power Blackjack")
    expect(opened.locator(".limits")).to_have_text("Bets: $10 to $500, in steps of $10")
    expect(opened.get_by_text("SIMULATED")).to_be_visible()
    assert opened.evaluate("() => getComputedStyle(document.querySelector('main')).columnCount") == "2"
    assert len(re.findall(rb"/Type /Page\b", opened.pdf(prefer_css_page_size=True))) == 1
    table.enter(
        {
            "input": "limits",
            "bet": "main",
            "min": "20",
            "max": "210",
            "step": "20",
            "policy": "next_round",
            "why": "busy",
        }
    )
    opened.reload()
    expect(opened.locator(".limits")).to_have_text("Bets: $20 to $210, in steps of $20")
    expect(opened.locator("section thead").first).to_have_text("Betpays$20$40$100$200")
