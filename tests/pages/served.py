"""A table for the tests of the pages: the real daemon as a process, and a simulated shoe that the test deals from.

The shoe is on a pty and outlives the daemon, so a table that is killed and started again has the same one.
"""

from __future__ import annotations

import asyncio
import functools
import http.client
import json
import secrets
import socket
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from pathlib import Path
from typing import Any, TypeVar

from controller.people.book import People, Person, Role, change_people, people_path
from controller.people.pins import hash_pin
from drivers.simulated.bench import ShoeBench
from drivers.simulated.pile import shuffled
from drivers.simulated.pty_plug import PtyPlug
from drivers.simulated.tablelink_end import TableLinkEnd
from tests.controller.daemon.served import WAIT_S, Process, until

T = TypeVar("T")

NAMES = {"dealer": "Ann", "supervisor": "Sam", "technician": "Tom"}
PINS = {"dealer": "4071", "supervisor": "86153", "technician": "2947"}

CONFIG = """
[table]
name = "{name}"
simulated = true
seats = 7
money = "{money}"
currency = "{currency}"
chips = ["1", "5", "25", "100"]
[game]
ruleset = "{game}"
[limits.main]
min = "{least}"
max = "{most}"
step = "{step}"
[shoe]
driver = "tablelink"
port = "{port}"
[web]
listen = "127.0.0.1:{tcp}"
{web}
"""


class Shoe:
    """Deals what it is told to, and takes the orders of a bench: `told("fault misread")`, `told("cut")`."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "shoe"
        self._bench = ShoeBench("tablelink", shuffled(8, 11, 0), seed=3)
        self._plug = PtyPlug(self._bench.end, self._bench.faults, lambda what, path: None, link=self.path)
        self._bench.attach(self._plug, lambda said: None)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def start(self) -> None:
        self._thread.start()
        self._running = self._begin(self._plug.run())
        until(self.path.is_symlink, "the shoe's path")

    def close(self) -> None:
        self._running.cancel()
        until(lambda: not self.path.is_symlink(), "the shoe's end")
        self._begin(asyncio.sleep(0.05)).result(WAIT_S)  # for what was cancelled to end
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def told(self, line: str) -> None:
        (said, *_) = self._begin(self._bench.told(line)).result(WAIT_S)
        assert said["event"] not in ("not_understood", "stopped"), said["words"]

    def all_told(self) -> bool:
        """Whether the table has acknowledged everything, which it does when its journal has it."""
        assert isinstance(self._bench.end, TableLinkEnd)
        return self._plug.is_open and self._bench.end.queued == 0

    def _begin(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        return asyncio.run_coroutine_threadsafe(work, self._loop)


@functools.cache
def everybody() -> People:
    """Hashed once: it is made to take long."""
    roles: tuple[Role, ...] = ("dealer", "supervisor", "technician")
    return People(people=tuple(Person(NAMES[role], role, hash_pin(PINS[role]), 0) for role in roles))


class Table:
    """One table, at which those of NAMES may sign in with their `pins`. `enter` raises Refused with the problem where
    the table refuses."""

    def __init__(
        self,
        folder: Path,
        *,
        game: str = "power_blackjack",
        name: str = "Table 7",
        limits: tuple[str, str, str] = ("10", "500", "10"),
        currency: str = "$",
        money: str = "cash",
        web: str = "",
        more: str = "",
    ) -> None:
        """`web` are lines for the section [web], `more` sections of their own."""
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.shoe = Shoe(folder)
        least, most, step = limits
        config = CONFIG.format(
            name=name, game=game, money=money, currency=currency, least=least, most=most, step=step,
            port=self.shoe.path, tcp=self.port, web=web,
        )  # fmt: skip
        self.process = Process(folder, config + more)
        self.names, self.pins = NAMES, PINS
        change_people(people_path(folder / "table.db"), lambda nobody: everybody())
        self.was_down = False

    def begin(self) -> None:
        self.shoe.start()
        try:
            self.start()
        except BaseException:
            self.close()
            raise

    def start(self) -> None:
        self.process.start()
        until(self.shoe.all_told, "the shoe")
        until(lambda: not self.state("dealer")["holding"], "the table to have its shoe")

    def kill(self) -> None:
        """As if its power was pulled."""
        self.was_down = True
        self.process.kill()

    def stop(self) -> None:
        self.was_down = True
        assert self.process.stop() == 0

    def close(self) -> None:
        try:
            self.process.close()
        finally:
            self.shoe.close()

    def enter(self, what: dict[str, Any], *, who: str = "supervisor:Sam") -> list[int]:
        """Over the Unix socket, as somebody in a role: `dealer:Ann`. The numbers of the events it made."""
        headers = {"Croupier-As": who, "Content-Type": "application/json", "Idempotency-Key": secrets.token_hex(8)}
        status, said = self._ask("POST", "/api/v1/inputs", headers, json.dumps(what).encode())
        if status != 200:
            raise Refused(said)
        made: list[int] = said["sequences"]
        return made

    def enter_all(self, *names: str) -> None:
        """Inputs that need nothing but their names."""
        for name in names:
            self.enter({"input": name})

    def open(self, *seats: int, wager: str = "10") -> None:
        """Open, with a shoe in it, and a bet at each seat."""
        self.enter({"input": "open_table"})
        self.enter({"input": "shoe", "action": "load"})
        for seat in seats:
            self.enter({"input": "wager", "seat": seat, "amount": wager})

    def deal(self, *cards: str) -> None:
        """Out of the shoe; they are in the journal when this returns."""
        for card in cards:
            self.shoe.told(f"deal {card}")
        until(self.shoe.all_told, "the cards to be journalled")

    def state(self, view: str = "public") -> Any:
        status, said = self._ask("GET", f"/api/v1/state?view={view}", {})
        assert status == 200, said
        return said["state"]

    def _ask(self, method: str, path: str, headers: dict[str, str], body: bytes | None = None) -> tuple[int, Any]:
        line = http.client.HTTPConnection("localhost", timeout=WAIT_S)
        line.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            line.sock.connect(str(self.process.socket))
            line.request(method, path, body, headers)
            answer = line.getresponse()
            return answer.status, json.loads(answer.read())
        finally:
            line.close()


class Refused(Exception):
    def __init__(self, problem: dict[str, Any]) -> None:
        super().__init__(problem["detail"])
        self.problem = problem


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        port: int = found.getsockname()[1]
        return port
