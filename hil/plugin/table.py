"""The fixture `table`: the whole daemon in a process of its own on the bench's devices, asked by its API.

Its journal, socket and log are in the test's folder. Refuses to begin with a daemon that does not start, in its words.
"""

from __future__ import annotations

import http.client
import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from controller.cli.orphans import end_with_parent
from hil.plugin.bench_file import Role
from hil.plugin.place import Place
from hil.plugin.words import BenchBroken, NotHeard, Story

START_S: Final = 30.0  # a Pi takes some seconds
END_S: Final = 20.0
ANSWER_S: Final = 10.0
LOG_TAIL: Final = 2000
SERVICE: Final = (
    "NOTIFY_SOCKET",
    "WATCHDOG_USEC",
    "WATCHDOG_PID",
    "JOURNAL_STREAM",
    "INVOCATION_ID",
    "CROUPIER_SOCKET",
)
CONFIG: Final = """\
[table]
name = "Bench"
seats = 7
currency = "$"
chips = ["0.50", "1", "5", "25", "100"]
simulated = {simulated}

[game]
ruleset = {game}

[limits.main]
min = "5"
max = "500"
step = "5"

[web]
listen = "127.0.0.1:{port}"

[journal]
path = "table.db"
"""


class Refused(Exception):
    """The table takes no such input now; `problem` is what its API said."""

    def __init__(self, problem: Mapping[str, Any]) -> None:
        super().__init__(str(problem.get("detail", problem)))
        self.problem = dict(problem)


class BenchTable:
    """`folder` has its configuration, journal, socket and log; `url` its pages."""

    def __init__(self, folder: Path, places: Mapping[Role, Place], game: str, story: Story) -> None:
        self.folder, self.game = folder, game
        self.journal_path, self.log_path = folder / "table.db", folder / "daemon.log"
        self._places, self._story = dict(places), story
        self._process: subprocess.Popen[bytes] | None = None
        self._port = _free_port()
        self.url = f"http://127.0.0.1:{self._port}"
        simulated = any(place.is_simulated for place in places.values())
        text = CONFIG.format(simulated=str(simulated).lower(), game=json.dumps(game), port=self._port)
        (folder / "table.toml").write_text(text + "".join(map(_section, places.values())), encoding="utf-8")

    # The process

    @property
    def running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    @property
    def log(self) -> str:
        return self.log_path.read_text(errors="replace") if self.log_path.exists() else ""

    def start(self) -> None:
        """Until it answers. Its devices may still be on their way: `wait_ready`."""
        self._story.tell("the test", "the daemon starts")
        with self.log_path.open("ab") as log:
            self._process = subprocess.Popen(
                (sys.executable, "-c", "from controller.cli import main; main()", "run", "--config", "table.toml"),
                cwd=self.folder,
                env={name: value for name, value in os.environ.items() if name not in SERVICE},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,  # Ctrl-C is for pytest, which ends it in order
                preexec_fn=end_with_parent,
            )
        end = time.monotonic() + START_S
        while not self._answers():
            if not self.running:
                raise BenchBroken(f"the table's daemon did not start: {self.log[-LOG_TAIL:].strip()}")
            if time.monotonic() > end:
                raise BenchBroken(f"the table's daemon did not answer within {START_S:g} s: {self.log[-LOG_TAIL:]}")
            time.sleep(0.02)

    def wait_ready(self, within: float = START_S) -> None:
        """Until every device is ready. Raises BenchBroken with what the daemon says of the one that is not."""
        __tracebackhide__ = True
        end = time.monotonic() + within
        while missing := [each for each in self.devices() if each["state"] != "ready" or self._deaf(each["device"])]:
            if time.monotonic() > end:
                said = "; ".join(f"{each['device']} is {each['state']}: {each['words']}" for each in missing)
                raise BenchBroken(f"not every device of the table was ready within {within:g} s: {said}")
            time.sleep(0.05)

    def kill(self) -> None:
        """As if its power was pulled."""
        self._story.tell("the test", "the daemon is killed")
        self._end(signal.SIGKILL)

    def stop(self) -> int:
        """In order; its exit status."""
        self._story.tell("the test", "the daemon is told to end")
        return self._end(signal.SIGTERM)

    def restart(self) -> None:
        """On the same journal, until its devices are ready again."""
        if self.running:
            self.stop()
        self.start()
        self.wait_ready()

    def close(self) -> None:
        if self.running:
            self._end(signal.SIGTERM)

    # Its API

    def state(self, view: str = "dealer") -> Any:
        """A view: public, dealer, supervisor, or audit with everything."""
        return self.ask("GET", f"/api/v1/state?view={view}")["state"]

    def devices(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.ask("GET", "/api/v1/devices")["devices"]
        return found

    def enter(self, what: str, *, who: str = "supervisor:Bench", **fields: Any) -> list[int]:
        """One input, such as `enter("decision", seat=1, hand=1, action="stand")`. Raises Refused."""
        self._story.tell("the test", f"enters {what} {fields or ''}".strip())
        headers = {"Croupier-As": who, "Content-Type": "application/json", "Idempotency-Key": secrets.token_hex(8)}
        body = json.dumps({"input": what, **fields}).encode()
        sequences: list[int] = self.ask("POST", "/api/v1/inputs", body, headers)["sequences"]
        return sequences

    def open(self, *seats: int, wager: str = "10") -> None:
        """Opened, with a shoe in it, and a bet at each seat."""
        self.enter("open_table")
        self.enter("shoe", action="load")
        for seat in seats:
            self.enter("wager", seat=seat, amount=wager)

    def wait(
        self,
        reached: Callable[[Any], Any],
        within: float = 10.0,
        what: str = "that state",
        view: str = "dealer",
    ) -> Any:
        """The view, as soon as `reached` is true of it."""
        __tracebackhide__ = True
        end = time.monotonic() + within
        while not reached(state := self.state(view)):
            if time.monotonic() > end:
                raise NotHeard(f"the table did not come to {what} within {within:g} s\n{self._story.tail()}")
            time.sleep(0.02)
        return state

    def ask(
        self, method: str, address: str, body: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> Any:
        """Any request over the daemon's own socket. Raises Refused for an answer that is a problem."""
        line = http.client.HTTPConnection("localhost", timeout=ANSWER_S)
        line.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        line.sock.settimeout(ANSWER_S)
        try:
            line.sock.connect(str(self.folder / "table.sock"))
            line.request(method, address, body, dict(headers or {}))
            answer = line.getresponse()
            said = json.loads(answer.read())
        finally:
            line.close()
        if answer.status != 200:
            raise Refused(said)
        return said

    # Its journal

    def journal(self) -> list[dict[str, Any]]:
        """Every event so far, oldest first: `sequence`, `actor`, `kind` and its own fields as `data`."""
        from controller.store.journal import Journal

        if not self.journal_path.exists():
            return []
        with Journal.read_only(self.journal_path) as journal:
            return [
                {"sequence": each.sequence, "actor": each.actor, "kind": each.kind, "data": json.loads(each.data)}
                for each in journal.unproven(0)
            ]

    def cards(self) -> list[str]:
        """Every card in the journal that the shoe told, in order, whatever became of it."""
        return [each["data"]["card"] for each in self.journal() if each["actor"] == "device:shoe" and _names_card(each)]

    def wait_cards(self, *cards: str, within: float = 10.0) -> None:
        """Until the newest cards of the journal are these."""
        __tracebackhide__ = True
        end = time.monotonic() + within
        while (told := self.cards())[-len(cards) :] != list(cards):
            if time.monotonic() > end:
                raise NotHeard(f"the journal's newest cards are {told[-len(cards) :]}, not {list(cards)}")
            time.sleep(0.02)

    # Inside

    def _deaf(self, name: str) -> bool:
        """A device that only talks is ready as soon as its port is open, and heard a little later."""
        lines = [place.line for place in self._places.values() if place.entry.role == name]
        return any(line is not None and not line.is_open for line in lines)

    def _answers(self) -> bool:
        try:
            self.ask("GET", "/healthz")
        except (OSError, http.client.HTTPException, ValueError):
            return False
        except Refused:
            return False
        return True

    def _end(self, number: signal.Signals) -> int:
        process = self._process
        assert process is not None
        process.send_signal(number)
        try:
            return process.wait(END_S)
        except subprocess.TimeoutExpired:
            process.kill()
            return process.wait()


def _names_card(event: Mapping[str, Any]) -> bool:
    return isinstance(event["data"], dict) and bool(event["data"].get("card"))


def _section(place: Place) -> str:
    """The device in the daemon's configuration."""
    role = place.entry.role
    lines = {"shoe": ["[shoe]"], "sign": ["[[display]]", 'name = "sign"', 'shows = "limits"']}.get(
        role, ["[[console]]", 'name = "console"']
    )
    settings = {key: value for key, value in place.settings.items() if not (role == "shoe" and key == "decks")}
    values = [f"{key} = {_toml(value)}" for key, value in settings.items()]
    return "\n".join(["", *lines, f"driver = {_toml(place.driver)}", *values, ""])


def _toml(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{json.dumps(str(key))} = {_toml(each)}" for key, each in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        port: int = found.getsockname()[1]
        return port
