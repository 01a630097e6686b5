"""What is told about a port that somebody listens in on. That bytes pass unharmed is the port contract's matter."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from drivers.base import Said
from drivers.errors import PortClosed, PortLost
from drivers.ports.base import LineSettings, Port
from drivers.ports.memory import memory_pair
from drivers.ports.opening import open_port
from drivers.ports.pty import PtyPair
from drivers.ports.tapped import Happened, Passed, PortEnded, PortOpened, TappedPort, tapped
from drivers.registry import make
from drivers.simulated.shoe_driver import SimulatedShoe
from drivers.stream import stream_of


async def test_every_chunk_is_told_both_ways_in_order() -> None:
    near, far = memory_pair("line")
    told: list[Happened] = []
    port = TappedPort(near, told.append)
    await far.write(b"abc")
    assert await port.read() == b"abc"
    await port.write(b"\x00\xff")
    assert await far.read() == b"\x00\xff"
    await port.close()
    assert told == [
        PortOpened("line is open"),
        Passed("from_device", b"abc"),
        Passed("to_device", b"\x00\xff"),
        PortEnded("line was closed", lost=False),
    ]


async def test_a_hang_up_is_told_once_with_its_words_and_behind_the_last_words() -> None:
    near, far = memory_pair("line")
    told: list[Happened] = []
    port = TappedPort(near, told.append)
    await far.write(b"last")
    await far.close()
    with pytest.raises(PortLost):
        await port.write(b"x")
    assert await port.read() == b"last"
    with pytest.raises(PortLost):
        await port.read()
    await port.close()
    assert told[1:3] == [Passed("to_device", b"x"), Passed("from_device", b"last")]
    (ended,) = told[3:]
    assert isinstance(ended, PortEnded)
    assert ended.lost
    assert "line hung up" in ended.words


async def test_what_is_asked_of_a_closed_port_is_not_told() -> None:
    near, _ = memory_pair()
    told: list[Happened] = []
    port = TappedPort(near, told.append)
    await port.close()
    with pytest.raises(PortClosed):
        await port.write(b"x")
    with pytest.raises(PortClosed):
        await port.read()
    assert len(told) == 2


async def test_a_simulated_tty_stays_marked() -> None:
    pair = PtyPair()
    pair.mark()

    async def opener() -> Port:
        return await open_port(pair.path, LineSettings())

    port: Any = await tapped(opener, lambda happened: None)()
    assert port.simulated
    await port.close()
    await pair.close()


async def test_a_simulated_shoe_is_tapped_where_its_real_driver_reads() -> None:
    shoe = make("shoe", "simulated", {"protocol": "angel_eye", "order": "8S TD"}, allow_simulated=True)
    assert isinstance(shoe, SimulatedShoe)
    stream = stream_of(shoe)
    assert stream is not None
    told: list[Happened] = []
    stream.rewire(lambda opener: tapped(opener, told.append))
    heard: list[Said] = []
    await shoe.open()
    serving = asyncio.create_task(shoe.serve(heard.append))
    shoe.simulated_shoe.deal()
    async with asyncio.timeout(30):
        while len(heard) < 2:
            await asyncio.sleep(0.001)
    serving.cancel()
    await asyncio.gather(serving, return_exceptions=True)
    await shoe.close()
    assert isinstance(told[0], PortOpened)
    assert any(isinstance(each, Passed) and each.direction == "from_device" for each in told)
    assert isinstance(told[-1], PortEnded)


def test_a_device_on_pins_has_nothing_to_tap() -> None:
    sign = make("display", "simulated", {"protocol": "tm1637"}, allow_simulated=True)
    assert stream_of(sign) is None
