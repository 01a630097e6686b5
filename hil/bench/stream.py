"""A change at the table until fifty screens have it, beside a bare server that sends the same bytes to as many.

The daemon is a process of its own, the screens are real WebSockets over TCP in this one. The clock runs from the
sending of an input (a wager, another each time) until its message is at half of the screens, and at the last, the
commit included. The reference is told in turn to send what our last message was.
"""

from __future__ import annotations

import http.client
import json
import select
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from websockets.client import ClientProtocol
from websockets.frames import Frame, Opcode
from websockets.http11 import Response
from websockets.uri import parse_uri

from controller.cli.socket_line import SocketLine
from hil.bench.measure import FOLDER, Result, beside
from hil.bench.start import CONFIG, free_port, silent_pty

SCREENS: Final = 50
PATIENCE_S: Final = 30.0
REST_S: Final = 0.03  # in which whatever else the table has to say about a change is said
BEAT: Final = '"type":"beat"'
WARM_UP: Final = 5
Times = tuple[float, float]  # microseconds until half of the screens and until the last have it


class _Screen:
    """A client that is as little as one can be, so that the servers are measured."""

    def __init__(self, address: str) -> None:
        uri = parse_uri(address)
        self._protocol = ClientProtocol(uri)
        self.line = socket.create_connection((uri.host, uri.port), PATIENCE_S)
        self.line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._protocol.send_request(self._protocol.connect())
        self._answer()
        while not any(isinstance(event, Response) for event in self._heard()):
            pass
        if self._protocol.handshake_exc is not None:
            raise self._protocol.handshake_exc

    def messages(self) -> list[str]:
        """What came; waits until something has."""
        frames = [event for event in self._heard() if isinstance(event, Frame)]
        return [bytes(frame.data).decode() for frame in frames if frame.opcode is Opcode.TEXT]

    def _heard(self) -> list[object]:
        data = self.line.recv(1 << 16)
        if not data:
            raise RuntimeError("the server hung up on a screen")
        self._protocol.receive_data(data)
        self._answer()
        return list(self._protocol.events_received())

    def _answer(self) -> None:
        """Its request, or to a ping."""
        for data in self._protocol.data_to_send():
            self.line.sendall(data)


class _Wall:
    """All the screens of one server."""

    def __init__(self, address: str, held: ExitStack) -> None:
        self.told = ""  # the newest message
        self._screens: dict[int, _Screen] = {}
        self._poll = select.poll()
        for _ in range(SCREENS):
            screen = _Screen(address)
            held.callback(screen.line.close)
            self._screens[screen.line.fileno()] = screen
            self._poll.register(screen.line, select.POLLIN)

    def timed(self, change: Callable[[], http.client.HTTPConnection]) -> Times:
        """From the change until half of them and all have a message of it."""
        self._rest()
        have: set[int] = set()
        half = 0.0
        start = time.perf_counter()
        line = change()
        while len(have) < SCREENS:
            found = self._poll.poll(PATIENCE_S * 1000)
            if not found:
                raise TimeoutError(f"{len(have)} of {SCREENS} screens had a change after {PATIENCE_S:.0f} s")
            for descriptor, _ in found:
                if self._is_told(descriptor):
                    have.add(descriptor)
                    if len(have) == SCREENS // 2:
                        half = time.perf_counter() - start
        last = time.perf_counter() - start
        try:
            answer = line.getresponse()
            if answer.status >= 400:
                raise RuntimeError(f"the change was refused: {answer.read().decode()}")
        finally:
            line.close()
        return half * 1e6, last * 1e6

    def _rest(self) -> None:
        while found := self._poll.poll(REST_S * 1000):
            for descriptor, _ in found:
                self._screens[descriptor].messages()

    def _is_told(self, descriptor: int) -> bool:
        news = [text for text in self._screens[descriptor].messages() if BEAT not in text]
        if news:
            self.told = news[0]
        return bool(news)


def run(changes: int = 300) -> list[Result]:
    FOLDER.mkdir(exist_ok=True)
    with TemporaryDirectory(prefix="bench-", dir=FOLDER) as folder, ExitStack() as held:
        pairs = measure(Path(folder), changes, held)
    reference = "bare starlette and uvicorn with one fdatasync"
    return [
        beside(
            f"change to {SCREENS} screens, {name}",
            "µs",
            [ours[at] for ours, _ in pairs],
            reference,
            [bare[at] for _, bare in pairs],
            aim="at most 2",
        )
        for at, name in enumerate(("half of them", "the last"))
    ]


def measure(folder: Path, changes: int, held: ExitStack) -> list[tuple[Times, Times]]:
    table_port, bare_port = free_port(), free_port()
    config, unix = folder / "table.toml", folder / "table.sock"
    shoe, sign = held.enter_context(silent_pty()), held.enter_context(silent_pty())
    config.write_text(CONFIG.format(shoe=shoe, sign=sign, folder=folder, tcp=table_port))
    croupier = str(Path(sys.executable).with_name("croupier"))
    held.enter_context(_served(table_port, folder / "log", croupier, "run", "--config", str(config)))
    bare = (sys.executable, "-m", "hil.bench.bare_stream", str(bare_port), str(folder / "log-of-the-floor"))
    held.enter_context(_served(bare_port, folder / "bare-log", *bare))
    ours = _Wall(f"ws://127.0.0.1:{table_port}/api/v1/stream", held)
    theirs = _Wall(f"ws://127.0.0.1:{bare_port}/stream", held)

    def wager(amount: int) -> http.client.HTTPConnection:
        body = json.dumps({"input": "wager", "seat": 1, "amount": str(amount)}).encode()
        return _posted(SocketLine(unix), "/api/v1/inputs", body)

    def same() -> http.client.HTTPConnection:
        line = http.client.HTTPConnection("127.0.0.1", bare_port, timeout=PATIENCE_S)
        return _posted(line, "/tell", ours.told.encode())

    pairs = [
        (ours.timed(lambda amount=10 + 10 * (n % 2): wager(amount)), theirs.timed(same))  # type: ignore[misc]
        for n in range(changes + WARM_UP)
    ]
    return pairs[WARM_UP:]


def _posted(line: http.client.HTTPConnection, address: str, body: bytes) -> http.client.HTTPConnection:
    """Sent; its answer is read when the screens have theirs."""
    line.request("POST", address, body, {"Content-Type": "application/json"})
    return line


@contextmanager
def _served(port: int, log: Path, *command: str) -> Iterator[None]:
    """A server in a process, from when it takes connections."""
    with log.open("wb") as out, subprocess.Popen(command, stdout=out, stderr=out) as process:
        try:
            end = time.monotonic() + PATIENCE_S
            while not _listens(port):
                if process.poll() is not None or time.monotonic() > end:
                    raise RuntimeError(f"{' '.join(command)} did not listen: {log.read_text()}")
                time.sleep(0.02)
            yield
        finally:
            process.terminate()


def _listens(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), 1.0).close()
    except OSError:
        return False
    return True
