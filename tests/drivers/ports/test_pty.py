"""A pty pair: a path that programs open, close and open again, and whose name is nobody else's meanwhile."""

from __future__ import annotations

import asyncio
import os
import termios

import pytest

from drivers.errors import PortLost, PortNotFound
from drivers.ports.base import LineSettings
from drivers.ports.pty import PtyPair
from drivers.ports.tty import open_tty
from tests.drivers.ports.contract import blocked, nothing_left_behind, until


async def test_a_program_that_goes_away_is_no_hang_up_and_the_next_one_is_heard() -> None:
    async with nothing_left_behind():
        pair = PtyPair()
        for word in (b"one", b"two"):
            host = await open_tty(pair.path, LineSettings())
            await host.write(word)
            assert await pair.port.read() == word
            await host.close()
            reading = asyncio.create_task(_read(pair))
            assert await blocked(reading)
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)
        await pair.close()


@pytest.mark.parametrize("hold", [True, False])
async def test_it_knows_whether_somebody_is_attached(hold: bool) -> None:
    pair = PtyPair(hold=hold)
    assert not pair.attached()
    host = await open_tty(pair.path, LineSettings())
    assert pair.attached()
    await host.close()
    await until(lambda: not pair.attached())
    await pair.close()
    assert not pair.attached()


async def test_without_holding_it_a_program_that_goes_away_is_a_hang_up() -> None:
    pair = PtyPair(hold=False)
    host = await open_tty(pair.path, LineSettings())
    await host.write(b"last")
    await host.close()
    assert await pair.port.read() == b"last"
    with pytest.raises(PortLost):
        await pair.port.read()
    await pair.close()


async def test_unplugged_the_host_sees_it_and_the_name_is_not_given_to_another() -> None:
    pair = PtyPair()
    host = await open_tty(pair.path, LineSettings())
    await pair.port.close()
    with pytest.raises(PortLost):
        await host.read()
    others = [PtyPair() for _ in range(5)]
    assert pair.path not in [other.path for other in others]
    with pytest.raises(PortNotFound):
        await open_tty(pair.path, LineSettings())
    await host.close()
    for each in (pair, *others):
        await each.close()


async def test_it_is_raw_for_a_program_that_sets_nothing() -> None:
    pair = PtyPair()
    fd = os.open(pair.path, os.O_RDWR | os.O_NOCTTY)
    assert not termios.tcgetattr(fd)[3] & (termios.ECHO | termios.ICANON)
    os.write(fd, b"\r\n\x03\x04")
    assert await pair.port.read() == b"\r\n\x03\x04"
    os.close(fd)
    await pair.close()


async def test_closing_twice_is_no_trouble() -> None:
    pair = PtyPair()
    await pair.close()
    await pair.close()


async def _read(pair: PtyPair) -> None:
    await pair.port.read()
