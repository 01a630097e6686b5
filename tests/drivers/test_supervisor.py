"""A supervisor and a scripted device: a failure at each step, each told once and in words, and it never gives up."""

from __future__ import annotations

import asyncio
import errno

import pytest

from drivers import errors
from drivers.base import CardRead, Lost, Refused
from drivers.supervisor import Heard
from tests.drivers.scripted import READY, FakeTime, ScriptedDevice, Step, Table, Try, others, supervise, until

GONE = errors.PortNotFound("/dev/scripted is not there", advice="Plug it in")
HUNG_UP = errors.PortLost("/dev/scripted hung up", advice="Plug it in again")
WORKS = Try(says=(READY,))


async def test_a_device_that_works_is_ready_and_heard() -> None:
    card = CardRead(card="8S")
    device, table, time = ScriptedDevice(Try(says=(READY, card))), Table(), FakeTime()
    supervisor = supervise(device, time, table)
    assert supervisor.state == "stopped"
    supervisor.start()
    await until(lambda: bool(table.heard))
    assert table.states == ["searching", "connecting", "ready"]
    assert table.heard == [Heard(device="shoe", at=1000.0, simulated=False, event=card)]
    assert table.order[-2:] == [table.changes[-1], table.heard[0]]
    assert supervisor.status().identity == "shoe A1"
    await supervisor.stop()


@pytest.mark.parametrize(
    "error",
    [
        kind("/dev/scripted does not work", advice="Do something")
        for kind in (
            errors.PortNotFound,
            errors.NotAPort,
            errors.PortBusy,
            errors.PortForbidden,
            errors.PortLost,
            errors.PortClosed,
            errors.TimedOut,
            errors.WrongDevice,
        )
    ]
    + [
        OSError(errno.EIO, "Input/output error"),
        TimeoutError(),
        errors.BadSetting("port = 'auto' is for devices with a handshake"),
        ValueError("a driver's mistake"),
        KeyError("card"),
    ],
    ids=lambda error: type(error).__name__,
)
@pytest.mark.parametrize("step", ["open", "serve", "ready"])
async def test_a_failure_at_each_step_is_told_once_in_words_and_tried_again(error: Exception, step: str) -> None:
    failing = {
        "open": Try(open=error),
        "serve": Try(then=error),
        "ready": Try(says=(READY,), then=error),
    }[step]
    device, table, time = ScriptedDevice(failing, failing, failing, WORKS), Table(), FakeTime(pauses=3)
    supervisor = supervise(device, time, table)
    supervisor.start()
    await until(lambda: device.opens == 4 and supervisor.state == "ready")
    states = {
        "open": ["searching", "searching", "connecting", "ready"],
        "serve": ["searching", "connecting", "searching", "ready"],
        "ready": ["searching", *(["connecting", "ready", "lost"] * 3), "connecting", "ready"],
    }[step]
    assert table.states == states
    told = table.changes[states.index("lost") if step == "ready" else 1 if step == "open" else 2]
    assert told.words
    assert told.advice
    assert "None" not in told.words
    assert device.closes == 3
    await supervisor.stop()
    assert table.states == [*states, "stopped"]
    assert device.closes == 4


async def test_back_off_doubles_to_ten_seconds_and_never_ends() -> None:
    device, table, time = ScriptedDevice(Try(open=GONE)), Table(), FakeTime(pauses=500)
    supervisor = supervise(device, time, table)
    supervisor.start()
    await until(lambda: len(time.delays) > 500)
    assert time.delays[:6] == [0.5, 1, 2, 4, 8, 10]
    assert set(time.delays[6:]) == {10}
    assert table.states == ["searching", "searching"]
    assert supervisor.status().tries == 501
    await supervisor.stop()


async def test_ready_again_tells_how_long_and_how_many_tries() -> None:
    gone = Try(open=GONE)
    device, table, time = ScriptedDevice(WORKS, gone, gone, gone, WORKS), Table(), FakeTime(pauses=4)
    supervisor = supervise(device, time, table)
    supervisor.start()
    await until(lambda: device.gone is not None)
    time.now += 4 * 3600 + 12 * 60
    device.lose(HUNG_UP)
    await until(lambda: table.states.count("ready") == 2)
    assert table.words[3:] == [
        "/dev/scripted hung up; ready for 4 h 12 min until then",
        "/dev/scripted is not there; it was ready until 0.5 s ago",
        "/dev/scripted is open; waiting for the shoe to answer",
        "shoe A1 is ready again after 4 tries, 7.5 s: nothing was missed",
    ]
    await supervisor.stop()


async def test_a_device_that_was_steady_is_tried_soon_and_one_that_comes_and_goes_ever_more_slowly() -> None:
    flapping = Try(says=(READY,), then=HUNG_UP)
    device, table, time = ScriptedDevice(*[flapping] * 6, WORKS, WORKS), Table(), FakeTime(pauses=6)
    supervisor = supervise(device, time, table)
    supervisor.start()
    await until(lambda: device.gone is not None)
    assert time.delays == [0.5, 1, 2, 4, 8, 10]
    time.now += 10
    device.lose(HUNG_UP)
    await until(lambda: len(time.delays) == 7)
    assert time.delays[-1] == 0.5
    await supervisor.stop()


async def test_a_steady_device_that_fell_silent_first_is_tried_soon_too() -> None:
    silent = errors.WrongDevice("/dev/scripted did not answer")
    device, table, time = ScriptedDevice(*[Try(open=GONE)] * 5, WORKS, WORKS), Table(), FakeTime(pauses=5)
    supervisor = supervise(device, time, table)
    supervisor.start()
    await until(lambda: device.gone is not None)
    assert time.delays[-1] == 8
    time.now += 60
    assert device.report is not None
    device.report(Lost(words="nothing was heard for 3 seconds"))
    device.lose(silent)
    await until(lambda: len(time.delays) == 6)
    assert time.delays[-1] == 0.5
    assert table.states[-3:] == ["lost", "connecting", "searching"]
    await supervisor.stop()


async def test_lost_and_ready_on_the_same_port_does_not_open_it_again() -> None:
    says = (READY, Lost(words="the device restarted"), READY)
    device, table, time = ScriptedDevice(Try(says=says)), Table(), FakeTime()
    supervisor = supervise(device, time, table)
    supervisor.start()
    await until(lambda: table.states.count("ready") == 2)
    assert table.states == ["searching", "connecting", "ready", "lost", "connecting", "ready"]
    assert (device.opens, device.closes) == (1, 0)
    await supervisor.stop()


async def test_a_refusal_keeps_the_port_open_and_stays_connecting() -> None:
    refused = Refused(words="the device wants its key", advice="Write the key in the configuration")
    device, table, time = ScriptedDevice(Try(says=(refused, refused))), Table(), FakeTime()
    supervisor = supervise(device, time, table)
    supervisor.start()
    await until(lambda: device.gone is not None)
    assert supervisor.state == "connecting"
    assert table.words[2:] == ["the device wants its key"]
    assert table.changes[-1].advice == "Write the key in the configuration"
    assert device.is_open
    await supervisor.stop()


async def test_hot_plug_wakes_early_and_starts_the_back_off_anew() -> None:
    device, table, time = ScriptedDevice(*[Try(open=GONE)] * 8, WORKS), Table(), FakeTime(pauses=6)
    supervisor = supervise(device, time, table)
    supervisor.start()
    await until(lambda: len(time.delays) == 7)
    before = time.now
    supervisor.plugged()  # the port is there, and udev has not given it to us yet
    await until(lambda: len(time.delays) == 8)
    assert time.delays[-1] == 0.5
    supervisor.plugged()
    await until(lambda: supervisor.state == "ready")
    assert time.now == before
    await supervisor.stop()


async def test_hot_plug_during_a_try_that_fails_is_not_forgotten() -> None:
    device, table, time = ScriptedDevice(Try(open="hangs"), WORKS), Table(), FakeTime()
    supervisor = supervise(device, time, table)
    supervisor.start()
    await until(lambda: device.opens == 1)
    supervisor.plugged()
    device.tries = (Try(then=GONE), WORKS)
    device.end.set()
    await until(lambda: supervisor.state == "ready")
    assert time.now == 1000
    await supervisor.stop()


async def test_hot_plug_while_ready_is_no_news_when_the_device_is_lost() -> None:
    device, table, time = ScriptedDevice(WORKS), Table(), FakeTime()
    supervisor = supervise(device, time, table)
    supervisor.start()
    await until(lambda: device.gone is not None)
    supervisor.plugged()
    device.lose(HUNG_UP)
    await until(lambda: bool(time.delays))
    for _ in range(10):
        await asyncio.sleep(0)
    assert device.opens == 1
    time.more()
    await until(lambda: device.opens == 2)
    await supervisor.stop()


async def test_an_open_that_hangs_is_given_up_in_words_and_tried_again() -> None:
    device, table, time = ScriptedDevice(Try(open="hangs"), WORKS), Table(), FakeTime(pauses=1)
    supervisor = supervise(device, time, table, open_s=0.02)
    supervisor.start()
    await until(lambda: supervisor.state == "ready")
    assert table.words[1] == "/dev/scripted did not open within 0.02 seconds"
    await supervisor.stop()


@pytest.mark.parametrize("attempt", [Try(open="cancelled"), Try(then="cancelled"), Try(then="returns")])
async def test_a_driver_that_leaves_without_a_reason_is_told_of_and_tried_again(attempt: Try) -> None:
    device, table, time = ScriptedDevice(attempt, WORKS), Table(), FakeTime(pauses=1)
    supervisor = supervise(device, time, table)
    supervisor.start()
    await until(lambda: supervisor.state == "ready")
    assert any("the driver scripted" in words for words in table.words)
    await supervisor.stop()


@pytest.mark.parametrize(
    ("close", "words"),
    [
        (OSError(errno.EIO, "Input/output error"), "closing /dev/scripted failed: [Errno 5] Input/output error"),
        (ValueError("a driver's mistake"), "closing /dev/scripted failed: a driver's mistake"),
        ("hangs", "closing /dev/scripted did not end within 0.05 seconds"),
    ],
)
async def test_a_close_that_fails_or_hangs_is_told_once_and_holds_nothing_up(close: Step, words: str) -> None:
    attempts = [Try(open=GONE)] * 3
    device, table, time = ScriptedDevice(*attempts, WORKS, close=close), Table(), FakeTime(pauses=3)
    supervisor = supervise(device, time, table)
    supervisor.start()
    await until(lambda: supervisor.state == "ready")
    assert table.words[1:3] == ["/dev/scripted is not there", f"/dev/scripted is not there; {words}"]
    assert table.states == ["searching", "searching", "searching", "connecting", "ready"]
    await supervisor.stop()
    assert table.states[-2:] == ["stopped", "stopped"]
    assert words in table.words[-1]
    assert others() == set()


@pytest.mark.parametrize("deaf", ["serve", "close"])
async def test_a_driver_that_cannot_be_stopped_does_not_stop_supervision(deaf: str) -> None:
    device = ScriptedDevice(Try(says=(READY,), then="deaf" if deaf == "serve" else HUNG_UP))
    device.close_step = "deaf" if deaf == "close" else "works"
    table, time = Table(), FakeTime()
    supervisor = supervise(device, time, table)
    supervisor.start()
    await until(lambda: supervisor.state in ("ready", "lost"))
    async with asyncio.timeout(20):
        await supervisor.stop()
    assert "closing /dev/scripted did not end within 0.05 seconds" in table.words[-1]
    device.end.set()
    await until(lambda: others() == set())


async def test_what_a_driver_says_after_it_was_told_to_stop_counts_for_nothing() -> None:
    device, table, time = ScriptedDevice(WORKS), Table(), FakeTime()
    supervisor = supervise(device, time, table)
    supervisor.start()
    await until(lambda: device.gone is not None)
    await supervisor.stop()
    told = list(table.order)
    assert device.report is not None
    device.report(CardRead(card="8S"))
    device.report(READY)
    assert table.order == told
    assert supervisor.state == "stopped"


async def test_two_supervisors_do_not_disturb_each_other() -> None:
    good, bad = ScriptedDevice(WORKS), ScriptedDevice(Try(open="hangs"), Try(then="deaf"), close="hangs")
    good_table, bad_table, good_time, bad_time = Table(), Table(), FakeTime(), FakeTime(pauses=100)
    first = supervise(good, good_time, good_table)
    second = supervise(bad, bad_time, bad_table, name="sign", open_s=0.01, close_s=0.01)
    first.start()
    second.start()
    await until(lambda: first.state == "ready" and bad.opens == 2)
    assert good.report is not None
    good.report(CardRead(card="8S"))
    assert len(good_table.heard) == 1
    await second.stop()
    assert first.state == "ready"
    assert good_table.states == ["searching", "connecting", "ready"]
    assert {change.device for change in bad_table.changes} == {"sign"}
    await first.stop()
    bad.end.set()
    await until(lambda: others() == set())
