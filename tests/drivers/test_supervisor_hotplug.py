"""The watcher for hot-plug, on a listing a test changes and on real folders; and the delays between tries."""

from __future__ import annotations

import asyncio
from pathlib import Path

from drivers.backoff import LONGEST_S, STEADY_S, BackOff
from drivers.hotplug import HotPlug, listing
from drivers.supervisor import Supervisor
from tests.drivers.scripted import READY, ScriptedDevice, Table, Try, others, until


def test_something_that_comes_goes_or_changes_its_place_is_noticed_once() -> None:
    there = {"ttyUSB0"}
    calls: list[int] = []
    hotplug = HotPlug(lambda: calls.append(1), look=lambda: frozenset(there))
    assert not hotplug.check()
    there.add("ttyACM0")
    assert hotplug.check()
    assert not hotplug.check()
    there.discard("ttyUSB0")
    assert hotplug.check()
    assert not hotplug.check()
    assert len(calls) == 2


def test_a_device_unplugged_and_plugged_in_between_two_looks_is_noticed(tmp_path: Path) -> None:
    node, other = tmp_path / "ttyUSB0", tmp_path / "keeps_the_inode"
    node.touch()
    before = listing((str(tmp_path),))
    node.rename(other)
    node.touch()
    other.unlink()
    after = listing((str(tmp_path),))
    assert [name for _, name, _ in before] == [name for _, name, _ in after]
    assert before != after


def test_a_folder_that_is_not_there_holds_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "by-id"
    assert listing((str(folder),)) == frozenset()
    folder.mkdir()
    (folder / "usb-shoe").touch()
    assert [name for _, name, _ in listing((str(folder),))] == ["usb-shoe"]


def test_a_look_at_this_machine_finds_its_devices() -> None:
    assert ("/dev", "null") in {(folder, name) for folder, name, _ in listing()}


async def test_the_watcher_wakes_a_supervisor_that_would_wait_for_long(tmp_path: Path) -> None:
    device, table = ScriptedDevice(Try(open=OSError("not there")), Try(says=(READY,))), Table()
    waiting = asyncio.Event()

    async def until_woken(wake: asyncio.Event, seconds: float) -> None:
        waiting.set()
        await wake.wait()

    supervisor = Supervisor("shoe", device, on_event=table.on_event, on_change=table.on_change, pause=until_woken)
    hotplug = HotPlug(supervisor.plugged, look=lambda: listing((str(tmp_path),)), every_s=0.005)
    supervisor.start()
    hotplug.start()
    hotplug.start()
    await waiting.wait()
    (tmp_path / "ttyUSB0").touch()
    await until(lambda: supervisor.state == "ready")
    await hotplug.stop()
    await hotplug.stop()
    await supervisor.stop()
    assert others() == set()


def test_delays_double_to_the_longest_and_stay_there() -> None:
    backoff = BackOff()
    delays = [backoff.delay() for _ in range(1000)]
    assert delays[:6] == [0.5, 1, 2, 4, 8, LONGEST_S]
    assert set(delays[5:]) == {LONGEST_S}


def test_delays_start_anew_after_a_steady_time_and_after_hot_plug_only() -> None:
    backoff = BackOff()
    backoff.delay()
    backoff.delay()
    backoff.was_ready(STEADY_S - 0.1)
    assert backoff.delay() == 2
    backoff.was_ready(STEADY_S)
    assert backoff.delay() == 0.5
    assert backoff.delay() == 1
    backoff.plugged()
    assert backoff.delay() == 0.5
