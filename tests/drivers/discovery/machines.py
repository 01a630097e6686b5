"""Made-up machines: a /dev, /sys and /proc of files, and devices on real ptys that can be put into them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from itertools import count
from pathlib import Path

from drivers.discovery.candidates import Candidate, candidates
from drivers.errors import PortClosed, PortLost
from drivers.ports.base import Port
from drivers.ports.pty import PtyPair
from firmware_protocol.tablelink.device import Described, DeviceLink
from firmware_protocol.tablelink.messages import ROLE_SHOE


class Tree:
    """A machine without any port until one is added."""

    def __init__(self, root: Path) -> None:
        self.dev, self.sys, self.proc = root / "dev", root / "sys", root / "proc"
        for folder in (self.dev, self.sys / "class/tty", self.sys / "bus/usb/devices", self.proc):
            folder.mkdir(parents=True)

    def look(self) -> list[Candidate]:
        return candidates(self.dev, self.sys, self.proc)

    def only(self) -> Candidate:
        (port,) = self.look()
        return port

    def usb(self, place: str, vid: str, pid: str, serial: str = "", product: str = "", maker: str = "") -> Path:
        device = self.sys / "devices/usb1" / place
        device.mkdir(parents=True, exist_ok=True)
        number = place.rpartition("-")[2].replace(".", "")
        told = {"idVendor": vid, "idProduct": pid, "serial": serial, "product": product, "manufacturer": maker}
        for name, text in {**told, "busnum": "1", "devnum": number}.items():
            if text:
                (device / name).write_text(f"{text}\n")
        link = self.sys / "bus/usb/devices" / place
        if not link.exists():
            link.symlink_to(device)
        return device

    def interface(self, device: Path, number: int = 0, kind: str = "ff", driver: str = "") -> Path:
        interface = device / f"{device.name}:1.{number}"
        interface.mkdir(exist_ok=True)
        (interface / "bInterfaceNumber").write_text(f"{number:02x}\n")
        (interface / "bInterfaceClass").write_text(f"{kind}\n")
        if driver:
            (self.sys / "drivers" / driver).mkdir(parents=True, exist_ok=True)
            (interface / "driver").symlink_to(self.sys / "drivers" / driver)
        return interface

    def adapter(
        self,
        name: str,
        place: str = "1-1",
        *,
        vid: str = "0403",
        pid: str = "6001",
        serial: str = "",
        product: str = "USB UART",
        number: int = 0,
        by_id: str = "",
        by_path: str = "",
        at: str | None = None,
    ) -> None:
        """A USB adapter with its tty; `at` is the pty behind its name."""
        interface = self.interface(self.usb(place, vid, pid, serial, product), number, driver="ftdi_sio")
        tty = interface / name / "tty" / name
        tty.mkdir(parents=True)
        (tty / "device").symlink_to(interface / name)
        (self.sys / "class/tty" / name).symlink_to(tty)
        self._node(name, at)
        for kind, link in (("by-id", by_id), ("by-path", by_path)):
            if link:
                (self.dev / "serial" / kind).mkdir(parents=True, exist_ok=True)
                (self.dev / "serial" / kind / link).symlink_to(f"../../{name}")

    def uart(self, name: str, *, type_: str = "4", driver: bool = True, console: str = "N") -> None:
        tty = self.sys / "class/tty" / name
        tty.mkdir()
        (tty / "type").write_text(f"{type_}\n")
        (tty / "console").write_text(f"{console}\n")
        device = self.sys / "devices/platform" / name
        device.mkdir(parents=True)
        if driver:
            (device / "driver").mkdir()
        (tty / "device").symlink_to(device)
        self._node(name, None)

    def bulk(
        self,
        place: str,
        vid: str,
        pid: str,
        serial: str = "",
        product: str = "",
        *,
        kind: str = "ff",
        driver: str = "",
        ends: tuple[str, ...] = ("in", "out"),
    ) -> None:
        interface = self.interface(self.usb(place, vid, pid, serial, product), 0, kind, driver)
        for index, direction in enumerate(ends):
            end = interface / f"ep_{index:02x}"
            end.mkdir()
            (end / "direction").write_text(f"{direction}\n")
            (end / "type").write_text("Bulk\n")

    def unplug(self, name: str) -> None:
        (self.sys / "class/tty" / name).unlink()
        (self.dev / name).unlink()

    def _node(self, name: str, at: str | None) -> None:
        if at is None:
            (self.dev / name).write_bytes(b"")
        else:
            (self.dev / name).symlink_to(at)


Behaviour = Callable[[Port, bytearray], Awaitable[None]]


class OnPty:
    """A far end on a real pty; `got` is everything that was sent to it."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.got = bytearray()


@asynccontextmanager
async def on_pty(behave: Behaviour) -> AsyncIterator[OnPty]:
    pair = PtyPair()
    far = OnPty(pair.path)

    async def run() -> None:
        with suppress(PortLost, PortClosed):
            await behave(pair.port, far.got)

    task = asyncio.create_task(run())
    try:
        yield far
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await pair.close()


def tablelink(
    serial: str = "SH-1",
    roles: int = ROLE_SHOE,
    capabilities: int = 0x0103,
    *,
    key: bytes | None = None,
    greeting: bytes = b"",
    link: DeviceLink | None = None,
) -> Behaviour:
    """A TableLink device, which may greet with something else each time it is spoken to for the first time."""
    numbers = count(1)
    described = Described(serial=serial, roles=roles, capabilities=capabilities, firmware=(1, 2, 3))
    device = link or DeviceLink(described, boot=0xB007, fresh=lambda: next(numbers).to_bytes(8, "little"), key=key)

    async def behave(port: Port, got: bytearray) -> None:
        if greeting:
            await port.write(greeting)
        while True:
            data = await port.read()
            got += data
            device.receive(data, time.monotonic())
            answer = device.data_to_send(time.monotonic())
            if answer:
                await port.write(answer)

    return behave


async def silent(port: Port, got: bytearray) -> None:
    while True:
        got += await port.read()


async def echo(port: Port, got: bytearray) -> None:
    while True:
        data = await port.read()
        got += data
        await port.write(data)


def chatter(*says: bytes, gap_s: float = 0.01) -> Behaviour:
    """Talks without being asked, over and over, and notes what is sent to it."""

    async def behave(port: Port, got: bytearray) -> None:
        listening = asyncio.create_task(silent(port, got))
        try:
            while True:
                for said in says:
                    await port.write(said)
                    await asyncio.sleep(gap_s)
        finally:
            listening.cancel()
            await asyncio.gather(listening, return_exceptions=True)

    return behave
