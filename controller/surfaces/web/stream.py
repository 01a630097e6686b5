"""The WebSocket of the stream: a screen of the hub joined to a connection, until one of them ends. Takes no orders."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Final

from starlette.websockets import WebSocket, WebSocketDisconnect

from controller.surfaces.web.hub import Farewell, Hub, Screen, Since
from controller.surfaces.web.people import Peer, Principal
from controller.surfaces.web.problems import rejected
from controller.surfaces.web.views import PUBLIC, check_view

MESSAGE_BYTES: Final = 1024  # the most that a client may send at once; it has nothing to say
MESSAGES: Final = 30  # that a client may send
WINDOW_S: Final = 10.0  # in this time
LONGEST_DELAY_S: Final = 300  # longer than any studio's
CLOSE_S: Final = 1.0  # for the close message to get into a full line

TOO_TALKATIVE: Final = Farewell(1008, "nothing is to be sent here, and this was too much of it")


class Stream:
    def __init__(self, hub: Hub, monotonic: Callable[[], float]) -> None:
        self._hub, self._monotonic = hub, monotonic
        self._serving: set[asyncio.Task[Any]] = set()

    async def serve(self, websocket: WebSocket) -> None:
        """Raises Rejected before it accepts."""
        view, since = _asked(websocket)
        screen, first = self._hub.join(view, since, _delay(websocket))
        if (task := asyncio.current_task()) is not None:
            self._serving.add(task)
            task.add_done_callback(self._serving.discard)
        try:
            await websocket.accept()
            why = await self._until_it_ends(websocket, screen, first)
        except WebSocketDisconnect:
            return
        finally:
            self._hub.leave(screen)
        await _close(websocket, why)

    async def finish(self) -> None:
        """When the hub has dropped its screens: waits until they were told."""
        if self._serving:
            await asyncio.wait(self._serving, timeout=2 * CLOSE_S)

    async def _until_it_ends(self, websocket: WebSocket, screen: Screen, first: list[str]) -> Farewell:
        """Why we end it; raises WebSocketDisconnect where the other side did."""
        sending = asyncio.create_task(_send(websocket, screen, first))
        hearing = asyncio.create_task(self._hear(websocket))
        try:
            await asyncio.wait((sending, hearing, screen.gone), return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (sending, hearing):
                task.cancel()
            await asyncio.wait((sending, hearing))
        if screen.gone.done():
            return screen.gone.result()
        return (hearing if sending.cancelled() else sending).result()

    async def _hear(self, websocket: WebSocket) -> Farewell:
        said, since = 0, self._monotonic()
        while said < MESSAGES:
            message = await websocket.receive()
            if message["type"] == "websocket.disconnect":
                raise WebSocketDisconnect(message.get("code", 1005))
            now = self._monotonic()
            said, since = (1, now) if now - since > WINDOW_S else (said + 1, since)
        return TOO_TALKATIVE


def _asked(websocket: WebSocket) -> tuple[str, Since | None]:
    """A viewer gets the public view whatever it asks for; then `since`, which counts another view, says nothing."""
    principal: Principal = websocket.state.principal
    view, since = websocket.query_params.get("view", PUBLIC), websocket.query_params.get("since")
    left_off = Since.read(since) if since else None
    if principal.role == "viewer" and view != PUBLIC:
        return PUBLIC, None
    check_view(principal, view)
    return view, left_off


def _delay(websocket: WebSocket) -> int:
    text = websocket.query_params.get("delay", "0")
    if not (text.isascii() and text.isdigit() and len(text) < 10) or int(text) > LONGEST_DELAY_S:
        raise rejected("bad_query", f"delay={text!r} is not a whole number of seconds up to {LONGEST_DELAY_S}.")
    return int(text)


async def _send(websocket: WebSocket, screen: Screen, first: list[str]) -> Farewell:
    try:
        for text in first:
            await websocket.send_text(text)
        while True:
            await websocket.send_text(await screen.next())
    except RuntimeError as error:  # uvicorn has closed it: no answer to its pings, or a message that is none
        _abort(websocket)
        raise WebSocketDisconnect(1006) from error


async def _close(websocket: WebSocket, why: Farewell) -> None:
    """Says why, if the line still takes it; else it is cut."""
    try:
        async with asyncio.timeout(CLOSE_S):
            await websocket.close(why.code, why.words)
    except (TimeoutError, RuntimeError, WebSocketDisconnect):
        _abort(websocket)


def _abort(websocket: WebSocket) -> None:
    peer: Peer = websocket.state.peer
    peer.abort()
