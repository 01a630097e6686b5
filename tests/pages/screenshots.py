"""Pictures of every page at two sizes: `python -m tests.pages.screenshots FOLDER`. A real daemon, a simulated shoe."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.pages.browsing import ARGUMENTS, CHROMIUM, Pages
from tests.pages.served import Table

SIZES = ((1280, 800), (1920, 1080))
PAGES = {
    "start": ("/", ""),
    "sign": ("/sign", ""),
    "board": ("/board", ""),
    "overlay": ("/overlay", ""),
    "sign-in": ("/sign-in", ""),
    "dealer": ("/dealer", "dealer"),
    "pit": ("/pit", "supervisor"),
    "docs": ("/docs", ""),
}
SETTLED_MS = 1500  # for the stream and the fonts


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="croupier-shots-") as data, sync_playwright() as playwright:
        table = Table(Path(data))
        table.begin()
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(ARGUMENTS))
        pages = Pages(browser, table)
        try:
            _play(table)
            for width, height in SIZES:
                for name, (path, role) in PAGES.items():
                    page = pages(path, role=role, width=width, height=height)
                    page.wait_for_timeout(SETTLED_MS)
                    made = folder / f"{name}-{width}x{height}.png"
                    page.screenshot(path=str(made))
                    page.close()
                    print(made)
            pages.close()
        finally:
            browser.close()
            table.close()


def _play(table: Table) -> None:
    """A round that is over, and one in the middle of which somebody must decide."""
    table.open(1, 3, 5)
    table.enter_all("open_round")
    table.deal("TS", "AS", "9H", "7D", "9C", "KH", "8S", "TH")
    for seat in (1, 5):
        table.enter({"input": "decision", "seat": seat, "hand": 1, "action": "stand"})
    table.enter_all("next_round", "next_round", "next_round")
    table.deal("6S", "TD", "5H", "6C", "TC", "9D", "5S", "3D")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
