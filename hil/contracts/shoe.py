"""What any shoe must do, whatever is behind it. A rig is a shoe with a hand that deals and a cable to be pulled."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Final

from drivers.base import CardRead, DeviceEvent, Mark, Said, Shoe
from drivers.errors import PortLost
from hil.contracts.keeper import Keeper


class ShoeRig(Keeper):
    """`commits` is the journal: off, nothing is ever acknowledged. `keeps_events`: whether the shoe does until then."""

    device: Shoe
    keeps_events: bool

    def __init__(self, device: Shoe, *, commits: bool = True, patience_s: float | None = None) -> None:
        super().__init__(device, **({} if patience_s is None else {"patience_s": patience_s}))
        self.commits = commits

    @property
    def dealt(self) -> Sequence[str]:
        """The cards that left the shoe."""
        raise NotImplementedError

    async def deal_one(self) -> None:
        """A card leaves, as soon as the shoe lets one out."""
        raise NotImplementedError

    async def unplug(self) -> None:
        """The cable is out, and the driver has noticed."""
        raise NotImplementedError

    async def plug_in(self) -> None:
        """It is in again, and the shoe ready."""
        raise NotImplementedError

    async def restart_host(self, known: Mark | None) -> None:
        """The table's program ends and starts again, and knows so much; the shoe stays as it is."""
        raise NotImplementedError

    @property
    def cards(self) -> list[str]:
        return [each.card for each in self.said if isinstance(each, CardRead)]

    async def deal(self, count: int) -> None:
        """Deals, and waits until every card has arrived."""
        for _ in range(count):
            await self.deal_one()
        await self.until(lambda: self.cards == list(self.dealt))

    def hear(self, said: Said) -> None:
        if self.commits and isinstance(said, DeviceEvent):
            self.device.committed(said)
        super().hear(said)


Check = Callable[[ShoeRig], Coroutine[Any, Any, None]]


async def every_card_arrives_once_in_order_and_with_its_suit(rig: ShoeRig, count: int = 6) -> None:
    await rig.deal(count)
    assert rig.cards == list(rig.dealt)
    assert len(rig.dealt) == count
    assert len(rig.readies) == 1
    assert rig.errors == []


async def first_contact_proves_nothing_and_says_so(rig: ShoeRig) -> None:
    ready = rig.readies[0]
    assert not ready.proven
    assert ready.words
    assert ready.identity


async def closed_and_opened_again_it_works_as_before(rig: ShoeRig) -> None:
    await rig.deal(2)
    for times in (2, 3):
        await rig.stop()
        await rig.device.close()
        rig.start()
        await rig.ready(times)
        await rig.deal(2)
    assert rig.errors == []


async def unplugged_and_plugged_in_again_it_goes_on_and_says_what_can_be_proven(rig: ShoeRig) -> None:
    await rig.deal(2)
    await rig.unplug()
    assert isinstance(rig.errors[0], PortLost)
    assert rig.errors[0].words
    await rig.plug_in()
    again = rig.readies[1]
    assert again.words
    assert again.proven == rig.keeps_events
    await rig.deal(2)


async def what_is_committed_or_locked_while_it_is_closed_harms_nothing(rig: ShoeRig) -> None:
    await rig.deal(1)
    await rig.unplug()
    rig.device.lock(True)
    for event in rig.told(DeviceEvent):
        rig.device.committed(event)
    await rig.plug_in()
    rig.device.lock(False)
    await rig.deal(1)


async def a_card_that_left_while_it_was_unplugged_comes_afterwards(rig: ShoeRig) -> None:
    await rig.deal(1)
    await rig.unplug()
    await rig.deal_one()
    await rig.plug_in()
    assert rig.readies[1].proven
    await rig.deal(1)


async def it_holds_an_event_until_it_is_committed_and_gives_it_to_the_next_host(rig: ShoeRig) -> None:
    rig.commits = False
    await rig.deal(3)
    first = rig.told(CardRead)[0]
    assert first.mark is not None
    rig.device.committed(first)
    rig.commits = True
    rig.said.clear()
    await rig.restart_host(first.mark)
    await rig.until(lambda: rig.cards == list(rig.dealt)[1:])
    assert rig.readies[0].proven


ALL: Final[tuple[Check, ...]] = (
    every_card_arrives_once_in_order_and_with_its_suit,
    first_contact_proves_nothing_and_says_so,
    closed_and_opened_again_it_works_as_before,
)
WITH_A_CABLE: Final[tuple[Check, ...]] = (
    unplugged_and_plugged_in_again_it_goes_on_and_says_what_can_be_proven,
    what_is_committed_or_locked_while_it_is_closed_harms_nothing,
)
KEEPING_EVENTS: Final[tuple[Check, ...]] = (
    a_card_that_left_while_it_was_unplugged_comes_afterwards,
    it_holds_an_event_until_it_is_committed_and_gives_it_to_the_next_host,
)
