"""The dealer's sheet, printed: of every game and of tables with much to say it is one A4 page."""

from __future__ import annotations

import os
import re
from itertools import product

import pytest

from controller.cli.games_card import pdf
from controller.library import game_names, load_game
from controller.surfaces.rules_sheet import rules_sheet
from controller.table.limits import BetLimits
from controller.table.state import Setup
from tests.pages.browsing import CHROMIUM

PAIRS = {"pays": {"perfect_pair": "30:1", "coloured_pair": "10:1", "mixed_pair": "5:1"}}
THREE = {
    "pays": {
        "suited_trips": "100:1",
        "straight_flush": "40:1",
        "three_of_a_kind": "30:1",
        "straight": "10:1",
        "flush": "5:1",
    }
}


@pytest.mark.parametrize(("game", "full"), list(product(game_names(), (False, True))))
def test_it_is_one_page(game: str, full: bool) -> None:
    if not os.access(CHROMIUM, os.X_OK):
        pytest.skip(f"there is no browser: {CHROMIUM} is missing; `make browser` installs it on Debian, as root")
    rules, setup = load_game(game), None
    if full:  # two side bets more, limits that need chips of many kinds, everything that a table can add
        rules = load_game(game, {"side_bets": {"perfect_pairs": PAIRS, "twenty_one_plus_three": THREE}})
        limits = {bet: BetLimits(15, 515, 5) for bet in ("main", *rules.side_bets)}
        name = "The large table beside the bar, behind the curtain"
        setup = Setup(name, rules, currency="CHF ", chips=(1, 5, 10, 25, 100, 500), limits=limits, burns=True)
    made = pdf(rules_sheet(rules, setup, simulated=full), CHROMIUM)
    assert len(re.findall(rb"/Type /Page\b", made)) == 1
    assert re.search(rb"/MediaBox \[0 0 59[45]\.?\d* 84[12]\.?\d*\]", made), "A4"
