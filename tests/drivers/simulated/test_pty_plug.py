"""A simulated device on a pty of its own: programs come and go, and none takes it for a real one."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from drivers.base import Kind
from drivers.errors import BadSetting
from drivers.ports.base import LineSettings
from drivers.ports.opening import open_port
from drivers.ports.pty import PtyPair
from drivers.ports.tty import open_tty
from drivers.registry import make
from drivers.simulated.byte_ends import AngelEyeEnd
from drivers.simulated.cable import End
from drivers.simulated.faults import Faults
from drivers.simulated.pile import written
from drivers.simulated.pty_plug import PtyPlug
from drivers.simulated.shoe import LoadedShoe, shoe_end
from drivers.simulated.signs import PoleEnd, sign_end
from drivers.supervisor import StateChanged, Supervisor

WAIT_S = 30.0
CARD_MAP = '[cards]\n"0012345" = "AS"\n'
NAMED = {  # every driver that can be at a pty, as a configuration names it; a pty takes no parity twice
    "shoe.tablelink": {},
    "shoe.angel_eye": {},
    "shoe.bee_tek": {},
    "shoe.line_reader": {"cards": "cards.toml"},
    "display.tablelink": {},
    "display.alpha_sign": {"data_bits": 8, "parity": "N"},
    "display.escpos": {},
}


def end_of(driver: str, faults: Faults) -> End:
    kind, _, protocol = driver.partition(".")
    return shoe_end(protocol, faults) if kind == "shoe" else sign_end(protocol, faults)


async def until(reached: Callable[[], bool]) -> None:
    async with asyncio.timeout(WAIT_S):
        while not reached():
            await asyncio.sleep(0.005)


class Plugged:
    """A plug that runs, and what it told."""

    def __init__(self, end: End, faults: Faults, link: Path | None) -> None:
        self.happened: list[str] = []
        self.path = ""
        self.plug = PtyPlug(end, faults, self._told, link=link)

    def _told(self, what: str, path: str) -> None:
        self.happened.append(what)
        self.path = path


@asynccontextmanager
async def plugged_in(end: End, faults: Faults, link: Path | None = None) -> AsyncIterator[Plugged]:
    """Afterwards neither link nor descriptor is left."""
    files = len(os.listdir("/proc/self/fd"))
    made = Plugged(end, faults, link)
    running = asyncio.create_task(made.plug.run())
    try:
        await until(lambda: made.happened == ["plugged_in"])
        yield made
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
    assert link is None or not link.is_symlink()
    await until(lambda: len(os.listdir("/proc/self/fd")) <= files)


async def test_programs_come_and_go_and_the_cable_can_be_pulled(tmp_path: Path) -> None:
    faults, link = Faults(1), tmp_path / "shoe"
    shoe = LoadedShoe(shoe_end("line_reader", faults), faults, written("8S TD AC 2H"))
    async with plugged_in(shoe.end, faults, link) as device:
        shoe.end.woken = device.plug.wake
        for card in (b"8S\r\n", b"TD\r\n"):
            port = await open_port(str(link), LineSettings())
            await until(lambda: device.plug.is_open)
            shoe.deal()
            assert await port.read() == card
            await port.close()
            await until(lambda: not device.plug.is_open)
        assert device.happened[1:] == ["opened", "closed"] * 2
        faults.switch("unplug", 1)
        await until(lambda: device.happened[-1] == "unplugged")
        assert not link.is_symlink()
        faults.switch("unplug", None)
        await until(lambda: device.happened[-1] == "plugged_in")
        assert link.is_symlink()


async def test_a_program_that_writes_and_is_gone_at_once_is_heard() -> None:
    faults = Faults()
    pole = PoleEnd(faults)
    async with plugged_in(pole, faults) as device:
        for text in ("MIN 25", "MIN 50"):
            with open(device.path, "wb", buffering=0) as line:
                line.write(b"\x1b\x40\x0c" + text.encode())
            await until(lambda seen=text: pole.shown() == seen)  # type: ignore[misc]
        await until(lambda: device.happened == ["plugged_in", *["opened", "closed"] * 2])


# What it says of itself


@pytest.mark.parametrize("driver", NAMED)
async def test_a_table_that_allows_no_simulated_device_refuses_every_protocol(driver: str, tmp_path: Path) -> None:
    kind: Any
    faults = Faults()
    kind, _, name = driver.partition(".")
    (tmp_path / "cards.toml").write_text(CARD_MAP)
    settings: dict[str, Any] = dict(NAMED[driver])
    if "cards" in settings:
        settings["cards"] = str(tmp_path / "cards.toml")
    async with plugged_in(end_of(driver, faults), faults) as device:
        for allowed in (False, True):
            changes = await settled(kind, name, {**settings, "port": device.path}, allowed)
            if allowed:
                assert changes[-1].state == "ready"
                assert changes[-1].simulated
            else:
                assert "is a simulated device, and this table does not say simulated = true" in changes[-1].words
                assert all(change.state != "ready" for change in changes)


async def settled(kind: Kind, driver: str, settings: dict[str, Any], allowed: bool) -> list[StateChanged]:
    """What a supervisor tells until the device is ready or refused."""
    changes: list[StateChanged] = []
    supervisor = Supervisor(
        kind, make(kind, driver, settings), on_event=print, on_change=changes.append, allow_simulated=allowed
    )
    supervisor.start()
    await until(lambda: any(change.state == "ready" or "simulated device" in change.words for change in changes))
    told = list(changes)
    await supervisor.stop()
    return told


async def test_a_pty_that_nobody_marked_is_not_called_simulated() -> None:
    pair = PtyPair()
    port = await open_tty(pair.path, LineSettings())
    assert not port.simulated
    await port.close()
    pair.mark()
    marked = await open_tty(pair.path, LineSettings())
    assert marked.simulated
    await marked.close()
    await pair.close()


async def test_the_mark_is_gone_with_the_device_though_its_path_is_given_to_the_next() -> None:
    faults = Faults()
    async with plugged_in(AngelEyeEnd(faults), faults):
        pass
    others = [PtyPair() for _ in range(4)]
    ports = [await open_tty(other.path, LineSettings()) for other in others]
    assert not any(port.simulated for port in ports)
    for each in (*ports, *others):
        await each.close()


# Its link


async def test_a_link_that_is_another_file_is_left_alone(tmp_path: Path) -> None:
    taken = tmp_path / "shoe"
    taken.write_text("precious")
    plug = PtyPlug(shoe_end("tablelink", Faults()), Faults(), lambda what, path: None, link=taken)
    with pytest.raises(BadSetting, match="can't be made: File exists"):
        await plug.run()
    assert taken.read_text() == "precious"


async def test_a_link_to_something_else_is_left_alone(tmp_path: Path) -> None:
    udevs = tmp_path / "table-shoe"
    udevs.symlink_to("ttyUSB0")
    plug = PtyPlug(shoe_end("tablelink", Faults()), Faults(), lambda what, path: None, link=udevs)
    with pytest.raises(BadSetting, match=r"table-shoe leads to ttyUSB0 already: choose another name"):
        await plug.run()
    assert os.readlink(udevs) == "ttyUSB0"


async def test_a_link_that_an_earlier_simulated_device_left_is_made_anew(tmp_path: Path) -> None:
    link = tmp_path / "shoe"
    link.symlink_to("/dev/pts/99999")
    faults = Faults()
    async with plugged_in(shoe_end("tablelink", faults), faults, link):
        assert os.readlink(link) != "/dev/pts/99999"
