"""The page of the documents: everything of both is on it, and it needs nothing from outside."""

from __future__ import annotations

from playwright.sync_api import expect

from controller.surfaces.web.problems import KINDS
from controller.surfaces.web.views import VIEWS
from controller.table.inputs import PEOPLE, snake
from tests.pages.browsing import Pages
from tests.pages.served import Table


def test_both_documents_can_be_read(table: Table, page: Pages) -> None:
    opened = page("/docs")
    expect(opened.locator("#http .operation").first).to_be_visible()
    text = opened.locator("main").inner_text()
    for path in ("/api/v1/state", "/api/v1/inputs", "/api/v1/rounds/{number}/playback", "/api/v1/stream"):
        assert path in text
    for name in (snake(each.__name__) for each in PEOPLE):
        assert opened.locator(f"#input-{name}").count() == 1, name
    for kind in set(KINDS) - {"wrong_method"}:
        assert kind in opened.locator("#problems").inner_text(), kind
    for view in VIEWS:
        assert f"{view.capitalize()}Snapshot" in opened.locator("#messages").inner_text()


def test_an_operation_unfolds_and_its_types_are_found(table: Table, page: Pages) -> None:
    opened = page("/docs")
    opened.click("summary:has-text('/playback '), summary:has-text('step by step')")
    link = opened.locator("details[open] a", has_text="Playback").first
    expect(link).to_be_visible()
    link.click()
    expect(opened.locator("#type-Playback")).to_be_in_viewport()


def test_every_link_leads_to_something_on_the_page(table: Table, page: Pages) -> None:
    opened = page("/docs", locale="es-ES")
    expect(opened.locator("#http .operation").first).to_be_visible()
    lost = opened.evaluate(
        '() => [...document.querySelectorAll(\'main a[href^="#"], nav a[href^="#"]\')]'
        ".map((a) => a.getAttribute('href')).filter((href) => !document.getElementById(href.slice(1)))"
    )
    assert lost == []
