"""The QR codes of the table's own network: on the sign while nobody plays, on the start page for the table's people."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from controller.surfaces.web.pages import qr_svg
from tests.pages.browsing import Pages
from tests.pages.conftest import Tables
from tests.pages.looking import contrasts, ink_height, outside
from tests.pages.served import Table

JOINING = "WIFI:T:WPA;S:Harbour \\; party;P:p4ssw\\:rd;;"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """As `croupier-hotspot on` writes it. The address is the one at which the tests reach the table."""
    path = tmp_path / "hotspot"
    path.touch(mode=0o600)
    path.write_text("name=Harbour ; party\npassword=p4ssw:rd\naddress=127.0.0.1/32\n")
    return path


@pytest.fixture
def table(tables: Tables, file: Path) -> Table:
    return tables(web=f'hotspot = "{file}"\nhotspot_on_sign = true')


def box(of: Locator) -> Any:
    found = of.bounding_box()
    assert found is not None
    return found


def source(page: Page, code: str) -> str:
    made: str = page.evaluate("code => `${location.origin}/pages/hotspot/sign/${code}.svg`", code)
    return made


def codes(page: Page) -> list[bytes]:
    """What its codes are, as a reader of them would have it."""
    images = page.locator("#codes img")
    expect(images).to_have_count(2)
    found = [page.request.get(images.nth(at).evaluate("each => each.src")).body() for at in range(2)]
    assert all(images.nth(at).evaluate("each => each.naturalWidth > 0") for at in range(2))
    return found


@pytest.mark.parametrize("lang", ["en", "es"])
def test_a_closed_sign_has_codes_that_can_be_scanned(lang: str, table: Table, page: Pages) -> None:
    sign = page(f"/sign?lang={lang}")
    assert codes(sign) == [qr_svg(JOINING), qr_svg(f"{table.url}/")]
    for width, height in ((1280, 800), (1920, 1080), (1024, 600)):
        sign.set_viewport_size({"width": width, "height": height})
        expect(sign.locator("#codes img")).to_have_count(2)
        for image in sign.locator("#codes img").all():
            size = box(image)
            assert min(size["width"], size["height"]) >= 0.25 * height
        limits = box(sign.locator(".sign"))
        assert limits["x"] + limits["width"] <= box(sign.locator("#codes"))["x"]
        assert outside(sign) == []
        assert all(ink_height(sign, amount) >= 0.35 * height for amount in ("#min", "#max"))
        for cut in ("#game", ".rest"):
            assert sign.locator(cut).evaluate("each => each.scrollWidth <= each.clientWidth")
            assert sign.locator(cut).evaluate("each => each.scrollHeight <= each.clientHeight")
        assert {text: ratio for text, ratio in contrasts(sign).items() if ratio < 7} == {}


def test_they_go_when_the_table_opens_and_come_back_when_it_closes(table: Table, page: Pages) -> None:
    sign = page("/sign")
    expect(sign.locator("#codes img")).to_have_count(2)
    table.open(1)
    expect(sign.locator("#state")).to_have_text("OPEN")
    expect(sign.locator("#codes")).to_be_hidden()
    expect(sign.locator("img")).to_have_count(0)
    assert box(sign.locator(".sign"))["width"] == 1280
    table.enter({"input": "close_table", "reserved": "Harbour party"})
    expect(sign.locator("#state")).to_have_text("RESERVED: Harbour party")
    expect(sign.locator("#codes img")).to_have_count(2)


def test_a_network_that_is_switched_off_or_renamed_is_noticed(table: Table, file: Path, page: Pages) -> None:
    sign = page("/sign")
    expect(sign.locator("#codes img")).to_have_count(2)
    text = file.read_text()
    file.unlink()
    expect(sign.locator("#codes")).to_be_hidden()
    file.touch(mode=0o600)
    file.write_text(text.replace("Harbour ; party", "Bar"))
    expect(sign.locator("#codes img")).to_have_count(2)
    assert codes(sign)[0] == qr_svg("WIFI:T:WPA;S:Bar;P:p4ssw\\:rd;;")


def test_long_limits_leave_room_for_them(tables: Tables, file: Path, pages_of: Callable[[Table], Pages]) -> None:
    table = tables(limits=("100000", "998000", "1000"), web=f'hotspot = "{file}"\nhotspot_on_sign = true')
    sign = pages_of(table)("/sign")
    expect(sign.locator("#codes img")).to_have_count(2)
    assert outside(sign) == []
    digits = box(sign.locator("#max"))
    assert digits["x"] + digits["width"] <= box(sign.locator("#codes"))["x"]


def test_the_house_decides_whether_the_sign_has_them(
    tables: Tables, file: Path, pages_of: Callable[[Table], Pages]
) -> None:
    page = pages_of(tables(web=f'hotspot = "{file}"'))
    start, sign = page("/"), page("/sign")
    assert codes(start)[0] == qr_svg(JOINING)
    expect(sign.locator("#state")).to_have_text("CLOSED")
    assert [sign.request.get(source(sign, code)).status for code in ("join", "open")] == [204, 204]
    expect(sign.locator("#codes")).to_be_hidden()


def test_the_start_page_keeps_them_during_play(table: Table, page: Pages) -> None:
    table.open(1)
    start = page("/?lang=es")
    assert codes(start) == [qr_svg(JOINING), qr_svg(f"{table.url}/")]
    expect(start.locator("#codes")).to_contain_text("Escanee para abrir sus páginas")
    assert {text: ratio for text, ratio in contrasts(start).items() if ratio < 4.5} == {}


def test_no_other_page_asks_for_them(table: Table, page: Pages) -> None:
    context = page.browser()
    page.sign_in(context, "supervisor")
    asked: list[str] = []
    context.on("request", lambda request: asked.append(request.url))
    other = context.new_page()
    for path in ("/overlay", "/board", "/dealer", "/pit"):
        other.goto(table.url + path)
        expect(other.locator("html")).to_have_attribute("data-stale", "0")
        other.wait_for_load_state("networkidle")
    assert any("/sign" in url for url in asked)  # the pit's preview is one, in a frame
    assert [url for url in asked if "/pages/hotspot/" in url] == []
