"""A real table on a real journal, served by the real server on a TCP port and a Unix socket."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct
from websockets.asyncio.client import ClientConnection, unix_connect
from websockets.asyncio.client import connect as ws_connect

from controller.daemon.past import PastRounds
from controller.daemon.runner import Change, Runner, recover
from controller.library import as_options
from controller.store.errors import JournalUnavailable
from controller.store.journal import Journal
from controller.store.record import Entry, Record
from controller.store.writer import JournalWriter
from controller.surfaces.pack_down import Day
from controller.surfaces.playback import Playback
from controller.surfaces.web import asyncapi, openapi
from controller.surfaces.web.api import Web
from controller.surfaces.web.desk import Desk
from controller.surfaces.web.people import SocketOwner, TokenBearer
from controller.surfaces.web.server import Listening, serve
from controller.table import inputs as i
from controller.table.alert_log import PastAlert
from controller.table.export import round_script
from controller.table.rounds import RoundLog
from controller.table.state import Setup
from drivers.supervisor import DeviceStatus
from tests.controller.surfaces.web.client import Address, Answer, request
from tests.controller.surfaces.web.contract import Contract, StreamContract
from tests.controller.table.playing import DEALER, setup_for

TOKEN = "a-token-that-is-only-good-for-these-tests"
BOOT = "b00t"
NOW = 1_800_000_000.0
WAIT_S = 20.0  # for what must happen; no test waits this long where all is well

SHOE = DeviceStatus(
    device="shoe",
    kind="shoe",
    driver="angel_eye",
    address='/dev/table "shoe"',
    state="ready",
    words="ready",
    advice="",
    since=1.5,
    tries=0,
    identity="Angel Eye",
    ready_until=None,
    losses=2,
    simulated=True,
)


class Journalled:
    """A real journal that can be held up, and out of order."""

    def __init__(self, writer: JournalWriter) -> None:
        self._writer = writer
        self.broken = ""
        self.open = asyncio.Event()
        self.open.set()
        self.asked = 0

    async def commit(self, entries: Sequence[Entry], snapshot: bytes | None = None) -> tuple[Record, ...]:
        self.asked += 1
        await self.open.wait()
        if self.broken:
            raise JournalUnavailable(self.broken)
        return await self._writer.commit(entries, snapshot)


class Past(Struct, frozen=True):
    number: int
    cards: int


class KeptRounds:
    """The rounds that ended while the test ran."""

    summary_type: type[Struct] = Past
    record_type: type[Struct] = RoundLog

    def __init__(self, runner: Runner, journal: Path) -> None:
        self._runner = runner
        self._past = PastRounds(journal, runner.table.setup)
        self._logs: dict[int, RoundLog] = {}
        runner.listen(self._changed)

    def _changed(self, change: Change) -> None:
        state = self._runner.table.state
        for log in (state.last, state.round):
            if log is not None:
                self._logs[log.number] = log

    async def round_list(self, before: int | None, limit: int) -> Sequence[Struct]:
        numbers = [number for number in sorted(self._logs, reverse=True) if before is None or number < before]
        return [Past(number, len(self._logs[number].cards)) for number in numbers[:limit]]

    async def round(self, number: int) -> Struct | None:
        return self._logs.get(number)

    async def script(self, number: int) -> dict[str, Any] | None:
        setup, log = self._runner.table.setup, self._logs.get(number)
        return None if log is None else round_script(setup, log, *as_options(setup.rules))

    async def playback(self, number: int, *, simulated: bool) -> Playback | None:
        return await self._past.playback(number, simulated=simulated)

    async def day(self) -> tuple[int, Day | None]:
        return await self._past.day()

    async def alerts(self, limit: int) -> Sequence[PastAlert]:
        return await self._past.alerts(limit)


CONTRACT = Contract(msgspec.json.decode(msgspec.json.encode(openapi.document(KeptRounds))))
STREAM = StreamContract(msgspec.json.decode(msgspec.json.encode(asyncapi.document())))


class Rig:
    def __init__(self, runner: Runner, journal: Journalled, web: Web, listening: Listening, boot: str) -> None:
        self.runner, self.journal, self.web, self.listening, self.boot = runner, journal, web, listening, boot
        self.tcp: Address = (listening.host, listening.port)
        self.unix: Address = listening.unix

    async def ask(
        self,
        method: str,
        path: str,
        *,
        over: Address | None = None,
        token: str = "",
        acting: str = "",
        body: bytes | None = None,
        headers: dict[str, str] | None = None,
    ) -> Answer:
        """Over TCP as a viewer, unless it is said otherwise; the answer is held against the document."""
        sent = {"Host": f"127.0.0.1:{self.listening.port}"}
        if token:
            sent["Authorization"] = f"Bearer {token}"
        if acting:
            sent["Croupier-As"] = acting
        if body is not None:
            sent["Content-Type"] = "application/json"
        merged = {**sent, **(headers or {})}
        found = await request(over or self.tcp, method, path, list(merged.items()), body or b"")
        CONTRACT.check(method, path, found.status, found.headers, found.body)
        return found

    async def get(self, path: str, **more: Any) -> Answer:
        return await self.ask("GET", path, **more)

    async def enter(self, what: dict[str, Any] | bytes, *, key: str = "", **more: Any) -> Answer:
        """As the dealer Ann over the Unix socket, unless it is said otherwise."""
        if "over" not in more and "token" not in more:
            more = {"over": self.unix, "acting": "dealer:Ann", **more}
        headers = {**more.pop("headers", {}), **({"Idempotency-Key": key} if key else {})}
        body = what if isinstance(what, bytes) else json.dumps(what).encode()
        return await self.ask("POST", "/api/v1/inputs", body=body, headers=headers, **more)

    def stream(self, query: str = "", *, owner: bool = False, headers: dict[str, str] | None = None) -> Any:
        """A WebSocket client, to be entered."""
        path = f"/api/v1/stream{query}"
        if owner:
            assert isinstance(self.unix, Path)
            return unix_connect(str(self.unix), f"ws://localhost{path}", additional_headers=headers, compression=None)
        uri = f"ws://127.0.0.1:{self.listening.port}{path}"
        return ws_connect(uri, additional_headers=headers, compression=None, proxy=None)

    async def ready(self, *seats: int) -> None:
        """Open, with a shoe and a bet at each seat, and the cards may come."""
        for what in (i.OpenTable(), i.Shoe("load"), *(i.Wager(seat, "10") for seat in seats or (1,)), i.OpenRound()):
            await self.runner.enter(what, DEALER)

    async def cards(self, codes: str) -> None:
        for code in codes.split():
            await self.runner.report(i.CardLeftShoe(code), "shoe")


async def told(screen: ClientConnection, view: str = "public", *, beats: bool = False) -> dict[str, Any]:
    """The next message of a stream that is no beat, held against both documents."""
    async with asyncio.timeout(WAIT_S):
        while True:
            text = await screen.recv()
            assert isinstance(text, str)
            CONTRACT.message(text, view)
            STREAM.message(text, view)
            message: dict[str, Any] = json.loads(text)
            if beats or message["type"] != "beat":
                return message


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(WAIT_S):
        while not condition():
            await asyncio.sleep(0.005)


@asynccontextmanager
async def serving(
    path: Path, setup: Setup | None = None, *, boot: str = BOOT, certificate: Path | None = None, **web: Any
) -> AsyncIterator[Rig]:
    async with AsyncExitStack() as stack:
        journal = Journal.open(path / "table.db")
        table = recover(setup if setup is not None else setup_for(), journal)
        writer = JournalWriter(journal)
        stack.push_async_callback(writer.close)
        kept = Journalled(writer)
        runner = Runner(table, kept, wall=lambda: NOW)
        desk = Desk(
            running=runner,
            devices=lambda: [SHOE],
            rounds=KeptRounds(runner, path / "table.db"),
            boot=boot,
            simulated=True,
            settled=lambda: runner.settled,
            started=NOW - 60,
            now=lambda: NOW,
        )
        made = Web(desk, [SocketOwner(), TokenBearer(TOKEN)], **web)
        up: asyncio.Future[Listening] = asyncio.get_running_loop().create_future()
        server = asyncio.create_task(
            serve(
                made,
                unix=path / "table.socket",
                tcp=("127.0.0.1", 0),
                certificate=certificate,
                ready=up.set_result,
            )
        )
        stack.push_async_callback(_ended, server)
        await asyncio.wait((up, server), return_when=asyncio.FIRST_COMPLETED)
        if server.done():
            server.result()
        yield Rig(runner, kept, made, up.result(), boot)


async def _ended(server: asyncio.Task[None]) -> None:
    server.cancel()
    await asyncio.wait((server,))
    assert server.cancelled(), server.exception()
