"""The end of a table's day: what it came to, and whether the plug may be pulled.

"Safe" is said only of a closed table all of whose events are in the journal, with nothing on its way there.
"""

from __future__ import annotations

import msgspec
from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from controller.rules.errors import Refused
from controller.surfaces.pack_down import Day
from controller.surfaces.web.asked import asker
from controller.surfaces.web.desk import Desk
from controller.surfaces.web.people import check_reads
from controller.surfaces.web.problems import rejected


class PackDown(Struct, frozen=True, kw_only=True):
    """`waits` says in words why it is not safe to unplug; empty where it is. `alerts` are those that nobody has
    acknowledged, by number; `day` is null where the table was never opened."""

    table: str
    closed: bool
    safe: bool
    waits: str
    currency: str
    wagers: bool
    alerts: dict[int, str]
    day: Day | None


class Packing:
    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._known: tuple[int, Day | None] | None = None  # how many events it is of

    def routes(self) -> list[Route]:
        return [Route("/api/v1/pack-down", self._answer)]

    async def _answer(self, request: Request) -> Response:
        check_reads(asker(request), "the day's end", "dealer", "supervisor", "technician", "owner")
        try:
            told = await self._told()
        except Refused as refused:
            raise rejected("refused", refused.message, code=refused.code) from refused
        return Response(msgspec.json.encode(told), media_type="application/json")

    async def _told(self) -> PackDown:
        running = self._desk.running
        before = running.table.state.sequence
        if self._known is None or self._known[0] != before:
            sequence, day = await self._desk.rounds.day()
            self._known = (sequence, day)
        sequence, day = self._known
        table = running.table  # as it is now: something may have come meanwhile
        waits = _waits(self._desk, open_=table.state.open, kept=sequence == table.state.sequence)
        return PackDown(
            table=table.setup.name,
            closed=not table.state.open,
            safe=not waits,
            waits=waits,
            currency=table.setup.currency,
            wagers=table.setup.wagers,
            alerts={alert.number: alert.words for alert in table.state.alerts},
            day=day,
        )


def _waits(desk: Desk, *, open_: bool, kept: bool) -> str:
    if open_:
        return "The table is open: close it first."
    if desk.running.trouble:
        return f"The journal takes nothing: {desk.running.trouble}"
    if not (desk.settled() and kept):
        return "Something is still being written."
    return ""
