"""A raw TCP port's own troubles: nobody listens, no such host, no answer, and a far side that dies without a word."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
from collections.abc import Iterator

import pytest
from pytest_mock import MockerFixture

from drivers.errors import PortLost, PortNotFound, TimedOut
from drivers.ports import tcp
from drivers.ports.tcp import open_tcp
from tests.drivers.ports.contract import nothing_left_behind


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


async def test_a_host_where_nothing_listens() -> None:
    async with nothing_left_behind():
        port = free_port()
        with pytest.raises(PortNotFound, match=f"127.0.0.1 is there, but nothing listens at port {port}"):
            await open_tcp("127.0.0.1", port, name="socket://shoe")


@pytest.mark.parametrize("host", ["no-such-host.invalid", "a" * 64 + ".invalid", "x..y"])
async def test_a_host_that_does_not_exist(host: str) -> None:
    async with nothing_left_behind():
        with pytest.raises(PortNotFound, match="there is no host"):
            await open_tcp(host, 4001, name="socket://shoe")


@contextlib.contextmanager
def silent_place() -> Iterator[tuple[str, int]]:
    """A listener whose queue is full lets a connection wait, as a host that is switched off does."""
    with contextlib.ExitStack() as stack:
        listener = stack.enter_context(socket.socket())
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        for _ in range(4):
            waiting = stack.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(listener.getsockname())
        yield listener.getsockname()


async def test_a_host_that_does_not_answer(mocker: MockerFixture) -> None:
    mocker.patch.object(tcp, "CONNECT_S", 0.1)
    async with nothing_left_behind():
        with silent_place() as place, pytest.raises(TimedOut, match="did not answer within"):
            await open_tcp("127.0.0.1", place[1], name="socket://shoe")


async def test_a_name_that_takes_for_ever_to_look_up_is_given_up(mocker: MockerFixture) -> None:
    go_on = threading.Event()

    def slow(*_: object, **__: object) -> list[object]:
        go_on.wait()
        return []

    mocker.patch.object(tcp, "CONNECT_S", 0.05)
    mocker.patch("drivers.ports.tcp.socket.getaddrinfo", slow)
    async with nothing_left_behind():
        with pytest.raises(TimedOut):
            await open_tcp("shoe", 4001, name="socket://shoe")
        go_on.set()


async def test_an_address_that_swallows_everything_leaves_the_next_its_time(mocker: MockerFixture) -> None:
    mocker.patch.object(tcp, "CONNECT_S", 2.0)
    entry = (socket.AF_INET, socket.SOCK_STREAM, 6, "")
    with silent_place() as silent, socket.create_server(("127.0.0.1", 0)) as listener:
        places = [(*entry, silent), (*entry, listener.getsockname())]
        mocker.patch("drivers.ports.tcp.socket.getaddrinfo", return_value=places)
        port = await open_tcp("shoe", 4001, name="socket://shoe")
        await port.close()


async def test_a_host_with_two_addresses_is_reached_at_the_one_that_answers(mocker: MockerFixture) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        good, bad = listener.getsockname(), ("127.0.0.1", free_port())
        entry = (socket.AF_INET, socket.SOCK_STREAM, 6, "")
        mocker.patch("drivers.ports.tcp.socket.getaddrinfo", return_value=[(*entry, bad), (*entry, good)])
        port = await open_tcp("shoe", 4001, name="socket://shoe")
        await port.close()


async def test_the_kernel_is_asked_to_notice_a_dead_far_side_and_to_send_at_once() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = await open_tcp("127.0.0.1", listener.getsockname()[1], name="socket://shoe")
        asked = port._socket.getsockopt
        assert asked(socket.SOL_SOCKET, socket.SO_KEEPALIVE) == 1
        assert asked(socket.IPPROTO_TCP, socket.TCP_NODELAY) == 1
        assert asked(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) == tcp.DEAD_S * 1000
        silence = asked(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE)
        probes = asked(socket.IPPROTO_TCP, socket.TCP_KEEPCNT) * asked(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL)
        assert silence + probes == tcp.DEAD_S
        await port.close()


async def test_a_connection_that_is_reset_still_gives_what_came_before() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = await open_tcp("127.0.0.1", listener.getsockname()[1], name="socket://shoe")
        far, _ = listener.accept()
    await port.write(b"never read")
    far.sendall(b"last words")
    await asyncio.sleep(0.01)
    far.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")  # a reset in place of a farewell
    far.close()
    assert await port.read() == b"last words"
    with pytest.raises(PortLost, match="socket://shoe is gone"):
        await port.read()
    with pytest.raises(PortLost):
        await port.write(b"x")
    await port.close()
