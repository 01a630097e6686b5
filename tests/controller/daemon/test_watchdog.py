"""The watchdog is fed by a table that truly goes on, also while its disk takes nothing; and by no other."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from controller.daemon import runner as runner_module
from controller.daemon.crew import Devices
from controller.daemon.runner import Change
from controller.rules.errors import Refused
from controller.store.audit import verify
from controller.store.errors import JournalUnavailable
from controller.store.writer import JournalWriter
from controller.table import events as e
from controller.table import inputs as i
from controller.table.views import public_view
from drivers.base import CardRead, CutCardSeen, Mark
from tests.controller.daemon.crews import ScriptedKeys, ScriptedShoe, begin, daemon_on, running, until_heard
from tests.controller.daemon.served import Systemd
from tests.controller.table.playing import DEALER
from tests.drivers.scripted import until

WATCHDOG_S = 0.02
FEEDS = 20  # times that the watchdog would have been fed in what we wait


@pytest.fixture
def systemd(tmp_path: Path) -> Iterator[Systemd]:
    listening = Systemd(tmp_path)
    yield listening
    listening.close()


async def test_the_watchdog_is_fed_by_a_table_that_goes_on(tmp_path: Path, systemd: Systemd) -> None:
    async with running(daemon_on(tmp_path, ScriptedShoe(), systemd=systemd, watchdog_s=WATCHDOG_S)):
        await until_heard(systemd, lambda heard: heard.count("WATCHDOG=1") >= 5)


async def test_a_table_that_is_stuck_at_its_disk_feeds_no_watchdog(
    tmp_path: Path, systemd: Systemd, monkeypatch: pytest.MonkeyPatch
) -> None:
    hangs, let_go = asyncio.Event(), asyncio.Event()
    commit = JournalWriter.commit

    async def stuck(self: JournalWriter, entries: Any, snapshot: bytes | None = None) -> Any:
        hangs.set()
        await let_go.wait()
        return await commit(self, entries, snapshot)

    async with running(daemon_on(tmp_path, ScriptedShoe(), systemd=systemd, watchdog_s=WATCHDOG_S)) as daemon:
        monkeypatch.setattr(JournalWriter, "commit", stuck)
        entering = asyncio.create_task(daemon.runner.enter(i.OpenTable(), DEALER))
        await hangs.wait()
        await _not_fed(systemd)
        let_go.set()
        await until_heard(systemd, lambda heard: heard.count("WATCHDOG=1") >= 2)
        await entering


async def test_a_table_that_is_stuck_over_what_a_device_said_feeds_no_watchdog(
    tmp_path: Path, systemd: Systemd, monkeypatch: pytest.MonkeyPatch
) -> None:
    hangs, let_go = asyncio.Event(), asyncio.Event()
    take = Devices._take

    async def stuck(self: Devices, said: Any) -> None:
        hangs.set()
        await let_go.wait()
        await take(self, said)

    shoe = ScriptedShoe()
    async with running(daemon_on(tmp_path, shoe, systemd=systemd, watchdog_s=WATCHDOG_S)) as daemon:
        await until(lambda: daemon.devices.status()[0].state == "ready")
        await until(lambda: daemon.devices.goes_on())
        monkeypatch.setattr(Devices, "_take", stuck)
        shoe.say(CardRead(card="TS"))
        await hangs.wait()
        await _not_fed(systemd)
        let_go.set()
        await until_heard(systemd, lambda heard: heard.count("WATCHDOG=1") >= 2)


async def _not_fed(systemd: Systemd) -> None:
    """A look that went through just before may still be told; behind it there is none."""
    await asyncio.sleep(0.05)
    systemd.hear()
    await asyncio.sleep(FEEDS * WATCHDOG_S / 2)
    assert "WATCHDOG=1" not in systemd.hear()


async def test_a_disk_that_takes_nothing_feeds_the_watchdog_says_why_and_loses_no_card(
    tmp_path: Path, systemd: Systemd, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(runner_module, "RETRY_S", 0.01)
    shoe = ScriptedShoe()
    async with running(daemon_on(tmp_path, shoe, systemd=systemd, watchdog_s=WATCHDOG_S)) as daemon:
        await until(lambda: daemon.devices.status()[0].state == "ready")
        await begin(daemon)
        shown: list[Change] = []
        daemon.runner.listen(shown.append)

        async def full(self: JournalWriter, entries: Any, snapshot: bytes | None = None) -> Any:
            raise JournalUnavailable("the disk is full", advice="Make room")

        monkeypatch.setattr(JournalWriter, "commit", full)
        shoe.say(CardRead(card="TS", mark=Mark(7, 1)))
        await until(lambda: bool(daemon.runner.trouble))
        heard = await until_heard(systemd, lambda heard: heard.count("WATCHDOG=1") >= 5)
        heard += await until_heard(systemd, lambda new: heard.count("WATCHDOG=1") >= 5)
        assert any("waiting for a card for seat 1; the disk is full. Make room." in line for line in systemd.said)
        async with asyncio.timeout(20):  # at once, and not when there is room again
            with pytest.raises(Refused, match=r"takes no input now: the disk is full\. Make room\.$"):
                await daemon.runner.enter(i.Wager(2, "10"), DEALER)
        assert shoe.forgotten == []
        monkeypatch.undo()
        await until(lambda: bool(shoe.forgotten))
        assert daemon.runner.table.state.shoe.out == {"TS": 1}
        assert [type(event) for change in shown for event in change.events] == [e.CardDrawn, e.MarkReached]
    told = [record.getMessage() for record in caplog.records if "the disk is full" in record.getMessage()]
    assert len(told) == 1
    verify(tmp_path / "table.db")


async def test_keys_pressed_behind_a_card_that_the_disk_does_not_take_are_not_played_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner_module, "RETRY_S", 0.01)
    shoe, keys = ScriptedShoe(), ScriptedKeys()
    async with running(daemon_on(tmp_path, shoe, consoles={"keys": keys})) as daemon:
        await until(lambda: [each.state for each in daemon.devices.status()] == ["ready", "ready"])
        await daemon.runner.enter(i.Wager(2, "10"), DEALER)
        await begin(daemon)
        for number, card in enumerate(("TS", "9H", "7D", "5C", "2C"), 1):
            shoe.say(CardRead(card=card, mark=Mark(7, number)))
        await until(lambda: len(shoe.forgotten) == 5)

        async def full(self: JournalWriter, entries: Any, snapshot: bytes | None = None) -> Any:
            raise JournalUnavailable("the disk is full")

        monkeypatch.setattr(JournalWriter, "commit", full)
        shoe.say(CardRead(card="TH", mark=Mark(7, 6)))
        keys.press("stand")  # before anybody knows
        await until(lambda: bool(daemon.runner.trouble))
        keys.press("stand")
        monkeypatch.undo()
        await until(lambda: len(shoe.forgotten) == 6)
        shoe.say(CutCardSeen(mark=Mark(7, 7)))
        await until(lambda: len(shoe.forgotten) == 7)  # what was said before it has been taken
        assert public_view(daemon.runner.table).turn == (1, 1)
        keys.press("stand")
        await until(lambda: public_view(daemon.runner.table).turn == (2, 1))


async def test_trouble_that_nothing_waits_for_ends_by_itself(
    tmp_path: Path, systemd: Systemd, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(daemon_on(tmp_path, ScriptedShoe(), systemd=systemd, watchdog_s=WATCHDOG_S)) as daemon:

        async def full(self: JournalWriter, entries: Any, snapshot: bytes | None = None) -> Any:
            raise JournalUnavailable("the disk is full")

        monkeypatch.setattr(JournalWriter, "commit", full)
        with pytest.raises(Refused, match="the disk is full"):
            await daemon.runner.enter(i.OpenTable(), DEALER)
        assert daemon.runner.trouble
        monkeypatch.undo()
        await until(lambda: not daemon.runner.trouble)
        await daemon.runner.enter(i.OpenTable(), DEALER)
