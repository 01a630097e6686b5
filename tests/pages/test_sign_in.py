"""Signing in by touch, by keyboard and with what goes wrong; nothing but the page and the real daemon."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from controller.people.book import Person, change_people, people_path
from controller.people.pins import hash_pin
from tests.pages.browsing import Pages
from tests.pages.served import WAIT_S, Table

ANN = Person("Zoë Ann", "dealer", hash_pin("4711"), 1_800_000_000)
REFUSED = r"status of (401|429)"


@pytest.fixture
def staffed(table: Table) -> Table:
    change_people(people_path(table.process.folder / "table.db"), lambda people: people.plus(ANN))
    return table


def press(page: Page, digits: str) -> None:
    for digit in digits:
        page.locator("#pad button", has_text=digit).tap()
    page.locator("#ok").tap()


def test_somebody_signs_in_by_touch_alone_and_goes_where_they_wanted(staffed: Table, page: Pages) -> None:
    shown = page("/sign-in?next=/healthz", width=1024, height=600, touch=True)
    shown.locator("#letters").tap()
    for letter in "ZOE":
        shown.locator("#keys button", has_text=re.compile(f"^{letter}$")).tap()
    shown.locator("#keys button", has_text="space").tap()
    for letter in "ANN":
        shown.locator("#keys button", has_text=re.compile(f"^{letter}$")).tap()
    shown.locator("#keys button", has_text="Done").tap()
    expect(shown.locator("#name")).to_have_value("Zoe Ann")
    press(shown, "4711")
    shown.wait_for_url(f"{staffed.url}/healthz")
    shown.goto(staffed.url + "/sign-in")
    expect(shown.locator("#who")).to_have_text("Signed in as Zoë Ann, dealer.")
    expect(shown.locator("#names button")).to_have_text(["Zoë Ann"])
    shown.locator("#sign-out").tap()
    expect(shown.locator("#signed-in")).to_be_hidden()
    shown.reload()
    expect(shown.locator("#table")).to_have_text("Table 7")
    expect(shown.locator("#signed-in")).to_be_hidden()


def test_a_wrong_pin_and_then_the_lock_are_told_in_words(staffed: Table, page: Pages) -> None:
    page.allow(REFUSED)
    shown = page("/sign-in", width=1024, height=600, touch=True)
    shown.locator("#name").fill("zoë ann")
    for _ in range(2):
        press(shown, "0815")
        expect(shown.locator("#said")).to_contain_text("do not belong together")
        expect(shown.locator("#pin")).to_have_value("")
    expect(shown.locator("#said")).to_contain_text("Wait 2 s")
    expect(shown.locator("#ok")).to_be_disabled()
    expect(shown.locator("#ok")).to_be_enabled()
    expect(shown.locator("#said")).to_have_text("You can try again now.")
    for _ in range(3):
        expect(shown.locator("#ok")).to_be_enabled(timeout=WAIT_S * 1000)
        press(shown, "0815")
        expect(shown.locator("#said")).to_contain_text(re.compile("belong together|locked"))
    expect(shown.locator("#said")).to_contain_text("is locked")
    expect(shown.locator("#said")).to_contain_text("croupier people unlock")
    expect(shown.locator("#said")).to_contain_text("Wait 5 min")
    expect(shown.locator("#ok")).to_be_disabled()
    shown.locator("#name").fill("Sam")
    expect(shown.locator("#ok")).to_be_enabled()
    expect(shown.locator("#said")).to_have_text("")


def test_a_keyboard_does_it_too_and_what_is_missing_is_said(staffed: Table, page: Pages) -> None:
    shown = page("/sign-in?next=/healthz")
    expect(shown.locator("#name")).to_be_focused()
    shown.keyboard.press("Enter")
    shown.keyboard.press("Enter")
    expect(shown.locator("#said")).to_have_text("Enter your name first.")
    shown.keyboard.type("Zoë Ann")
    shown.keyboard.press("Enter")
    shown.keyboard.type("47x")
    expect(shown.locator("#pin")).to_have_value("47")
    shown.keyboard.press("Enter")
    expect(shown.locator("#said")).to_have_text("A PIN has at least 4 digits.")
    shown.keyboard.type("11")
    shown.keyboard.press("Enter")
    shown.wait_for_url(f"{staffed.url}/healthz")


@pytest.mark.parametrize(
    "wanted", ["https://evil.example/", "//evil.example/", "/%5Cevil.example", "javascript:alert(1)"]
)
def test_nobody_is_sent_to_another_house(wanted: str, staffed: Table, page: Pages) -> None:
    shown = page(f"/sign-in?next={wanted}")
    shown.route("**/dealer", lambda route: route.fulfill(body="the dealer's page"))
    shown.locator("#name").fill("Zoë Ann")
    shown.locator("#pin").fill("4711")
    with shown.expect_navigation():
        shown.keyboard.press("Enter")
    assert shown.url.startswith(f"{staffed.url}/")


def sizes_of(page: Page, what: str) -> list[tuple[float, float]]:
    """Width and height of each."""
    boxes = (each.bounding_box() for each in page.locator(what).all())
    return [(box["width"], box["height"]) for box in boxes if box is not None]


def test_the_keys_are_as_large_as_a_thumb_and_all_fit_on_seven_inches(staffed: Table, page: Pages) -> None:
    shown = page("/sign-in", width=1024, height=600, touch=True)
    expect(shown.locator("#pad button")).to_have_count(12)
    assert all(width >= 120 and height >= 120 for width, height in sizes_of(shown, "#pad button"))
    assert shown.evaluate("document.documentElement.scrollHeight") <= 600
    shown.locator("#letters").tap()
    assert min(width for width, _ in sizes_of(shown, "#keys button")) >= 120
    assert shown.locator("#keys button").last.evaluate("(key) => key.getBoundingClientRect().bottom") <= 600


def test_it_speaks_spanish(staffed: Table, page: Pages) -> None:
    page.allow(REFUSED)
    shown = page("/sign-in?lang=es")
    expect(shown.locator("h1")).to_have_text("Iniciar sesión")
    shown.locator("#name").fill("Zoë Ann")
    shown.locator("#pin").fill("0815")
    shown.keyboard.press("Enter")
    expect(shown.locator("#said")).to_have_text("Este nombre y este PIN no corresponden.")


def test_a_table_that_does_not_answer_is_said(staffed: Table, pages_of: Callable[[Table], Pages]) -> None:
    pages = pages_of(staffed)
    shown = pages("/sign-in")
    expect(shown.locator("#table")).to_have_text("Table 7")
    staffed.stop()
    shown.locator("#name").fill("Zoë Ann")
    shown.locator("#pin").fill("4711")
    shown.keyboard.press("Enter")
    expect(shown.locator("#said")).to_contain_text("The table does not answer")


def test_who_is_signed_in_stays_so_when_the_table_is_started_again(staffed: Table, page: Pages) -> None:
    shown = page("/sign-in?next=/healthz")
    shown.locator("#name").fill("Zoë Ann")
    shown.locator("#pin").fill("4711")
    shown.keyboard.press("Enter")
    shown.wait_for_url(f"{staffed.url}/healthz")
    staffed.kill()
    staffed.start()
    shown.goto(staffed.url + "/sign-in")
    expect(shown.locator("#who")).to_contain_text("Zoë Ann")
