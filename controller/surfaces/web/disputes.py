"""What settles a dispute: a past round step by step, on the page or as a file to keep, and who saw to which alert.

For supervisors. The round in play is not among them: it holds cards that lie face down.
"""

from __future__ import annotations

from typing import Final

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from controller.rules.errors import Refused
from controller.surfaces.playback import Playback
from controller.surfaces.playback_file import LANGUAGES, playback_file
from controller.surfaces.web.answers import Alerts
from controller.surfaces.web.asked import asker, round_number, whole
from controller.surfaces.web.desk import Desk
from controller.surfaces.web.people import check_reads
from controller.surfaces.web.problems import rejected

ALERTS: Final = 50  # in a list, where nobody says how many
MOST_ALERTS: Final = 500
JSON: Final = "application/json"
HTML: Final = "text/html"


class Disputes:
    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def routes(self) -> list[Route]:
        return [
            Route("/api/v1/rounds/{number}/playback", self._frames),
            Route("/api/v1/rounds/{number}/playback.html", self._file),
            Route("/api/v1/alerts", self._alerts),
        ]

    async def _frames(self, request: Request) -> Response:
        return Response(msgspec.json.encode(await self._playback(request)), media_type=JSON)

    async def _file(self, request: Request) -> Response:
        lang = request.query_params.get("lang", LANGUAGES[0])
        if lang not in LANGUAGES:
            raise rejected("bad_query", f"There is no language {lang!r}.", known=LANGUAGES)
        told = await self._playback(request)
        made = playback_file(told, lang)
        headers = {
            "Content-Disposition": f'attachment; filename="round-{told.round}.html"',
            "Content-Security-Policy": made.policy,
        }
        return Response(made.html, headers=headers, media_type=HTML)

    async def _alerts(self, request: Request) -> Response:
        check_reads(asker(request), "past alerts", "supervisor", "owner")
        limit = whole(request, "limit", most=MOST_ALERTS) or ALERTS
        try:
            found = await self._desk.rounds.alerts(limit)
        except Refused as refused:
            raise rejected("refused", refused.message, code=refused.code) from refused
        return Response(msgspec.json.encode(Alerts(tuple(found))), media_type=JSON)

    async def _playback(self, request: Request) -> Playback:
        check_reads(asker(request), "rounds step by step", "supervisor", "owner")
        number, desk = round_number(request), self._desk
        playing = desk.running.table.state.round
        if playing is not None and playing.number == number:
            raise rejected("not_found", f"Round {number} is in play; it can be played back when it is over.")
        try:
            found = await desk.rounds.playback(number, simulated=desk.simulated)
        except Refused as refused:  # rules of then that this program does not know
            raise rejected("refused", refused.message, code=refused.code) from refused
        if found is None:
            raise rejected("not_found", f"There is no round {number}.")
        return found
