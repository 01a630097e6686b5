"""The least that a stream to screens costs: `python -m hil.bench.bare_stream PORT FILE` is starlette and uvicorn.

What is posted to `/tell` is sent to every WebSocket on `/stream`, as it is, one after the other. Before, one page is
written over another and waited for until the disk has it, as in `floor.py`.
"""

from __future__ import annotations

import sys

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket

from hil.bench.floor import Log

_log = Log(sys.argv[2])
_screens: set[WebSocket] = set()


async def stream(screen: WebSocket) -> None:
    await screen.accept()
    _screens.add(screen)
    try:
        while (await screen.receive())["type"] != "websocket.disconnect":
            pass
    finally:
        _screens.discard(screen)


async def tell(request: Request) -> PlainTextResponse:
    text = (await request.body()).decode()
    _log.write()
    for screen in list(_screens):
        await screen.send_text(text)
    return PlainTextResponse("told")


if __name__ == "__main__":
    routes = [Route("/tell", tell, methods=["POST"]), WebSocketRoute("/stream", stream)]
    uvicorn.run(
        Starlette(routes=routes),
        host="127.0.0.1",
        port=int(sys.argv[1]),
        log_level="error",
        ws="websockets-sansio",
        ws_per_message_deflate=False,  # as the table's server: else each screen would pay for its own copy
    )
