"""The demo as a newcomer sees it: one command, four panes, a shoe to draw from, faults, and a plug to pull."""

from __future__ import annotations

import contextlib
import json
import signal
import socket
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.controller.cli.conftest import CROUPIER
from tests.pages.served import free_port

WAIT_MS = 30_000


def two_free_ports() -> int:
    """The first of two that follow each other."""
    while True:
        first = free_port()
        with contextlib.suppress(OSError), socket.create_server(("127.0.0.1", first + 1)):
            return first


class DemoRun:
    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}"
        self.process = subprocess.Popen(
            [CROUPIER, "demo", "--no-open", "--port", str(port)], stdout=subprocess.PIPE, text=True
        )
        assert self.process.stdout is not None
        self.said = [self.process.stdout.readline() for _ in range(5)]

    def state(self) -> dict[str, Any]:
        with urllib.request.urlopen(f"{self.url}/demo/state", timeout=30) as answer:
            read: dict[str, Any] = json.load(answer)
            return read


@pytest.fixture
def demo(chromium: Browser) -> Iterator[DemoRun]:
    run = DemoRun(two_free_ports())
    yield run
    run.process.send_signal(signal.SIGINT)
    run.process.communicate(timeout=60)
    assert run.process.returncode == 0, "it ends in order"


@pytest.fixture
def page(chromium: Browser, demo: DemoRun) -> Iterator[Page]:
    context = chromium.new_context(viewport={"width": 1600, "height": 1000}, locale="en-GB")
    opened = context.new_page()
    opened.set_default_timeout(WAIT_MS)
    opened.goto(f"{demo.url}/demo")
    yield opened
    context.close()


def test_the_bot_deals_the_worked_example_to_the_push_on_22(demo: DemoRun, page: Page) -> None:
    assert "SIMULATED" in demo.said[0]
    expect(page.locator("#band")).to_have_text("DEMO: every device is SIMULATED")
    expect(page.locator("#example")).to_contain_text("table push on 22")
    expect(page.locator("#games button")).to_have_count(5)
    page.click("#bot")
    board = page.frame_locator("#board")
    expect(board.locator("body")).to_contain_text("22", timeout=120_000)
    expect(board.locator("body")).to_contain_text("PUSH", timeout=120_000)
    page.click("#bot")
    expect(page.locator("#bot")).to_have_attribute("aria-pressed", "false")


def test_a_card_is_drawn_by_hand_and_the_console_asks_what_it_is_for(demo: DemoRun, page: Page) -> None:
    console = page.frame_locator("#dealer")
    expect(console.locator("body")).to_contain_text("Demo table")
    page.click("#deal")
    expect(console.locator("body")).to_contain_text("betting is not closed")
    expect(page.locator("#shoe-count")).to_contain_text("311 cards in it, 1 left it")


def test_pulled_power_loses_nothing_and_every_pane_comes_back(demo: DemoRun, page: Page) -> None:
    console = page.frame_locator("#dealer")
    page.click("#deal")
    expect(console.locator("body")).to_contain_text("betting is not closed")
    page.click("#power")
    expect(page.locator("#power")).to_be_enabled(timeout=WAIT_MS)
    assert demo.state()["running"]
    expect(console.locator("body")).to_contain_text("betting is not closed", timeout=WAIT_MS)
    expect(console.locator("body")).to_contain_text("1 of 312 cards out", timeout=WAIT_MS)


def test_an_unplugged_shoe_is_said_and_another_game_is_a_tab_away(demo: DemoRun, page: Page) -> None:
    page.click('button[data-fault="unplug"]')
    console = page.frame_locator("#dealer")
    expect(console.locator("body")).to_contain_text("Plug the device in", timeout=WAIT_MS)
    page.click('button[data-fault="unplug"]')
    page.click("#games button:has-text('Monte Carlo')")
    expect(page.frame_locator("#sign").locator("body")).to_contain_text("Monte Carlo", timeout=60_000)
    assert demo.state()["game"] == "monte_carlo"


def test_what_another_page_sends_or_nobody_understands_is_refused(demo: DemoRun) -> None:
    def post(body: bytes, origin: str) -> int:
        request = urllib.request.Request(f"{demo.url}/demo/do", body, {"Origin": origin})
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return int(answer.status)
        except urllib.error.HTTPError as error:
            error.close()
            return error.code

    assert post(b'{"do": "power"}', "http://elsewhere.example") == 403
    for wrong in (b"{", b'"deal"', b'{"do": "fly"}', b'{"do": "fault", "name": "nothing", "on": true}'):
        assert post(wrong, demo.url) == 400
    assert post(b'{"do": "game", "game": "bridge"}', demo.url) == 400
    assert demo.state()["game"] == "power_blackjack"
