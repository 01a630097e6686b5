"""The fixture `wire`: the bytes of a device's cable both ways, said and heard by the test itself.

Alone in a test it is the host's end of the port. Where a driver or the daemon is the host, it listens in, and what it
says comes between theirs. Refuses a device on pins, which has no bytes.
"""

from __future__ import annotations

import asyncio
import time
from typing import Final

from drivers.errors import DeviceError
from drivers.ports.base import LineSettings, Port
from drivers.ports.opening import open_port
from hil.plugin.line import Line, Way
from hil.plugin.loop import Loop
from hil.plugin.words import NotHeard, Story

LOOK_S: Final = 0.005
SHOWN: Final = 200  # bytes that a failure quotes


class Wire:
    """One device's. `alone`: no driver has its port, so the wire opens it at the first use."""

    def __init__(self, name: str, line: Line, loop: Loop, story: Story, *, alone: bool) -> None:
        self.name, self.line = name, line
        self._loop, self._story, self._alone = loop, story, alone
        self._host: Port | None = None
        self._reading: asyncio.Task[None] | None = None
        self._seen = 0  # bytes from the device that `expect` went past

    @property
    def heard(self) -> bytes:
        """All that came from the device in this test, and what was said in its place."""
        self._open()
        return self._passed("to_host")

    @property
    def sent(self) -> bytes:
        """All that went to the device in this test."""
        return self._passed("to_device")

    def send(self, data: bytes) -> None:
        """To the device, as its host would."""
        self._open()
        self._story.tell("the test", f"{self.name}: sends {data.hex(' ').upper()}")
        host = self._host
        if host is not None:
            self._loop.run(host.write(data))
        else:
            self._loop.call(lambda: self.line.tell_device(data))

    def say(self, data: bytes) -> None:
        """To the host, as the device would. Raises DeviceError where no host listens."""
        self._open()
        self._story.tell("the test", f"{self.name}: says to its host {data.hex(' ').upper()}")
        self._loop.run(self.line.tell_host(data))

    def expect(self, pattern: bytes, within: float = 5.0) -> bytes:
        """What came from the device up to and with these bytes, behind what was expected before."""
        self._open()
        __tracebackhide__ = True
        end = time.monotonic() + within
        while True:
            heard = self._passed("to_host")
            at = heard.find(pattern, self._seen)
            if at >= 0:
                found = heard[self._seen : at + len(pattern)]
                self._seen = at + len(pattern)
                return found
            if time.monotonic() > end:
                rest = heard[self._seen :]
                shown = rest[:SHOWN].hex(" ").upper() or "nothing"
                wanted = pattern.hex(" ").upper()
                raise NotHeard(f"{self.name} did not say {wanted} within {within:g} s; it said {shown}")
            time.sleep(LOOK_S)

    def frame(self, within: float = 5.0, end: bytes = b"\0") -> bytes:
        """The next bytes up to the one that ends a frame; TableLink's is 00."""
        return self.expect(end, within)

    def silence(self, seconds: float) -> None:
        """The device says nothing for so long."""
        self._open()
        before = len(self._passed("to_host"))
        time.sleep(seconds)
        said = self._passed("to_host")[before:]
        if said:
            raise NotHeard(f"{self.name} said {said[:SHOWN].hex(' ').upper()} in {seconds:g} s of silence")

    def close(self) -> None:
        """Hang up, as a host that ends. The next use opens the port again."""
        self._loop.run(self._hang_up())

    # Inside

    def _passed(self, way: Way) -> bytes:
        return b"".join(chunk.data for chunk in list(self.line.passed) if chunk.way == way)

    def _open(self) -> None:
        if self._alone and self._host is None:
            self._loop.run(self._be_host())

    async def _be_host(self) -> None:
        host = self._host = await open_port(str(self.line.path), LineSettings())
        self._reading = asyncio.create_task(_forget(host), name=f"wire of {self.name}")
        while not self.line.is_open:
            await asyncio.sleep(LOOK_S)

    async def _hang_up(self) -> None:
        host, self._host = self._host, None
        reading, self._reading = self._reading, None
        if reading is not None:
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)
        if host is not None:
            await host.close()


async def _forget(port: Port) -> None:
    """The tap has it: what is read here must only not stand in the way."""
    try:
        while True:
            await port.read()
    except DeviceError:
        return
