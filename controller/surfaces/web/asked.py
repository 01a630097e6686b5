"""What a request asks for, read from its address: who asks, whole numbers, a round. Raises Rejected for nonsense."""

from __future__ import annotations

import re
from typing import Final

from starlette.requests import HTTPConnection, Request

from controller.surfaces.web.people import Principal
from controller.surfaces.web.problems import rejected

_DIGITS: Final = re.compile(r"[0-9]{1,16}")


def asker(connection: HTTPConnection) -> Principal:
    principal: Principal = connection.state.principal
    return principal


def whole(request: Request, name: str, most: int = 2**53) -> int | None:
    text = request.query_params.get(name)
    if text is None:
        return None
    if not _DIGITS.fullmatch(text) or not 1 <= int(text) <= most:
        raise rejected("bad_query", f"{name}={text!r} is not a whole number from 1 to {most}.")
    return int(text)


def round_number(request: Request) -> int:
    text: str = request.path_params["number"]
    if not _DIGITS.fullmatch(text):
        raise rejected("not_found", "A round has a number: /api/v1/rounds/12.")
    return int(text)
