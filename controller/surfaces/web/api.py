"""The web application of a table: its addresses, and what each answers. Who may ask is settled at the door."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from typing import Any, Final

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, HTTPConnection, Request
from starlette.responses import Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket

from controller.rules.errors import Refused
from controller.surfaces.web import asyncapi, metrics, openapi, pages
from controller.surfaces.web.answers import Devices, Health, RoundList
from controller.surfaces.web.asked import asker, round_number, whole
from controller.surfaces.web.desk import Desk
from controller.surfaces.web.disputes import Disputes
from controller.surfaces.web.documents import Documents
from controller.surfaces.web.door import Door, problem_response
from controller.surfaces.web.entering import KEY_LENGTH, Entering
from controller.surfaces.web.hotspot import HotspotCodes
from controller.surfaces.web.hub import Hub
from controller.surfaces.web.packing import Packing
from controller.surfaces.web.people import Authenticator, actor_of, check_enters, check_reads
from controller.surfaces.web.problems import Problem, Rejected, problem, rejected
from controller.surfaces.web.reading import read_input
from controller.surfaces.web.session_desk import SignIn
from controller.surfaces.web.session_notes import Notes
from controller.surfaces.web.session_routes import SessionRoutes
from controller.surfaces.web.sign import sign_of
from controller.surfaces.web.stream import Stream
from controller.surfaces.web.views import PUBLIC, VIEWS, check_view

BODY_BYTES: Final = 64 * 1024
ROUNDS: Final = 20  # in a list, where nobody says how many
MOST_ROUNDS: Final = 100
RETRY_S: Final = 2  # twice the time after which the table tries its journal again
FINISH_S: Final = 2.0  # for what is being entered: as long as a slow disk takes
JSON: Final = "application/json"


class Web:
    """An ASGI application. Who serves it starts it, lets it beat each second, and finishes it."""

    def __init__(
        self,
        desk: Desk,
        authenticators: Sequence[Authenticator],
        *,
        hosts: Collection[str] = ("localhost",),
        origins: Collection[str] = (),
        signing: SignIn | None = None,
        framed_by: Collection[str] = (),
        hotspot: HotspotCodes | None = None,
    ) -> None:
        """Without `signing` nobody can sign in. `framed_by`: other sites that may show the pages in a frame."""
        self._desk, self._signing = desk, signing
        self._notes = Notes(desk.running, desk.monotonic)
        self._hub = Hub(desk, VIEWS)
        self._entering = Entering(desk.running)
        self._document: bytes | None = None
        self._stream_document: bytes | None = None
        self._stream = Stream(self._hub, desk.monotonic)
        session = SessionRoutes(signing, self._notes, _body)
        app = Starlette(
            routes=[
                Route("/api/v1/state", self._state),
                Route("/api/v1/inputs", self._inputs, methods=["POST"]),
                Route("/api/v1/rounds", self._rounds),
                Route("/api/v1/rounds/{number}", self._round),
                *Disputes(desk).routes(),
                *Packing(desk).routes(),
                Route("/api/v1/devices", self._devices),
                Route("/api/v1/sign", self._sign),
                Route("/api/v1/stream", self._not_a_websocket),
                WebSocketRoute("/api/v1/stream", self._watch),
                Route("/api/v1/session", session.answer, methods=["GET", "POST", "DELETE"]),
                Route("/api/v1/openapi.json", self._openapi),
                Route("/api/v1/asyncapi.json", self._asyncapi),
                Route("/metrics", self._metrics),
                Route("/healthz", self._healthz),
                *(hotspot or HotspotCodes(None)).routes(desk),
                *pages.routes(),
                *Documents(desk).routes(),
            ],
            exception_handlers={Rejected: self._rejected, HTTPException: _http_exception, Exception: _failed},
        )
        app.state.framed_by = tuple(framed_by)
        app.router.redirect_slashes = False  # it would send people to whatever Host they came with
        app.router.default = _nothing_here
        self.routes = app.routes
        shown = [*authenticators, *([signing] if signing is not None else [])]
        self._door = Door(app, shown, hosts=hosts, origins=origins, refused=self._notes.refused)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._door(scope, receive, send)

    def start(self) -> None:
        """In the loop that it is served in."""
        self._hub.start()
        self._notes.start()

    def beat(self) -> None:
        self._hub.beat()
        self._notes.beat()
        if self._signing is not None:
            self._signing.beat()

    async def finish(self) -> None:
        """Screens are told; what is being entered is waited for, in bounded time."""
        self._hub.close()
        await asyncio.gather(self._stream.finish(), self._entering.finish(FINISH_S), self._notes.finish(FINISH_S))
        if self._signing is not None:
            await self._signing.finish()

    # Reading

    async def _state(self, request: Request) -> Response:
        view = request.query_params.get("view", PUBLIC)
        check_view(asker(request), view)
        return Response(self._hub.snapshot(view), media_type=JSON)

    async def _rounds(self, request: Request) -> Response:
        check_reads(asker(request), "past rounds", "dealer", "supervisor", "owner")
        before, limit = whole(request, "before"), whole(request, "limit", most=MOST_ROUNDS)
        playing = self._desk.running.table.state.round
        if playing is not None:  # it holds cards that lie face down
            before = min(before or playing.number, playing.number)
        return _json(RoundList(tuple(await self._desk.rounds.round_list(before, limit or ROUNDS))))

    async def _round(self, request: Request) -> Response:
        check_reads(asker(request), "past rounds", "dealer", "supervisor", "owner")
        number, form = round_number(request), request.query_params.get("form", "")
        if form not in ("", "script"):
            raise rejected("bad_query", f"There is no form {form!r}; there is script.", known=("script",))
        playing = self._desk.running.table.state.round
        if playing is not None and playing.number == number:
            raise rejected("not_found", f"Round {number} is in play; it can be read when it is over.")
        rounds = self._desk.rounds
        try:
            found = await (rounds.script(number) if form else rounds.round(number))
        except Refused as refused:  # rules that a script can't name
            raise rejected("refused", refused.message, code=refused.code) from refused
        if found is None:
            raise rejected("not_found", f"There is no round {number}.")
        return _json(found)

    async def _devices(self, request: Request) -> Response:
        check_reads(asker(request), "the devices", "technician", "dealer", "supervisor", "owner")
        return _json(Devices(self._desk.monotonic(), tuple(self._desk.devices())))

    async def _sign(self, request: Request) -> Response:
        return _json(sign_of(self._desk.running.table.setup))

    async def _metrics(self, request: Request) -> Response:
        text = metrics.metrics_text(
            self._desk, inputs=self._entering.counts, screens=self._hub.watched(), dropped=self._hub.dropped
        )
        return Response(text, media_type=metrics.MEDIA_TYPE)

    async def _healthz(self, request: Request) -> Response:
        trouble = self._desk.running.trouble
        if not trouble:
            return _json(Health("ok"))
        known = asker(request).role != "viewer"  # the words name files
        words = f"The table takes no input now: {trouble}" if known else "The table takes no input: its journal fails."
        return problem_response(problem("unavailable", words), {"Retry-After": str(RETRY_S)})

    async def _openapi(self, request: Request) -> Response:
        if self._document is None:
            self._document = msgspec.json.encode(openapi.document(self._desk.rounds))
        return Response(self._document, media_type=JSON)

    async def _asyncapi(self, request: Request) -> Response:
        if self._stream_document is None:
            self._stream_document = msgspec.json.encode(asyncapi.document())
        return Response(self._stream_document, media_type=JSON)

    async def _not_a_websocket(self, request: Request) -> Response:
        words = "The stream is a WebSocket: connect with ws:// or wss://."
        raise rejected("upgrade", words, headers={"Upgrade": "websocket", "Connection": "Upgrade"})

    async def _watch(self, websocket: WebSocket) -> None:
        """A stream that its session opened is cut with it. Who is refused a view gets the public one or a problem."""
        principal, view = asker(websocket), websocket.query_params.get("view", PUBLIC)
        if principal.role == "viewer" and view != PUBLIC:
            self._notes.refused(websocket.scope, problem("not_allowed", f"A viewer gets the public view, not {view}."))
        if self._signing is None:
            await self._stream.serve(websocket)
            return
        with self._signing.watched(websocket.headers, websocket.state.peer.abort):
            await self._stream.serve(websocket)

    # Entering

    async def _inputs(self, request: Request) -> Response:
        principal = asker(request)
        actor_of(principal)  # before anything is read of who may enter nothing
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() != JSON:
            raise rejected("not_json", f"Send the input as {JSON}.", headers={"Accept-Post": JSON})
        key = request.headers.get("idempotency-key")
        if key is not None and not (0 < len(key) <= KEY_LENGTH and key.isprintable()):
            raise rejected("bad_header", f"An Idempotency-Key has 1 to {KEY_LENGTH} printable characters.")
        what = read_input(await _body(request))
        check_enters(principal, what)
        outcome, known = await self._entering.enter(what, principal, key)
        headers = {"Idempotency-Replayed": "true"} if known else {}
        if isinstance(outcome, Problem):
            self._notes.refused(request.scope, outcome)
            if outcome.status == 503:
                headers["Retry-After"] = str(RETRY_S)
            return problem_response(outcome, headers)
        return Response(msgspec.json.encode(outcome), headers=headers, media_type=JSON)

    async def _rejected(self, connection: HTTPConnection, error: Exception) -> Response:
        assert isinstance(error, Rejected)
        self._notes.refused(connection.scope, error.problem)
        return problem_response(error.problem, error.headers)


def _json(what: Any) -> Response:
    return Response(msgspec.json.encode(what), media_type=JSON)


async def _body(request: Request) -> bytes:
    parts, size = [], 0
    try:
        async for part in request.stream():
            size += len(part)
            if size > BODY_BYTES:
                raise rejected("too_large", f"An input has at most {BODY_BYTES // 1024} KiB.")
            parts.append(part)
    except ClientDisconnect:  # nobody hears this; it is no bug of ours that would go into the log
        raise rejected("malformed", "The body was not sent to its end.") from None
    return b"".join(parts)


# What is answered where something is raised; `async`, because Starlette runs what is not in a thread


async def _http_exception(connection: HTTPConnection, error: Exception) -> Response:
    """Starlette's own: the wrong method."""
    assert isinstance(error, HTTPException)
    allowed = sorted((error.headers or {}).get("Allow", "").split(", "))
    words = f"{connection.scope['method']} is not for this address; {' and '.join(allowed)} are."
    return problem_response(problem("wrong_method", words), {"Allow": ", ".join(allowed)})


async def _failed(connection: HTTPConnection, error: Exception) -> Response:
    return problem_response(problem("failed", "This is a bug. The daemon's log has its traceback."))


async def _nothing_here(scope: Scope, receive: Receive, send: Send) -> None:
    raise rejected("not_found", f"There is nothing at {scope['path']}. GET /api/v1/openapi.json lists what there is.")
