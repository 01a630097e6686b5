"""A whole round of each of the five games at the dealer's console, by touch alone."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.pages.browsing import Pages
from tests.pages.dealing import MakeTable, PagesOf, console_at, console_of
from tests.pages.served import Table


def test_a_round_of_blackjack(tables: MakeTable, pages_of: PagesOf) -> None:
    at = console_at(tables, pages_of, "blackjack")
    at.open(1, 3)
    at.step("Open round")
    at.says("Deal a card to seat 1.")
    at.deal("8S", "TD", "AC", "8H", "7D", "6D")
    at.says("Offer insurance to seats 1 and 3")
    expect(at.seat(3)).to_contain_text("Insure $5")
    at.seat(3).tap()
    at.step("Insurance closed")
    at.says("Look under the ace: blackjack or not?")
    at.step("Check for blackjack")
    expect(at.page.locator("#dealer-hand")).to_contain_text("NO BLACKJACK")
    at.pays("Take $5 from seat 3")
    at.says("Ask seat 1: hit, stand, double or split?")
    at.tap("split")
    at.says("Part seat 1's cards")
    at.deal("3D")
    at.tap("double")
    at.says("Take the doubled bet of seat 1, hand 1")
    at.deal("TS", "9C")
    at.says("Ask seat 1, hand 2: hit, stand or double?")
    at.tap("stand")
    at.says("Ask seat 3: hit, stand or double?")
    at.tap("stand")
    at.step("Turn hole card")
    at.says("The dealer stands on soft 17.")
    at.step("Pay and take")
    at.pays("Pay seat 1, hand 1: $20", "Leave seat 1, hand 2's bet", "Leave seat 3's bet")
    assert at.table.state()["net"] == {"1": "20", "3": "-5"}
    expect(at.seat(1)).to_contain_text("same again")
    at.step("Open round")  # the same bets again, by one tap
    at.says("Deal a card to seat 1.")
    assert at.table.state()["round"] == 2


def test_a_round_of_power_blackjack(table: Table, page: Pages) -> None:
    console = console_of(page, table)
    console.open(2)
    console.step("Open round")
    console.deal("6S", "7D", "5C", "TH")
    console.says("Ask seat 2: hit, stand, double or power double?")
    console.tap("power_double")
    console.says("Take the doubled bet of seat 2")
    console.deal("2S")
    console.says("keep this card or roll over to the next?")
    expect(console.named("hit")).to_be_hidden()
    console.tap("rollover")
    expect(console.page.locator("#dealer-hand .burned")).to_contain_text("2")
    console.deal("KD")
    console.step("Turn hole card")
    console.step("Pay and take")
    console.pays("Pay seat 2: $20, 21 beats the dealer's 17: four $5 chips.")
    assert console.table.state()["net"] == {"2": "20"}


def test_a_round_of_super_fun_21(tables: MakeTable, pages_of: PagesOf) -> None:
    at = console_at(tables, pages_of, "super_fun_21_extreme")
    at.open(1, 2)
    at.step("Open round")
    at.deal("2S", "TS", "9S", "3H", "6D", "TC")
    at.says("Ask seat 1:")
    at.deal("5H", "4C", "7D")  # drawn cards are hits
    expect(at.page.locator("#coach")).to_contain_text("PAY NOW")
    at.pays("Pay seat 1: $20, 5 cards, total 21, not doubled: paid at once, 2 to 1: four $5 chips.")
    at.tap("surrender")
    at.pays("Take $5 from seat 2")
    at.step("Pay and take")
    expect(at.named("paid")).to_be_hidden()
    assert at.table.state()["net"] == {"1": "20", "2": "-5"}


def test_a_round_of_monte_carlo(tables: MakeTable, pages_of: PagesOf) -> None:
    at = console_at(tables, pages_of, "monte_carlo")
    at.open(1)
    at.step("Open round")
    at.says("Deal a card to seat 1, face down.")
    at.deal("5S", "9H", "6D", "7C")
    at.says("Ask seat 1: hit, stand or double?")  # of cards that nobody else has seen
    assert not at.page.locator('[data-card="9H"], [data-card="5S"]').count()
    at.tap("double")
    at.says("then deal it one card, face down.")
    at.deal("KD")
    at.step("Turn hole card")
    at.says("Deal the dealer a card: the dealer has 16.")
    at.deal("8S")
    at.says("Turn up what lies face down")
    assert not at.page.locator('[data-card="KD"]').count()
    at.step("Pay and take")
    at.pays("Pay seat 1: $20, dealer busts with 24")
    assert at.table.state()["net"] == {"1": "20"}


def test_a_round_of_chinese_fortune_21(tables: MakeTable, pages_of: PagesOf) -> None:
    at = console_at(tables, pages_of, "chinese_fortune_21")
    at.open()
    at.bet(2, "bet-ten_eleven_or_bust", "chip-5")
    at.step("Open round")
    at.deal("6S", "5D", "5S", "TH")
    at.says("leave the bet and put a lammer on it: one $100 chip.")
    at.tap("paid")
    expect(at.seat(2)).to_contain_text("LAMMER")
    at.deal("2D", "8C", "KD")
    at.pays("Take $10 from seat 2")
    at.says("Draw for the bonus: turn the hole card.")
    at.step("Turn hole card")
    at.says("Draw for the bonus: deal the dealer a card.")
    at.deal("9C")
    at.step("Pay and take")
    at.pays("Pay seat 2: $25, Ten, Eleven or Bust")
    assert at.table.state()["net"] == {"2": "115"}
