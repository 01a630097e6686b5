"""What is told while somebody plugs and unplugs."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from msgspec import structs

from drivers.discovery.candidates import Candidate
from drivers.discovery.probe import Patience
from drivers.discovery.survey import Machine
from drivers.discovery.watch import Change, changes
from drivers.ports.holders import Holder
from tests.drivers.discovery.machines import Tree, on_pty, tablelink


class Watch:
    """Changes one at a time, with the machine's looks counted."""

    def __init__(self, ports: list[Candidate], *, asks: bool) -> None:
        self.ports, self.looks = ports, 0
        machine = Machine(look=self._look, patience=Patience(listen_s=0.05, ask_s=30.0))
        self._changes = changes(machine, asks=asks, every_s=0.001)

    def _look(self) -> list[Candidate]:
        self.looks += 1
        return list(self.ports)

    async def next(self) -> tuple[str, str, str]:
        async with asyncio.timeout(60):
            change: Change = await anext(self._changes)
        return change.change, change.looked.port.path, change.looked.outcome.said

    async def close(self) -> None:
        await self._changes.aclose()


@asynccontextmanager
async def watching(*ports: Candidate, asks: bool = False) -> AsyncIterator[Watch]:
    watch = Watch(list(ports), asks=asks)
    try:
        yield watch
    finally:
        await watch.close()


def port(name: str, **more: object) -> Candidate:
    return structs.replace(Candidate(kind="tty", name=name, path=f"/dev/{name}"), **more)


async def test_first_every_port_then_what_changes() -> None:
    async with watching(port("ttyUSB0")) as watch:
        assert await watch.next() == ("added", "/dev/ttyUSB0", "not_asked")
        watch.ports.append(port("ttyUSB1"))
        assert await watch.next() == ("added", "/dev/ttyUSB1", "not_asked")
        del watch.ports[0]
        assert await watch.next() == ("removed", "/dev/ttyUSB0", "not_asked")
        watch.ports[0] = port("ttyUSB1", holders=(Holder(812, "minicom"),))
        assert await watch.next() == ("changed", "/dev/ttyUSB1", "not_asked")


async def test_a_port_that_changes_while_udev_names_it_is_told_once() -> None:
    async with watching() as watch:
        look = watch._look

        def naming() -> list[Candidate]:
            if watch.looks == 2:
                watch.ports = [port("ttyUSB0")]
            elif watch.looks == 3:
                watch.ports = [port("ttyUSB0", by_id="usb-A")]
            elif watch.looks == 6:
                watch.ports = []
            return look()

        watch._changes = changes(Machine(look=naming), asks=False, every_s=0.001)
        assert (await watch.next())[:2] == ("added", "/dev/ttyUSB0")
        assert (await watch.next())[:2] == ("removed", "/dev/ttyUSB0")


async def test_a_port_is_asked_when_it_is_let_go() -> None:
    async with on_pty(tablelink()) as far:
        held = port("ttyUSB0", path=far.path, holders=(Holder(812, "minicom"),))
        async with watching(held, asks=True) as watch:
            assert await watch.next() == ("added", far.path, "held")
            watch.ports[0] = structs.replace(held, holders=())
            assert await watch.next() == ("changed", far.path, "answered")


async def test_a_machine_of_files_is_watched(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    told = changes(Machine(look=tree.look), asks=False, every_s=0.001)
    tree.adapter("ttyUSB0")
    assert (await anext(told)).change == "added"
    tree.unplug("ttyUSB0")
    assert (await anext(told)).change == "removed"
    await told.aclose()


@pytest.mark.parametrize("asks", [True, False])
async def test_nothing_is_told_while_nothing_changes(asks: bool) -> None:
    async with watching(port("ttyUSB0", is_console=True), asks=asks) as watch:
        await watch.next()
        told = asyncio.create_task(anext(watch._changes))
        seen = watch.looks
        async with asyncio.timeout(60):
            while watch.looks < seen + 5:
                await asyncio.sleep(0.001)
        assert not told.done()
        told.cancel()
        await asyncio.gather(told, return_exceptions=True)
