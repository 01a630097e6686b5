"""A supervisor on a real stream device over memory ports: unplugged, silent, noisy, refused, and back."""

from __future__ import annotations

import asyncio

from drivers import errors
from drivers.base import CardRead, Misread
from drivers.errors import PortNotFound
from drivers.ports.memory import MemoryPort, memory_pair
from drivers.stream import StreamDevice
from drivers.supervisor import HotPlug, Supervisor
from tests.drivers.scripted import Table, others, until
from tests.drivers.tiny_link import TinyLink


class Socket:
    """Where a cable can be put in: opens as long as it is in, and the far end is the device of the test."""

    def __init__(self, answers: bytes = b"ready\n") -> None:
        self.plugged_in = True
        self.answers = answers
        self.opens = 0
        self.far: MemoryPort | None = None

    async def open(self) -> MemoryPort:
        self.opens += 1
        if not self.plugged_in:
            raise PortNotFound("memory is not there", advice="Plug it in")
        near, self.far = memory_pair()
        await self.far.write(self.answers)
        return near

    async def unplug(self) -> None:
        self.plugged_in = False
        assert self.far is not None
        await self.far.close()

    async def say(self, data: bytes) -> None:
        assert self.far is not None
        await self.far.write(data)


def supervise(socket: Socket, table: Table, handshake_s: float = 60.0, name: str = "shoe") -> Supervisor:
    device = StreamDevice(TinyLink(handshake_s=handshake_s), socket.open, kind="shoe", driver="tiny", address="memory")
    return Supervisor(name, device, on_event=table.on_event, on_change=table.on_change)


async def tried_again(supervisor: Supervisor, socket: Socket) -> None:
    """Woken, it opens the port once more."""
    before = socket.opens
    await until(lambda: supervisor.state == "searching")
    supervisor.plugged()
    await until(lambda: socket.opens > before)


async def test_unplugged_and_plugged_in_again_it_goes_on_by_itself() -> None:
    socket, table = Socket(), Table()
    supervisor = supervise(socket, table)
    hotplug = HotPlug(supervisor.plugged, look=lambda: socket.plugged_in, every_s=0.002)
    supervisor.start()
    hotplug.start()
    await until(lambda: supervisor.state == "ready")
    await socket.say(b"8S\n")
    await until(lambda: len(table.heard) == 1)
    await socket.unplug()
    await until(lambda: "memory is not there" in table.words[-1])
    socket.plugged_in = True
    await until(lambda: supervisor.state == "ready")
    await socket.say(b"9S\n")
    await until(lambda: len(table.heard) == 3)
    await hotplug.stop()
    await supervisor.stop()
    assert [heard.event for heard in table.heard] == [
        CardRead(card="8S"),
        Misread(reason="half a card"),  # what the link made of the unplugging
        CardRead(card="9S"),
    ]
    assert table.states == [
        *("searching", "connecting", "ready", "lost", "searching", "connecting", "ready", "stopped"),
    ]
    assert table.words[3].startswith("memory hung up; ready for ")
    assert table.changes[3].advice == "Plug it in again; it comes back by itself"
    assert others() == set()


async def test_a_device_that_never_answers_is_told_once_with_what_was_tried() -> None:
    socket, table = Socket(answers=b""), Table()
    supervisor = supervise(socket, table, handshake_s=0.01)
    supervisor.start()
    for _ in range(4):
        await tried_again(supervisor, socket)
    assert table.states == ["searching", "connecting", "searching"]
    assert table.words[-1] == "memory did not answer as a shoe within 0.01 seconds; it sent nothing"
    assert "croupier devices" in table.changes[-1].advice
    await supervisor.stop()
    assert others() == set()


async def test_noise_of_another_length_each_time_is_the_same_trouble() -> None:
    socket, table = Socket(answers=b"\xff" * 5), Table()
    supervisor = supervise(socket, table, handshake_s=0.05)
    supervisor.start()
    for _ in range(3):
        await until(lambda: supervisor.state == "searching" and supervisor.status().words.startswith("memory did"))
        socket.answers += b"\xff" * 7
        await tried_again(supervisor, socket)
    assert table.states == ["searching", "connecting", "searching"]
    assert "it sent 5 bytes" in table.words[-1]
    await supervisor.stop()
    assert others() == set()


async def test_a_device_that_restarts_on_the_open_port_is_lost_connecting_and_ready() -> None:
    socket, table = Socket(), Table()
    supervisor = supervise(socket, table)
    supervisor.start()
    await until(lambda: supervisor.state == "ready")
    await socket.say(b"lost\n")
    await until(lambda: supervisor.state == "connecting")
    await socket.say(b"ready\n")
    await until(lambda: supervisor.state == "ready")
    assert socket.opens == 1
    assert table.states[2:] == ["ready", "lost", "connecting", "ready"]
    await supervisor.stop()
    assert others() == set()


async def test_a_mistake_of_the_link_is_told_and_the_device_comes_back() -> None:
    socket, table = Socket(), Table()
    supervisor = supervise(socket, table)
    supervisor.start()
    await until(lambda: supervisor.state == "ready")
    await socket.say(b"broken\n")
    await until(lambda: supervisor.state == "lost")
    supervisor.plugged()
    await until(lambda: table.states.count("ready") == 2)
    assert table.words[3].startswith("the driver tiny broke down at memory: ValueError: a mistake of the driver")
    await supervisor.stop()
    assert others() == set()


async def test_unplugged_while_the_table_writes_it_comes_back_and_the_other_device_hears_nothing_of_it() -> None:
    shoe, sign = Socket(), Socket()
    shoe_table, sign_table = Table(), Table()
    first, second = supervise(shoe, shoe_table), supervise(sign, sign_table, name="sign")
    assert isinstance(second.device, StreamDevice)
    link = second.device._link
    assert isinstance(link, TinyLink)
    first.start()
    second.start()
    await until(lambda: first.state == second.state == "ready")
    link.asked = b"x" * 100_000
    second.device.wake()
    await until(lambda: link.asked == b"")
    await sign.unplug()
    await until(lambda: second.state != "ready")
    await shoe.say(b"8S\n")
    await until(lambda: len(shoe_table.heard) == 1)
    sign.plugged_in = True
    second.plugged()
    await until(lambda: second.state == "ready")
    assert shoe_table.states == ["searching", "connecting", "ready"]
    await asyncio.gather(first.stop(), second.stop())
    assert others() == set()


async def test_a_port_that_is_lost_right_after_it_opened_is_told_once() -> None:
    class HangsUp(Socket):
        async def open(self) -> MemoryPort:
            near = await super().open()
            assert self.far is not None
            await self.far.close()
            return near

    socket, table = HangsUp(answers=b""), Table()
    supervisor = supervise(socket, table)
    supervisor.start()
    for _ in range(4):
        await tried_again(supervisor, socket)
    assert table.states == ["searching", "connecting", "searching"]
    assert table.words[-1] == errors.PortLost("memory hung up").words
    await supervisor.stop()
    assert others() == set()
