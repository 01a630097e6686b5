"""The day's end over the web: "safe to unplug" is true whenever it is said, and never said too early."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from controller.rules.errors import Refused
from controller.store.journal import Journal
from controller.table import inputs as i
from tests.controller.surfaces.web.rig import TOKEN, Rig, serving
from tests.controller.table.playing import DEALER, SUPERVISOR


async def told(rig: Rig, **who: str) -> Any:
    return (await rig.get("/api/v1/pack-down", **{"token": TOKEN, **who})).json


async def played(rig: Rig) -> None:
    await rig.ready(1)
    await rig.cards("TS 7D 9C TH")
    for what in (i.Decision(1, 1, "stand"), i.TurnHoleCard(), i.Settle()):
        await rig.runner.enter(what, DEALER)


async def test_a_closed_table_tells_its_day_and_may_be_unplugged(tmp_path: Path) -> None:
    async with serving(tmp_path) as rig:
        before = await told(rig)
        assert (before["day"], before["safe"]) == (None, True)
        await played(rig)
        open_ = await told(rig)
        assert (open_["closed"], open_["safe"], open_["day"]["rounds"]) == (False, False, 1)
        assert "close it first" in open_["waits"]
        await rig.runner.enter(i.CloseTable(), DEALER)
        day = await told(rig)
        assert (day["closed"], day["safe"], day["waits"]) == (True, True, "")
        assert day["day"]["cards"] == 4
        assert day["day"]["seats"] == [{"seat": 1, "rounds": 1, "won": 1, "lost": 0, "net": "10"}]
        sequence = rig.runner.table.state.sequence
    with Journal.read_only(tmp_path / "table.db") as journal:
        assert journal.head[0] == sequence


async def test_a_viewer_is_not_told(tmp_path: Path) -> None:
    async with serving(tmp_path) as rig:
        assert (await rig.get("/api/v1/pack-down")).status == 403
        for who in ("dealer:Ann", "technician:Tom", "supervisor:Sam"):
            assert (await told(rig, acting=who))["closed"]


async def test_while_something_is_being_written_it_is_not_safe(tmp_path: Path) -> None:
    async with serving(tmp_path) as rig:
        await played(rig)
        await rig.runner.enter(i.CloseTable(), DEALER)
        assert (await told(rig))["safe"]
        rig.journal.open.clear()
        entering = asyncio.create_task(rig.runner.enter(i.DealerIn("Ann"), DEALER))
        while not rig.journal.asked or rig.runner.settled:
            await asyncio.sleep(0)
        waiting = await told(rig)
        assert (waiting["closed"], waiting["safe"], waiting["waits"]) == (
            True,
            False,
            "Something is still being written.",
        )
        rig.journal.open.set()
        await entering
        assert (await told(rig))["safe"]


async def test_what_a_device_told_and_the_disk_does_not_take_is_waited_for(tmp_path: Path) -> None:
    async with serving(tmp_path) as rig:
        await played(rig)
        await rig.runner.enter(i.CloseTable(), DEALER)
        rig.journal.broken = "the disk is full"
        reporting = asyncio.create_task(rig.runner.report(i.CutCardCame(), "shoe"))
        while not rig.runner.trouble:
            await asyncio.sleep(0)
        waiting = await told(rig)
        assert (waiting["safe"], "the disk is full" in waiting["waits"]) == (False, True)
        with pytest.raises(Refused):
            await rig.runner.enter(i.OpenTable(), DEALER)
        rig.journal.broken = ""
        await reporting
        assert (await told(rig))["safe"]


async def test_alerts_that_nobody_acknowledged_are_in_it(tmp_path: Path) -> None:
    async with serving(tmp_path) as rig:
        await rig.runner.enter(i.OpenTable(), DEALER)
        for action in ("load", "verify", "verified"):
            await rig.runner.enter(i.Shoe(action), DEALER)
        assert list((await told(rig))["alerts"]) == ["1"]
        await rig.runner.enter(i.Alert(1), SUPERVISOR)
        assert (await told(rig))["alerts"] == {}
