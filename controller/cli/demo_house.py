"""A demo for a browser: simulated devices, the real daemon in a process of its own, and a bot that may deal and play.

The daemon can be killed as if its plug were pulled: the devices live here and outlive it.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import signal
import sys
from collections import Counter
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, Final

import msgspec

from controller.cli.demo_world import KEYS, World
from controller.cli.narrate_rounds import ROUNDS
from controller.cli.orphans import end_with_parent
from controller.cli.socket_line import ask
from controller.daemon.bot import Bot
from controller.library import load_game
from controller.table import inputs as i
from controller.table.views import DealerView

START_S: Final = 20.0  # for the daemon to answer; a Pi takes some seconds
DARK_S: Final = 1.5  # between the pulled plug and the new start
PACE_S: Final = 0.9  # between two things that the bot does
SEATS: Final = 5
CONFIG: Final = """\
[table]
name = "Demo table"
seats = {seats}
currency = "$"
chips = ["0.50", "1", "5", "25", "100"]
simulated = true

[game]
ruleset = "{game}"

[limits.main]
min = "5"
max = "500"
step = "5"

[shoe]
driver = "tablelink"
port = "{shoe}"

[[display]]
name = "sign"
shows = "limits"
driver = "alpha_sign"
port = "{sign}"
data_bits = 8
parity = "N"

[[display]]
name = "board"
shows = "results"
driver = "escpos"
port = "{board}"

[[console]]
name = "keys"
driver = "tablelink"
port = "{keys}"
keys = {{ {key_numbers} }}

[journal]
path = "table.db"

[web]
listen = "127.0.0.1:{port}"
framed_by = ["{framed_by}"]
"""


def opening(game: str, decks: int, seed: int) -> tuple[str, ...]:
    """A shoe that begins with the game's worked example and goes on shuffled."""
    from drivers.simulated.pile import shuffled

    first = [code.replace("10", "T") for code in example(game)["shoe"]]
    rest = Counter(shuffled(decks, seed, 0)) - Counter(first)
    following = list(rest.elements())
    random.Random(seed).shuffle(following)
    return (*first, *following)


def example(game: str) -> dict[str, Any]:
    return next(told for told in ROUNDS if told["game"] == game)


class House:
    """One game at a time. `pins` are made anew with each; they are nobody's."""

    def __init__(self, folder: Path, *, seed: int, port: int, framed_by: str) -> None:
        self._folder, self._seed, self._port, self._framed_by = folder, seed, port, framed_by
        self._stack = AsyncExitStack()
        self._process: asyncio.subprocess.Process | None = None
        self._opened = 0
        self._script: list[list[Any]] = []
        self._busy = asyncio.Lock()
        self._up = False
        self.world: World
        self.game = ""
        self.bot_on = False
        self.pins: dict[str, str] = {}

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    @property
    def running(self) -> bool:
        """Whether its pages can be asked for."""
        return self._up and self._process is not None and self._process.returncode is None

    @property
    def _here(self) -> Path:
        return self._folder / f"{self._opened}"

    async def open(self, game: str) -> None:
        """Another game: other devices, another journal. Raises Refused for a game that there is not."""
        async with self._busy:
            rules = load_game(game)
            await self._end()
            self._opened += 1
            self._here.mkdir()
            self.game = rules.game
            self._script = [list(action) for action in example(rules.game)["actions"] if action[1]]
            self.world = World(opening(rules.game, rules.decks, self._seed), self._here, seed=self._seed)
            await self._stack.enter_async_context(self.world.plugged_in())
            self._write_config()
            await self._make_people()
            await self._start()
            for what in self._first_inputs():
                await self.enter(what)

    async def close(self) -> None:
        async with self._busy:
            await self._end()

    async def pull_power(self) -> None:
        """Kills the daemon where it stands, and starts it again after a while."""
        async with self._busy:
            if self._process is not None:
                with contextlib.suppress(ProcessLookupError):
                    self._process.kill()
                await self._process.wait()
            await asyncio.sleep(DARK_S)
            await self._start()

    async def enter(self, what: i.FromPeople, who: str = "supervisor:demo") -> int:
        """Gives the status of the answer: a refusal is an answer too."""
        body = msgspec.json.encode(what)
        headers = {"Content-Type": "application/json", "Croupier-As": who}
        status, _ = await asyncio.to_thread(ask, self._socket, "POST", "/api/v1/inputs", body, headers)
        return status

    async def dealer_view(self) -> DealerView:
        _, text = await asyncio.to_thread(ask, self._socket, "GET", "/api/v1/state?view=dealer")
        return msgspec.json.decode(text, type=_Snapshot).state

    async def session_cookie(self) -> str:
        """Signs the dealer in, so that the demo's console is ready; the cookie as the daemon sets it."""
        body = msgspec.json.encode({"name": "dealer", "pin": self.pins["dealer"]})
        headers = {"Content-Type": "application/json", "Origin": self.url, "Host": f"127.0.0.1:{self._port}"}
        _, _, answered = await asyncio.to_thread(_over_tcp, self._port, "POST", "/api/v1/session", body, headers)
        return answered.get("set-cookie", "")

    async def play(self) -> None:
        """The bot, for ever: deals and decides while it is on, follows the worked example first."""
        bot = Bot(self._seed, seats=SEATS, least="10")
        while True:
            await asyncio.sleep(PACE_S)
            if not self.bot_on or not self.running or self._busy.locked():
                continue
            try:
                await self._turn(bot)
            except (OSError, msgspec.MsgspecError):
                continue  # the daemon is being killed or is starting: it is asked again

    async def _turn(self, bot: Bot) -> None:
        view = await self.dealer_view()
        what = self._from_script(view) or bot.next(view, self.world.shoe.dealt)
        if what is None:
            self.deal()
        elif await self.enter(what, "dealer:bot") == 409 and view.public.shoe.change_due:
            self.world.shoe.load(opening(self.game, load_game(self.game).decks, self._seed + 1))
            await self.enter(i.Shoe("load"))

    def _from_script(self, view: DealerView) -> i.FromPeople | None:
        if view.public.round > 1 or view.question is not None or not view.actions or not self._script:
            return None
        seat, hand, action = self._script[0][:3]
        action = "double" if action == "redouble" else action
        if view.public.turn != (seat, hand) or action not in view.actions:
            return None
        self._script.pop(0)
        return i.Decision(seat, hand, action)

    def deal(self) -> str:
        """Lets a card out; gives why none came, where none did."""
        from drivers.simulated.shoe import ShoeStopped

        try:
            self.world.shoe.deal()
        except ShoeStopped as stopped:
            return str(stopped)
        return ""

    # The daemon's process

    @property
    def _socket(self) -> Path:
        return self._here / "table.sock"

    def _write_config(self) -> None:
        numbers = ", ".join(f"{key} = {number}" for number, key in enumerate(KEYS))
        text = CONFIG.format(
            seats=SEATS,
            game=self.game,
            port=self._port,
            framed_by=self._framed_by,
            key_numbers=numbers,
            **self.world.paths,
        )
        (self._here / "table.toml").write_text(text, encoding="utf-8")

    async def _make_people(self) -> None:
        chance = random.SystemRandom()
        for role in ("dealer", "supervisor"):
            self.pins[role] = "".join(chance.sample("0123456789", 6))
            adding = await self._croupier(
                "people", "add", role, "--role", role, "--pin-stdin", stdin=asyncio.subprocess.PIPE
            )
            await adding.communicate(f"{self.pins[role]}\n".encode())

    async def _start(self) -> None:
        self._up = False
        self._process = await self._croupier("run", stdin=asyncio.subprocess.DEVNULL)
        try:
            async with asyncio.timeout(START_S):
                while not await self._answers():
                    if self._process.returncode is not None:
                        raise RuntimeError((self._here / "log").read_text(errors="replace")[-2000:])
                    await asyncio.sleep(0.05)
        except TimeoutError:
            raise RuntimeError(f"the daemon did not answer within {START_S:g} s") from None
        self._up = True

    async def _answers(self) -> bool:
        try:
            status, _ = await asyncio.to_thread(ask, self._socket, "GET", "/healthz")
        except OSError:
            return False
        return status == 200

    async def _croupier(self, *words: str, stdin: int) -> asyncio.subprocess.Process:
        with (self._here / "log").open("ab") as log:
            return await asyncio.create_subprocess_exec(
                sys.executable,
                "-c",
                "from controller.cli import main; main()",
                *words,
                "--config",
                str(self._here / "table.toml"),
                stdin=stdin,
                stdout=log,
                stderr=log,
                start_new_session=True,  # Ctrl-C is for the demo, which ends it in order
                preexec_fn=end_with_parent,
            )

    async def _end(self) -> None:
        self._up = False
        if self._process is not None and self._process.returncode is None:
            self._process.send_signal(signal.SIGTERM)
            try:
                async with asyncio.timeout(START_S):
                    await self._process.wait()
            except TimeoutError:
                self._process.kill()
                await self._process.wait()
        await self._stack.aclose()
        self._stack = AsyncExitStack()

    def _first_inputs(self) -> list[i.FromPeople]:
        wagers = [
            i.Wager(seat["seat"], seat["bet"], dict(seat.get("side", {}))) for seat in example(self.game)["seats"]
        ]
        return [i.OpenTable(), i.Shoe("load"), *wagers]


class _Snapshot(msgspec.Struct):
    state: DealerView


def _over_tcp(
    port: int, method: str, address: str, body: bytes, headers: dict[str, str]
) -> tuple[int, bytes, dict[str, str]]:
    import http.client

    line = http.client.HTTPConnection("127.0.0.1", port, timeout=START_S)
    try:
        line.request(method, address, body, headers)
        answer = line.getresponse()
        return answer.status, answer.read(), {name.lower(): value for name, value in answer.getheaders()}
    finally:
        line.close()
