"""The benches of the port contract: a port of each kind with a far end in the test's hands. Holds no test."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import threading
import tty
from collections.abc import AsyncIterator, Callable
from typing import Protocol

from drivers.errors import PortClosed, PortLost
from drivers.ports.base import LineSettings, Port
from drivers.ports.descriptor import DescriptorPort
from drivers.ports.memory import memory_pair
from drivers.ports.pty import PtyPair
from drivers.ports.rfc2217 import open_rfc2217
from drivers.ports.tapped import TappedPort
from drivers.ports.tcp import open_tcp
from drivers.ports.tty import open_tty
from drivers.ports.usb_bulk import open_usb
from tests.drivers.ports.fake_usb import FakeDevice, FakeUsb
from tests.drivers.ports.rfc2217_server import Rfc2217Server

LOOK_S = 0.002
PATIENCE_S = 30.0  # for a loaded machine; nothing is measured against it


class Bench(Protocol):
    """A port under test, and what its far side can do."""

    port: Port
    keeps_last_words: bool  # whether the medium still gives what was sent before the hang-up

    async def send(self, data: bytes) -> None:
        """From the far side; waits while the near side takes nothing."""

    async def receive(self) -> bytes:
        """Some bytes at the far side, at least one."""

    async def sent(self) -> None:
        """Waits until everything sent is out of the far side's hands."""

    async def hang_up(self) -> None: ...

    async def close(self) -> None: ...


class PortBench:
    """The far side is a port itself."""

    keeps_last_words = True

    def __init__(self, port: Port, far: Port) -> None:
        self.port, self.far = port, far

    async def send(self, data: bytes) -> None:
        await self.far.write(data)

    async def receive(self) -> bytes:
        return await self.far.read()

    async def sent(self) -> None:
        await asyncio.sleep(0)

    async def hang_up(self) -> None:
        await self.far.close()

    async def close(self) -> None:
        await self.port.close()
        await self.far.close()


class TtyBench(PortBench):
    keeps_last_words = False  # the kernel throws away what a hung-up tty had not given out

    def __init__(self, port: Port, pair: PtyPair) -> None:
        super().__init__(port, pair.port)
        self.pair = pair

    async def close(self) -> None:
        await super().close()
        await self.pair.close()


class Rfc2217Bench(PortBench):
    def __init__(self, port: Port, pair: PtyPair, server: Rfc2217Server) -> None:
        super().__init__(port, pair.port)
        self.pair, self.server = pair, server
        self.count = 0

    async def send(self, data: bytes) -> None:
        self.count += len(data)
        await super().send(data)

    async def sent(self) -> None:
        await until(lambda: self.server.forwarded == self.count)

    async def hang_up(self) -> None:
        self.server.hang_up()

    async def close(self) -> None:
        await super().close()
        self.server.close()
        await self.pair.close()


class UsbBench:
    keeps_last_words = False  # what the host had not fetched stays in the device

    def __init__(self, port: Port, device: FakeDevice) -> None:
        self.port, self.device = port, device

    async def send(self, data: bytes) -> None:
        for at in range(0, len(data), self.device.packet):
            packet = data[at : at + self.device.packet]
            await until(lambda packet=packet: self.device.offer(packet))  # type: ignore[misc]

    async def receive(self) -> bytes:
        await until(lambda: bool(self.device.taken))
        return self.device.take()

    async def sent(self) -> None:
        await until(lambda: not self.device.ready)

    async def hang_up(self) -> None:
        self.device.unplug()

    async def close(self) -> None:
        await self.port.close()
        assert self.device.handles == 0


async def memory_bench() -> Bench:
    near, far = memory_pair()
    return PortBench(near, far)


async def tty_bench() -> Bench:
    pair = PtyPair()
    return TtyBench(await open_tty(pair.path, LineSettings()), pair)


async def pty_pair_bench() -> Bench:
    pair = PtyPair(hold=False)
    slave = os.open(pair.path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    tty.setraw(slave)
    return PortBench(pair.port, DescriptorPort(pair.path, slave))


async def socket_bench() -> Bench:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16384)
        port = listener.getsockname()[1]
        near = await open_tcp("127.0.0.1", port, name=f"socket://127.0.0.1:{port}")
        far, _ = listener.accept()
    far.setblocking(False)
    far.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 16384)
    return PortBench(near, DescriptorPort("the far end", far.detach()))


async def rfc2217_bench() -> Bench:
    pair = PtyPair()
    server = Rfc2217Server(pair.path)
    name = f"rfc2217://127.0.0.1:{server.port}"
    return Rfc2217Bench(await open_rfc2217("127.0.0.1", server.port, LineSettings(), name=name), pair, server)


async def usb_bench() -> Bench:
    device = FakeDevice()
    return UsbBench(await open_usb(device.vid, device.pid, backend=FakeUsb(device)), device)


async def tapped_bench() -> Bench:
    near, far = memory_pair()
    return PortBench(TappedPort(near, lambda happened: None), far)


async def tapped_tty_bench() -> Bench:
    pair = PtyPair()
    return TtyBench(TappedPort(await open_tty(pair.path, LineSettings()), lambda happened: None), pair)


BENCHES = {
    "memory": memory_bench,
    "tty": tty_bench,
    "pty pair": pty_pair_bench,
    "socket": socket_bench,
    "rfc2217": rfc2217_bench,
    "usb": usb_bench,
    "tapped": tapped_bench,
    "tapped tty": tapped_tty_bench,
}


async def until(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not true():
            await asyncio.sleep(LOOK_S)


async def read_all(port: Port, size: int) -> bytes:
    """Exactly so many bytes from the near side."""
    data = bytearray()
    async with asyncio.timeout(PATIENCE_S):
        while len(data) < size:
            data += await port.read()
    return bytes(data)


async def receive_all(bench: Bench, size: int) -> bytes:
    """Exactly so many bytes at the far side."""
    data = bytearray()
    async with asyncio.timeout(PATIENCE_S):
        while len(data) < size:
            data += await bench.receive()
    return bytes(data)


async def read_until_lost(port: Port) -> bytes:
    data = bytearray()
    async with asyncio.timeout(PATIENCE_S):
        with contextlib.suppress(PortLost):
            while True:
                data += await port.read()
    return bytes(data)


async def blocked(task: asyncio.Task[None]) -> bool:
    """Whether it still waits after others had time to do something about it."""
    done, _ = await asyncio.wait([task], timeout=0.15)
    return not done


async def ended(task: asyncio.Task[None]) -> BaseException | None:
    """What it ended with, PortLost and PortClosed included."""
    async with asyncio.timeout(PATIENCE_S):
        try:
            await task
        except (PortLost, PortClosed) as error:
            return error
    return None


@contextlib.asynccontextmanager
async def nothing_left_behind() -> AsyncIterator[None]:
    """Compares descriptors, threads and tasks before and after."""
    before = _left()
    yield
    try:
        await until(lambda: not _left() - before)
    except TimeoutError:
        raise AssertionError(f"left behind: {_left() - before}") from None


def _left() -> set[str]:
    found = {f"thread {thread.name}" for thread in threading.enumerate()}
    for number in os.listdir("/proc/self/fd"):
        with contextlib.suppress(FileNotFoundError):  # the listing's own
            found.add(f"descriptor {number}: {os.readlink(f'/proc/self/fd/{number}')}")
    tasks = asyncio.all_tasks() - {asyncio.current_task()}  # pytest's, and another one at the end than at the start
    return found | {f"task {task.get_name()}" for task in tasks}
