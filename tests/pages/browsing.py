"""Pages in the system's Chromium, of which none may say an error or ask anything of another machine."""

from __future__ import annotations

import re
from typing import Any, Final
from urllib.parse import urlsplit

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request, WebSocket

from tests.pages.served import Table

CHROMIUM: Final = "/usr/bin/chromium"
ARGUMENTS: Final = (
    "--no-sandbox",  # the tests may run as root, where Chromium has none
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
_LINE_LOST: Final = re.compile(r"WebSocket connection to|ERR_CONNECTION|ERR_EMPTY_RESPONSE|ERR_INCOMPLETE")


class Pages:
    """Called with a path, it opens a page in a browser of its own: `page("/sign", width=1920, height=1080)`,
    `page("/dealer", role="dealer", touch=True)`."""

    def __init__(self, browser: Browser, table: Table) -> None:
        self._browser, self._table = browser, table
        self._contexts: list[BrowserContext] = []
        self._allowed: list[re.Pattern[str]] = []
        self._errors: list[str] = []
        self._strangers: list[str] = []

    def __call__(self, path: str = "/", *, role: str = "", **browser: Any) -> Page:
        """As somebody who is signed in, where a role is named."""
        context = self.browser(**browser)
        if role:
            self.sign_in(context, role)
        page = context.new_page()
        page.goto(self._table.url + path)
        return page

    def browser(
        self, *, width: int = 1280, height: int = 800, locale: str = "en-GB", touch: bool = False
    ) -> BrowserContext:
        """Somebody's browser, with cookies of its own; every page in it is watched."""
        context = self._browser.new_context(
            viewport={"width": width, "height": height}, locale=locale, has_touch=touch, timezone_id="Europe/London"
        )
        context.set_default_timeout(30_000)
        self._contexts.append(context)
        context.on("console", self._said)
        context.on("weberror", lambda error: self._errors.append(f"{error.error}"))
        context.on("request", self._asked)
        context.on("page", lambda page: page.on("websocket", self._opened))
        return context

    def sign_in(self, context: BrowserContext, role: str) -> None:
        form = {"name": self._table.names[role], "pin": self._table.pins[role]}
        answer = context.request.post(f"{self._table.url}/api/v1/session", data=form)
        assert answer.ok, answer.text()

    def allow(self, words: str) -> None:
        """An error that this test provokes: `page.allow("status of 409")`."""
        self._allowed.append(re.compile(words))

    def close(self) -> None:
        """Fails where a page said an error, or asked a stranger."""
        for context in self._contexts:
            context.close()
        errors = [each for each in self._errors if not any(words.search(each) for words in self._allowed)]
        assert not errors, "\n".join(errors)
        assert not self._strangers, "asked of another machine: " + ", ".join(self._strangers)

    def _said(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning") and not (self._table.was_down and _LINE_LOST.search(message.text)):
            self._errors.append(f"{message.text} ({message.location.get('url', '')})")

    def _asked(self, request: Request) -> None:
        self._check(request.url)

    def _opened(self, line: WebSocket) -> None:
        self._check(line.url)

    def _check(self, url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("data", "blob", "about") and parts.netloc != urlsplit(self._table.url).netloc:
            self._strangers.append(url)
