"""The least that a web service in Python costs: `python -m hil.bench.bare` is starlette and uvicorn with one address.

It tells systemd's socket that it is ready when it listens, as the daemon does.
"""

from __future__ import annotations

import os
import socket

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route


async def hello(request: Request) -> PlainTextResponse:
    return PlainTextResponse("hello")


class _Server(uvicorn.Server):
    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as line:
            line.sendto(b"READY=1", os.environ["NOTIFY_SOCKET"].replace("@", "\0", 1))


if __name__ == "__main__":
    app = Starlette(routes=[Route("/", hello)])
    _Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_level="error")).run()
