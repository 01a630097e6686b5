"""The pit page, played with by a supervisor in a real browser at a real table."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.pages.browsing import Pages
from tests.pages.conftest import Tables
from tests.pages.served import Table

NAMES = {"KS": (12, 0), "6C": (5, 3)}  # a card → its buttons among the ranks and the suits


def dealt(table: Table) -> None:
    """Seat 1 has 19 against a 7; what lies under it is 10♥."""
    table.open(1)
    table.enter({"input": "open_round"}, who="dealer:Ann")
    table.deal("TS", "7D", "9C", "TH")


def settle(table: Table) -> None:
    table.enter({"input": "decision", "seat": 1, "hand": 1, "action": "stand"}, who="dealer:Ann")
    while table.state()["phase"] == "playing":
        table.enter({"input": "next_round"}, who="dealer:Ann")


def pit(page: Pages, tab: str = "round", **browser: str) -> Page:
    opened = page(f"/pit#{tab}", role="supervisor", **browser)
    expect(opened.locator(f"#tab-{tab}")).to_have_attribute("aria-selected", "true")
    return opened


def schedule(opened: Page, low: str, high: str, step: str, why: str) -> None:
    for name, value in (("min", low), ("max", high), ("step", step), ("why", why)):
        opened.fill(f"#limit-{name}", value)
    opened.click(".limits-form [type=submit]")


def amount(digits: str) -> re.Pattern[str]:
    """With its currency or beside it."""
    return re.compile(rf"^\D?{digits}$")


def held(opened: Page, selector: str, milliseconds: int) -> None:
    box = opened.locator(selector)
    box.scroll_into_view_if_needed()
    box.hover()
    opened.mouse.down()
    opened.wait_for_timeout(milliseconds)
    opened.mouse.up()


def test_new_limits_are_seen_by_a_second_browser_at_the_boundary_and_not_before(table: Table, page: Pages) -> None:
    dealt(table)
    opened, sign = pit(page, "limits"), page("/sign")
    expect(sign.locator("#min")).to_have_text(amount("10"))
    schedule(opened, "25", "1000", "25", "busy night")
    row = opened.locator("tr[data-bet=main]")
    expect(row.locator(".next")).to_have_text("25 to 1000 in steps of 25")
    expect(row.locator(".when")).to_have_text("from the next round")
    expect(row).to_contain_text("busy night")
    expect(sign.locator("#change")).to_contain_text("$25")
    expect(sign.locator("#min")).to_have_text(amount("10"))
    table.enter({"input": "decision", "seat": 1, "hand": 1, "action": "stand"}, who="dealer:Ann")
    expect(opened.locator("#round")).to_contain_text("hole card")
    expect(sign.locator("#min")).to_have_text(amount("10"))
    while table.state()["phase"] == "playing":
        table.enter({"input": "next_round"}, who="dealer:Ann")
    expect(sign.locator("#min")).to_have_text(amount("25"))
    expect(sign.locator("#max")).to_have_text(amount("1,000"))
    expect(row.locator(".now")).to_have_text("25 to 1000 in steps of 25")
    expect(row.locator(".next")).to_have_count(0)


def test_the_preview_is_the_real_sign_with_the_limits_of_the_form(table: Table, page: Pages) -> None:
    table.open(1)
    opened = pit(page, "limits")
    opened.fill("#limit-min", "50")
    opened.fill("#limit-max", "2500")
    preview = opened.frame_locator("iframe.sign")
    expect(preview.locator("#min")).to_have_text(amount("50"))
    expect(preview.locator("#max")).to_have_text(amount("2,500"))
    assert table.state()["limits"][0]["min"] == "10"
    wall = page("/sign?preview=main&min=50&max=2500")
    expect(wall.locator("#min")).to_have_text(amount("10"))


def test_a_notice_counts_down(table: Table, page: Pages) -> None:
    dealt(table)
    opened = pit(page, "limits")
    opened.select_option("#limit-policy", "notice")
    opened.fill("#limit-minutes", "20")
    schedule(opened, "25", "1000", "25", "end of the evening")
    expect(opened.locator(".when")).to_have_text(re.compile(r"in (20:00|19:\d\d)"))
    first = opened.locator(".when").inner_text()
    expect(opened.locator(".when")).not_to_have_text(first)


def test_limits_without_a_reason_or_that_can_not_be_are_refused_in_words(table: Table, page: Pages) -> None:
    page.allow("status of 409")
    opened = pit(page, "limits")
    schedule(opened, "25", "1000", "25", "")
    expect(opened.locator("#notice")).to_contain_text("Say why")
    schedule(opened, "500", "100", "25", "a slip")
    expect(opened.locator("#notice")).to_contain_text("less than the min")
    assert table.state()["limits"][0]["next"] == ""


def test_a_round_is_voided_by_holding_with_its_reason(table: Table, page: Pages) -> None:
    dealt(table)
    opened = pit(page)
    opened.fill("#void-reason", "a card fell on the floor")
    held(opened, ".void .danger", 200)
    assert table.state()["phase"] == "playing", "a short press does nothing"
    held(opened, ".void .danger", 1600)
    expect(opened.locator("#notice")).to_have_text("The round is void.")
    assert table.state()["phase"] == "betting"
    expect(opened.locator(".void .danger")).to_be_disabled()
    opened.click("#tab-history")
    expect(opened.locator("tr[data-round='1']")).to_contain_text("VOID: a card fell on the floor")


def test_no_reason_no_void(table: Table, page: Pages) -> None:
    dealt(table)
    opened = pit(page)
    held(opened, ".void .danger", 1600)
    expect(opened.locator("#notice")).to_contain_text("Say why")
    assert table.state()["phase"] == "playing"


def choose(opened: Page, card: str) -> None:
    rank, suit = NAMES[card]
    opened.locator(".ranks button").nth(rank).click()
    opened.locator(".suits button").nth(suit).click()


def test_a_card_of_the_last_round_is_corrected_and_the_difference_is_told(table: Table, page: Pages) -> None:
    dealt(table)
    settle(table)
    opened = pit(page)
    opened.click(".pick[data-place='3']")
    choose(opened, "6C")
    opened.click("text=It was 6C")
    expect(opened.locator(".difference")).to_contain_text("Take $20 from seat 1")
    expect(opened.locator(".pick[data-place='3'] [data-card='6C']")).to_be_visible()
    assert table.state()["net"] == {"1": "-10"}
    opened.click("#tab-history")
    expect(opened.locator("tr[data-round='1']")).to_contain_text("−$20")


def test_two_cards_of_the_round_in_play_are_exchanged(table: Table, page: Pages) -> None:
    table.open(1, 2)
    table.enter({"input": "open_round"}, who="dealer:Ann")
    table.deal("TS", "5H", "7D", "TC", "2C", "TH")
    opened = pit(page)
    opened.click(".pick[data-place='1']")
    opened.click(".pick[data-place='2']")
    opened.click("text=Exchange cards 1 and 2")
    expect(opened.locator(".difference")).to_contain_text("goes on with the right card")
    assert [hand["cards"] for hand in table.state()["hands"]] == [["5H", "TC"], ["TS", "2C"]]


def test_a_correction_that_could_not_have_been_played_is_told_and_changes_nothing(table: Table, page: Pages) -> None:
    page.allow("status of 409")
    dealt(table)
    settle(table)
    opened = pit(page)
    opened.click(".pick[data-place='4']")
    choose(opened, "6C")
    opened.click("text=It was 6C")
    expect(opened.locator("#notice")).to_be_visible()
    assert table.state()["net"] == {"1": "10"}


def test_the_hole_card_is_nowhere_on_the_page(table: Table, page: Pages) -> None:
    dealt(table)
    opened = pit(page)
    expect(opened.locator(".pick")).to_have_count(4)
    assert "TH" not in opened.content()
    assert opened.locator(".pick .card-down").count() == 1


def test_an_alert_stays_until_it_is_acknowledged_and_it_is_kept_by_whom(table: Table, page: Pages) -> None:
    table.enter({"input": "open_table"})
    for action in ("load", "verify", "verified"):
        table.enter({"input": "shoe", "action": action})
    opened = pit(page)
    expect(opened.locator("#alarm")).to_contain_text("The count of the shoe does not come out")
    opened.click("#alarm button")
    expect(opened.locator("[data-alert='1']")).to_be_visible()
    opened.reload()
    expect(opened.locator("#alarm")).to_be_visible()
    opened.click("[data-alert='1'] button")
    expect(opened.locator("#alarm")).to_be_hidden()
    expect(opened.locator("tbody tr")).to_contain_text(f"supervisor {table.names['supervisor']}")
    assert table.state("dealer")["alerts"] == {}


def test_devices_are_shown_with_their_words(table: Table, page: Pages) -> None:
    opened = pit(page, "devices")
    expect(opened.locator(".device")).to_contain_text("shoe ready")
    expect(opened.locator(".device")).to_contain_text("SIMULATED")


def test_a_round_is_played_back_step_by_step(table: Table, page: Pages) -> None:
    dealt(table)
    settle(table)
    opened = pit(page, "history")
    opened.click("tr[data-round='1'] a")
    expect(opened.locator(".playback-place")).to_contain_text("Step 1 of 8")
    for _ in range(4):
        opened.click(".playback-forward")
    expect(opened.locator(".playback-now")).to_contain_text("The dealer gets a card face down.")
    assert opened.locator(".playback-felt .card-down").count() == 1
    expect(opened.locator(".playback-shown")).to_contain_text("MIN $10 MAX $500")
    opened.click(".playback-line >> nth=7")
    expect(opened.locator(".playback-hand")).to_contain_text("wins +$10")
    opened.click(".playback-back")
    expect(opened.locator(".playback-place")).to_contain_text("Step 7 of 8")
    opened.click("text=Back to the list")
    expect(opened.locator("tr[data-round='1']")).to_be_visible()


def test_the_kept_file_plays_offline_from_a_disk(table: Table, page: Pages, chromium: Browser, tmp_path: Path) -> None:
    dealt(table)
    settle(table)
    table.enter({"input": "correct", "round": 1, "place": 3, "card": "6C"})
    opened = pit(page, "history")
    opened.click("tr[data-round='1'] a")
    with opened.expect_download() as download:
        opened.click("text=Keep as a file")
    file = tmp_path / "kept" / download.value.suggested_filename
    download.value.save_as(file)
    assert file.name == "round-1.html"
    said: list[str] = []
    offline = chromium.new_context(offline=True, viewport={"width": 1280, "height": 800})
    try:
        kept = offline.new_page()
        kept.on("console", lambda message: said.append(message.text))
        kept.on("pageerror", lambda error: said.append(str(error)))
        kept.on("request", lambda request: said.append(request.url) if not request.url.startswith("file:") else None)
        kept.goto(file.as_uri())
        expect(kept.locator(".playback-head")).to_contain_text("Round 1 of Table 7")
        expect(kept.locator(".playback-simulated")).to_have_text("SIMULATED")
        for _ in range(8):
            kept.click(".playback-forward")
        expect(kept.locator(".playback-now")).to_contain_text("was 9♣, and is 6♣")
        expect(kept.locator(".playback-hand [data-card='6C']")).to_be_visible()
        kept.locator(".playback-slider").fill("3")
        expect(kept.locator(".playback-hand [data-card='9C']")).to_be_visible()
        kept.keyboard.press("Tab")
        kept.click(".playback-speed")
        kept.click(".playback-play")
        expect(kept.locator(".playback-place")).to_contain_text("Step 9 of 9")
        expect(kept.locator(".playback-play")).to_have_text("Play")
    finally:
        offline.close()
    assert said == []


@pytest.mark.parametrize("role", ["", "dealer", "technician"])
def test_who_is_no_supervisor_is_shown_the_way_to_sign_in(role: str, table: Table, page: Pages) -> None:
    opened = page("/pit", role=role)
    expect(opened.locator("#gate a")).to_have_attribute("href", "/sign-in?next=/pit")
    expect(opened.locator("#gate a")).to_be_visible()
    expect(opened.locator("#tabs")).to_be_hidden()
    expect(opened.locator(".simulated-mark")).to_be_visible()


def test_a_silent_table_is_told_and_the_page_comes_back_by_itself(table: Table, page: Pages) -> None:
    dealt(table)
    opened = pit(page)
    table.kill()
    expect(opened.locator("#stale")).to_contain_text("No news from the table")
    assert opened.locator("html").get_attribute("data-stale") in ("1", "2")
    table.start()
    expect(opened.locator("#stale")).to_be_hidden()
    expect(opened.locator(".pick")).to_have_count(4)


@pytest.mark.parametrize("tab", ["round", "limits", "alerts", "devices", "history"])
def test_every_tab_speaks_spanish(tab: str, table: Table, page: Pages) -> None:
    """A missing word is an error on the console, which fails the test."""
    dealt(table)
    settle(table)
    opened = pit(page, tab, locale="es-ES")
    expect(opened.locator("#tab-limits")).to_contain_text("Límites")
    if tab == "history":
        opened.click("tr[data-round='1'] a")
        expect(opened.locator(".playback-place")).to_contain_text("Paso 1 de 8")


def test_money_in_other_currencies_and_sizes(tables: Tables, pages_of: object) -> None:
    table = tables(currency="€", limits=("10", "500000", "10"))
    pages = pages_of(table)  # type: ignore[operator]
    table.open(1, wager="250000")
    table.enter({"input": "open_round"}, who="dealer:Ann")
    table.deal("TS", "7D")
    expect(pit(pages).locator(".felt")).to_contain_text("€250,000")
