"""The real daemon as a process: `croupier run` on a configuration, with a systemd that listens, asked by its API."""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

from controller.cli.orphans import end_with_parent
from drivers.simulated.faults import Faults
from drivers.simulated.pile import shuffled
from drivers.simulated.pty_plug import PtyPlug
from drivers.simulated.shoe import LoadedShoe, shoe_end

CROUPIER = Path(sys.executable).with_name("croupier")
WAIT_S = 30.0
OURS = ("NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "JOURNAL_STREAM", "INVOCATION_ID", "CROUPIER_SOCKET")

CONFIG = """
[table]
name = "Table 7"
simulated = true
chips = ["1", "5"]
[game]
ruleset = "power_blackjack"
[limits.main]
min = "10"
max = "500"
step = "10"
[shoe]
driver = "simulated"
"""


def environment(**more: str) -> dict[str, str]:
    """Without what the machine that runs the tests may say of itself."""
    return {**{name: value for name, value in os.environ.items() if name not in OURS}, **more}


def until(reached: Callable[[], Any], what: str) -> Any:
    """What it comes to, as soon as that is true."""
    end = time.monotonic() + WAIT_S
    while not (found := reached()):
        assert time.monotonic() < end, f"not within {WAIT_S} s: {what}"
        time.sleep(0.01)
    return found


class Systemd:
    """A datagram socket that is told; `said` is everything so far."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "notify"
        self.said: list[str] = []
        self._line = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._line.bind(str(self.path))
        self._line.setblocking(False)

    def hear(self) -> list[str]:
        """What came since the last time."""
        new: list[str] = []
        while True:
            try:
                new += self._line.recv(8192).decode().split("\n")
            except BlockingIOError:
                self.said += new
                return new

    def close(self) -> None:
        self._line.close()


class PtyShoe:
    """A simulated shoe on a pty that outlives every daemon, in a loop and a thread of its own."""

    def __init__(self, folder: Path) -> None:
        faults = Faults(3)
        end = shoe_end("tablelink", faults)
        self.path = folder / "shoe"
        self.section = f'driver = "tablelink"\nport = "{self.path}"'
        self._loaded = LoadedShoe(end, faults, shuffled(6, 11, 0))
        self._plug = PtyPlug(end, faults, lambda what, path: None, link=self.path)
        end.woken = self._plug.wake
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever)

    def __enter__(self) -> Self:
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self._begin(), self._loop).result(WAIT_S)
        until(self.path.is_symlink, "the shoe's path")
        return self

    def __exit__(self, *_: object) -> None:
        asyncio.run_coroutine_threadsafe(self._end(), self._loop).result(WAIT_S)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _begin(self) -> None:
        self._running = asyncio.create_task(self._plug.run())

    async def _end(self) -> None:
        self._running.cancel()
        await asyncio.wait((self._running,))

    def deal(self) -> str:
        """Which card."""

        async def deal() -> str:
            self._loaded.deal()
            return self._loaded.dealt[-1]

        return asyncio.run_coroutine_threadsafe(deal(), self._loop).result(WAIT_S)


class Process:
    """One daemon, started again as often as wanted on the same files."""

    def __init__(self, folder: Path, config: str = CONFIG) -> None:
        self.folder, self.config = folder, folder / "table.toml"
        self.config.write_text(config)
        self.socket = folder / "table.sock"
        self.log = folder / "log"
        self.systemd = Systemd(folder)
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def spawn(self, **variables: str) -> None:
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [CROUPIER, "run", "--config", self.config],
                env=environment(NOTIFY_SOCKET=str(self.systemd.path), **variables),
                cwd=self.folder,
                stderr=log,
                preexec_fn=end_with_parent,
            )

    def start(self, **variables: str) -> Process:
        self.systemd.hear()
        self.spawn(**variables)
        until(self._ready, "READY")
        return self

    def _ready(self) -> bool:
        assert self._process is not None
        assert self._process.poll() is None, self.words()
        return "READY=1" in self.systemd.hear()

    def signal(self, number: signal.Signals) -> None:
        assert self._process is not None
        self._process.send_signal(number)

    def wait(self) -> int:
        assert self._process is not None
        return self._process.wait(WAIT_S)

    def stop(self) -> int:
        self.signal(signal.SIGTERM)
        return self.wait()

    def kill(self) -> None:
        self.signal(signal.SIGKILL)
        self.wait()

    def close(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self.kill()
        self.systemd.close()

    def words(self) -> str:
        return self.log.read_text()

    # Its API

    def ask(self, method: str, address: str, body: Any = None) -> tuple[int, Any]:
        line = http.client.HTTPConnection("localhost", timeout=WAIT_S)
        line.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            line.sock.connect(str(self.socket))
            headers = {"Content-Type": "application/json"} if body is not None else {}
            line.request(method, address, None if body is None else json.dumps(body), headers)
            answer = line.getresponse()
            return answer.status, json.loads(answer.read())
        finally:
            line.close()

    def state(self, view: str = "audit") -> Any:
        status, said = self.ask("GET", f"/api/v1/state?view={view}")
        assert status == 200, said
        return said["state"]

    def enter(self, what: str, **fields: Any) -> Any:
        status, said = self.ask("POST", "/api/v1/inputs", {"input": what, **fields})
        assert status == 200, said
        return said

    def play(self, cards: str = "TS 7D 9C TH") -> None:
        """A round of one seat that stands, its cards named by hand."""
        self.enter("open_round")
        for code in cards.split():
            self.enter("card", card=code)
        self.enter("decision", seat=1, hand=1, action="stand")
        while self.state("public")["phase"] == "playing":
            self.enter("next_round")

    def open(self) -> None:
        self.enter("open_table")
        self.enter("shoe", action="load")
        self.enter("wager", seat=1, amount="10")
