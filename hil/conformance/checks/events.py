"""TL-030, 031, 033 and 037: events are numbered, kept until they are acknowledged, and carry the device's clock."""

from __future__ import annotations

from typing import Final

from firmware_protocol.tablelink.messages import Ack, Event
from hil.conformance.case import Case
from hil.conformance.reading import message_words
from hil.conformance.verdicts import Failed, NotApplicable

APART_S: Final = 1.5
CLOCK_ERROR: Final = 0.2  # of a cheap resonator, a loaded line and a person's finger together
CLOCK_SLACK_S: Final = 0.4


async def numbered(case: Case) -> None:
    """Boot and gaps are watched in every event."""
    case.needs_events()
    await case.open()
    first = case.me.next_event
    numbers = [event.number for event in await case.happen(3)]
    if numbers != list(range(first, first + len(numbers))):
        raise Failed(
            f"IDENTITY said that the next event is {first}, and three that happened bear the numbers {numbers}"
        )


async def kept(case: Case) -> None:
    case.needs_events()
    await case.open()
    [*_, event] = await case.happen(1)
    _, left = await case.left(event.number - 1)
    _same(event, left, "after a new handshake without an ACK")
    await case.without_session()
    _, left = await case.left(event.number - 1)
    _same(event, left, "after the host was away for more than 3 s")


def _same(event: Event, left: list[Event], when: str) -> None:
    again = [each for each in left if each.number == event.number]
    if not again:
        raise Failed(f"{when}, event {event.number} was not sent again: {message_words(event)}")
    if again[0] != event:
        raise Failed(f"{when}, event {event.number} is another: {message_words(event)}, then {message_words(again[0])}")


async def acknowledged(case: Case) -> None:
    case.needs_events()
    await case.open()
    numbers = [event.number for event in await case.happen(2)]
    before = numbers[0] - 1
    boot = case.me.boot & 0xFFFF
    for ack, what in (
        (Ack(boot ^ 1, numbers[-1]), "an ACK of another boot"),
        (Ack(boot, numbers[-1] + 1000), "an ACK of a number that it has not given"),
        (Ack(boot, 0xFFFFFFFF), "an ACK of the highest number there is"),
    ):
        await case.talk.send(ack)
        ready, left = await case.left(before)
        if [event.number for event in left] != numbers:
            gone = [number for number in numbers if number not in {event.number for event in left}]
            raise Failed(f"{what} was obeyed: {gone} are gone, and READY says first event {ready.first_event}")
    await case.ack(numbers[0])
    await _gone(case, before, numbers[0], numbers[1:])
    await case.ack(numbers[-1])
    await _gone(case, before, numbers[-1], [])


async def _gone(case: Case, before: int, upto: int, rest: list[int]) -> None:
    ready, left = await case.left(before)
    if ready.first_event != upto + 1 or [event.number for event in left] != rest:
        numbers = [event.number for event in left]
        raise Failed(f"after ACK up to {upto} it still has {numbers}, and READY says first event {ready.first_event}")


async def clock(case: Case) -> None:
    case.needs_events()
    if case.helper.patient and case.role == "panel":
        raise NotApplicable("a finger gives two events at once, at no known time")
    await case.open()
    [*_, one] = await case.happen(1)
    at = case.talk.now
    await case.ack(one.number)
    await case.listen(APART_S)
    [*_, other] = await case.happen(1)
    passed = case.talk.now - at
    told = ((other.clock_ms - one.clock_ms) & 0xFFFFFFFF) / 1000
    if abs(told - passed) > CLOCK_SLACK_S + CLOCK_ERROR * passed:
        raise Failed(f"two events came {passed:.2f} s apart, and their clocks say {told:.2f} s")


CHECKS: Final = {"TL-030": numbered, "TL-031": kept, "TL-033": acknowledged, "TL-037": clock}
