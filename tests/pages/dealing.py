"""A dealer at the console of the tests: only taps, and cards that come out of the table's shoe."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Locator, Page, expect

from tests.pages.browsing import Pages
from tests.pages.served import Table

MakeTable = Callable[..., Table]
PagesOf = Callable[[Table], Pages]


class Console:
    """A dealer at the screen. Only taps; the cards come out of the table's shoe."""

    def __init__(self, table: Table, page: Page) -> None:
        self.table, self.page = table, page
        self._last = ""
        expect(self.named("menu")).to_be_visible()

    def named(self, name: str) -> Locator:
        return self.page.locator(f'[data-name="{name}"]')

    def seat(self, number: int) -> Locator:
        return self.page.locator(f'.seat[data-seat="{number}"]')

    def tap(self, *names: str) -> None:
        for name in names:
            self._slowly(name)
            self.named(name).tap()

    def _slowly(self, name: str) -> None:
        """The same button again within 300 ms would be a finger that trembled."""
        if name == self._last:
            self.page.wait_for_timeout(350)
        self._last = name

    def step(self, words: str) -> None:
        """The one step that leads on, when it is this one; then the table has gone on."""
        expect(self.named("next")).to_contain_text(words)
        self.tap("next")
        expect(self.named("next")).not_to_contain_text(words)

    def hold(self, name: str, *, ms: int = 1_300) -> None:
        """A finger that stays."""
        at = self.named(name).bounding_box()
        assert at is not None
        line = self.page.context.new_cdp_session(self.page)
        point = {"x": at["x"] + at["width"] / 2, "y": at["y"] + at["height"] / 2}
        line.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [point]})
        self.page.wait_for_timeout(ms)
        line.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        line.detach()

    def deal(self, *cards: str) -> None:
        self.table.deal(*cards)

    def says(self, words: str | re.Pattern[str]) -> None:
        expect(self.page.locator("#coach .say")).to_contain_text(words)

    def asks(self, words: str) -> None:
        expect(self.page.locator("#question")).to_contain_text(words)

    def pays(self, *sentences: str) -> None:
        """One after another, each ticked off; nothing is left then."""
        for words in sentences:
            self.says(words)
            self.tap("paid")
        expect(self.named("paid")).to_be_hidden()

    def open(self, *seats: int) -> None:
        """The table, a shoe, and ten dollars at each seat."""
        self.step("Open table")
        self.step("Shoe loaded")
        for seat in seats:
            self.bet(seat)

    def bet(self, seat: int, *more: str) -> None:
        self.seat(seat).tap()
        self.tap("bet-min", *more, "place-bet")
        expect(self.page.locator("#sheet")).to_be_hidden()
        expect(self.seat(seat)).to_contain_text("$10")


def console_of(pages: Pages, table: Table, role: str = "dealer", **screen: Any) -> Console:
    """On a small touch screen, unless it is said otherwise."""
    wishes = {"width": 1024, "height": 600, "touch": True, **screen}
    return Console(table, pages("/dealer", role=role, **wishes))


def console_at(tables: MakeTable, pages_of: PagesOf, game: str, role: str = "dealer") -> Console:
    """At a table of its own."""
    table = tables(game=game)
    return console_of(pages_of(table), table, role)
