"""Every page as axe-core judges it: no serious barrier for anybody. Skipped, with its reason, where there is none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.pages.browsing import Pages
from tests.pages.served import Table

AXE = Path(__file__).parents[2] / ".axe" / "node_modules" / "axe-core" / "axe.min.js"
PAGES = {
    "/": "",
    "/sign": "",
    "/board": "",
    "/overlay": "",
    "/sign-in": "",
    "/docs": "",
    "/docs/dealer": "",
    "/docs/technician": "",
    "/docs/sheet": "",
    "/dealer": "dealer",
    "/pit": "supervisor",
}
SERIOUS = ("serious", "critical")


@pytest.mark.parametrize("path", PAGES)
def test_no_serious_barrier(path: str, table: Table, page: Pages) -> None:
    if not AXE.exists():
        pytest.skip("axe-core is not installed; `make browser` does it where there is npm")
    table.open(1, 3)
    table.enter_all("open_round")
    table.deal("TS", "8H", "7D", "5C", "9C", "6H")
    opened = page(path, role=PAGES[path])
    opened.wait_for_timeout(1500)  # until the stream has filled it; there is no one element that all pages have
    opened.evaluate(AXE.read_text(encoding="utf-8"))  # past the page's policy, which lets no foreign script in
    found: list[dict[str, Any]] = opened.evaluate("async () => (await axe.run(document)).violations")
    told = [
        f"{each['id']} ({each['impact']}): {each['help']}: {[node['html'][:160] for node in each['nodes'][:3]]}"
        for each in found
        if each["impact"] in SERIOUS
    ]
    assert not told, "\n".join(told)
