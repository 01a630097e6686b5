"""The port contract, run on every kind of port: bytes, hang-up, close, cancelling, back-pressure, nothing left."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator

import pytest

from drivers.errors import PortClosed, PortLost
from drivers.ports.base import CLOSE_S, READ_SIZE
from tests.drivers.ports.contract import (
    BENCHES,
    PATIENCE_S,
    Bench,
    blocked,
    ended,
    nothing_left_behind,
    read_all,
    read_until_lost,
    receive_all,
)

ALL_BYTES = bytes(range(256))  # with everything a tty, a telnet or a flow control might take for a command
ROUND = 64 * 1024
MORE_THAN_FITS = 1024 * 1024  # above what any medium here holds on the way


@pytest.fixture(params=BENCHES)
async def bench(request: pytest.FixtureRequest) -> AsyncIterator[Bench]:
    async with nothing_left_behind():
        made = await BENCHES[request.param]()
        try:
            yield made
        finally:
            await made.close()


def noise(size: int, seed: int) -> bytes:
    return random.Random(seed).randbytes(size)


def cuttings(data: bytes, seed: int) -> list[bytes]:
    """Pieces from one byte to more than a read."""
    chance = random.Random(seed)
    pieces, at = [], 0
    while at < len(data):
        size = chance.choice((1, 2, 63, 64, 65, chance.randrange(1, 600), 4096, 5000))
        pieces.append(data[at : at + size])
        at += size
    return pieces


async def test_every_byte_passes_one_by_one(bench: Bench) -> None:
    async def there() -> None:
        for value in ALL_BYTES:
            await bench.port.write(bytes((value,)))

    async def back() -> None:
        for value in ALL_BYTES:
            await bench.send(bytes((value,)))

    _, _, far, near = await asyncio.gather(there(), back(), receive_all(bench, 256), read_all(bench.port, 256))
    assert far == ALL_BYTES
    assert near == ALL_BYTES


@pytest.mark.parametrize("seed", range(4))
async def test_both_ways_at_once_in_any_cutting(bench: Bench, seed: int) -> None:
    out, back = noise(ROUND, seed), noise(ROUND, seed + 100)

    async def write() -> None:
        for piece in cuttings(out, seed):
            await bench.port.write(piece)

    async def send() -> None:
        for piece in cuttings(back, seed + 100):
            await bench.send(piece)

    _, _, far, near = await asyncio.gather(write(), send(), receive_all(bench, ROUND), read_all(bench.port, ROUND))
    assert far == out
    assert near == back


async def test_a_read_gives_at_most_its_size(bench: Bench) -> None:
    sending = asyncio.create_task(bench.send(noise(ROUND, 1)))
    count = 0
    while count < ROUND:
        data = await bench.port.read()
        assert 1 <= len(data) <= READ_SIZE
        count += len(data)
    await sending


async def test_nothing_to_write_is_no_trouble(bench: Bench) -> None:
    await bench.port.write(b"")
    await bench.port.write(b"x")
    assert await bench.receive() == b"x"


async def test_a_megabyte_of_noise_arrives_whole(bench: Bench) -> None:
    flood = noise(MORE_THAN_FITS, 7)
    sending = asyncio.create_task(bench.send(flood))
    assert await read_all(bench.port, len(flood)) == flood
    await sending


async def test_hang_up_before_a_read(bench: Bench) -> None:
    await bench.hang_up()
    assert await read_until_lost(bench.port) == b""
    with pytest.raises(PortLost):  # and it stays so
        await bench.port.read()


async def test_hang_up_in_a_blocked_read(bench: Bench) -> None:
    reading = asyncio.create_task(_read(bench))
    assert await blocked(reading)
    await bench.hang_up()
    assert isinstance(await ended(reading), PortLost)


async def test_hang_up_between_two_reads(bench: Bench) -> None:
    await bench.send(b"before")
    assert await read_all(bench.port, 6) == b"before"
    await bench.hang_up()
    with pytest.raises(PortLost):
        async with asyncio.timeout(PATIENCE_S):
            await bench.port.read()


async def test_hang_up_in_a_blocked_write(bench: Bench) -> None:
    writing = asyncio.create_task(bench.port.write(noise(MORE_THAN_FITS, 2)))
    assert await blocked(writing)
    await bench.hang_up()
    assert isinstance(await ended(writing), PortLost)


async def test_hang_up_in_a_blocked_read_and_write_ends_both(bench: Bench) -> None:
    reading = asyncio.create_task(_read(bench))
    writing = asyncio.create_task(bench.port.write(noise(MORE_THAN_FITS, 2)))
    assert await blocked(writing)
    await bench.hang_up()
    assert isinstance(await ended(reading), PortLost)
    assert isinstance(await ended(writing), PortLost)


async def test_a_write_after_the_hang_up_says_so(bench: Bench) -> None:
    await bench.hang_up()
    await read_until_lost(bench.port)
    with pytest.raises(PortLost) as caught:
        await bench.port.write(b"anybody there?")
    assert bench.port.name in caught.value.words


async def test_last_words_before_the_hang_up_are_read_or_a_beginning_of_them(bench: Bench) -> None:
    words = noise(1000, 3)
    await bench.send(words)
    await bench.sent()
    await bench.hang_up()
    heard = await read_until_lost(bench.port)
    if bench.keeps_last_words:
        assert heard == words
    assert words.startswith(heard)


async def test_close_ends_a_blocked_read(bench: Bench) -> None:
    reading = asyncio.create_task(_read(bench))
    assert await blocked(reading)
    await bench.port.close()
    assert isinstance(await ended(reading), PortClosed)


async def test_close_ends_a_blocked_write(bench: Bench) -> None:
    writing = asyncio.create_task(bench.port.write(noise(MORE_THAN_FITS, 4)))
    assert await blocked(writing)
    await bench.port.close()
    assert isinstance(await ended(writing), PortClosed)


async def test_after_close_nothing_is_read_or_written(bench: Bench) -> None:
    await bench.send(b"unread")
    await bench.sent()
    await bench.port.close()
    with pytest.raises(PortClosed):
        await bench.port.read()
    with pytest.raises(PortClosed):
        await bench.port.write(b"x")
    with pytest.raises(PortClosed):
        await bench.port.write(b"")


async def test_close_twice_and_twice_at_once(bench: Bench) -> None:
    await asyncio.gather(bench.port.close(), bench.port.close())
    await bench.port.close()


async def test_close_after_the_hang_up(bench: Bench) -> None:
    await bench.hang_up()
    await bench.port.close()
    with pytest.raises(PortClosed):
        await bench.port.read()


async def test_close_is_bounded_while_nobody_takes_the_bytes(bench: Bench) -> None:
    writing = asyncio.create_task(bench.port.write(noise(MORE_THAN_FITS, 5)))
    assert await blocked(writing)
    async with asyncio.timeout(CLOSE_S * 5):  # CLOSE_S, and room for a loaded machine
        await bench.port.close()
    await ended(writing)


async def test_a_cancelled_close_still_closes(bench: Bench) -> None:
    closing = asyncio.create_task(bench.port.close())
    await asyncio.sleep(0)
    closing.cancel()
    await asyncio.gather(closing, return_exceptions=True)
    await bench.port.close()
    with pytest.raises(PortClosed):
        await bench.port.read()


@pytest.mark.parametrize("seed", range(3))
async def test_a_cancelled_read_loses_no_byte(bench: Bench, seed: int) -> None:
    chance = random.Random(seed)
    words = noise(8192, seed)
    heard = bytearray()

    async def send() -> None:
        for piece in cuttings(words, seed):
            await bench.send(piece)

    sending = asyncio.create_task(send())
    async with asyncio.timeout(PATIENCE_S):
        while len(heard) < len(words):
            reading = asyncio.create_task(bench.port.read())
            for _ in range(chance.randrange(4)):
                await asyncio.sleep(0)
            if chance.random() < 0.3:
                await asyncio.sleep(0.001)
            reading.cancel()
            try:
                heard += await reading
            except asyncio.CancelledError:
                continue
    await sending
    assert bytes(heard) == words


async def test_a_read_that_waited_out_its_time_loses_no_byte(bench: Bench) -> None:
    for number in range(5):
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.01):
                await bench.port.read()
        await bench.send(bytes((number, 255)))
        assert await read_all(bench.port, 2) == bytes((number, 255))


async def test_a_cancelled_write_was_done_in_part_and_the_next_one_follows_it(bench: Bench) -> None:
    first, second = noise(MORE_THAN_FITS, 6).replace(b"\x00", b"\xff"), b"\x00" * 3000 + b"end"
    writing = asyncio.create_task(bench.port.write(first))
    assert await blocked(writing)
    writing.cancel()
    await asyncio.gather(writing, return_exceptions=True)
    writing = asyncio.create_task(bench.port.write(second))
    heard = bytearray()
    async with asyncio.timeout(PATIENCE_S):
        while not heard.endswith(b"end"):
            heard += await bench.receive()
    await writing
    part = heard[: -len(second)]
    assert heard[len(part) :] == second
    assert len(part) < len(first)
    assert first.startswith(part)


async def test_a_far_side_that_does_not_read_makes_the_writer_wait_and_then_gets_everything(bench: Bench) -> None:
    words = noise(MORE_THAN_FITS, 8)
    writing = asyncio.create_task(bench.port.write(words))
    assert await blocked(writing)
    assert await receive_all(bench, len(words)) == words
    await writing


async def test_a_near_side_that_does_not_read_makes_the_far_side_wait(bench: Bench) -> None:
    words = noise(MORE_THAN_FITS, 9)
    sending = asyncio.create_task(bench.send(words))
    assert await blocked(sending)
    assert await read_all(bench.port, len(words)) == words
    await sending


async def _read(bench: Bench) -> None:
    await bench.port.read()
