"""Whoever runs a supervisor hears what ended it, and can begin it again."""

from __future__ import annotations

import asyncio
import logging

import pytest

from drivers.supervisor import Supervisor
from tests.drivers.scripted import READY, ScriptedDevice, Table, Try, until


class Unaddressed(ScriptedDevice):
    """While it is `broken` it can't say where it is, and takes its supervision along."""

    broken = True

    @property
    def address(self) -> str:  # type: ignore[override]
        if self.broken and self.opens:
            raise RuntimeError("no address")
        return "/dev/scripted"


async def test_what_broke_the_supervision_down_is_heard_and_it_can_begin_again(
    caplog: pytest.LogCaptureFixture,
) -> None:
    device, table = Unaddressed(Try(open=OSError("gone")), Try(says=(READY,))), Table()
    supervisor = Supervisor("shoe", device, on_event=table.on_event, on_change=table.on_change)
    with caplog.at_level(logging.CRITICAL):
        supervisor.start()
        with pytest.raises(RuntimeError, match="no address"):
            await supervisor.ended()
    assert caplog.text == "", "who hears it tells it"
    await supervisor.stop()
    device.broken = False
    supervisor.start()
    await until(lambda: supervisor.state == "ready")
    await supervisor.stop()


async def test_a_supervision_that_is_stopped_ends_without_an_error() -> None:
    device, table = ScriptedDevice(Try(says=(READY,))), Table()
    supervisor = Supervisor("shoe", device, on_event=table.on_event, on_change=table.on_change)
    await supervisor.ended()
    supervisor.start()
    waiting = asyncio.create_task(supervisor.ended())
    await until(lambda: supervisor.state == "ready")
    assert not waiting.done()
    await supervisor.stop()
    await waiting
