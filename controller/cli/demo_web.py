"""The demo's own page and its buttons: deal, bot, faults, pull the plug, another game. On this machine alone.

It is a server beside the daemon's, because the daemon is what the page kills. Refuses what another page's script sends.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route
from uvicorn.config import Config
from uvicorn.server import Server

from controller.cli.demo_house import House
from controller.cli.narrate_rounds import ROUNDS
from controller.library import load_game
from controller.rules.errors import Refused
from controller.surfaces.web.pages import HEADERS, routes

FAULTS: Final = ("misread", "double_feed", "backfeed", "bit_flip", "drop", "garbage", "stall", "unplug")
ONCE: Final = ("misread", "double_feed", "backfeed")  # strikes at the next card, and is over
OFTEN: Final = {"bit_flip": 0.3, "drop": 0.3, "garbage": 0.5}


class _Server(Server):
    """uvicorn's, but for signals: it would raise them again, and cut short what ends behind it."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    def __init__(self, config: Config, up: Callable[[], None]) -> None:
        super().__init__(config)
        self._up = up

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._up()

    def end(self) -> None:
        self.should_exit = True


class DemoPage:
    """The page at `/demo` and what its buttons do."""

    def __init__(self, house: House, port: int) -> None:
        self._house, self._origin = house, f"http://127.0.0.1:{port}"
        self._port = port

    async def serve(self, up: Callable[[], None]) -> None:
        """Until Ctrl-C or SIGTERM. `up` is called when it can be asked."""
        parts = [route for route in routes() if route.path.startswith(("/pages", "/favicon"))]
        app = Starlette(
            routes=[
                Route("/", self._to_demo),
                Route("/demo", self._page),
                Route("/demo/state", self._state),
                Route("/demo/do", self._do, methods=["POST"]),
                *parts,
            ]
        )
        app.state.framed_by = ()
        config = Config(
            app,
            host="127.0.0.1",
            port=self._port,
            lifespan="off",
            log_config=None,
            access_log=False,
            ws="none",
            timeout_graceful_shutdown=1,
        )
        server = _Server(config, up)
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, server.end)
        await server.serve()

    async def _to_demo(self, request: Request) -> Response:
        return RedirectResponse("/demo")

    async def _page(self, request: Request) -> Response:
        """With the dealer signed in: a cookie of one port counts on all ports of an address."""
        from controller.surfaces import pages

        html = (Path(pages.__file__).parent / "demo.html").read_bytes()
        policy = f"default-src 'self'; frame-src {self._house.url}; object-src 'none'; base-uri 'none'"
        answer = Response(html, media_type="text/html; charset=utf-8", headers=HEADERS)
        answer.headers["Content-Security-Policy"] = policy
        with contextlib.suppress(OSError):
            cookie = await self._house.session_cookie()
            if cookie:
                answer.headers["Set-Cookie"] = cookie
        return answer

    async def _state(self, request: Request) -> Response:
        house = self._house
        shoe = house.world.shoe
        return JSONResponse(
            {
                "game": house.game,
                "games": [
                    {"game": told["game"], "name": load_game(told["game"]).name, "title": told["title"]}
                    for told in ROUNDS
                ],
                "url": house.url,
                "running": house.running,
                "bot": house.bot_on,
                "left": len(shoe.left),
                "dealt": len(shoe.dealt),
                "stopped": shoe.stopped,
                "faults": {name: name in shoe.faults.on for name in FAULTS},
                "pins": house.pins,
            },
            headers={"Cache-Control": "no-store"},
        )

    async def _do(self, request: Request) -> Response:
        if request.headers.get("origin") not in (None, self._origin):
            return JSONResponse({"error": "not from this page"}, 403)
        try:
            order = await request.json()
            words = await self._order(order if isinstance(order, dict) else {})
        except ValueError as error:
            return JSONResponse({"error": str(error)}, 400)
        except RuntimeError as error:  # the table did not start
            return JSONResponse({"error": str(error)}, 500)
        return JSONResponse({"words": words})

    async def _order(self, order: dict[str, Any]) -> str:
        """Raises ValueError for an order that is none."""
        house = self._house
        match order:
            case {"do": "deal"}:
                return house.deal()
            case {"do": "bot", "on": bool(on)}:
                house.bot_on = on
            case {"do": "reboot"}:
                house.world.shoe.faults.switch("reboot", 1)
                asyncio.get_running_loop().call_later(0.5, house.world.shoe.faults.switch, "reboot", None)
            case {"do": "fault", "name": str(name), "on": bool(on)} if name in FAULTS:
                house.world.shoe.faults.switch(name, OFTEN.get(name, 1.0) if on else None)
                if on and name in ONCE:
                    house.deal()
                    house.world.shoe.faults.switch(name, None)
            case {"do": "power"}:
                await house.pull_power()
            case {"do": "game", "game": str(game)}:
                try:
                    await house.open(game)
                except Refused as refused:
                    raise ValueError(refused.message) from None
            case _:
                raise ValueError("there is no such order")
        return ""
