"""TL-032 and TL-038: what a device does that nobody acknowledges. Both are judged by the same filling."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from firmware_protocol.tablelink import timing
from firmware_protocol.tablelink.messages import Event
from hil.conformance.case import Case
from hil.conformance.helper import MOST_EVENTS, Stopped
from hil.conformance.verdicts import Failed

DRAIN_S: Final = 10.0  # without any new event: nothing more will come


class Filled(Struct, frozen=True):
    """What happened at the device while nothing was acknowledged, and what it told before and after."""

    happened: list[str | None]  # the cards, where known
    stopped: bool
    first: int  # number of the first of them
    on_the_way: int  # different events that were sent before anything was acknowledged
    told: list[Event]
    goes_on: str  # why nothing more happens although all is acknowledged; empty where it does


async def _fill(case: Case) -> Filled:
    case.needs_events()
    await case.open()
    first, mark = case.me.next_event, case.talk.mark
    happened, stopped = await case.while_alive(case.helper.fill(case.role))
    await case.listen(2.0)
    on_the_way = len(case.events_since(mark))
    told = await _drain(case, mark, first, len(happened))
    goes_on = ""
    if stopped:
        try:
            await case.while_alive(case.helper.happen(case.role))
        except Stopped as error:
            goes_on = str(error) or "it stays stopped"
    await case.open()
    return Filled(happened, stopped, first, on_the_way, told, goes_on)


async def _drain(case: Case, mark: int, first: int, count: int) -> list[Event]:
    """Acknowledges what came in order, until all came or nothing new does."""
    upto, quiet = first - 1, 0.0
    while quiet < DRAIN_S:
        numbers = {event.number for event in case.events_since(mark)}
        before = upto
        while upto + 1 in numbers:
            upto += 1
        if upto > before:
            quiet = 0.0
            await case.ack(upto)
        if upto >= first + count - 1:
            break
        quiet += timing.PING_S
        await case.listen(timing.PING_S)
    await case.listen(0.2)
    return sorted(case.events_since(mark), key=lambda event: event.number)


async def full_queue(case: Case) -> None:
    filled = await case.fact("filled", lambda: _fill(case))
    count = len(filled.happened)
    want = list(range(filled.first, filled.first + count))
    numbers = [event.number for event in filled.told]
    missing = [number for number in want if number not in numbers]
    if missing:
        raise Failed(
            f"{count} happened while nothing was acknowledged, and of these the events {_few(missing)} never came"
        )
    if filled.goes_on:
        raise Failed(f"all is acknowledged, and still nothing happens: {filled.goes_on}")
    if not filled.stopped and case.role == "shoe":
        if count >= MOST_EVENTS:
            case.remarks.append(f"it did not stop in {count} cards, and kept them all")
        else:
            case.remarks.append(f"it had not stopped after {count} cards, and kept them all")


async def window(case: Case) -> None:
    filled = await case.fact("filled", lambda: _fill(case))
    if filled.on_the_way > timing.WINDOW:
        raise Failed(f"{filled.on_the_way} events were on the way unacknowledged, and {timing.WINDOW} may be")
    if len(filled.happened) <= timing.WINDOW:
        case.remarks.append(f"its queue stopped at {len(filled.happened)}: it can't have more on the way")


def _few(numbers: list[int]) -> str:
    return ", ".join(map(str, numbers[:5])) + (f" and {len(numbers) - 5} more" if len(numbers) > 5 else "")


CHECKS: Final = {"TL-032": full_queue, "TL-038": window}
