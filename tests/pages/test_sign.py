"""The limit sign: large enough, never cut off, true at every moment, and honest when it can't know."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.pages.browsing import Pages
from tests.pages.conftest import Tables
from tests.pages.looking import contrasts, ink_height, outside
from tests.pages.served import Table

SIZES = [(1280, 800), (1920, 1080)]
LONG = "The table of the house at the harbour of the town, number twenty-seven"


def schedule(table: Table, policy: str, least: str = "25", most: str = "1000") -> None:
    step = "5"
    table.enter(
        {"input": "limits", "bet": "main", "min": least, "max": most, "step": step, "policy": policy, "why": "evening"}
    )


def shows(sign: Page, least: str, most: str) -> None:
    expect(sign.locator("#min")).to_have_text(least)
    expect(sign.locator("#max")).to_have_text(most)


def looks_right(sign: Page, height: int) -> None:
    for amount in ("#min", "#max"):
        assert ink_height(sign, amount) >= 0.35 * height
    assert outside(sign) == []
    for cut in ("#game", ".rest"):
        assert sign.locator(cut).evaluate("each => each.scrollWidth <= each.clientWidth")
        assert sign.locator(cut).evaluate("each => each.scrollHeight <= each.clientHeight")
    assert {text: ratio for text, ratio in contrasts(sign).items() if ratio < 7} == {}


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_its_digits_are_large_and_its_words_stand_out(width: int, height: int, table: Table, page: Pages) -> None:
    table.open(1)
    sign = page("/sign", width=width, height=height)
    shows(sign, "10", "500")
    expect(sign.locator("#state")).to_have_text("OPEN")
    looks_right(sign, height)
    expect(sign.locator(".currency").first).to_have_text("$")
    expect(sign.locator("#game")).to_have_text("Power Blackjack")
    expect(sign.locator("#table")).to_have_text("Table 7")
    expect(sign.locator("#rules")).to_contain_text("BLACKJACK PAYS 3 to 2")
    expect(sign.locator("#rules")).to_contain_text("SIX DECKS")
    expect(sign.get_by_text("SIMULATED")).to_be_visible()
    expect(sign.locator("#worth")).to_be_hidden()


@pytest.mark.parametrize(("width", "height"), SIZES)
@pytest.mark.parametrize("lang", ["en", "es"])
def test_six_digits_fit(width: int, height: int, lang: str, tables: Tables, pages_of: Callable[[Table], Pages]) -> None:
    table = tables(game="super_fun_21_extreme", limits=("100000", "998000", "1000"), money="play")
    schedule(table, "notice:30m", "200000", "999000")
    sign = pages_of(table)(f"/sign?lang={lang}", width=width, height=height)
    shows(sign, "100,000" if lang == "en" else "100.000", "998,000" if lang == "en" else "998.000")
    expect(sign.locator("#change")).to_be_visible()
    looks_right(sign, height)


@pytest.mark.parametrize(("width", "height"), [(800, 480), *SIZES])
@pytest.mark.parametrize("limits", [("10", "500", "10"), ("100000", "998000", "1000")])
def test_long_names_hide_neither_the_game_nor_the_state(
    width: int, height: int, limits: tuple[str, str, str], tables: Tables, pages_of: Callable[[Table], Pages]
) -> None:
    table = tables(name=LONG, limits=limits)
    sign = pages_of(table)("/sign", width=width, height=height)
    expect(sign.locator("#state")).to_have_text("CLOSED")
    looks_right(sign, height)
    table.enter({"input": "close_table", "reserved": "Montgomery and Fitzgerald anniversary"})
    expect(sign.locator("#state")).to_have_text("RESERVED: Montgomery and Fitzgerald anniversary")
    looks_right(sign, height)
    assert sign.locator("#state").evaluate("each => each.scrollWidth <= each.clientWidth")
    table.kill()
    expect(sign.locator("#state")).to_contain_text("NOT CONNECTED")
    looks_right(sign, height)


def test_side_bets_have_their_limits(tables: Tables, pages_of: Callable[[Table], Pages]) -> None:
    more = '[limits.perfect_pairs]\nmin = "5"\nmax = "25"\nstep = "5"\n'
    sign = pages_of(tables(game="blackjack", more=more))("/sign")
    expect(sign.locator("#bets li").first).to_have_text("PERFECT PAIRS PAYS UP TO 25 to 1 $5 to $25")
    looks_right(sign, 800)


@pytest.mark.parametrize(
    ("money", "words"), [("play", "PLAY MONEY: NO CASH VALUE"), ("points", "POINTS: NO CASH VALUE")]
)
def test_chips_that_are_worth_nothing_say_so(
    money: str, words: str, tables: Tables, pages_of: Callable[[Table], Pages]
) -> None:
    sign = pages_of(tables(money=money, currency=""))("/sign")
    expect(sign.locator("#worth")).to_have_text(words)
    expect(sign.locator(".currency").first).to_be_hidden()


def test_it_says_whether_the_table_is_open(table: Table, page: Pages) -> None:
    sign = page("/sign")
    expect(sign.locator("#state")).to_have_text("CLOSED")
    looks_right(sign, 800)
    table.open(1)
    expect(sign.locator("#state")).to_have_text("OPEN")
    table.enter_all("open_round")
    table.shoe.told("cut")
    expect(sign.locator("#state")).to_have_text("LAST ROUND")


def test_new_limits_are_announced_and_count_at_the_boundary_and_not_before(table: Table, page: Pages) -> None:
    table.open(1)
    sign, other = page("/sign"), page("/sign?lang=es")
    shows(sign, "10", "500")
    table.enter_all("open_round")
    schedule(table, "next_round")
    expect(sign.locator("#state")).to_have_text("LIMITS CHANGING")
    expect(sign.locator("#change")).to_have_text("$25 to $1,000 from the next round")
    expect(other.locator("#change")).to_have_text("de $25 a $1.000 desde la próxima ronda")
    table.deal("TS", "7D", "9C", "TH")
    table.enter({"input": "decision", "seat": 1, "hand": 1, "action": "stand"})
    assert table.state()["phase"] == "playing"
    shows(sign, "10", "500")
    table.enter_all("next_round", "next_round")
    assert table.state()["phase"] == "betting"
    shows(sign, "25", "1,000")
    shows(other, "25", "1.000")
    expect(sign.locator("#state")).to_have_text("OPEN")
    expect(sign.locator("#change")).to_be_hidden()


def test_a_notice_counts_down(table: Table, page: Pages) -> None:
    table.open(1)
    sign = page("/sign")
    schedule(table, "notice:2h")
    change = sign.locator("#change")
    expect(change).to_have_text(re.compile(r"^\$25 to \$1,000 in (2:00:00|1:59:5\d)$"))
    first = change.text_content()
    assert first is not None
    expect(change).not_to_have_text(first)
    expect(change).to_have_text(re.compile(r"in 1:59:\d\d$"))


def test_it_keeps_the_limits_when_the_table_is_gone_and_says_since_when(table: Table, page: Pages) -> None:
    table.open(1)
    sign = page("/sign")
    shows(sign, "10", "500")
    table.kill()
    expect(sign.locator("#state")).to_have_text(re.compile(r"^NOT CONNECTED since \d\d:\d\d:\d\d$"))
    since = sign.locator("#state").text_content()
    expect(sign.locator("html")).to_have_attribute("data-stale", "1")
    shows(sign, "10", "500")
    looks_right(sign, 800)
    expect(sign.locator("html")).to_have_attribute("data-stale", "2")
    shows(sign, "10", "500")
    assert sign.locator("#state").text_content() == since
    assert sign.locator("#min").evaluate("each => getComputedStyle(each).color") == "rgb(244, 247, 242)"
    table.start()
    expect(sign.locator("#state")).to_have_text("OPEN")
    expect(sign.locator("html")).to_have_attribute("data-stale", "0")
    table.enter({"input": "close_table"})
    expect(sign.locator("#state")).to_have_text("CLOSED")
    table.enter({"input": "close_table", "reserved": "Harbour party"})
    expect(sign.locator("#state")).to_have_text("RESERVED: Harbour party")


def test_the_rules_are_said_in_spanish(table: Table, page: Pages) -> None:
    sign = page("/sign", locale="es-ES")
    expect(sign.locator("#state")).to_have_text("CERRADA")
    expect(sign.locator("#rules li")).to_have_text(
        [
            "POWER DOUBLE CON CUALQUIER 10 o 11",
            "POWER SPLIT CON CUALQUIER 15 o 16",
            "LA BANCA PIDE CON 17 BLANDO Y EMPATA CON UN TOTAL DE 22",
            "EL BLACKJACK PAGA 3 a 2",
            "EL SEGURO PAGA 2 a 1",
            "SEIS BARAJAS",
            "SE DIVIDE HASTA CUATRO MANOS",
            "LOS ASES DIVIDIDOS RECIBEN UNA CARTA CADA UNO",
        ]
    )
    assert sign.locator("html").get_attribute("lang") == "es"
