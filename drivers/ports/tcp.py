"""A serial server's raw TCP port, `socket://host:port`; notices a far side that died without a word.

Refuses nothing that connects: whether a device is behind it shows in its handshake.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
from typing import Any, Final

from drivers.errors import DeviceError, PortLost, PortNotFound, TimedOut
from drivers.ports.aside import aside
from drivers.ports.descriptor import DescriptorPort

CONNECT_S: Final = 5.0  # a serial server on the table's own network answers within milliseconds
SEND_BUFFER: Final = 65536  # bytes; the kernel's own would grow to megabytes of texts that are stale when they arrive
DEAD_S: Final = 15  # how long a far side may leave bytes unacknowledged or probes unanswered
_ALIVE: Final = (  # three probes, three seconds apart, after six of silence: 15 s in all
    (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1),
    (socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, 6),
    (socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, 3),
    (socket.IPPROTO_TCP, socket.TCP_KEEPCNT, 3),
    (socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, DEAD_S * 1000),
    (socket.IPPROTO_TCP, socket.TCP_NODELAY, 1),
    (socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER),
)


class TcpPort(DescriptorPort):
    """A connected socket; see `open_tcp`."""

    def __init__(self, name: str, connected: socket.socket) -> None:
        super().__init__(name, connected.fileno())
        self._socket = connected

    async def _give_up(self, fd: int) -> None:
        with contextlib.suppress(OSError):  # the far side may have gone first
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()

    def _lost(self, error: OSError | None) -> DeviceError:
        why = "the connection was closed" if error is None else error.strerror or str(error)
        return PortLost(
            f"{self.name} is gone: {why}",
            advice="Check the serial server's power and network; the table reconnects by itself",
        )


async def open_tcp(host: str, port: int, *, name: str) -> TcpPort:
    try:
        async with asyncio.timeout(CONNECT_S):
            return TcpPort(name, await _connect(host, port, name))
    except TimeoutError as error:
        raise TimedOut(
            f"{name} did not answer within {CONNECT_S:.0f} seconds",
            advice="Check that the serial server is switched on and the address is right",
        ) from error


async def _connect(host: str, port: int, name: str) -> socket.socket:
    try:
        places = await aside(lambda: socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
    except (socket.gaierror, UnicodeError) as error:  # UnicodeError: a host name with an impossible part
        raise PortNotFound(
            f"{name}: there is no host {host!r} on the network", advice="Check the name, or write its number"
        ) from error
    share = CONNECT_S / max(1, len(places))  # an address that swallows everything leaves the others their time
    refusal: OSError | None = None
    for family, kind, protocol, _, place in places:
        try:
            async with asyncio.timeout(share):
                return await _connected(socket.socket(family, kind, protocol), place)
        except OSError as error:
            refusal = refusal or error
    if isinstance(refusal, TimeoutError):
        raise refusal
    raise _refusal(refusal, host, port, name) from refusal


async def _connected(fresh: socket.socket, place: tuple[Any, ...]) -> socket.socket:
    try:
        fresh.setblocking(False)
        for level, option, value in _ALIVE:
            fresh.setsockopt(level, option, value)
        await asyncio.get_running_loop().sock_connect(fresh, place)
    except BaseException:
        fresh.close()
        raise
    return fresh


def _refusal(error: OSError | None, host: str, port: int, name: str) -> DeviceError:
    if isinstance(error, ConnectionRefusedError):
        return PortNotFound(
            f"{name}: {host} is there, but nothing listens at port {port}",
            advice="Check the port number in the serial server's own settings",
        )
    why = "it has no address" if error is None else error.strerror or str(error)
    return PortNotFound(f"{name} cannot be reached: {why}", advice="Check the network cable and the address")
