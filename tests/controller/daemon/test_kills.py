"""Kill -9 at every step of golden rounds, outside and inside of commit, acknowledgement and show; then all is as if
nothing had been: state, public view, and what the sign and the board show, to the byte."""

from __future__ import annotations

import asyncio
import json
import sys
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from controller.store.audit import verify
from controller.surfaces.texts import limits_content, results_content
from controller.table import inputs as i
from controller.table.table import Table
from controller.table.views import public_view
from drivers.displays.alpha_sign import AlphaLink, AlphaSettings
from drivers.displays.escpos import EscPosLink, EscPosSettings
from drivers.displays.push_link import PushLink
from drivers.simulated.faults import Faults
from drivers.simulated.pty_plug import PtyPlug
from drivers.simulated.shoe import LoadedShoe, shoe_end
from drivers.simulated.signs import SignEnd, sign_end
from firmware_protocol.tablelink import timing
from tests.controller.daemon.child import PATIENCE_S, POINTS
from tests.controller.daemon.golden import Golden

WAIT_S = 60.0
CASES = ("pw-01", "mc-06", "cf-07", "sfx-10", "bj-26")
OUTSIDE = "from outside"
KILLS = (OUTSIDE, *POINTS)
OF_CARDS = ("before the acknowledgement", "after the acknowledgement")


class Hardware:
    """A shoe, a sign and a board that outlive every process of the table."""

    def __init__(self, folder: Path, cards: tuple[str, ...]) -> None:
        faults = Faults(3)
        shoe = shoe_end("tablelink", faults)
        self.shoe = LoadedShoe(shoe, faults, cards)
        self.sign, self.board = sign_end("alpha_sign"), sign_end("escpos")
        self._links = {"shoe": shoe, "sign": self.sign, "board": self.board}
        self._folder = folder

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            for name, end in self._links.items():
                plug = PtyPlug(end, Faults(), lambda what, path: None, link=self._folder / name)
                end.woken = plug.wake
                task = asyncio.create_task(plug.run())
                stack.push_async_callback(_ended, task)
            while not all((self._folder / name).is_symlink() for name in self._links):
                await asyncio.sleep(0.005)
            yield

    async def show(self, table: Table) -> None:
        """Waits until a passer-by sees on both what this table has to show."""
        for end, text in zip((self.sign, self.board), shown_by(table), strict=True):
            async with asyncio.timeout(WAIT_S):
                while end.shown() != text:
                    await asyncio.sleep(0.005)


async def _ended(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


def shown_by(table: Table) -> tuple[str, str]:
    """What a sign and a board show that were given this table's texts and nothing else before."""
    view, setup = public_view(table), table.setup
    sign, board = AlphaLink(AlphaSettings(port="sign")), EscPosLink(EscPosSettings(port="board"))
    sign.set_content(limits_content(view, setup.rules, setup.currency))
    board.set_content(results_content(view, setup.currency))
    return _seen(sign, sign_end("alpha_sign")), _seen(board, sign_end("escpos"))


def _seen(link: PushLink, end: SignEnd) -> str:
    now = 0.0
    link.opened(now)
    while data := link.data_to_send(now):
        end.receive(data, now)
        now += 3.0  # longer than any gap
        link.poll(now)
    return end.shown()


class Process:
    """The table's process; `said` is what it told last."""

    def __init__(self, folder: Path, case: str) -> None:
        self._args = (str(folder), case)
        self._process: asyncio.subprocess.Process | None = None
        self.said: dict[str, Any] = {}

    async def start(self) -> None:
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "tests.controller.daemon.child",
            *self._args,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=1 << 20,
        )
        await self._hear()

    async def until_sequence(self, sequence: int) -> None:
        while self.said["state"]["sequence"] < sequence:
            await self._hear()

    async def arm(self, point: str) -> None:
        self._write(b"!" + point.encode())
        while (await self._line()).get("armed") != point:
            pass

    def enter(self, what: i.FromPeople) -> None:
        self._write(msgspec.json.encode(what))

    async def killed_itself(self) -> None:
        assert self._process is not None
        async with asyncio.timeout(WAIT_S):
            await self._process.communicate()
        assert self._process.returncode == -9
        self._process = None

    async def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            await self._process.communicate()
            self._process = None

    def _write(self, line: bytes) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        self._process.stdin.write(line + b"\n")

    async def _hear(self) -> None:
        self.said = await self._line()

    async def _line(self) -> dict[str, Any]:
        assert self._process is not None
        assert self._process.stdout is not None
        async with asyncio.timeout(WAIT_S):
            line = await self._process.stdout.readline()
        assert line, "the process ended"
        said: dict[str, Any] = json.loads(line)
        assert "refused" not in said, said
        return said


class Play:
    """One golden round; with `turn` the process is killed at every step, at a point that the turn chooses."""

    def __init__(self, folder: Path, case: str, turn: int | None) -> None:
        folder.mkdir()
        self._golden, self._turn, self._folder = Golden(case), turn, folder
        self._hardware = Hardware(folder, self._golden.cards)
        self._process = Process(folder, case)
        self.shown: list[dict[str, Any]] = []
        self.points: set[str] = set()

    async def run(self) -> None:
        async with self._hardware.running():
            try:
                await self._process.start()
                start = self._golden.start
                while len(self.shown) < len(start) or self._state["round"] is not None:
                    at = len(self.shown)
                    await self._step(start[at] if at < len(start) else self._golden.step(self._state))
                    self.shown.append(self._process.said)
                await self._hardware.show(self._golden.table(self._state))
            finally:
                await self._process.kill()
        assert self._state["shoe"]["out"] == Counter(self._hardware.shoe.dealt)
        assert self._process.said["public"]["net"] == self._golden.net
        verify(self._folder / "table.db")

    @property
    def _state(self) -> Any:
        return self._process.said["state"]

    async def _step(self, what: i.FromPeople | None) -> None:
        """None is a card."""
        before = self._state["sequence"]
        if self._turn is None:
            self._do(what)
            await self._process.until_sequence(before + 1)
            await self._hardware.show(self._golden.table(self._state))
            return
        point = self._point(what)
        self.points.add(point)
        if point != OUTSIDE:
            await self._process.arm(point)
        self._do(what)
        await (self._process.kill() if point == OUTSIDE else self._process.killed_itself())
        await self._process.start()
        if what is not None and self._state["sequence"] == before:
            assert point in (OUTSIDE, "before the commit"), f"{what} was lost, killed {point}"
            self._do(what)
        await self._process.until_sequence(before + 1)

    def _do(self, what: i.FromPeople | None) -> None:
        if what is None:
            self._hardware.shoe.deal()
        else:
            self._process.enter(what)

    def _point(self, what: i.FromPeople | None) -> str:
        """All points in turn; what a person enters is not acknowledged to a shoe."""
        assert self._turn is not None
        point = KILLS[(len(self.shown) + self._turn) % len(KILLS)]
        return OUTSIDE if what is not None and point in OF_CARDS else point


def without_boot(said: dict[str, Any]) -> dict[str, Any]:
    """A simulated shoe has a new boot id in each run."""
    marks = {device: mark["number"] for device, mark in said["state"]["marks"].items()}
    return {**said, "state": {**said["state"], "marks": marks}}


@pytest.mark.parametrize("case", CASES)
async def test_killed_at_every_step_the_table_goes_on_as_if_nothing_had_been(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timing, "LOST_S", PATIENCE_S)
    whole = Play(tmp_path / "whole", case, None)
    killed = [Play(tmp_path / f"killed {turn}", case, turn) for turn in (0, len(KILLS) // 2)]
    await asyncio.gather(*(play.run() for play in (whole, *killed)))
    for play in killed:
        for step, (one, other) in enumerate(zip(whole.shown, play.shown, strict=True)):
            assert without_boot(other) == without_boot(one), f"{play.points}: different at {step}"
    assert set.union(*(play.points for play in killed)) == set(KILLS)
