"""A plain HTTP client for the tests, on asyncio's streams and h11: it sends what it is told, also what is wrong."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import h11
from msgspec import Struct

Address = Path | tuple[str, int]


class Answer(Struct, frozen=True):
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


async def connect(address: Address, **more: Any) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    if isinstance(address, Path):
        return await asyncio.open_unix_connection(address, **more)
    return await asyncio.open_connection(*address, **more)


async def request(
    address: Address,
    method: str,
    path: str,
    headers: list[tuple[str, str]],
    body: bytes = b"",
    **more: Any,
) -> Answer:
    reader, writer = await connect(address, **more)
    try:
        line = h11.Connection(h11.CLIENT)
        sent = [(name.encode(), value.encode()) for name, value in headers]
        sent += [(b"Content-Length", str(len(body)).encode()), (b"Connection", b"close")]
        writer.write(line.send(h11.Request(method=method, target=path, headers=sent)) or b"")
        writer.write(line.send(h11.Data(data=body)) or b"")
        writer.write(line.send(h11.EndOfMessage()) or b"")
        return await answer(reader, line)
    finally:
        writer.close()
        await asyncio.gather(writer.wait_closed(), return_exceptions=True)


async def answer(reader: asyncio.StreamReader, line: h11.Connection) -> Answer:
    status, headers, body = 0, {}, b""
    while True:
        event = line.next_event()
        if event is h11.NEED_DATA:
            line.receive_data(await reader.read(65536))
        elif isinstance(event, h11.Response):
            status = event.status_code
            headers = {name.decode(): value.decode() for name, value in event.headers}
        elif isinstance(event, h11.Data):
            body += bytes(event.data)
        elif isinstance(event, h11.EndOfMessage):
            return Answer(status, headers, body)
        else:
            raise AssertionError(f"no answer: {event!r}")
