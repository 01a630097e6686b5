"""Rounds of a real journal step by step, whatever happened to the table since; and who saw to its alerts."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from random import Random

from msgspec import structs

from controller.daemon.past import PastRounds
from controller.library import load_game
from controller.surfaces.texts import limits_content, results_content
from controller.table import inputs as i
from controller.table.limits import BetLimits
from controller.table.views import public_view
from tests.controller.daemon.test_past import Playing, playing
from tests.controller.table.playing import setup_for

SETUP = setup_for(currency="$")


async def limits(table: Playing, low: str, high: str) -> None:
    await table.tell(i.Limits("main", low, high, "10", "next_round", "busy"))


async def signs(past: PastRounds, number: int) -> list[str]:
    told = await past.playback(number, simulated=False)
    assert told is not None
    return [frame.sign["limits"].line for frame in told.frames]


async def test_a_round_is_played_back_as_the_displays_showed_it(tmp_path: Path) -> None:
    shown = []
    async with playing(tmp_path / "table.db", SETUP) as table:
        await table.open()
        await table.tell(i.OpenRound())
        for what in (*(i.CardLeftShoe(code) for code in ("TS", "8H", "7D", "9C", "9S", "TH")),):
            await table.tell(what)
            view = public_view(table.runner.table)
            shown.append((limits_content(view, SETUP.rules, "$"), results_content(view, "$")))
        await table.tell(i.Void("enough"))
        view = public_view(table.runner.table)
        shown.append((limits_content(view, SETUP.rules, "$"), results_content(view, "$")))
        told = await table.past.playback(1, simulated=True)
        assert told is not None
        assert told.simulated
        assert [(frame.sign, frame.board) for frame in told.frames[1:]] == shown
        assert await table.past.playback(2, simulated=True) is None


async def test_a_void_round_sends_the_board_back_to_the_last_that_ended(tmp_path: Path) -> None:
    async with playing(tmp_path / "table.db", SETUP) as table:
        await table.open()
        await table.play(Random(4))
        for reason in ("one", "two"):
            await table.tell(i.OpenRound())
            await table.tell(i.Void(reason))
        told = await table.past.playback(3, simulated=False)
        assert told is not None
        assert told.frames[-1].board == results_content(public_view(table.runner.table), "$")
        assert "round 1:" in told.frames[-1].board["result"].page


async def test_limits_are_those_of_then_through_restarts_with_others(tmp_path: Path) -> None:
    path = tmp_path / "table.db"
    async with playing(path, SETUP) as table:
        await table.open()
        await table.play(Random(1))
        await limits(table, "20", "200")
        await table.tell(i.Wager(1, "20"))
        await table.play(Random(2))
    h17 = structs.replace(SETUP, rules=load_game("blackjack", {"dealer_hits_soft_17": True}))
    async with playing(path, h17) as table:  # the limits that were changed at the table stay
        await table.play(Random(3))
    dear = structs.replace(h17, limits={"main": BetLimits(50, 1000, 50)})
    async with playing(path, dear) as table:
        await table.tell(i.Wager(1, "50"))
        await table.tell(i.Wager(3, "50"))
        await table.play(Random(4))
        lines = [set(await signs(table.past, number)) for number in (1, 2, 3, 4)]
    assert lines == [{"MIN $10 MAX $500"}, {"MIN $20 MAX $200"}, {"MIN $20 MAX $200"}, {"MIN $50 MAX $1000"}]


async def test_a_journal_without_the_index_is_read_too(tmp_path: Path) -> None:
    path = tmp_path / "table.db"
    async with playing(path, SETUP) as table:
        await table.open()
        await table.play(Random(1))
        before = await table.past.playback(1, simulated=False)
    with sqlite3.connect(path) as connection:
        connection.execute("DROP INDEX seldom")
    connection.close()
    assert await PastRounds(path, SETUP).playback(1, simulated=False) == before


async def test_alerts_come_newest_first_with_who_acknowledged_them(tmp_path: Path) -> None:
    async with playing(tmp_path / "table.db", SETUP) as table:
        assert await table.past.alerts(10) == []
        await table.tell(i.OpenTable())
        for _ in range(2):
            for action in ("load", "verify", "verified"):
                await table.tell(i.Shoe(action))  # type: ignore[arg-type]
        await table.tell(i.Alert(1))
        told = await table.past.alerts(10)
        assert [(alert.number, alert.by, bool(alert.seen)) for alert in told] == [
            (2, "", False),
            (1, "supervisor Sam", True),
        ]
        assert [alert.number for alert in await table.past.alerts(1)] == [2]
