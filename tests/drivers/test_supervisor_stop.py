"""Stopping a supervisor at every moment of its life: the port is closed, no task is left, nothing more is told."""

from __future__ import annotations

import asyncio

import pytest

from drivers import errors
from drivers.base import CardRead, Lost
from tests.drivers.scripted import READY, FakeTime, ScriptedDevice, Table, Try, others, supervise, until

GONE = errors.PortNotFound("/dev/scripted is not there")
HUNG_UP = errors.PortLost("/dev/scripted hung up")
LIFE = (
    Try(open=GONE),
    Try(then=HUNG_UP),
    Try(says=(READY, CardRead(card="8S"), Lost(words="it restarted"), READY), then=HUNG_UP),
    Try(open=GONE),
    Try(says=(READY,)),
)
LONG_ENOUGH = 130  # turns of the event loop; LIFE is over before, which the last test below checks


@pytest.mark.parametrize("turns", range(LONG_ENOUGH))
async def test_stopped_after_any_number_of_turns_it_leaves_nothing(turns: int) -> None:
    device, table, time = ScriptedDevice(*LIFE), Table(), FakeTime(pauses=4)
    supervisor = supervise(device, time, table)
    supervisor.start()
    for _ in range(turns):
        await asyncio.sleep(0)
    await supervisor.stop()
    assert supervisor.state == "stopped"
    assert table.states[-1] == "stopped"
    assert table.states.count("stopped") == 1
    assert not device.is_open
    assert others() == set()
    told = list(table.order)
    for _ in range(5):
        await asyncio.sleep(0)
    assert table.order == told


@pytest.mark.parametrize("turns", range(0, LONG_ENOUGH, 3))
async def test_cancelled_from_outside_at_any_moment_it_closes_the_port(turns: int) -> None:
    """As `asyncio.run` does when a program is interrupted."""
    device, table, time = ScriptedDevice(*LIFE), Table(), FakeTime(pauses=4)
    supervisor = supervise(device, time, table)
    supervisor.start()
    for _ in range(turns):
        await asyncio.sleep(0)
    (task,) = (task for task in asyncio.all_tasks() if task.get_name() == "supervising shoe")
    task.cancel()
    await asyncio.wait((task,))
    assert not device.is_open
    assert others() == set()
    await supervisor.stop()
    assert table.states[-1] == "stopped"


async def test_that_life_is_over_in_the_turns_tried_above() -> None:
    device, table, time = ScriptedDevice(*LIFE), Table(), FakeTime(pauses=4)
    supervisor = supervise(device, time, table)
    supervisor.start()
    for _ in range(LONG_ENOUGH):
        await asyncio.sleep(0)
    assert device.opens == len(LIFE)
    assert supervisor.state == "ready"
    await supervisor.stop()


async def test_stopping_twice_at_once_and_again_later_is_harmless() -> None:
    device, table, time = ScriptedDevice(Try(says=(READY,)), close="hangs"), Table(), FakeTime()
    supervisor = supervise(device, time, table)
    await supervisor.stop()
    supervisor.start()
    await until(lambda: supervisor.state == "ready")
    await asyncio.gather(supervisor.stop(), supervisor.stop())
    await supervisor.stop()
    assert table.states[3:] == ["stopped", "stopped"]  # and the second tells that closing hung
    assert device.closes == 1
    assert others() == set()


async def test_a_stop_that_is_given_up_can_be_asked_again() -> None:
    device, table, time = ScriptedDevice(Try(says=(READY,)), close="hangs"), Table(), FakeTime()
    supervisor = supervise(device, time, table)
    supervisor.start()
    await until(lambda: supervisor.state == "ready")
    stopping = asyncio.create_task(supervisor.stop())
    await until(lambda: device.closes == 1)
    stopping.cancel()
    await asyncio.wait((stopping,))
    await supervisor.stop()
    assert others() == set()


async def test_a_stop_while_the_port_is_being_closed_waits_for_that_close() -> None:
    device, table, time = ScriptedDevice(Try(open=GONE), close="hangs"), Table(), FakeTime()
    supervisor = supervise(device, time, table, close_s=20.0)
    supervisor.start()
    await until(lambda: device.closes == 1)
    stopping = asyncio.create_task(supervisor.stop())
    await asyncio.sleep(0.01)
    assert not stopping.done()
    device.end.set()
    await stopping
    assert device.closes == 1
    assert others() == set()


async def test_a_supervisor_can_be_started_again_but_not_twice() -> None:
    device, table, time = ScriptedDevice(Try(says=(READY,))), Table(), FakeTime()
    supervisor = supervise(device, time, table)
    for _ in range(2):
        supervisor.start()
        with pytest.raises(RuntimeError, match="shoe is supervised already"):
            supervisor.start()
        await until(lambda: supervisor.state == "ready")
        await supervisor.stop()
    assert table.states == ["searching", "connecting", "ready", "stopped"] * 2
