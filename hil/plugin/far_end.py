"""The hardware's own port as the far end of a bench's cable: what the host says goes on to it, and back.

So a real device can be tapped, unplugged and given a bad line as a simulated one, and driver and daemon need no other
address for it. The port is opened by the device's own driver's opener and opened again when it was lost.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from drivers.errors import DeviceError
from drivers.ports.base import Port
from drivers.stream import Opener

MOST_HELD: Final = 1 << 16  # bytes in either direction; then the port is not read, or the host's are lost as on a wire
AGAIN_S: Final = 0.2  # between two tries to open a port that is gone


class FarEnd:
    """Fulfils `drivers.simulated.cable.End`. `gone` is called with the trouble when the port is lost, and with None
    when it is back."""

    def __init__(self, opener: Opener, gone: Callable[[DeviceError | None], None]) -> None:
        self.woken: Callable[[], None] = lambda: None
        self._opener, self._gone = opener, gone
        self._to_host, self._to_device = bytearray(), bytearray()
        self._room, self._more = asyncio.Event(), asyncio.Event()
        self._port: Port | None = None

    async def open(self) -> bool:
        """Whether what is there says that it is simulated. Raises DeviceError: then there is no device to test."""
        self._port = await self._opener()
        return bool(getattr(self._port, "simulated", False))

    async def run(self) -> None:
        """For ever, behind `open`."""
        try:
            while True:
                try:
                    await self._pass_on()
                except DeviceError as error:
                    self._gone(error)
                    await self._open_again()
        finally:
            await self._close()

    async def _pass_on(self) -> None:
        port = self._port
        assert port is not None
        tasks = [asyncio.create_task(work) for work in (self._read(port), self._write(port))]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await self._close()

    async def _open_again(self) -> None:
        self._to_device.clear()
        while self._port is None:
            await asyncio.sleep(AGAIN_S)
            try:
                self._port = await self._opener()
            except DeviceError:
                continue
        self._gone(None)

    async def _close(self) -> None:
        port, self._port = self._port, None
        if port is not None:
            await port.close()

    async def _read(self, port: Port) -> None:
        while True:
            self._to_host += await port.read()
            self.woken()
            while len(self._to_host) >= MOST_HELD:
                self._room.clear()
                await self._room.wait()

    async def _write(self, port: Port) -> None:
        while True:
            self._more.clear()
            data = bytes(self._to_device)
            self._to_device.clear()
            if data:
                await port.write(data)
            else:
                await self._more.wait()

    # drivers.simulated.cable.End

    def connected(self, now: float) -> None:
        """The port stays open between hosts: a board that restarts when it is opened would restart in each test."""

    def receive(self, data: bytes, now: float) -> None:
        self._to_device += data[: MOST_HELD - len(self._to_device)]
        self._more.set()

    def data_to_send(self, now: float) -> bytes:
        data = bytes(self._to_host)
        self._to_host.clear()
        self._room.set()
        return data

    def next_time(self) -> float | None:
        return None

    def disconnected(self) -> None:
        """What a device says while nobody listens is lost, as on a wire."""
        self._to_host.clear()
        self._room.set()
