"""Runs a link over a port: the one place where a byte-stream device's bytes, clock and waiting come together.

A write that the device does not take, a handshake that does not come and a port that hangs up all end `serve` with a
DeviceError in words; what the table asked meanwhile stays in the link and is sent after the next `open`.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Final

from msgspec import structs

from drivers.base import Device, DeviceEvent, Kind, Lost, Ready, Refused, Report, Said
from drivers.errors import PortLost, TimedOut, WrongDevice
from drivers.link import Link
from drivers.ports.base import Port

WRITE_S: Final = 5.0  # the longest content at 9600 baud takes well below one second
LAST_WORDS_S: Final = 0.5  # to read what a device sent before it went, where the writer noticed first
Opener = Callable[[], Awaitable[Port]]


class StreamDevice:
    """A device whose driver is a `Link`; drivers derive from it and add what the table may ask of their kind."""

    def __init__(
        self,
        link: Link,
        opener: Opener,
        *,
        kind: Kind,
        driver: str,
        address: str,
        simulated: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.kind, self.driver, self.address, self.simulated = kind, driver, address, simulated
        self._link, self._opener, self._clock = link, opener, clock
        self._port: Port | None = None
        self._wake = asyncio.Event()
        self._deadline: float | None = None  # by when the link must say Ready
        self._heard = 0  # bytes since the handshake began

    @property
    def link(self) -> Link:
        return self._link

    def rewire(self, around: Callable[[Opener], Opener], *, clock: Callable[[], float] | None = None) -> None:
        """Open what `around` makes of this device's opener, such as a port that somebody listens in on; from the next
        `open` on. A recording that is played again brings its own clock."""
        self._opener = around(self._opener)
        self._clock = clock or self._clock

    @property
    def opener(self) -> Opener:
        """What opens its port, for whoever stands between the two."""
        return self._opener

    async def open(self) -> None:
        await self.close()
        self._port = await self._opener()

    async def serve(self, report: Report) -> None:
        """Reports until the device is gone, and then raises; returns never."""
        port = self._port
        if port is None:
            raise PortLost(f"{self.address} is not open")
        self._await_handshake()
        self._tell(self._link.opened(self._clock()), report)
        reading = asyncio.create_task(self._read(port, report))
        writing = asyncio.create_task(self._write(port, report))
        try:
            done, _ = await asyncio.wait((reading, writing), return_when=asyncio.FIRST_COMPLETED)
            if reading not in done and isinstance(writing.exception(), PortLost):
                await asyncio.wait((reading,), timeout=LAST_WORDS_S)
            for task in (reading, writing):
                if task.done():
                    task.result()
        finally:
            for task in (reading, writing):
                task.cancel()
            try:
                await asyncio.gather(reading, writing, return_exceptions=True)
            finally:
                # That the link is lost, the error that ends `serve` says better.
                self._tell([each for each in self._link.closed() if isinstance(each, DeviceEvent)], report)

    async def close(self) -> None:
        port, self._port = self._port, None
        if port is not None:
            await port.close()

    def wake(self) -> None:
        """The table asked something of the link: send it now."""
        self._wake.set()

    async def _read(self, port: Port, report: Report) -> None:
        while True:
            data = await port.read()
            self._heard += len(data)
            self._tell(self._link.receive(data, self._clock()), report)
            self._wake.set()
            await asyncio.sleep(0)  # a flood must leave the others their turn

    async def _write(self, port: Port, report: Report) -> None:
        while True:
            self._wake.clear()
            now = self._clock()
            self._tell(self._link.poll(now), report)
            self._check_handshake(now)
            data = self._link.data_to_send(now)
            if data:
                await self._hand_over(port, data)
            await self._wait()

    async def _hand_over(self, port: Port, data: bytes) -> None:
        try:
            async with asyncio.timeout(WRITE_S):
                await port.write(data)
        except TimeoutError as error:
            raise TimedOut(
                f"{self.address} took no bytes for {WRITE_S:g} seconds",
                advice="Check that the device is switched on and its cable is the right one",
            ) from error

    async def _wait(self) -> None:
        """Until somebody wakes us, or time has something to do."""
        times = [due for due in (self._link.next_time(), self._deadline) if due is not None]
        try:
            async with asyncio.timeout(max(0.0, min(times) - self._clock()) if times else None):
                await self._wake.wait()
        except TimeoutError:
            pass

    def _await_handshake(self) -> None:
        self._heard = 0
        limit = self._link.handshake_s
        self._deadline = None if limit is None else self._clock() + limit

    def _check_handshake(self, now: float) -> None:
        if self._deadline is None or now < self._deadline:
            return
        if self._heard:
            heard = f"it sent {self._heard} byte{'s' if self._heard > 1 else ''}, and no answer among them"
        else:
            heard = "it sent nothing"
        raise WrongDevice(
            f"{self.address} did not answer as a {self.kind} within {self._link.handshake_s:g} seconds; {heard}",
            advice="Check that the device is switched on, and that this is its port: croupier devices",
            reason=f"{self.address} sent {'noise' if self._heard else 'nothing'}",
        )

    def _tell(self, said: list[Said], report: Report) -> None:
        for each in map(self._marked, said):
            match each:
                case Ready() | Refused():
                    self._deadline = None
                case Lost() if self._port is not None:
                    self._await_handshake()
                case _:
                    pass
            report(each)

    def _marked(self, said: Said) -> Said:
        """With the mark of a simulated device that its protocol has no word for; only a tty can tell."""
        if isinstance(said, Ready) and getattr(self._port, "simulated", False):
            return structs.replace(said, simulated=True)
        return said


def stream_of(device: Device) -> StreamDevice | None:
    """The part of a device that reads and writes bytes, behind a simulated one too; None where there are only pins."""
    inner = getattr(device, "real", device)
    return inner if isinstance(inner, StreamDevice) else None
