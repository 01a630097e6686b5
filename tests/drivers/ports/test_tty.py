"""A serial port's own troubles: what is no port, who holds it, who may open it, settings, hang-up, a hanging close."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import fcntl
import os
import subprocess
import sys
import termios
import threading
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from pytest_mock import MockerFixture

from drivers.errors import (
    DeviceError,
    NotAPort,
    PortBusy,
    PortForbidden,
    PortLost,
    PortNotFound,
    TimedOut,
)
from drivers.ports import tty
from drivers.ports.base import CLOSE_S, LineSettings
from drivers.ports.holders import PROC, held_by, holders
from drivers.ports.pty import PtyPair
from drivers.ports.tty import open_tty
from tests.drivers.ports.contract import nothing_left_behind, until

LINE = LineSettings()
NOBODY = 65534

HOLDER = """
import serial, sys
port = serial.Serial(sys.argv[1], exclusive=True)
print("held", flush=True)
sys.stdin.read()
"""
EXCLUSIVE_HOLDER = """
import fcntl, os, sys, termios
fd = os.open(sys.argv[1], os.O_RDWR | os.O_NOCTTY)
fcntl.ioctl(fd, termios.TIOCEXCL)
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
async def pair() -> AsyncIterator[PtyPair]:
    async with nothing_left_behind():
        made = PtyPair()
        yield made
        await made.close()


@contextlib.contextmanager
def another_program(script: str, path: str) -> Iterator[subprocess.Popen[str]]:
    program = subprocess.Popen(
        [sys.executable, "-c", script, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with program:
        assert program.stdout is not None
        assert program.stdout.readline() == "held\n"
        yield program
        assert program.stdin is not None
        program.stdin.close()


@contextlib.contextmanager
def as_nobody() -> Iterator[None]:
    """As a user who may open nothing; whoever is not root already may not open what root made 0600."""
    if os.geteuid() != 0:
        pytest.skip("only root can become somebody else")
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


async def test_a_port_that_is_not_there() -> None:
    with pytest.raises(PortNotFound, match=r"/dev/ttyUSB77 is not there\. Plug the device in"):
        await open_tty("/dev/ttyUSB77", LINE)


async def test_a_link_to_nothing_says_where_it_points(tmp_path: Path) -> None:
    (tmp_path / "shoe").symlink_to("/dev/ttyUSB77")
    with pytest.raises(PortNotFound, match="points to /dev/ttyUSB77, which is not there"):
        await open_tty(str(tmp_path / "shoe"), LINE)


async def test_a_directory_a_file_a_pipe_and_a_device_that_is_no_tty_are_no_ports(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    os.mkfifo(tmp_path / "pipe")
    for path, words in (
        (tmp_path, "is a directory"),
        (tmp_path / "file", "is a plain file"),
        (tmp_path / "pipe", "is a pipe"),
        (Path("/dev/null"), "but no serial port"),
    ):
        with pytest.raises(NotAPort, match=words):
            await open_tty(str(path), LINE)


async def test_a_path_below_a_file_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(PortNotFound):
        await open_tty(str(tmp_path / "file/ttyUSB0"), LINE)


async def test_the_program_that_holds_the_port_is_named(pair: PtyPair) -> None:
    with another_program(HOLDER, pair.path) as program:
        name = (PROC / str(program.pid) / "comm").read_text().strip()
        with pytest.raises(PortBusy) as caught:
            await open_tty(pair.path, LINE)
        assert str(caught.value) == (
            f"{pair.path} is open in another program (pid {program.pid}, {name}). "
            "Close it; the table reconnects by itself."
        )
        assert program.pid in [holder.pid for holder in holders(pair.path)]
    port = await open_tty(pair.path, LINE)  # free again
    await port.close()


async def test_a_program_that_marked_the_port_as_its_own_is_named_too(pair: PtyPair) -> None:
    with another_program(EXCLUSIVE_HOLDER, pair.path) as program, pytest.raises(PortBusy, match=f"pid {program.pid}, "):
        await open_tty(pair.path, LINE)


async def test_a_refused_port_is_left_as_its_holder_had_set_it(pair: PtyPair) -> None:
    with another_program(HOLDER, pair.path):
        before = _settings(pair.path)
        with pytest.raises(PortBusy):
            await open_tty(pair.path, LineSettings(baud=1200))
        assert _settings(pair.path) == before


async def test_two_of_our_own_devices_on_one_port_are_told_apart_from_others(pair: PtyPair) -> None:
    port = await open_tty(pair.path, LINE)
    with pytest.raises(PortBusy, match="this program already"):
        await open_tty(pair.path, LINE)
    await port.close()


async def test_a_holder_that_only_root_may_see_is_not_made_up(pair: PtyPair) -> None:
    with another_program(EXCLUSIVE_HOLDER, pair.path) as program:
        assert f"pid {program.pid}, " in held_by(pair.path)
        with as_nobody():
            assert "which only root may see" in held_by(pair.path)


async def test_who_may_not_open_it_is_told_which_group_may(pair: PtyPair) -> None:
    os.chmod(pair.path, 0o600)
    with as_nobody(), pytest.raises(PortForbidden) as caught:
        await open_tty(pair.path, LINE)
    group = Path(pair.path).group()
    if group == "root":
        assert "croupier devices udev-rule" in caught.value.advice
    else:
        assert f"Add the user to the group {group}" in caught.value.advice


async def test_settings_that_the_port_does_not_take_are_said(pair: PtyPair) -> None:
    alpha = LineSettings(baud=9600, data_bits=7, parity="E")
    with contextlib.suppress(DeviceError):  # a pty takes them once and then refuses
        port = await open_tty(pair.path, alpha)
        await port.close()
    with pytest.raises(DeviceError, match="does not take the line settings 9600 7E1"):
        await open_tty(pair.path, alpha)
    port = await open_tty(pair.path, LINE)
    await port.close()


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"baud": 0}, "baud is from 1"),
        ({"baud": -9600}, "baud is from 1"),
        ({"baud": 10**9}, "baud is from 1"),
        ({"data_bits": 9}, "data_bits is 5, 6, 7 or 8"),
        ({"parity": "X"}, 'parity is "N"'),
        ({"stop_bits": 3}, "stop_bits is 1 or 2"),
    ],
)
def test_settings_that_no_line_has_are_refused(wrong: dict[str, int], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        LineSettings(**wrong)  # type: ignore[arg-type]


async def test_the_line_is_set_as_asked(pair: PtyPair) -> None:
    port = await open_tty(pair.path, LineSettings(baud=9600, stop_bits=2))
    _, _, flags, _, speed_in, speed_out, _ = _settings(pair.path)
    assert (speed_in, speed_out) == (termios.B9600, termios.B9600)
    assert flags & termios.CSTOPB
    await port.close()


async def test_a_pty_whose_owner_is_gone_is_not_there(pair: PtyPair) -> None:
    await pair.port.close()
    with pytest.raises(PortNotFound):
        await open_tty(pair.path, LINE)


async def test_a_port_can_be_opened_again_after_the_hang_up_of_another(pair: PtyPair) -> None:
    port = await open_tty(pair.path, LINE)
    other = PtyPair()
    lost = await open_tty(other.path, LINE)
    await other.close()
    with pytest.raises(PortLost):
        await lost.read()
    await lost.close()
    await pair.port.write(b"still here")
    assert await port.read() == b"still here"
    await port.close()


@pytest.mark.parametrize("number", [errno.EIO, errno.ENXIO, errno.ENODEV])
async def test_an_error_of_the_driver_in_a_read_is_a_lost_port(
    pair: PtyPair, mocker: MockerFixture, number: int
) -> None:
    port = await open_tty(pair.path, LINE)
    mocker.patch("drivers.ports.descriptor.os.read", side_effect=OSError(number, os.strerror(number)))
    with pytest.raises(PortLost, match=os.strerror(number)):
        await port.read()
    mocker.stopall()
    await port.close()


async def test_a_name_with_nothing_behind_it_is_not_there(pair: PtyPair, mocker: MockerFixture) -> None:
    mocker.patch("serial.serialposix.termios.tcgetattr", side_effect=termios.error(errno.EIO, "Input/output error"))
    with pytest.raises(PortNotFound, match="nothing behind it"):
        await open_tty(pair.path, LINE)


async def test_a_driver_that_hangs_up_while_it_is_set_is_no_crash(pair: PtyPair, mocker: MockerFixture) -> None:
    mocker.patch("serial.serialposix.termios.tcflush", side_effect=termios.error(errno.EIO, "Input/output error"))
    with pytest.raises(PortNotFound, match="nothing behind it"):
        await open_tty(pair.path, LINE)


async def test_an_open_that_hangs_is_given_up_and_closed_when_it_comes_back(
    pair: PtyPair, mocker: MockerFixture
) -> None:
    go_on = threading.Event()
    opening = tty._open

    def slow(path: str, line: LineSettings, called: str) -> int:
        go_on.wait()
        return opening(path, line, called)

    mocker.patch.object(tty, "OPEN_S", 0.05)
    mocker.patch.object(tty, "_open", slow)
    with pytest.raises(TimedOut, match="did not open within"):
        await open_tty(pair.path, LINE)
    go_on.set()  # the fixture then finds no descriptor and no thread left


async def test_a_close_that_hangs_holds_nobody_up(pair: PtyPair, mocker: MockerFixture) -> None:
    go_on = threading.Event()
    closing = tty._close

    def slow(fd: int) -> None:
        go_on.wait()
        closing(fd)

    port = await open_tty(pair.path, LINE)
    mocker.patch.object(tty, "_close", slow)
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            ticks += 1
            await asyncio.sleep(0.01)

    ticking = asyncio.create_task(tick())
    async with asyncio.timeout(CLOSE_S * 10):
        await port.close()
    ticking.cancel()
    await asyncio.gather(ticking, return_exceptions=True)
    assert ticks > 5  # the event loop went on meanwhile
    go_on.set()


async def test_bytes_that_do_not_go_out_are_thrown_away_at_the_close(pair: PtyPair, mocker: MockerFixture) -> None:
    port = await open_tty(pair.path, LINE)
    asked = fcntl.ioctl

    def never_empty(fd: int, request: int, answer: Any = 0) -> Any:
        if request == termios.TIOCOUTQ:
            answer[0] = 99
            return 0
        return asked(fd, request, answer)

    mocker.patch.object(tty, "DRAIN_S", 0.03)
    mocker.patch("drivers.ports.tty.fcntl.ioctl", never_empty)
    flushed = mocker.patch("drivers.ports.tty.termios.tcflush", side_effect=termios.error(errno.EIO, "gone"))
    await port.close()
    flushed.assert_called_once()


async def test_what_was_written_before_the_close_still_arrives(pair: PtyPair) -> None:
    port = await open_tty(pair.path, LINE)
    await port.write(b"last words")
    await port.close()
    assert await pair.port.read() == b"last words"


async def test_the_event_loop_is_free_while_a_port_is_opened(pair: PtyPair, mocker: MockerFixture) -> None:
    opening, begun, go_on = tty._open, threading.Event(), threading.Event()

    def slow(path: str, line: LineSettings, called: str) -> int:
        begun.set()
        assert go_on.wait(tty.OPEN_S)
        return opening(path, line, called)

    mocker.patch.object(tty, "_open", slow)
    task = asyncio.create_task(open_tty(pair.path, LINE))
    await until(begun.is_set)
    assert not task.done()
    go_on.set()
    await (await task).close()


async def test_an_open_that_is_cancelled_leaves_nothing_open(pair: PtyPair) -> None:
    for _ in range(10):
        task = asyncio.create_task(open_tty(pair.path, LINE))
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    await until(lambda: not any("aside" in thread.name for thread in threading.enumerate()))


def _settings(path: str) -> list[Any]:
    fd = os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    try:
        return termios.tcgetattr(fd)
    finally:
        os.close(fd)
