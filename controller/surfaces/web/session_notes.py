"""Every attempt that was refused goes into the journal, and a flood of them can't fill the disk: what is more than a
little is counted, and told as one sum each minute. Names, never PINs."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter, deque
from collections.abc import Callable
from typing import Final

from starlette.types import Scope

from controller.surfaces.web.desk import Running
from controller.surfaces.web.people import VIEWER, Principal
from controller.surfaces.web.problems import Problem
from controller.table.inputs import Attempted

AT_ONCE: Final = 20  # attempts that are told one by one
EACH_S: Final = 60.0  # then one more in this time, and the others as a sum
LONGEST: Final = 300  # characters of words
DEVICE: Final = "web"
NOTED: Final = frozenset(  # the problems that are attempts; those of signing in are told where that is done
    ("sign_in", "wrong_token", "not_allowed", "foreign_origin", "unknown_host", "supervisor_only", "not_yours")
)

_log = logging.getLogger(__name__)


class Notes:
    """`start` in a running loop, `beat` each second, `finish` at the end. `note` never waits."""

    def __init__(self, running: Running, monotonic: Callable[[], float]) -> None:
        self._running, self._monotonic = running, monotonic
        self._may = float(AT_ONCE)
        self._filled = self._summed = monotonic()
        self._more: Counter[str] = Counter()
        self._waiting: deque[Attempted] = deque()
        self._new = asyncio.Event()
        self._work: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._work = asyncio.create_task(self._tell(), name="refused attempts")

    def refused(self, scope: Scope, problem: Problem) -> None:
        """A request that was answered with this problem; most are no attempts at anything."""
        if problem.code in NOTED:
            what = f"{scope.get('method', 'stream')} {scope['path']}"
            self.note(problem.code, f"{_who(scope)}, {what}: {problem.detail}")

    def note(self, what: str, words: str) -> None:
        now = self._monotonic()
        self._may = min(float(AT_ONCE), self._may + (now - self._filled) / EACH_S)
        self._filled = now
        if self._may < 1 or len(self._waiting) >= AT_ONCE:
            self._more[what] += 1
            return
        self._may -= 1
        self._put(Attempted(what, _clean(words)))

    def beat(self) -> None:
        if self._more and self._monotonic() - self._summed >= EACH_S and len(self._waiting) < AT_ONCE:
            self._sum_up()

    async def finish(self, seconds: float) -> None:
        """What is waiting and what was counted is told, if the journal takes it in this time."""
        if self._work is None:
            return
        if self._more:
            self._sum_up()
        try:
            async with asyncio.timeout(seconds):
                while self._waiting:
                    await asyncio.sleep(0.01)
        except TimeoutError:
            _log.warning("%d refused attempts are not in the journal: it takes nothing", len(self._waiting))
        finally:
            self._work.cancel()
            await asyncio.wait((self._work,))

    def _sum_up(self) -> None:
        self._summed = self._monotonic()
        kinds = ", ".join(f"{count} {what}" for what, count in sorted(self._more.items()))
        self._put(Attempted("many", f"{self._more.total()} more attempts were refused: {kinds}."))
        self._more.clear()

    def _put(self, what: Attempted) -> None:
        self._waiting.append(what)
        self._new.set()

    async def _tell(self) -> None:
        """One at a time: while the journal takes nothing, the shoe does not wait behind more than one of these."""
        while True:
            while self._waiting:
                await self._running.report(self._waiting[0], DEVICE)
                self._waiting.popleft()
            self._new.clear()
            await self._new.wait()


def _who(scope: Scope) -> str:
    principal: Principal = scope["state"].get("principal", VIEWER)
    client = scope.get("client")
    who = f"{principal.role} {principal.name}".strip()
    return f"{who} from {client[0] if client and client[0] else 'the socket'}"


def _clean(words: str) -> str:
    """What a stranger sent may be in it."""
    return "".join(each if each.isprintable() else "\ufffd" for each in words[:LONGEST])
