"""The daemon's parts together: what starts before what, what ends before what, and what breaks without the rest."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from controller.daemon import daemon as daemon_module
from controller.daemon import keeping
from controller.daemon.daemon import Daemon
from controller.daemon.keeping import Started
from controller.daemon.runner import Runner
from controller.store.journal import Journal
from controller.store.record import Entry
from controller.store.writer import JournalWriter
from controller.table import events as e
from controller.table import inputs as i
from drivers.base import CardRead, Mark
from drivers.errors import PortLost
from tests.controller.daemon.crews import ScriptedShoe, ScriptedSign, begin, daemon_on, running
from tests.controller.daemon.served import Systemd
from tests.controller.table.playing import DEALER
from tests.drivers.scripted import READY, Try, until


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeping, "AGAIN_S", 0.005)


@pytest.fixture
def systemd(tmp_path: Path) -> Iterator[Systemd]:
    listening = Systemd(tmp_path)
    yield listening
    listening.close()


# Order


async def test_surfaces_start_behind_the_devices_and_end_before_them(tmp_path: Path, systemd: Systemd) -> None:
    log: list[str] = []

    class Logged(ScriptedShoe):
        async def open(self) -> None:
            log.append("the shoe is opened")
            await super().open()

        async def close(self) -> None:
            log.append("the shoe is closed")
            await super().close()

    async def web(daemon: Daemon, started: Started) -> None:
        await until(lambda: daemon.devices.status()[0].state == "ready")
        assert not daemon.ready.is_set()
        assert "READY=1" not in systemd.hear()
        log.append("the web starts")
        started()
        try:
            await asyncio.Event().wait()
        finally:
            await daemon.runner.enter(i.OpenTable(), DEALER)
            log.append("the web has ended")

    async with running(daemon_on(tmp_path, Logged(), surfaces=[("the web", web)], systemd=systemd)):
        assert "READY=1" in systemd.hear()
        log.append("ready")
    assert log == [
        "the shoe is opened",
        "the web starts",
        "ready",
        "the web has ended",
        "the shoe is closed",
    ]
    with Journal.open(tmp_path / "table.db") as journal:
        snapshot = journal.snapshot()
        assert snapshot is not None
        assert snapshot[0] == journal.head[0]
        assert b'"open":true' in snapshot[1], "what was entered last is in it"


async def test_what_a_shoe_said_before_the_end_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A shoe that keeps nothing would not say it again."""
    shoe = ScriptedShoe()
    taking = asyncio.Event()
    commit = JournalWriter.commit

    async def slow(self: JournalWriter, entries: Any, snapshot: bytes | None = None) -> Any:
        if any(entry.kind == "CardDrawn" for entry in entries):
            taking.set()
            await asyncio.sleep(0.05)
        return await commit(self, entries, snapshot)

    monkeypatch.setattr(JournalWriter, "commit", slow)
    async with running(daemon_on(tmp_path, shoe)) as daemon:
        await begin(daemon)
        for code in ("TS", "7D", "9C"):
            shoe.say(CardRead(card=code))
        await taking.wait()
    with Journal.open(tmp_path / "table.db") as journal:
        kinds = [record.kind for record in journal.after(0)]
    assert kinds.count("CardDrawn") == 3
    assert len(shoe.forgotten) == 3


async def test_everything_is_closed_at_the_end(tmp_path: Path) -> None:
    before = set(os.listdir("/proc/self/fd"))
    async with running(daemon_on(tmp_path, ScriptedShoe())) as daemon:
        await begin(daemon)
    left = asyncio.all_tasks() - {asyncio.current_task()}
    assert not left
    assert set(os.listdir("/proc/self/fd")) <= before
    assert daemon.left == []


async def test_a_disk_that_hangs_at_the_end_keeps_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(daemon_module, "JOURNAL_S", 0.05)
    let_go = asyncio.Event()
    close = JournalWriter.close

    async def hangs(self: JournalWriter) -> None:
        await let_go.wait()
        await close(self)

    monkeypatch.setattr(JournalWriter, "close", hangs)
    async with running(daemon_on(tmp_path, ScriptedShoe())) as daemon:
        pass
    assert daemon.left == ["the journal"]
    let_go.set()
    await until(lambda: len(asyncio.all_tasks()) == 1)


# What breaks


class Unaddressed(ScriptedShoe):
    """While it is `broken` even its supervisor fails over it: it can't say where it is."""

    broken = False

    async def open(self) -> None:
        if self.broken:
            raise OSError("gone")
        await super().open()

    @property
    def address(self) -> str:  # type: ignore[override]
        if self.broken:
            raise RuntimeError("8S is no address")
        return "/dev/scripted"


async def test_a_device_whose_supervision_dies_is_told_as_a_fault_and_comes_back(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    shoe = Unaddressed()
    async with running(daemon_on(tmp_path, shoe)) as daemon:
        await until(lambda: daemon.devices.status()[0].state == "ready")
        await begin(daemon)
        shoe.broken = True
        shoe.lose(PortLost("its cable is out"))
        await until(lambda: "supervision broke down" in daemon.runner.table.state.faults.get("shoe", ""))
        assert daemon.runner.table.state.holding == ("shoe",), "no card can come: the round waits"
        await daemon.runner.enter(i.Seat(2), DEALER)
        shoe.broken = False
        await until(lambda: not daemon.runner.table.state.faults)
        shoe.say(CardRead(card="TS"))
        await until(lambda: daemon.runner.table.state.shoe.count == 1)
    assert caplog.text.count("shoe broke down and is begun again") >= 1
    assert "is not supervised any more" not in caplog.text, "told by who begins it again"


async def test_a_driver_that_breaks_down_is_told_as_a_fault_and_tried_again(tmp_path: Path) -> None:
    shoe = ScriptedShoe(Try(open=KeyError("baud")), Try(says=(READY,)))
    seen: list[str] = []
    daemon = daemon_on(tmp_path, shoe)
    task = asyncio.create_task(daemon.run())
    await until(daemon.ready.is_set)
    daemon.runner.listen(lambda change: seen.extend(daemon.runner.table.state.faults.values()))
    await until(lambda: daemon.devices.status()[0].state == "ready" and not daemon.runner.table.state.faults)
    daemon.stop()
    await task
    assert any("the driver scripted broke down at /dev/scripted: KeyError: 'baud'" in words for words in seen)


async def test_a_surface_that_breaks_down_stops_no_table(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    begun = 0
    again = asyncio.Event()

    async def web(daemon: Daemon, started: Started) -> None:
        nonlocal begun
        begun += 1
        started()
        if begun <= 3:
            raise KeyError(begun)
        again.set()
        await asyncio.Event().wait()

    async with running(daemon_on(tmp_path, ScriptedShoe(), surfaces=[("the web", web)])) as daemon:
        await begin(daemon)
        await again.wait()
        assert daemon.runner.table.state.round is not None
    assert caplog.text.count("the web broke down") == 1


async def test_a_surface_that_may_not_listen_ends_the_start_in_order(tmp_path: Path, systemd: Systemd) -> None:
    shoe = ScriptedShoe()

    async def web(daemon: Daemon, started: Started) -> None:
        raise PermissionError("port 80 is root's")

    daemon = daemon_on(tmp_path, shoe, surfaces=[("the web", web)], systemd=systemd)
    with pytest.raises(PermissionError, match="port 80 is root's"):
        await daemon.run()
    assert not daemon.ready.is_set()
    assert "READY=1" not in systemd.hear()
    assert shoe.opens == shoe.closes
    assert asyncio.all_tasks() == {asyncio.current_task()}
    Journal.open(tmp_path / "table.db").close()


async def test_a_surface_that_never_starts_keeps_the_table_waiting_for_so_long_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(daemon_module, "START_S", 0.05)

    async def web(daemon: Daemon, started: Started) -> None:
        await asyncio.Event().wait()

    async with running(daemon_on(tmp_path, ScriptedShoe(), surfaces=[("the web", web)])) as daemon:
        await begin(daemon)
    assert "the web did not start within 0.05 seconds; the table begins without" in caplog.text


async def test_a_table_that_is_told_to_end_while_it_starts_does_not_become_ready(tmp_path: Path) -> None:
    async def web(daemon: Daemon, started: Started) -> None:
        daemon.stop()
        await asyncio.Event().wait()

    daemon = daemon_on(tmp_path, ScriptedShoe(), surfaces=[("the web", web)])
    await daemon.run()
    assert not daemon.ready.is_set()


async def test_a_sign_that_fails_leaves_the_other_signs_what_to_show(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    good = ScriptedSign()
    signs = {"bad": ScriptedSign(fails=ValueError("no such slot")), "good": good}
    async with running(daemon_on(tmp_path, ScriptedShoe(), signs=signs)) as daemon:
        assert good.content["limits"].line == "MIN 10 MAX 500"
        await begin(daemon)
    assert caplog.text.count("bad failed to show what changed at the table") == 1


async def test_what_the_table_can_make_nothing_of_becomes_a_question_and_is_not_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shoe = ScriptedShoe()
    report = Runner.report

    async def fails(self: Runner, what: Any, *more: Any) -> None:
        if isinstance(what, i.CardLeftShoe):
            raise LookupError(f"nothing is known of {what.card}")
        await report(self, what, *more)

    async with running(daemon_on(tmp_path, shoe)) as daemon:
        await until(lambda: daemon.devices.status()[0].state == "ready")
        await begin(daemon)
        monkeypatch.setattr(Runner, "report", fails)
        event = CardRead(card="TS", mark=Mark(7, 1))
        shoe.say(event)
        await until(lambda: bool(shoe.forgotten))
        (held,) = daemon.runner.table.state.held
        assert held.situation == "missed"
        assert held.words == "the table failed on what the shoe said (LookupError, see the log)"
        assert daemon.runner.table.state.marks["shoe"].number == 1
        monkeypatch.undo()
        await daemon.runner.enter(i.Answer("name", ("TS",)), DEALER)
        assert daemon.runner.table.state.shoe.out == {"TS": 1}


async def test_an_input_whose_sender_is_gone_is_taken_over_all_the_same(tmp_path: Path) -> None:
    """Else the last snapshot would lack what the journal has."""
    daemon = daemon_on(tmp_path, ScriptedShoe())
    async with running(daemon):
        entering = asyncio.create_task(daemon.runner.enter(i.OpenTable(), DEALER))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        entering.cancel()
        await asyncio.wait((entering,))
    with Journal.open(tmp_path / "table.db") as journal:
        journal.append([Entry("dealer:Ann", "TableClosed", e.encode_event(e.TableClosed()))])
    async with running(daemon_on(tmp_path, ScriptedShoe())) as again:
        assert again.runner.table.state.sequence >= daemon.runner.table.state.sequence + 1
        assert not again.runner.table.state.open
