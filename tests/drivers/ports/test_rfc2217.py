"""RFC 2217: telnet commands among the bytes in any cutting, the agreement with a true server, and servers that lie."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest_mock import MockerFixture

from drivers.errors import DeviceError, PortClosed, PortLost, TimedOut, WrongDevice
from drivers.ports import rfc2217
from drivers.ports.base import LineSettings
from drivers.ports.pty import PtyPair
from drivers.ports.rfc2217 import (
    ANSWER,
    BAUD,
    DATA_BITS,
    PARITY,
    RESUME,
    STOP_BITS,
    SUSPEND,
    Rfc2217Port,
    open_rfc2217,
)
from drivers.ports.telnet import (
    COM_PORT,
    DO,
    DONT,
    IAC,
    MAX_COMMAND,
    MAX_OWED,
    SB,
    SE,
    WILL,
    ComPortAnswer,
    Telnet,
    com_port,
    escaped,
)
from tests.drivers.ports.contract import PATIENCE_S, blocked, ended, nothing_left_behind, until
from tests.drivers.ports.rfc2217_server import Rfc2217Server

Talk = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@given(data=st.binary(max_size=300), seed=st.integers(0, 1000))
def test_escaped_bytes_come_out_the_same_in_any_cutting(data: bytes, seed: int) -> None:
    telnet, chance, raw, heard = Telnet(), random.Random(seed), escaped(data), b""
    while raw:
        size = chance.randrange(1, 9)
        heard += telnet.receive(raw[:size])
        raw = raw[size:]
    assert heard == data


@given(noise=st.lists(st.binary(max_size=200), max_size=20))
def test_no_noise_makes_it_grow_or_fail(noise: list[bytes]) -> None:
    telnet = Telnet()
    for piece in noise:
        assert len(telnet.receive(piece)) <= len(piece)
        assert len(telnet.owed) <= MAX_OWED + 3
        telnet.answers.clear()


@given(noise=st.binary(max_size=400).map(lambda data: data.replace(b"a", b"\xff").replace(b"b", b"\xff\xfa")))
def test_the_same_bytes_mean_the_same_at_once_and_one_by_one(noise: bytes) -> None:
    whole, single = Telnet(), Telnet()
    heard = b"".join(single.receive(noise[at : at + 1]) for at in range(len(noise)))
    assert whole.receive(noise) == heard
    assert (whole.answers, whole.owed, whole.agreed) == (single.answers, single.owed, single.agreed)


def test_a_command_without_end_is_cut_off() -> None:
    telnet = Telnet()
    assert telnet.receive(bytes((IAC, SB, COM_PORT, 101)) + b"x" * 100_000) == b""
    assert telnet.receive(bytes((IAC, SE)) + b"data") == b"data"
    (answer,) = telnet.answers
    assert len(answer.value) <= MAX_COMMAND


def test_a_command_between_the_bytes_is_taken_out() -> None:
    telnet = Telnet()
    assert telnet.receive(b"be" + com_port(101, b"\x00\xff\x00\x01") + b"fore") == b"before"
    assert telnet.answers == [ComPortAnswer(101, b"\x00\xff\x00\x01")]


def test_an_end_without_a_beginning_is_nothing() -> None:
    assert Telnet().receive(bytes((IAC, SE)) + b"x") == b"x"


def test_an_unknown_wish_is_refused_and_an_agreed_one_not_answered_again() -> None:
    telnet = Telnet()
    telnet.start()
    telnet.receive(bytes((IAC, DO, 31, IAC, WILL, 99, IAC, DO, COM_PORT, IAC, DO, COM_PORT, IAC, WILL, 0)))
    assert bytes(telnet.owed) == bytes((IAC, 252, 31, IAC, DONT, 99))
    assert telnet.agreed


def test_a_flood_of_wishes_is_not_piled_up() -> None:
    telnet = Telnet()
    telnet.receive(bytes((IAC, DO, 31)) * 100_000)
    assert len(telnet.owed) <= MAX_OWED + 3


@contextlib.asynccontextmanager
async def serving(talk: Talk) -> AsyncIterator[int]:
    """Gives the port number."""
    over = list[asyncio.Task[None]]()

    async def once(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        over.append(task)
        try:
            with contextlib.suppress(ConnectionError):  # the client had enough
                await talk(reader, writer)
        finally:
            writer.close()

    server = await asyncio.start_server(once, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        await asyncio.gather(*over)
        await server.wait_closed()


async def open_at(number: int) -> Rfc2217Port:
    return await open_rfc2217("127.0.0.1", number, LineSettings(), name="rfc2217://shoe")


async def answer_requests(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, own: dict[int, bytes]) -> bytes:
    """Agrees, and answers each request with its own value or one of the server's, until data comes: that is given."""
    telnet = Telnet()
    writer.write(bytes((IAC, DO, COM_PORT)))
    while raw := await reader.read(1000):
        data = telnet.receive(raw)
        for request in telnet.answers:
            writer.write(com_port(request.code + ANSWER, own.get(request.code, request.value)))
        telnet.answers.clear()
        if data:
            return data
    return b""


async def test_the_far_serial_port_is_set_as_asked() -> None:
    async with nothing_left_behind():
        pair = PtyPair()
        server = Rfc2217Server(pair.path)
        line = LineSettings(baud=19200, stop_bits=2)
        port = await open_rfc2217("127.0.0.1", server.port, line, name="rfc2217://shoe")
        assert (server.serial.baudrate, server.serial.bytesize, server.serial.parity) == (19200, 8, "N")
        assert server.serial.stopbits == 2
        await port.close()
        server.close()
        await pair.close()


async def test_a_server_that_is_silent_is_given_up(mocker: MockerFixture) -> None:
    mocker.patch.object(rfc2217, "AGREE_S", 0.1)

    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()

    async with serving(silent) as number:
        with pytest.raises(TimedOut, match=r"did not agree on its serial port.*socket://host:port"):
            await open_at(number)


async def test_a_server_that_only_chatters_is_given_up(mocker: MockerFixture) -> None:
    mocker.patch.object(rfc2217, "AGREE_S", 0.2)

    async def chatter(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            writer.write(b"login: " * 1000)
            await writer.drain()

    async with serving(chatter) as number:
        with pytest.raises(TimedOut):
            await open_at(number)


async def test_a_telnet_server_without_rfc_2217_is_told_from_one_with_it() -> None:
    async def refuses(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(bytes((IAC, DONT, COM_PORT)))
        await reader.read()

    async with serving(refuses) as number:
        with pytest.raises(WrongDevice, match=r"does not let its serial port be set.*socket://host:port"):
            await open_at(number)


@pytest.mark.parametrize(
    ("own", "words"),
    [
        ({BAUD: b"\x00\x00\x25\x80"}, "its baud stays 9600"),
        ({DATA_BITS: b"\x07"}, "its data_bits stays 7"),
        ({PARITY: b"\x03"}, "its parity stays E"),
        ({STOP_BITS: b""}, "its stop_bits stays unknown"),
    ],
)
async def test_a_server_that_keeps_its_own_settings_is_refused(own: dict[int, bytes], words: str) -> None:
    async def stubborn(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await answer_requests(reader, writer, own)

    async with serving(stubborn) as number:
        with pytest.raises(DeviceError, match=f"does not take the line settings 115200 8N1: {words}"):
            await open_at(number)


async def test_an_answer_to_what_was_not_yet_asked_counts_for_nothing() -> None:
    async def hasty(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(com_port(BAUD + ANSWER, bytes(4)))
        await answer_requests(reader, writer, {})

    async with serving(hasty) as number:
        await (await open_at(number)).close()


async def test_a_server_that_hangs_up_in_the_middle_of_the_agreement() -> None:
    async def rude(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(bytes((IAC, DO, COM_PORT)))
        await reader.read(10)

    async with serving(rude) as number:
        with pytest.raises(PortLost, match="hung up before it agreed"):
            await open_at(number)


async def test_writes_wait_while_the_server_asks_for_a_pause() -> None:
    go_on = asyncio.Event()
    heard = bytearray()

    async def pausing(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        assert await answer_requests(reader, writer, {}) == b"start"
        writer.write(com_port(SUSPEND + ANSWER) + b"paused")
        await go_on.wait()
        writer.write(com_port(RESUME + ANSWER) + b"resumed")
        heard.extend(await reader.readexactly(4))

    async with serving(pausing) as number, asyncio.timeout(PATIENCE_S):
        port = await open_at(number)
        await port.write(b"start")
        assert await port.read() == b"paused"
        writing = asyncio.create_task(port.write(b"text"))
        assert await blocked(writing)
        assert not heard
        go_on.set()
        assert await port.read() == b"resumed"
        await writing
        await until(lambda: bytes(heard) == b"text")
        await port.close()


@pytest.mark.parametrize("who", ["we close it", "the server goes"])
async def test_a_pause_that_nobody_ends_ends_with_the_port(who: str) -> None:
    go = asyncio.Event()

    async def pausing(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await answer_requests(reader, writer, {})
        writer.write(com_port(SUSPEND + ANSWER) + b"paused")
        await go.wait()

    async with serving(pausing) as number, asyncio.timeout(PATIENCE_S):
        port = await open_at(number)
        await port.write(b"start")
        assert await port.read() == b"paused"
        writing = asyncio.create_task(port.write(b"text"))
        assert await blocked(writing)
        if who == "we close it":
            await port.close()
            assert isinstance(await ended(writing), PortClosed)
            go.set()
        else:
            go.set()
            with pytest.raises(PortLost):
                await port.read()
            assert isinstance(await ended(writing), PortLost)
            await port.close()


async def test_an_answer_we_cannot_send_any_more_hides_no_last_words() -> None:
    async def last_words(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await answer_requests(reader, writer, {})
        writer.write(bytes((IAC, DO, 31)) + b"last words")  # a wish that asks for an answer

    async with serving(last_words) as number, asyncio.timeout(PATIENCE_S):
        port = await open_at(number)
        await port.write(b"start")
        await asyncio.sleep(0.05)  # until it has gone
        assert await port.read() == b"last words"
        with pytest.raises(PortLost):
            await port.read()
        await port.close()
