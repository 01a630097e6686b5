"""TL-034, 070, 071 and 074: what is sent again, and when. Three of them are judged by one observation."""

from __future__ import annotations

import random
from typing import Final

from msgspec import Struct

from firmware_protocol.tablelink import timing
from firmware_protocol.tablelink.messages import Event
from hil.conformance.case import Case
from hil.conformance.verdicts import Failed, GoneSilent, NotTried

WATCH_S: Final = 14.0  # six re-sends at 115200, four at 9600; one more if the time did not grow
ENOUGH: Final = 6
GROWTH: Final = 1.4  # of a time that doubles, with the line's jitter
EARLY, LATE, LATE_S = 0.4, 1.5, 0.5  # a loaded machine hears late: then the next one seems early
SLOWEST, FASTEST = 9600, 115200  # where a port has no speed of its own
BURST_S: Final = 0.15  # events that come closer together were sent together


class Resent(Struct, frozen=True):
    """Two events that nobody acknowledged: when they were sent, each time, and which."""

    numbers: list[int]
    times: list[float]  # of each sending's first frame
    sendings: list[list[Event]]
    watched_until: float

    @property
    def gaps(self) -> list[float]:
        return [after - before for before, after in zip(self.times, self.times[1:], strict=False)]


async def _watch(case: Case) -> Resent:
    case.needs_events()
    await case.open()
    told = await case.happen(1)
    told += await case.happen(1)
    await case.ask()
    mark = case.talk.mark
    ready = await case.resume(told[0].number - 1)  # now both are sent together, and the re-send time begins anew
    mark += next(place for place, heard in enumerate(case.talk.log[mark:]) if heard.message is ready)
    end = case.talk.now + WATCH_S
    while case.talk.now < end:
        await case.listen(0.5)
        seen = _sendings(case, mark)
        if len(seen.times) > ENOUGH:
            break
    until = case.talk.now
    await case.open()
    return Resent([event.number for event in told], seen.times, seen.sendings, until)


def _sendings(case: Case, mark: int) -> Resent:
    times: list[float] = []
    sendings: list[list[Event]] = []
    last = float("-inf")
    for heard in case.talk.log[mark:]:
        if not isinstance(heard.message, Event):
            continue
        if heard.at > last + BURST_S or (sendings and heard.message.number <= sendings[-1][-1].number):
            times.append(heard.at)
            sendings.append([])
        sendings[-1].append(heard.message)
        last = heard.at
    return Resent([], times, sendings, 0.0)


async def _resent(case: Case) -> Resent:
    return await case.fact("resent", lambda: _watch(case))


async def sent_again(case: Case) -> None:
    resent = await _resent(case)
    if len(resent.sendings) < 2:
        raise Failed(f"two events were not acknowledged, and not sent again within {WATCH_S:.0f} s")
    for sending in resent.sendings:
        if [event.number for event in sending] != resent.numbers:
            numbers = [event.number for event in sending]
            raise Failed(f"{resent.numbers} wait, and it sent {numbers} again: all that wait, from the oldest on")
        if sending != resent.sendings[0]:
            raise Failed("an event that was sent again is not the same any more")
    for before, after in zip(resent.gaps, resent.gaps[1:], strict=False):
        if after < min(GROWTH * before, 0.75 * timing.MAX_RESEND_S):
            raise Failed(f"the re-send time must double: it was {_list(resent.gaps)}")


async def first_time(case: Case) -> None:
    first = (await _two(case))[0]
    low = timing.resend_time(case.baud or FASTEST) * EARLY
    high = timing.resend_time(case.baud or SLOWEST) * LATE + LATE_S
    if not low <= first <= high:
        raise Failed(f"the first re-send came after {first:.2f} s; at this speed {low:.2f} to {high:.2f} s would do")


async def longest_time(case: Case) -> None:
    gaps, resent = await _two(case), await _resent(case)
    longest = max([*gaps, resent.watched_until - resent.times[-1]])  # also one that is not over yet
    if longest > timing.MAX_RESEND_S * 1.25 + 0.3:
        raise Failed(f"the re-send time grew to {longest:.2f} s, beyond {timing.MAX_RESEND_S:.0f} s: {_list(gaps)}")


async def _two(case: Case) -> list[float]:
    gaps = (await _resent(case)).gaps
    if not gaps:
        raise NotTried("nothing was sent again (see TL-034)")
    return gaps


async def recovers(case: Case) -> None:
    await case.open()
    numbers: list[int] = []

    async def with_events() -> None:
        numbers.extend(event.number for event in await case.happen(2))

    await case.part(with_events, "that the events come again then")
    chance = random.Random(74)
    for _ in range(8):
        await case.talk.send_bytes(bytes(chance.randrange(256) for _ in range(200)), "a line that is broken: noise")
        await case.talk.listen(0.5)
    began, limit = case.talk.now, timing.recovery_time(case.baud or SLOWEST)
    mark = case.talk.mark
    try:
        await case.ask(seconds=limit)
    except (Failed, GoneSilent):
        raise Failed(f"{limit:.1f} s after the line was good again, HELLO was still not answered") from None
    await case.resume(numbers[0] - 1 if numbers else case.me.next_event - 1)
    came = await case.events_again(numbers, mark, seconds=max(0.1, limit - (case.talk.now - began)))
    missing = [number for number in numbers if number not in {event.number for event in came}]
    if missing or case.talk.now - began > limit:
        raise Failed(f"{case.talk.now - began:.1f} s after the line was good again, the events {missing} were missing")


def _list(gaps: list[float]) -> str:
    return ", ".join(f"{gap:.2f}" for gap in gaps) + " s"


CHECKS: Final = {"TL-034": sent_again, "TL-070": first_time, "TL-071": longest_time, "TL-074": recovers}
