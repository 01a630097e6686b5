"""The shoe contract: what every shoe driver does over its simulator, in memory and on a pty."""

from __future__ import annotations

import asyncio
import random

import pytest

from drivers import base
from drivers.base import DeviceEvent, Mark, Ready, Refused
from drivers.errors import PortLost, PortNotFound
from drivers.simulated.pile import shuffled, without_cut
from drivers.simulated.shoe import ShoeStopped
from drivers.simulated.tablelink_end import TableLinkEnd
from hil.contracts import shoe
from tests.drivers.shoes.contract import KEEPS_EVENTS, LINES, SHOES, TELLS_CUT_CARD, Rig, running

SPOILING = ("bit_flip", "drop", "duplicate", "garbage")
NOISE_SIZE = 1 << 20

every_shoe = pytest.mark.parametrize("name", SHOES)
every_line = pytest.mark.parametrize("line", LINES)


@every_line
@pytest.mark.parametrize(
    ("name", "check"),
    [(name, check) for name in SHOES for check in (*shoe.ALL, *shoe.WITH_A_CABLE)]
    + [("tablelink", check) for check in shoe.KEEPING_EVENTS],
    ids=lambda each: each if isinstance(each, str) else each.__name__,
)
async def test_contract(name: str, check: shoe.Check, line: str) -> None:
    async with running(name, line) as rig:
        await check(rig)


@every_line
@every_shoe
async def test_every_card_arrives_once_in_order_and_with_its_suit(name: str, line: str) -> None:
    async with running(name, line) as rig:
        await shoe.every_card_arrives_once_in_order_and_with_its_suit(rig, 30)
        assert rig.cards == list(shuffled(2, 1, 0)[:30])


@every_shoe
async def test_a_shoe_says_where_it_is_simulated(name: str) -> None:
    async with running(name, "memory") as rig:
        ready = rig.readies[0]
        assert ready.simulated == (name in KEEPS_EVENTS), "where the wire can tell, or the driver itself is simulated"


@every_line
@every_shoe
async def test_a_card_that_could_not_be_read_is_one_misread_and_no_card(name: str, line: str) -> None:
    async with running(name, line) as rig:
        await rig.deal(1)
        for fault in ("misread", "double_feed"):
            rig.faults.switch(fault, 1)
            rig.shoe.deal()
            rig.faults.switch(fault, None)
        rig.shoe.deal()
        dealt = rig.shoe.dealt
        await rig.until(lambda: len(rig.cards) == 2)
        assert rig.cards == [dealt[0], dealt[-1]]
        assert len(rig.told(base.Misread)) == 2
        assert all(each.reason for each in rig.told(base.Misread))


@every_line
@every_shoe
async def test_the_cut_card_is_told_in_its_place_where_the_shoe_can(name: str, line: str) -> None:
    async with running(name, line, cut_card=3) as rig:
        await rig.deal(6)
        kinds = [type(each) for each in rig.said if isinstance(each, base.CardRead | base.CutCardSeen)]
        cut = [base.CutCardSeen] if name in TELLS_CUT_CARD else []
        assert kinds == [base.CardRead] * 3 + cut + [base.CardRead] * 3
        assert rig.cards == list(without_cut(shuffled(2, 1, 3))[:6])


@every_line
@every_shoe
async def test_unplugged_and_plugged_in_again_it_goes_on_and_says_what_can_be_proven(name: str, line: str) -> None:
    async with running(name, line) as rig:
        await rig.deal(5)
        await rig.unplug()
        assert isinstance(rig.errors[0], PortLost)
        await rig.until(lambda: isinstance(rig.errors[-1], PortNotFound))
        missed = [rig.shoe.deal().cards[0] for _ in range(2)]
        await rig.plug_in()
        if name in KEEPS_EVENTS:
            await rig.deal(3)
            assert rig.readies[1].proven
            assert rig.readies[1].words == "nothing was missed"
            return
        rig.shoe.deal()
        await rig.until(lambda: len(rig.cards) == 6)
        assert not rig.readies[1].proven
        assert "nobody can tell" in rig.readies[1].words
        assert [card for card in rig.shoe.dealt if card not in missed] == [c for c in rig.cards if c not in missed]
        assert bool(rig.told(base.EventsMissed)) == (name == "angel_eye"), "its count shows two missing"


@every_line
@every_shoe
async def test_unplugged_in_the_middle_of_a_stream_no_card_comes_twice_and_none_is_wrong(name: str, line: str) -> None:
    async with running(name, line) as rig:
        for _ in range(20):
            rig.shoe.deal()
        await rig.until(lambda: len(rig.cards) >= 1)
        await rig.unplug()
        await rig.plug_in()
        rig.shoe.deal()
        last = rig.shoe.dealt[-1]
        if name in KEEPS_EVENTS:
            await rig.until(lambda: rig.cards == rig.shoe.dealt)
            return
        await rig.until(lambda: rig.cards[-1] == last)
        rest = iter(rig.shoe.dealt)
        assert all(card in rest for card in rig.cards), "told in the order dealt, and none twice"


@every_line
@every_shoe
async def test_a_shoe_that_restarts_in_the_middle_of_an_event_is_usable_again_and_tells_no_card_twice(
    name: str, line: str
) -> None:
    async with running(name, line) as rig:
        await rig.deal(2)
        rig.faults.switch("reboot", 1)
        rig.shoe.deal()
        await rig.until(lambda: not rig.faults.is_on("reboot"))
        if name in KEEPS_EVENTS:
            await rig.ready(2)
            assert not rig.readies[1].proven
            assert "restarted" in rig.readies[1].words
        if name == "angel_eye":
            await rig.until(lambda: bool(rig.told(base.ShoeStarted)))
        rig.shoe.deal()  # half a record of before may spoil this one on a line without a checksum
        rig.shoe.deal()
        last = rig.shoe.dealt[-1]
        await rig.until(lambda: rig.cards[-1] == last)
        rest = iter(rig.shoe.dealt)
        assert all(card in rest for card in rig.cards)


@every_line
@every_shoe
async def test_a_stalled_line_loses_nothing(name: str, line: str) -> None:
    async with running(name, line) as rig:
        rig.faults.switch("stall", 1)
        for _ in range(4):
            rig.shoe.deal()
        await asyncio.sleep(0.02)
        assert rig.cards == []
        rig.faults.switch("stall", None)
        await rig.deal(1)


@every_line
@pytest.mark.parametrize("fault", SPOILING)
@pytest.mark.parametrize("name", ["tablelink", "angel_eye"])
async def test_a_bad_line_brings_no_wrong_card(name: str, fault: str, line: str) -> None:
    async with running(name, line, seed=7) as rig:
        rig.faults.switch(fault, 0.2)
        for _ in range(15):
            await rig.until(lambda: not rig.shoe.stopped)
            rig.shoe.deal()
            await asyncio.sleep(0)
        if name == "tablelink":
            await rig.until(lambda: rig.cards == rig.shoe.dealt)
        rig.faults.switch(fault, None)
        if name == "angel_eye":
            await rig.until(lambda: not rig.shoe.end.next_time())
        rig.shoe.deal()
        last = rig.shoe.dealt[-1]
        await rig.until(lambda: rig.cards[-1:] == [last])
        rest = iter(rig.shoe.dealt)
        assert all(card in rest for card in rig.cards)
        lost = len(rig.shoe.dealt) - len(rig.cards)
        assert not lost or rig.told(base.EventsMissed)


@every_line
@every_shoe
async def test_after_a_megabyte_of_noise_the_cards_still_come(name: str, line: str) -> None:
    async with running(name, line) as rig:
        await rig.deal(1)
        noise = random.Random(11).randbytes(NOISE_SIZE)
        assert rig.far is not None
        for at in range(0, len(noise), 4096):
            await rig.far.write(noise[at : at + 4096])
        await rig.far.write(b"\0\r\n")
        before = len(rig.cards)
        told = len(rig.said)
        assert told < 200 or name == "line_reader", "noise is counted; only what is sound by chance is told"
        rig.shoe.deal()
        last = rig.shoe.dealt[-1]
        await rig.until(lambda: rig.cards[-1] == last and len(rig.cards) > before)


@every_shoe
async def test_a_lock_that_is_asked_for_while_it_is_closed_is_carried_out_afterwards(name: str) -> None:
    async with running(name, "memory") as rig:
        await rig.deal(1)
        await rig.unplug()
        rig.device.lock(True)
        for event in rig.told(DeviceEvent):
            rig.device.committed(event)
        await rig.plug_in()
        if rig.device.can_lock:
            await rig.until(lambda: "locked" in rig.shoe.stopped)
            with pytest.raises(ShoeStopped, match="the table has locked it"):
                rig.shoe.deal()
            rig.device.lock(False)
            await rig.until(lambda: not rig.shoe.stopped)
        await rig.deal(1)


# What only a shoe that keeps its events can promise


@every_line
async def test_the_shoe_holds_an_event_until_it_is_committed_and_gives_it_to_the_next_host(line: str) -> None:
    async with running("tablelink", line, commits=False) as rig:
        end = rig.shoe.end
        assert isinstance(end, TableLinkEnd)
        await rig.deal(3)
        assert end.queued == 3, "told, and not yet acknowledged"
        first = rig.told(base.CardRead)[0]
        assert first.mark == Mark(end.boot, 1)
        rig.device.committed(first)
        await rig.until(lambda: end.queued == 2)

        rig.commits = True
        rig.said.clear()
        await rig.restart_host(first.mark)
        await rig.until(lambda: rig.cards == rig.shoe.dealt[1:])
        assert rig.readies[0].proven
        await rig.until(lambda: end.queued == 0)


@pytest.mark.parametrize("name", KEEPS_EVENTS)
async def test_a_shoe_whose_queue_is_full_stops_and_goes_on_when_there_is_room(name: str) -> None:
    async with running(name, "memory") as rig:
        rig.faults.switch("queue_full", 1)
        for _ in range(30):
            rig.shoe.deal()
        with pytest.raises(ShoeStopped, match="its queue is full: 30 events wait"):
            rig.shoe.deal()
        assert rig.cards == []
        rig.faults.switch("queue_full", None)
        await rig.deal(1)


@pytest.mark.parametrize("name", KEEPS_EVENTS)
async def test_a_device_that_answers_with_another_role_is_refused_and_not_used(name: str) -> None:
    rig = Rig(name, "memory")
    rig.faults.switch("wrong_identity", 1)
    rig.shoe.deal()
    rig.start()
    try:
        await rig.until(lambda: bool(rig.said))
        refused = rig.said[0]
        assert isinstance(refused, Refused)
        assert "answered as a sign, not as a shoe" in refused.words
        assert "croupier devices" in refused.advice
        await asyncio.sleep(0.05)
        assert len(rig.said) == 1
    finally:
        await rig.stop()


async def test_every_shoe_that_is_ready_says_what_it_is() -> None:
    identities = set()
    for name in SHOES:
        async with running(name, "memory") as rig:
            assert isinstance(rig.said[0], Ready)
            identities.add(rig.readies[0].identity)
    assert len(identities) == len(SHOES) - 1, "the simulated driver speaks TableLink by itself"
