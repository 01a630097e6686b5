"""`auto`: exactly one real device that answers in the role is opened; everything else is refused with what was said."""

from __future__ import annotations

import asyncio
import gc
from contextlib import AsyncExitStack
from typing import Final

import pytest
from msgspec import structs

from drivers.discovery.candidates import Candidate, candidates
from drivers.discovery.opener import open_the_one, opener_for
from drivers.discovery.probe import Patience
from drivers.discovery.survey import Machine, ask_all
from drivers.errors import BadSetting, PortNotFound, WrongDevice
from drivers.ports.base import LineSettings
from drivers.ports.holders import Holder
from firmware_protocol.angel_eye import AngelEyeShoe
from firmware_protocol.tablelink.messages import ROLE_PANEL, ROLE_SHOE, ROLE_SIGN, SIMULATED
from tests.drivers.discovery.machines import Behaviour, OnPty, chatter, on_pty, silent, tablelink

LINE: Final = LineSettings()
SHORT: Final = Patience(listen_s=0.1, ask_s=0.3)
LONG: Final = Patience(listen_s=0.1, ask_s=30.0)


@pytest.fixture(autouse=True)
def nobody_else_is_configured() -> None:
    """Drivers of other tests may have named the path that a new pty has now; they are forgotten when they are freed."""
    gc.collect()


class Room:
    """Devices on ptys that pass for the USB adapters of a machine."""

    def __init__(self, stack: AsyncExitStack) -> None:
        self.ports: list[Candidate] = []
        self._stack = stack

    async def add(self, behave: Behaviour, **more: object) -> OnPty:
        far = await self._stack.enter_async_context(on_pty(behave))
        number = len(self.ports)
        port = Candidate(
            kind="tty",
            name=f"ttyUSB{number}",
            path=far.path,
            vid="0403",
            pid="6001",
            place=f"1-{number}",
            by_id=f"usb-{number}-if00",
            serial=str(number),
        )
        self.ports.append(structs.replace(port, **more))
        return far

    def machine(self, patience: Patience) -> Machine:
        return Machine(look=lambda: self.ports, patience=patience)


async def test_the_only_shoe_is_opened_among_other_ports() -> None:
    async with AsyncExitStack() as stack:
        room = Room(stack)
        await room.add(tablelink("SIGN-1", ROLE_SIGN))
        shoe = await room.add(tablelink("SH-1", ROLE_SHOE))
        port = await open_the_one("shoe", LINE, room.machine(LONG))
        assert port.name == shoe.path
        await port.close()


async def test_a_device_with_two_roles_is_found_in_each() -> None:
    async with AsyncExitStack() as stack:
        room = Room(stack)
        await room.add(tablelink("BOTH", ROLE_SIGN | ROLE_PANEL))
        for role in ("sign", "panel"):
            port = await open_the_one(role, LINE, room.machine(LONG))
            await port.close()


async def test_two_shoes_are_refused_with_both_lines_to_copy() -> None:
    async with AsyncExitStack() as stack:
        room = Room(stack)
        await room.add(tablelink("SH-1"))
        await room.add(tablelink("SH-2"))
        with pytest.raises(WrongDevice) as refused:
            await open_the_one("shoe", LINE, room.machine(LONG))
    for said in ("2 devices", 'port = "by-id:usb-0-if00"', 'port = "by-id:usb-1-if00"', "SH-1", "SH-2"):
        assert said in str(refused.value)


async def test_no_shoe_tells_every_port_and_what_it_said() -> None:
    async with AsyncExitStack() as stack:
        room = Room(stack)
        panel = await room.add(tablelink("PANEL-1", ROLE_PANEL))
        mute = await room.add(silent)
        with pytest.raises(PortNotFound) as refused:
            await open_the_one("shoe", LINE, room.machine(Patience(listen_s=0.1, ask_s=0.8)))
    words = str(refused.value)
    assert words.startswith("No shoe: looked at 2 ports, none answered as a shoe")
    assert f"{panel.path}: answers as a panel" in words
    assert f"{mute.path}: nothing answered" in words


async def test_no_port_at_all_says_to_plug_it_in() -> None:
    with pytest.raises(PortNotFound, match=r"no port on this machine.*Plug it in"):
        await open_the_one("shoe", LINE, Machine(look=list, patience=SHORT))


async def test_a_simulated_shoe_is_left_out_and_said_so() -> None:
    async with AsyncExitStack() as stack:
        room = Room(stack)
        simulated = await room.add(tablelink("SIM-1", capabilities=SIMULATED))
        with pytest.raises(PortNotFound) as refused:
            await open_the_one("shoe", LINE, room.machine(LONG))
        assert f"{simulated.path}: left out, it is a SIMULATED shoe" in str(refused.value)
        real = await room.add(tablelink("SH-1"))
        port = await open_the_one("shoe", LINE, room.machine(LONG))
        assert port.name == real.path
        await port.close()


async def test_a_port_that_a_program_holds_is_named_and_not_asked() -> None:
    async with AsyncExitStack() as stack:
        room = Room(stack)
        far = await room.add(tablelink(), holders=(Holder(812, "minicom"),))
        with pytest.raises(PortNotFound, match=r"in use by minicom \(pid 812\)"):
            await open_the_one("shoe", LINE, room.machine(SHORT))
        assert far.got == b""


async def test_the_console_and_a_strange_usb_device_are_not_asked() -> None:
    async with AsyncExitStack() as stack:
        room = Room(stack)
        console = await room.add(tablelink(), is_console=True)
        strange = await room.add(tablelink(), kind="usb")
        looked = await ask_all(room.ports, room.machine(SHORT))
        assert [each.outcome.said for each in looked] == ["not_asked", "not_asked"]
        assert "croupier devices ask usb:0403:6001:1" in looked[1].outcome.advice
        assert console.got == strange.got == b""


async def test_nothing_is_sent_to_a_dealing_angel_eye() -> None:
    async with AsyncExitStack() as stack:
        room = Room(stack)
        angel = await room.add(chatter(AngelEyeShoe().start()))
        with pytest.raises(PortNotFound, match="looks like an Angel Eye shoe"):
            await open_the_one("shoe", LINE, room.machine(Patience(listen_s=30.0, ask_s=0.3)))
        assert angel.got == b""


async def test_a_port_that_the_configuration_names_is_not_asked_by_auto() -> None:
    async with AsyncExitStack() as stack:
        room = Room(stack)
        far = await room.add(silent)
        opener = opener_for("by-id:usb-0-if00", LINE, None)
        with pytest.raises(PortNotFound, match="names it for another device"):
            await open_the_one("shoe", LINE, room.machine(SHORT))
        assert far.got == b""
        del opener
        gc.collect()
        with pytest.raises(PortNotFound, match="nothing answered"):
            await open_the_one("shoe", LINE, room.machine(SHORT))


async def test_searches_of_two_devices_at_once_do_not_disturb_each_other() -> None:
    async with AsyncExitStack() as stack:
        room = Room(stack)
        places = {
            "shoe": await room.add(tablelink("SH-1", ROLE_SHOE)),
            "sign": await room.add(tablelink("SI", ROLE_SIGN)),
        }
        searches = [open_the_one(role, LINE, room.machine(LONG)) for role in places]
        found = await asyncio.gather(*searches, return_exceptions=True)
        for far, port in zip(places.values(), found, strict=True):
            assert not isinstance(port, BaseException)
            assert port.name == far.path
            await port.close()


async def test_an_address_is_opened_as_it_is() -> None:
    async with on_pty(tablelink()) as far:
        port = await opener_for(far.path, LINE, "shoe")()
        assert port.name == far.path
        await port.close()


async def test_an_opener_opens_again_and_again() -> None:
    async with on_pty(silent) as far:
        opener = opener_for(far.path, LINE, None)
        for _ in range(3):
            port = await opener()
            await port.close()


def test_auto_is_refused_for_a_device_that_answers_nobody() -> None:
    with pytest.raises(BadSetting, match="must be named"):
        opener_for("auto", LINE, None)


def test_a_role_that_there_is_not_is_refused() -> None:
    with pytest.raises(BadSetting, match="roles are shoe, sign, panel"):
        opener_for("auto", LINE, "dealer")


@pytest.mark.parametrize("address", ["", "Auto", "AUTO", "COM3", "ttyUSB0", "usb:1", "socket://", "/dev/\0"])
def test_an_address_that_can_never_work_is_refused_at_once(address: str) -> None:
    with pytest.raises(BadSetting):
        opener_for(address, LINE, "shoe")


async def test_a_pty_of_this_machine_is_no_candidate() -> None:
    async with on_pty(tablelink()) as far:
        assert far.path not in [port.path for port in candidates()]
