"""Every problem the API can answer with, as RFC 9457 wants them: for a program a code, for a person words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec
from msgspec import Struct

TYPE: Final = "urn:croupier:problem:"
MEDIA_TYPE: Final = "application/problem+json"

# The status and the title of each kind; what happened in the case at hand is the problem's detail.
KINDS: Final[dict[str, tuple[int, str]]] = {
    "malformed": (400, "The body is not JSON"),
    "unknown_input": (400, "There is no such input"),
    "bad_query": (400, "The question in the address can't be understood"),
    "bad_header": (400, "A header can't be understood"),
    "sign_in": (401, "Say who you are"),
    "wrong_token": (401, "This token is not the table's"),
    "wrong_pin": (401, "This name and this PIN do not belong together"),
    "not_allowed": (403, "This is not yours to see or do"),
    "foreign_origin": (403, "This page is not the table's own"),
    "not_found": (404, "There is nothing here"),
    "wrong_method": (405, "This can't be done here"),
    "refused": (409, "The table refuses this now"),
    "too_large": (413, "The body is too large"),
    "not_json": (415, "The body must be JSON"),
    "unknown_host": (421, "The table is not called that"),
    "bad_field": (422, "A field of the input is wrong"),
    "key_reused": (422, "This idempotency key was used for another input"),
    "upgrade": (426, "This is a WebSocket"),
    "too_many_tries": (429, "Wait before you try again"),
    "locked": (429, "This name is locked for a time"),
    "failed": (500, "The table's web surface has a bug"),
    "unavailable": (503, "The table takes no input now"),
    "too_many_screens": (503, "Too many screens are connected"),
}


class Problem(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """`code` is for programs: the kind, or of a refusal the table's own reason. The rest is there where it helps:
    `legal` what the table would take now, `path` the wrong place in the body, `known` what there is, `nearest` what
    was probably meant."""

    type: str
    title: str
    status: int
    detail: str
    code: str
    legal: tuple[str, ...] | None = None
    path: str = ""
    known: tuple[str, ...] = ()
    nearest: str = ""


class Rejected(Exception):
    """A request that is answered with a problem."""

    def __init__(self, problem: Problem, headers: Mapping[str, str]) -> None:
        super().__init__(problem.detail)
        self.problem, self.headers = problem, headers


def problem(kind: str, detail: str, *, code: str = "", **more: Any) -> Problem:
    status, title = KINDS[kind]
    return Problem(type=TYPE + kind, title=title, status=status, detail=detail, code=code or kind, **more)


def rejected(kind: str, detail: str, *, headers: Mapping[str, str] | None = None, **more: Any) -> Rejected:
    return Rejected(problem(kind, detail, **more), headers or {})


def body(what: Problem) -> bytes:
    return msgspec.json.encode(what)
