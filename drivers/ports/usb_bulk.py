"""A USB device's bulk endpoints as a port, `usb:VID:PID[:serial]`, through pyusb and libusb.

Takes the first interface with a bulk pair from its kernel driver and gives it back at the close. Refuses two devices
that the address does not tell apart. Reads and writes block in threads, each for at most TRANSFER_MS.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import threading
from typing import TYPE_CHECKING, Final

from drivers.errors import DeviceError, PortClosed, PortLost, TimedOut
from drivers.ports.aside import aside, started
from drivers.ports.base import CLOSE_S
from drivers.ports.inbox import Inbox
from drivers.ports.usb_claim import GONE, Claim, Failed, claim

if TYPE_CHECKING:
    from usb.backend import IBackend  # type: ignore[import-untyped]

OPEN_S: Final = 5.0  # a few control transfers, each of which pyusb gives one second
TRANSFER_MS: Final = 200  # how long one transfer waits before it looks whether the port was closed
PIECE: Final = 4096  # bytes handed to one transfer


class UsbBulkPort:
    """A claimed pair of endpoints; see `open_usb`."""

    def __init__(self, name: str, held: Claim) -> None:
        self.name = name
        self._claim = held
        self._inbox = Inbox()
        self._sending = threading.Lock()  # the thread of a cancelled write ends a little after it
        self._stop = threading.Event()
        self._closing: asyncio.Future[None] | None = None
        self._reader = threading.Thread(target=self._listen, name=f"{name} reader", daemon=True)
        self._reader.start()

    async def read(self) -> bytes:
        if self._closing is not None:
            raise PortClosed(f"{self.name} was closed during a read")
        return await self._inbox.take()

    async def write(self, data: bytes) -> None:
        if self._closing is not None:
            raise PortClosed(f"{self.name} was closed during a write")
        if self._inbox.end is not None:
            raise self._inbox.end.with_traceback(None)
        given_up = threading.Event()
        try:
            await aside(lambda: self._send(data, given_up))
        except asyncio.CancelledError:
            given_up.set()
            raise

    async def close(self) -> None:
        if self._closing is None:
            self._stop.set()
            self._inbox.finish(PortClosed(f"{self.name} was closed during a read"))
            self._closing = started(self._give_up)
        # A transfer that hangs in its driver goes on in its own thread: nobody waits for it any longer.
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(CLOSE_S):
                await asyncio.shield(self._closing)

    def _listen(self) -> None:
        """The reader's thread."""
        stalled = False
        while not self._stop.is_set():
            heard = self._claim.read(TRANSFER_MS)
            if isinstance(heard, Failed):
                trouble = self._trouble(heard, stalled, reading=True)
                if trouble is not None:
                    self._inbox.finish(trouble)
                    return
                stalled = True
                continue
            stalled = False
            if heard and not self._inbox.put(heard):
                return

    def _send(self, data: bytes, given_up: threading.Event) -> None:
        """The thread of one write."""
        with self._sending:
            stalled = False
            rest = memoryview(data)
            while rest and not given_up.is_set():
                if self._stop.is_set():
                    raise PortClosed(f"{self.name} was closed during a write")
                taken = self._claim.write(bytes(rest[:PIECE]), TRANSFER_MS)
                if isinstance(taken, Failed):
                    trouble = self._trouble(taken, stalled, reading=False)
                    if trouble is not None:
                        raise trouble
                    stalled = True
                    continue
                stalled = False
                rest = rest[taken:]

    def _trouble(self, failed: Failed, stalled: bool, *, reading: bool) -> DeviceError | None:
        """What a failed transfer means. None where it was a stall that is cleared now; a second one is not."""
        again: Failed | None = failed
        if failed.errno == errno.EPIPE and not stalled:
            again = self._claim.clear_stall(reading=reading)
        doing = "reads" if reading else "writes"
        match again:
            case None:
                return None
            case Failed(errno=number) if number in GONE:
                return PortLost(
                    f"{self.name} is gone: unplugged, or switched off",
                    advice="Plug it in again; it comes back by itself",
                )
            case Failed(errno=errno.EPIPE):
                return DeviceError(
                    f"{self.name} refuses all {doing} (the endpoint stalls again and again)",
                    advice="Unplug it and plug it in again, and check that it is the device the address means",
                )
            case Failed(words=words):
                return DeviceError(f"{self.name}: USB {doing} fail: {words}", advice="Unplug it and plug it in again")

    def _give_up(self) -> None:
        """In a thread."""
        self._reader.join()
        with self._sending:
            self._claim.release()


async def open_usb(
    vid: int, pid: int, serial: str | None = None, *, name: str | None = None, backend: IBackend | None = None
) -> UsbBulkPort:
    """`backend` is a pyusb backend, for a device that is not behind libusb."""
    called = name or f"usb:{vid:04x}:{pid:04x}" + (f":{serial}" if serial else "")
    try:
        held = await aside(lambda: claim(vid, pid, serial, called, backend), limit_s=OPEN_S, late=Claim.release)
    except TimeoutError as error:
        raise TimedOut(
            f"{called} did not open within {OPEN_S:.0f} seconds", advice="Unplug it and plug it in again"
        ) from error
    return UsbBulkPort(called, held)
