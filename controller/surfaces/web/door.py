"""The door of the web: whether the request is meant for this table, from one of its own pages, and who asks.

Outside of everything else, so that nothing leaves without its headers and nothing comes in unasked.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from controller.surfaces.web.people import Authenticator, Peer, principal_of
from controller.surfaces.web.problems import MEDIA_TYPE, Problem, Rejected, body, rejected
from controller.surfaces.web.sessions import carries_session

_HEADERS: Final = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
_SCHEMES: Final = {"ws": "http", "wss": "https"}  # a page that opens a WebSocket has the scheme it was loaded with
_SAFE: Final = ("GET", "HEAD")


class Door:
    """`hosts` are the names the table goes by, `origins` pages beside its own that may speak to it (`https://…`);
    `refused` is told who was not let in."""

    def __init__(
        self,
        app: ASGIApp,
        authenticators: Sequence[Authenticator],
        *,
        hosts: Collection[str],
        origins: Collection[str],
        refused: Callable[[Scope, Problem], None],
    ) -> None:
        self._app, self._authenticators, self._refused = app, authenticators, refused
        self._hosts = frozenset(each.lower() for each in hosts)
        self._origins = frozenset(each.lower().rstrip("/") for each in origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] in ("http.response.start", "websocket.http.response.start"):
                sent = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    sent.setdefault(name, value)
            await send(message)

        state = scope.setdefault("state", {})
        peer: Peer = state.setdefault("peer", Peer())
        headers = Headers(scope=scope)
        try:
            if peer.user is None:
                self._check_host(headers)
            if scope["type"] == "websocket" or scope["method"] not in _SAFE:
                self._check_origin(scope["scheme"], headers)
            state["principal"] = principal_of(self._authenticators, peer, headers)
        except Rejected as error:
            self._refused(scope, error.problem)
            await problem_response(error.problem, error.headers)(scope, receive, send_with_headers)
            return
        await self._app(scope, receive, send_with_headers)

    def _check_host(self, headers: Headers) -> None:
        """A page elsewhere can have its own name point at us, and would then be our own in a browser's eyes. It can't
        do that with an address in digits."""
        name = _without_port(headers.get("host", "")).lower()
        if name in self._hosts or _is_address(name):
            return
        words = f"This table is not called {name!r}. Use its address in digits, or tell the table this name."
        raise rejected("unknown_host", words)

    def _check_origin(self, scheme: str, headers: Headers) -> None:
        origin = headers.get("origin")
        if origin is None:
            if carries_session(headers):  # every browser says it; a program has no cookie of ours
                words = "With a session's cookie the Origin header must say which page speaks."
                raise rejected("foreign_origin", words)
            return
        own = f"{_SCHEMES.get(scheme, scheme)}://{headers.get('host', '')}"
        if origin.lower() != own.lower() and origin.lower() not in self._origins:
            raise rejected("foreign_origin", f"A page of {origin} can't speak to this table.")


def problem_response(what: Problem, headers: Mapping[str, str] | None = None) -> Response:
    return Response(body(what), status_code=what.status, headers=dict(headers or {}), media_type=MEDIA_TYPE)


def _without_port(host: str) -> str:
    return host.rpartition(":")[0] if host.rpartition(":")[2].isdigit() else host


def _is_address(name: str) -> bool:
    family = socket.AF_INET6 if name.startswith("[") else socket.AF_INET
    try:
        socket.inet_pton(family, name.removeprefix("[").removesuffix("]"))
    except (OSError, UnicodeError):
        return False
    return True
