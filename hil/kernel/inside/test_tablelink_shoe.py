"""The `tablelink` shoe over real USB, with bulk pipes and behind a ttyACM: every card once, whatever the cable does."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from drivers.base import DeviceEvent, Ready, Said
from drivers.errors import PortLost, PortNotFound
from drivers.shoes.tablelink import TableLinkShoe
from hil.kernel.devices import BULK_IN, BULK_OUT, BulkShoe, SerialShoe
from hil.kernel.inside.conftest import Plug
from hil.kernel.inside.listening import served, until

AnyShoe = BulkShoe | SerialShoe
KINDS = [pytest.param(BulkShoe, "usb:1209:CA4D", id="bulk"), pytest.param(SerialShoe, "usb:1209:CA4E", id="ttyACM")]
CARDS = [f"{rank}{suit}" for suit in "SHDC" for rank in "A23456789TJQK"]


def shoe_at(address: str) -> tuple[TableLinkShoe, Callable[[Said], None]]:
    """A shoe, and what commits every event of it at once."""
    device = TableLinkShoe(TableLinkShoe.Settings(port=address))

    def commit(said: Said) -> None:
        if isinstance(said, DeviceEvent):
            device.committed(said)

    return device, commit


@pytest.mark.parametrize(("kind", "address"), KINDS)
async def test_every_card_arrives_once_and_is_forgotten_when_it_is_safe(
    plugged: Plug[AnyShoe], kind: type[AnyShoe], address: str
) -> None:
    shoe = plugged(kind())
    device, commit = shoe_at(address)
    async with served(device, commit) as listener:
        await listener.until(lambda: bool(listener.of(Ready)), "the handshake")
        assert listener.of(Ready)[0].identity.startswith(shoe.identity.serial)
        assert listener.of(Ready)[0].simulated
        for card in CARDS:
            await until(lambda: not shoe.end.must_stop, "room in the shoe's queue")
            shoe.deal(card)
        await listener.until(lambda: len(listener.cards) >= len(CARDS), "every card")
        await until(lambda: shoe.end.queued == 0, "the shoe to forget what is safe")
        assert listener.cards == CARDS


@pytest.mark.parametrize(("kind", "address"), KINDS)
async def test_cards_dealt_while_unplugged_are_not_missed(
    plugged: Plug[AnyShoe], kind: type[AnyShoe], address: str
) -> None:
    shoe = plugged(kind())
    device, commit = shoe_at(address)
    async with served(device, commit) as listener:
        await listener.until(lambda: bool(listener.of(Ready)), "the handshake")
        shoe.deal("AS", "KH")
        await listener.until(lambda: len(listener.cards) == 2, "two cards")
        await asyncio.to_thread(shoe.unplug)
        lost = await listener.trouble()
        assert isinstance(lost, PortLost)
        assert address in lost.words
        shoe.deal("9C", "5D")
        with pytest.raises(PortNotFound):
            await device.open()
        await asyncio.to_thread(shoe.plug)
        await listener.open()
        await listener.until(lambda: len(listener.cards) == 4, "the cards dealt meanwhile")
        shoe.deal("2H")
        await listener.until(lambda: len(listener.cards) == 5, "one more")
        assert listener.cards == ["AS", "KH", "9C", "5D", "2H"]
        assert [ready.proven for ready in listener.of(Ready)][1:] == [True]


async def test_a_shoe_that_stalls_loses_no_card(plugged: Plug[BulkShoe]) -> None:
    shoe = plugged(BulkShoe())
    device, commit = shoe_at("usb:1209:CA4D")
    async with served(device, commit) as listener:
        await listener.until(lambda: bool(listener.of(Ready)), "the handshake")
        for number, card in enumerate(CARDS[:6]):
            shoe.halt((BULK_IN, BULK_OUT)[number % 2])
            shoe.deal(card)
            await listener.until(lambda count=number: len(listener.cards) > count, card)  # type: ignore[misc]
        assert listener.cards == CARDS[:6]


async def test_a_shoe_that_restarts_is_told_as_unproven(plugged: Plug[BulkShoe]) -> None:
    shoe = plugged(BulkShoe())
    device, commit = shoe_at("usb:1209:CA4D")
    async with served(device, commit) as listener:
        await listener.until(lambda: bool(listener.of(Ready)), "the handshake")
        shoe.deal("AS")
        await listener.until(lambda: bool(listener.cards), "a card")
        with shoe.lock:
            shoe.end.reboot()
        await listener.until(lambda: len(listener.of(Ready)) == 2, "the new start")
        assert not listener.of(Ready)[1].proven


async def test_of_two_shoes_alike_the_serial_chooses(plugged: Plug[BulkShoe]) -> None:
    left, right = plugged(BulkShoe("SHOE-L")), plugged(BulkShoe("SHOE-R"))
    device, commit = shoe_at("usb:1209:CA4D:SHOE-R")
    async with served(device, commit) as listener:
        await listener.until(lambda: bool(listener.of(Ready)), "the handshake")
        left.deal("2C")
        right.deal("QD")
        await listener.until(lambda: bool(listener.cards), "a card")
        assert listener.cards == ["QD"]
        assert not left.end.host_there
