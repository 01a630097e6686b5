"""What a supervisor does not let pass: simulated devices at a real table, and callbacks and drivers that break down."""

from __future__ import annotations

import asyncio
import logging

import pytest

from drivers import errors
from drivers.base import CardRead, Ready, Said
from drivers.supervisor import REFUSED_S, Heard, StateChanged, Supervisor
from tests.drivers.scripted import READY, FakeTime, ScriptedDevice, Table, Try, supervise, until

GONE = errors.PortNotFound("/dev/scripted is not there", advice="Plug it in")
WORKS = Try(says=(READY,))


async def test_a_simulated_device_is_refused_where_the_table_does_not_say_so() -> None:
    device, table, time = ScriptedDevice(WORKS, simulated=True), Table(), FakeTime(pauses=3)
    supervisor = supervise(device, time, table)
    supervisor.start()
    await until(lambda: len(time.delays) == 4)
    assert device.opens == 0
    assert table.states == ["searching", "searching"]
    assert table.words[-1] == (
        "the shoe at /dev/scripted is a simulated device, and this table does not say simulated = true"
    )
    assert table.changes[-1].advice
    assert table.changes[-1].simulated
    assert time.delays == [REFUSED_S] * 4
    await supervisor.stop()


async def test_a_device_that_answers_as_a_simulated_one_is_refused_and_closed() -> None:
    simulated = Ready(identity="shoe SIM1", proven=True, words="nothing was missed", simulated=True)
    device = ScriptedDevice(Try(says=(simulated, CardRead(card="8S"))))
    table, time = Table(), FakeTime(pauses=3)
    supervisor = supervise(device, time, table)
    supervisor.start()
    await until(lambda: len(time.delays) == 4)
    assert table.states == ["searching", "connecting", "searching"]
    assert "is a simulated device" in table.words[-1]
    assert table.heard == []
    assert not device.is_open
    assert (device.opens, device.closes) == (4, 4)
    assert set(time.delays) == {REFUSED_S}
    await supervisor.stop()


async def test_a_simulated_device_that_is_allowed_marks_everything() -> None:
    simulated = Ready(identity="shoe SIM1", proven=True, words="nothing was missed", simulated=True)
    device = ScriptedDevice(Try(says=(simulated, CardRead(card="8S"))))
    table, time = Table(), FakeTime()
    supervisor = supervise(device, time, table, allow_simulated=True)
    supervisor.start()
    await until(lambda: bool(table.heard))
    assert table.heard[0].simulated
    assert table.changes[-1].simulated
    assert supervisor.status().simulated
    await supervisor.stop()


async def test_a_table_that_fails_on_an_event_ends_the_connection_and_says_so(caplog: pytest.LogCaptureFixture) -> None:
    says: tuple[Said, ...] = (READY, CardRead(card="8S"), CardRead(card="9S"))
    device, table, time = ScriptedDevice(Try(says=says)), Table(), FakeTime()

    def on_event(heard: Heard) -> None:
        table.on_event(heard)
        raise RuntimeError("no round is open")

    supervisor = Supervisor(
        "shoe", device, on_event=on_event, on_change=table.on_change, clock=time.clock, pause=time.pause
    )
    with caplog.at_level(logging.ERROR):
        supervisor.start()
        await until(lambda: bool(time.delays))
    assert [heard.event for heard in table.heard] == [CardRead(card="8S")]
    assert table.states == ["searching", "connecting", "ready", "lost"]
    assert table.words[-1] == (
        "the table failed on CardRead from the shoe: RuntimeError: no round is open; ready for 0 s until then"
    )
    assert "cards on the felt" in table.changes[-1].advice
    assert "no round is open" in caplog.text
    time.more()
    await until(lambda: device.opens == 2)
    await supervisor.stop()


async def test_a_callback_for_changes_that_raises_is_logged_and_supervision_goes_on(
    caplog: pytest.LogCaptureFixture,
) -> None:
    device, time = ScriptedDevice(WORKS), FakeTime()

    def on_change(change: StateChanged) -> None:
        raise RuntimeError("the page is gone")

    supervisor = Supervisor(
        "shoe", device, on_event=lambda heard: None, on_change=on_change, clock=time.clock, pause=time.pause
    )
    with caplog.at_level(logging.ERROR):
        supervisor.start()
        await until(lambda: supervisor.state == "ready")
        await supervisor.stop()
    assert caplog.text.count("Traceback") == 4
    assert "nobody was told that shoe: ready: shoe A1 is ready" in caplog.text


async def test_a_driver_that_breaks_down_is_logged_with_its_traceback_once(caplog: pytest.LogCaptureFixture) -> None:
    device, table, time = ScriptedDevice(Try(open=KeyError("card"))), Table(), FakeTime(pauses=20)
    supervisor = supervise(device, time, table)
    with caplog.at_level(logging.ERROR):
        supervisor.start()
        await until(lambda: len(time.delays) == 21)
        await supervisor.stop()
    assert caplog.text.count("Traceback") == 1
    assert table.words[1] == "the driver scripted broke down at /dev/scripted: KeyError: 'card'"


async def test_supervision_that_ends_by_a_mistake_of_its_own_is_never_silent(caplog: pytest.LogCaptureFixture) -> None:
    device, table = ScriptedDevice(Try(open=GONE)), Table()

    async def pause(wake: asyncio.Event, seconds: float) -> None:
        raise RuntimeError("no clock")

    supervisor = Supervisor("shoe", device, on_event=table.on_event, on_change=table.on_change, pause=pause)
    with caplog.at_level(logging.CRITICAL):
        supervisor.start()
        await until(lambda: bool(caplog.records))
    assert "shoe is not supervised any more" in caplog.text
    await supervisor.stop()
