"""Discovery and supervision on the kernel's own tree: who is plugged in, who answers, `auto`, and hot-plug."""

from __future__ import annotations

import asyncio
import subprocess
import sys

import pytest
from msgspec import structs

from drivers.discovery.candidates import Candidate, candidates
from drivers.discovery.survey import Looked, ask_all, look_around
from drivers.discovery.udev import udev_rule
from drivers.discovery.verdict import verdict
from drivers.errors import PortNotFound, WrongDevice
from drivers.hotplug import HotPlug
from drivers.shoes.tablelink import TableLinkShoe
from drivers.supervisor import Heard, StateChanged, Supervisor
from firmware_protocol.tablelink.messages import SIMULATED
from hil.kernel.devices import BulkEcho, BulkShoe, SerialShoe
from hil.kernel.inside.conftest import Plug
from hil.kernel.inside.listening import served, until

AnyShoe = BulkShoe | SerialShoe
HOLD = "import sys, serial; port = serial.Serial(sys.argv[1]); print('held', flush=True); sys.stdin.read()"


def ours() -> list[Candidate]:
    """Without what the kernel has of itself."""
    return [port for port in candidates() if port.vid == "1209"]


async def asked() -> list[Looked]:
    return await ask_all([port for port in await look_around() if port.vid == "1209"])


def as_real(shoe: AnyShoe) -> AnyShoe:
    """One that hides what it is; and by its name a TableLink device, or `auto` would not ask it over bulk pipes."""
    described = shoe.end._described
    shoe.end._described = structs.replace(described, capabilities=described.capabilities & ~SIMULATED)
    shoe.identity = structs.replace(shoe.identity, name="TableLink shoe")
    return shoe


def test_the_kernels_tree_is_read_as_it_is(plugged: Plug[AnyShoe]) -> None:
    line, bulk = SerialShoe("LINE-1"), BulkShoe("BULK-1")
    for shoe in (line, bulk):
        plugged(shoe)
    found = {port.serial: port for port in ours()}
    assert set(found) == {"LINE-1", "BULK-1"}
    tty, usb = found["LINE-1"], found["BULK-1"]
    assert (tty.kind, tty.path, tty.vid, tty.pid) == ("tty", line.tty, "1209", "ca4e")
    assert (tty.manufacturer, tty.product, tty.place) == ("Croupier", "Serial shoe", line.folder.name)
    assert (usb.kind, usb.address, usb.place) == ("usb", "usb:1209:ca4d:BULK-1", bulk.folder.name)
    for port in (tty, usb):
        assert f'{{serial}}=="{port.serial}"' in udev_rule(port, ours(), "table-shoe")


async def test_who_answers_is_told_and_a_strange_usb_device_is_not_asked(plugged: Plug[SerialShoe | BulkEcho]) -> None:
    plugged(SerialShoe("LINE-1"))
    plugged(BulkEcho("ECHO-1"))
    told = {looked.port.serial: looked for looked in await asked()}
    shoe, echo = told["LINE-1"], told["ECHO-1"]
    assert shoe.outcome.answer is not None
    assert (shoe.outcome.answer.roles, shoe.outcome.answer.simulated) == (("shoe",), True)
    lines = verdict(shoe.port, shoe.outcome, ours()).lines
    assert lines == ('driver = "tablelink"', 'port = "usb:1209:ca4e:LINE-1"')
    assert (echo.outcome.said, echo.outcome.asked) == ("not_asked", False)


async def test_a_port_that_another_program_has_is_told_with_its_holder(plugged: Plug[SerialShoe]) -> None:
    shoe = plugged(SerialShoe())
    command = [sys.executable, "-c", HOLD, shoe.tty]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdin is not None
        assert other.stdout is not None
        assert other.stdout.readline() == b"held\n"
        (looked,) = await asked()
        assert looked.outcome.said == "held"
        assert [holder.pid for holder in looked.port.holders] == [other.pid]
        other.stdin.close()
        other.wait()


async def test_auto_takes_the_only_real_shoe_and_leaves_the_simulated_one(plugged: Plug[AnyShoe]) -> None:
    simulated, real = plugged(SerialShoe("SIM-1")), SerialShoe("REAL-1")
    device = TableLinkShoe(TableLinkShoe.Settings(port="auto"))
    with pytest.raises(PortNotFound, match=r"none answered as a shoe .*left out, it is a SIMULATED shoe"):
        await device.open()
    plugged(as_real(real))
    async with served(device) as listener:
        simulated.deal("2C")
        real.deal("QD")
        await listener.until(lambda: bool(listener.cards), "a card")
        assert listener.cards == ["QD"]


@pytest.mark.parametrize("other", [SerialShoe, BulkShoe])
async def test_auto_refuses_two_real_shoes_and_names_both(plugged: Plug[AnyShoe], other: type[AnyShoe]) -> None:
    plugged(as_real(SerialShoe("REAL-1")))
    plugged(as_real(other("REAL-2")))
    device = TableLinkShoe(TableLinkShoe.Settings(port="auto"))
    with pytest.raises(WrongDevice, match="2 devices answer as a shoe") as refused:
        await device.open()
    assert "REAL-1" in refused.value.advice
    assert "REAL-2" in refused.value.advice
    await device.close()


@pytest.mark.parametrize(("kind", "address"), [(BulkShoe, "usb:1209:CA4D"), (SerialShoe, "usb:1209:CA4E")])
async def test_a_supervised_shoe_is_found_when_it_is_plugged_in_and_again(
    plugged: Plug[AnyShoe], kind: type[AnyShoe], address: str
) -> None:
    device = TableLinkShoe(TableLinkShoe.Settings(port=address))
    changes: list[StateChanged] = []
    heard: list[Heard] = []

    def hear(each: Heard) -> None:
        heard.append(each)
        device.committed(each.event)

    supervisor = Supervisor("shoe", device, on_event=hear, on_change=changes.append, allow_simulated=True)
    hot_plug = HotPlug(supervisor.plugged)
    supervisor.start()
    hot_plug.start()
    try:
        await until(lambda: len(changes) == 2, "the word that nothing is there")
        assert "is not plugged in" in changes[-1].words
        shoe = await asyncio.to_thread(plugged, kind())
        await until(lambda: supervisor.state == "ready", "the shoe")
        shoe.deal("AS")
        await until(lambda: len(heard) == 1, "a card")
        await asyncio.to_thread(shoe.unplug)
        await until(lambda: changes[-1].state in ("lost", "searching"), "the loss")
        shoe.deal("KH")
        await asyncio.to_thread(shoe.plug)
        await until(lambda: len(heard) == 2, "the card dealt meanwhile")
        last = next(change.ready for change in reversed(changes) if change.ready is not None)
        assert last.proven
        assert all(each.simulated for each in heard)
    finally:
        await hot_plug.stop()
        await supervisor.stop()
