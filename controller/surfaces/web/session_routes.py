"""The address where one signs in, asks who one is, and signs out: `/api/v1/session`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final

import msgspec
from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from controller.surfaces.web.people import VIEWER, Principal, Role
from controller.surfaces.web.problems import Rejected, rejected
from controller.surfaces.web.session_desk import SignIn, checked
from controller.surfaces.web.session_notes import Notes
from controller.surfaces.web.sessions import LONGEST_S, Session, ends_at

JSON: Final = "application/json"
_TRIED: Final = {
    "wrong_pin": "a wrong PIN",
    "locked": "a PIN for a name that is locked",
    "too_many_tries": "a PIN before the wait was over",
}


class SignInForm(Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    pin: str


class Who(Struct, frozen=True):
    """Who you are here. `until`: when the session ends if nothing is asked before, in seconds of the table's clock;
    null where there is no session."""

    role: Role
    name: str
    until: float | None = None


class SessionRoutes:
    """An endpoint. `signing` is None where nobody can sign in; `body` reads a request's, and not too much of it."""

    def __init__(self, signing: SignIn | None, notes: Notes, body: Callable[[Request], Awaitable[bytes]]) -> None:
        self._signing, self._notes, self._body = signing, notes, body

    async def answer(self, request: Request) -> Response:
        match request.method:
            case "POST":
                return await self._sign_in(request)
            case "DELETE":
                return await self._sign_out(request)
        principal: Principal = request.state.principal
        return _json(_who(principal, self._session(request)))

    async def _sign_in(self, request: Request) -> Response:
        if self._signing is None:
            raise rejected("unavailable", "Nobody can sign in here: this table has no pages.")
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() != JSON:
            raise rejected("not_json", f"Send name and PIN as {JSON}.", headers={"Accept-Post": JSON})
        name, pin = _form(await self._body(request))
        address = _address(request)
        try:
            value, session = await self._signing.sign_in(name, pin, address, self._session(request))
        except Rejected as error:
            if error.problem.code in _TRIED:
                words = f"{self._signing.known_name(name)} from {address}: {_TRIED[error.problem.code]}."
                self._notes.note(error.problem.code, words)
            raise
        answer = _json(_who(Principal(session.role, session.name), session))
        self._set_cookie(request, answer, value, int(LONGEST_S))
        return answer

    async def _sign_out(self, request: Request) -> Response:
        """Also of who is not signed in: then all is so already."""
        session = self._session(request)
        if self._signing is not None and session is not None:
            await self._signing.sign_out(session)
        answer = _json(_who(VIEWER, None))
        self._set_cookie(request, answer, "", 0)
        return answer

    def _session(self, request: Request) -> Session | None:
        return self._signing.session(request.headers) if self._signing is not None else None

    def _set_cookie(self, request: Request, answer: Response, value: str, seconds: int) -> None:
        if self._signing is not None:
            secure = request.url.scheme == "https"
            answer.set_cookie(
                self._signing.cookie, value, seconds, path="/", secure=secure, httponly=True, samesite="strict"
            )


def _who(principal: Principal, session: Session | None) -> Who:
    if session is not None and (session.role, session.name) == (principal.role, principal.name):
        return Who(principal.role, principal.name, ends_at(session))
    return Who(principal.role, principal.name)


def _form(data: bytes) -> tuple[str, str]:
    """Never says what was sent: it may be a PIN."""
    try:
        form = msgspec.json.decode(data, type=SignInForm)
    except msgspec.ValidationError:
        raise rejected("bad_field", 'Send a name and a PIN, both as texts: {"name": "…", "pin": "…"}.') from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise rejected("malformed", 'The body must be one JSON object: {"name": "…", "pin": "…"}.') from None
    return checked(form.name, form.pin)


def _address(request: Request) -> str:
    return request.client.host if request.client is not None and request.client.host else "the socket"


def _json(what: Who) -> Response:
    return Response(msgspec.json.encode(what), media_type=JSON)
