"""The result board: the round for everybody, in words, with what lies face down as backs and nothing more."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.pages.browsing import Pages
from tests.pages.conftest import Tables
from tests.pages.looking import contrasts, outside
from tests.pages.served import Table


def stand(table: Table, *seats: int) -> None:
    for seat in seats:
        table.enter({"input": "decision", "seat": seat, "hand": 1, "action": "stand"})


def settle(table: Table) -> None:
    while table.state()["phase"] == "playing":
        table.enter_all("next_round")


def looks_right(board: Page) -> None:
    assert outside(board) == []
    for cut in ("#seats", ".top"):
        assert board.locator(cut).evaluate("each => each.scrollWidth <= each.clientWidth")
        assert board.locator(cut).evaluate("each => each.scrollHeight <= each.clientHeight")
    assert {text: ratio for text, ratio in contrasts(board).items() if ratio < 4.5} == {}


@pytest.mark.parametrize(("width", "height"), [(800, 480), (1280, 800)])
def test_a_long_name_hides_nothing_beside_it(
    width: int, height: int, tables: Tables, pages_of: Callable[[Table], Pages]
) -> None:
    table = tables(name="The table of the house at the harbour of the town, number twenty-seven")
    table.open(1, 2, 3, 4, 5, 6, 7)
    board = pages_of(table)("/board", width=width, height=height)
    expect(board.locator("#waiting")).to_have_text("Place your bets")
    looks_right(board)
    table.kill()
    expect(board.locator("#stale")).to_be_visible()
    looks_right(board)


def test_a_round_is_followed_card_by_card_to_its_results(table: Table, page: Pages) -> None:
    table.open(1, 3)
    board = page("/board")
    expect(board.locator("#waiting")).to_have_text("Place your bets")
    expect(board.locator(".seat")).to_have_count(2)
    table.enter_all("open_round")
    table.deal("TS", "AC", "7D")
    expect(board.locator("#dealer .card")).to_have_attribute("data-card", "7D")
    expect(board.locator("#waiting")).to_have_text("Waiting for a card for seat 1")
    table.deal("9C", "6C", "TH")
    first, third = board.locator(".seat", has_text="Seat 1"), board.locator(".seat", has_text="Seat 3")
    expect(first.locator(".total")).to_have_text("19")
    expect(third.locator(".total")).to_have_text("7 or 17")
    expect(first).to_have_class(re.compile("in-turn"))
    expect(first.locator(".wager")).to_have_text("$10")
    stand(table, 1)
    expect(third).to_have_class(re.compile("in-turn"))
    stand(table, 3)
    settle(table)
    expect(board.locator("#dealer .total")).to_have_text("17")
    expect(first.locator(".result")).to_have_text("WINS +$10")
    expect(first.locator(".why")).to_have_text("19 beats the dealer's 17")
    expect(third.locator(".result")).to_have_text("PUSH $0")
    expect(board.locator("#recent li")).to_have_text("1: Dealer 171 won3 push")
    expect(board.locator("#shoe")).to_contain_text("6 of 312 cards dealt")
    expect(board.get_by_text("SIMULATED")).to_be_visible()
    looks_right(board)


def test_a_face_down_card_is_a_back_and_is_nowhere_on_the_page(table: Table, page: Pages) -> None:
    table.open(1)
    board = page("/board")
    heard: list[str] = []
    board.on("websocket", lambda line: line.on("framereceived", lambda text: heard.append(str(text))))
    board.reload()
    table.enter_all("open_round")
    table.deal("TS", "7D", "9C", "4H")
    expect(board.locator("#dealer .card")).to_have_count(2)
    expect(board.locator("#dealer .card-down")).to_have_count(1)
    expect(board.locator("#dealer .total")).to_have_count(0)
    for told in (board.content(), *heard):
        assert "4H" not in told
        assert "4♥" not in told
    assert any("7D" in each for each in heard), "the stream was looked into"
    stand(table, 1)
    table.enter({"input": "turn_hole_card"})
    expect(board.locator("#dealer .card-down")).to_have_count(0)
    expect(board.locator("#dealer .card").nth(1)).to_have_attribute("data-card", "4H")


def test_players_cards_that_lie_face_down_are_backs_too(tables: Tables, pages_of: Callable[[Table], Pages]) -> None:
    table = tables(game="monte_carlo")
    table.open(1)
    table.enter_all("open_round")
    table.deal("TS", "7D", "9C", "4H")
    board = pages_of(table)("/board")
    expect(board.locator(".seat .card-down")).to_have_count(2)
    for code in ("TS", "9C"):
        assert code not in board.content()


def test_a_dealers_22_that_pushes_says_so(table: Table, page: Pages) -> None:
    table.open(1)
    table.enter_all("open_round")
    table.deal("TS", "7D", "9C", "5H")
    stand(table, 1)
    table.enter({"input": "turn_hole_card"})
    table.deal("TC")
    settle(table)
    for lang, words, result in (("en", "22: PUSH", "PUSH $0"), ("es", "22: EMPATE", "EMPATE $0")):
        board = page(f"/board?lang={lang}")
        expect(board.locator("#dealer .total")).to_have_text(words)
        expect(board.locator(".seat .result")).to_have_text(result)
    expect(board.locator(".seat .why")).to_have_text("22 de la banca: empatan todas las manos sin resolver")


def test_a_dealers_22_is_a_bust_elsewhere(tables: Tables, pages_of: Callable[[Table], Pages]) -> None:
    table = tables(game="blackjack")
    table.open(1)
    table.enter_all("open_round")
    table.deal("TS", "7D", "9C", "5H")
    stand(table, 1)
    table.enter({"input": "turn_hole_card"})
    table.deal("TC")
    settle(table)
    board = pages_of(table)("/board")
    expect(board.locator("#dealer .total")).to_have_text("22: BUST")
    expect(board.locator(".seat .result")).to_have_text("WINS +$10")


@pytest.mark.parametrize("deck", ["classic", "four", "safe"])
def test_a_suit_is_a_glyph_and_a_letter_in_every_deck(deck: str, table: Table, page: Pages) -> None:
    table.open(1, 2)
    table.enter_all("open_round")
    table.deal("TS", "7D", "9C", "5H")
    board = page(f"/board?deck={deck}")
    cards = board.locator("[data-card]")
    expect(cards).to_have_text([re.compile(r".[♠♥♦♣][SHDC]$")] * 4)
    colours = set(cards.evaluate_all("all => all.map(each => getComputedStyle(each).color)"))
    assert len(colours) == (2 if deck == "classic" else 4)
    looks_right(board)


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (1920, 1080)])
def test_seven_seats_with_split_hands_and_ten_rounds_fit(width: int, height: int, table: Table, page: Pages) -> None:
    seats = (1, 2, 3, 4, 5, 6, 7)
    table.open(*seats)
    for _ in range(11):
        table.enter_all("open_round")
        table.deal(*["8S"] * 7, "9D", *["8C"] * 7, "8H")
        stand(table, *seats)
        settle(table)
    table.enter_all("open_round")
    table.deal(*["8S"] * 7, "9D", *["8C"] * 7, "8H")
    for seat in seats[:4]:
        table.enter({"input": "decision", "seat": seat, "hand": 1, "action": "split"})
        for hand in (1, 2):
            table.deal("3C")
            table.enter({"input": "decision", "seat": seat, "hand": hand, "action": "stand"})
    board = page("/board", width=width, height=height)
    expect(board.locator(".hand")).to_have_count(11)
    expect(board.locator("#recent li")).to_have_count(10)
    looks_right(board)


def test_a_stale_board_says_so_covers_the_money_and_comes_back(table: Table, page: Pages) -> None:
    table.open(1)
    board = page("/board")
    wager = board.locator(".seat .money")
    expect(wager).to_have_text("$10")
    expect(board.locator("#stale")).to_be_hidden()
    table.kill()
    expect(board.locator("#stale")).to_have_text(re.compile(r"^No news from the table since \d\d:\d\d:\d\d$"))
    assert wager.evaluate("each => getComputedStyle(each).color") != "rgba(0, 0, 0, 0)"
    expect(board.locator("html")).to_have_attribute("data-stale", "2")
    assert wager.evaluate("each => getComputedStyle(each).color") == "rgba(0, 0, 0, 0)"
    table.start()
    expect(board.locator("#stale")).to_be_hidden()
    table.enter({"input": "wager", "seat": 1, "amount": "20"})
    expect(wager).to_have_text("$20")
    assert wager.evaluate("each => getComputedStyle(each).color") != "rgba(0, 0, 0, 0)"
