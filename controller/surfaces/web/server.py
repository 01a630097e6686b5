"""Serves the web of a table on its sockets, with uvicorn, in the loop of the daemon, and ends in bounded time.

Leaves signals, logging and the loop to the daemon. One server a listener, because only TCP has TLS.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import logging
import pwd
import socket
import struct
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from msgspec import Struct
from uvicorn.config import Config
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import Server

from controller.surfaces.web.api import Web
from controller.surfaces.web.listeners import listen_tcp, listen_unix, remove_unix
from controller.surfaces.web.people import Peer
from controller.surfaces.web.refusals import WebRefused
from controller.surfaces.web.stream import MESSAGE_BYTES

BEAT_S: Final = 1.0
TICK_S: Final = 1.0  # between two Date headers
GRACE_S: Final = 1  # for answers that are on their way when it ends
CONNECTIONS: Final = 256  # a listener has at most: the daemon needs its descriptors for the table


class Listening(Struct, frozen=True):
    """Where it can be reached; no TCP address where there is none."""

    unix: Path
    host: str = ""
    port: int = 0
    tls: bool = False

    @property
    def url(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http{'s' if self.tls else ''}://{host}:{self.port}" if self.port else ""


async def serve(
    web: Web,
    *,
    unix: Path,
    tcp: tuple[str, int] | None = None,
    certificate: Path | None = None,
    key: Path | None = None,
    ready: Callable[[Listening], None] = lambda listening: None,
) -> None:
    """Until it is cancelled. Raises WebRefused before anything is served; `ready` is called when all is."""
    with contextlib.ExitStack() as sockets:
        secured = _secured(web, certificate, key) if tcp is not None else None  # before a socket is there
        listener = sockets.enter_context(listen_unix(unix))
        sockets.callback(remove_unix, unix, unix.lstat().st_ino)
        servers = [_Server(_config(web), listener)]
        listening = Listening(unix)
        if tcp is not None and secured is not None:
            listener = sockets.enter_context(listen_tcp(*tcp))
            servers.append(_Server(secured, listener))
            listening = Listening(unix, tcp[0], listener.getsockname()[1], certificate is not None)
        await _run(web, servers, lambda: ready(listening))


async def _run(web: Web, servers: list[_Server], ready: Callable[[], None]) -> None:
    web.start()
    parts = [asyncio.create_task(_beats(web), name="web beats")]
    parts += [asyncio.create_task(server.serve(sockets=[server.listener]), name="web server") for server in servers]
    up = asyncio.create_task(_all_up(servers, ready), name="web ready")
    try:
        await asyncio.wait((*parts, up), return_when=asyncio.FIRST_EXCEPTION)
    finally:
        up.cancel()
        parts[0].cancel()
        try:
            await web.finish()
            for server in servers:
                server.end()
            await asyncio.wait((*parts, up))
        finally:
            for part in parts:
                part.cancel()  # where the waiting was cut short, too
            for server in servers:
                server.cut()
            await asyncio.sleep(0)  # what is cut is closed in the loop's next turn
    for part in (*parts, up):
        if not part.cancelled():
            part.result()


async def _all_up(servers: list[_Server], ready: Callable[[], None]) -> None:
    for server in servers:
        await server.up.wait()
    ready()


async def _beats(web: Web) -> None:
    while True:
        await asyncio.sleep(BEAT_S)
        web.beat()


class _Server(Server):
    """uvicorn's, but ended by `end` and not by signals, which are the daemon's."""

    def __init__(self, config: Config, listener: socket.socket) -> None:
        super().__init__(config)
        self.servers = []  # uvicorn has none before it is up
        self.listener = listener
        self.up = asyncio.Event()
        self._ending = asyncio.Event()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.up.set()

    async def main_loop(self) -> None:
        """uvicorn's looks ten times a second whether it is to end."""
        while not await self.on_tick(0):
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(TICK_S):
                    await self._ending.wait()

    def end(self) -> None:
        self.should_exit = True
        self._ending.set()

    def cut(self) -> None:
        """What did not end by itself: a client that reads nothing would keep its connection for ever."""
        for listening in self.servers:
            listening.close()
        for connection in list(self.server_state.connections):
            connection.transport.abort()


class _Http(H11Protocol):
    """uvicorn's, which also tells the application who is at the other end."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn's own
        super().connection_made(transport)
        if len(self.connections) > CONNECTIONS:
            transport.abort()
        self.app_state = {**self.app_state, "peer": Peer(_user_of(transport), transport.abort)}


def _user_of(transport: asyncio.Transport) -> str | None:
    """Whose program is at the other end of a Unix socket; None for a TCP connection."""
    line: Any = transport.get_extra_info("socket")
    if line.family != socket.AF_UNIX:
        return None
    try:
        credentials = line.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    except (AttributeError, OSError):  # a system that does not tell
        return "owner"
    _, user, _ = struct.unpack("3i", credentials)
    return _user_name(user)


@functools.cache
def _user_name(user: int) -> str:
    try:
        return pwd.getpwuid(user).pw_name
    except KeyError:
        return f"user {user}"


def _config(web: Web, **tls: str | None) -> Config:
    return Config(
        web,
        loop="none",
        http=_Http,
        ws="websockets-sansio",
        ws_max_size=MESSAGE_BYTES,
        ws_per_message_deflate=False,  # or each screen would pay for its own copy of what is encoded once
        lifespan="off",
        interface="asgi3",
        log_config=None,
        log_level=logging.ERROR,  # below, uvicorn logs what any stranger on the network sends
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=GRACE_S,
        **tls,  # type: ignore[arg-type]  # mypy takes them for any of the arguments
    )


def _secured(web: Web, certificate: Path | None, key: Path | None) -> Config:
    """Raises WebRefused for a certificate that can't be used."""
    if certificate is None:
        return _config(web)
    password = "none"  # uvicorn would ask for that of an encrypted key at the terminal; this is simply wrong
    config = _config(
        web, ssl_certfile=str(certificate), ssl_keyfile=str(key) if key else None, ssl_keyfile_password=password
    )
    try:
        config.load()
    except OSError as error:
        names = f"{certificate} and the key {key}" if key else str(certificate)
        advice = "Both are PEM files, the key belongs to the certificate and has no password, and we may read them"
        raise WebRefused(f"the certificate {names} can't be used: {error}", advice=advice) from error
    return config
