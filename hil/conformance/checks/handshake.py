"""TL-020 to TL-027: who is there, and how a session begins, goes on and is refused."""

from __future__ import annotations

from typing import Final

from firmware_protocol.tablelink.messages import (
    Ack,
    Event,
    Identity,
    NoSession,
    Ping,
    Ready,
    Refused,
    Resume,
    Show,
    encode_message,
)
from hil.conformance.case import ANSWER_S, QUIET_S, Case, NoSessionHad
from hil.conformance.reading import message_words
from hil.conformance.verdicts import Failed

UNASKED_S: Final = 1.0  # of listening: two times and more what a device would wait before it sends again
TOO_NEW: Final = (200, 255)


async def silent_before(case: Case) -> None:
    await case.without_session()
    await case.part(case.happens_unheard, "that events too wait for a session")
    await _nothing_comes(case, "no session was open")
    await case.ask()
    await _nothing_comes(case, "only a HELLO was sent")
    talk = case.talk
    mark, hellos = talk.mark, [talk.new_hello() for _ in range(3)]
    await talk.send_bytes(b"".join(talk.frame(encode_message(hello)) for hello in hellos), "three HELLOs in one write")
    last = await talk.wait(
        lambda heard: isinstance(heard.message, Identity) and heard.message.host_nonce == hellos[-1].nonce,
        ANSWER_S,
        mark,
    )
    if last is None:
        raise Failed("of three HELLOs in one write the last one was not answered")


async def _nothing_comes(case: Case, why: str) -> None:
    for heard in await case.talk.listen(UNASKED_S):
        raise Failed(f"{why}, and it sent {message_words(heard.message)}")


async def boot_ids(case: Case) -> None:
    known = [(await case.ask()).boot]
    for _ in range(max(1, case.helper.restarts)):
        identity = await case.restart()
        if case.can("keeps_queue"):
            if identity.boot != known[0]:
                raise Failed(
                    "it says that it keeps its queue over a restart (0100), and came back with another boot id"
                )
            return
        if identity.boot in known:
            raise Failed(f"it restarted and has the boot id {identity.boot:08X} again")
        if identity.oldest_event != 1:
            raise Failed(f"it restarted with a new boot id, and its oldest event is {identity.oldest_event}, not 1")
        known.append(identity.boot)


async def next_and_oldest(case: Case) -> None:
    await case.open()
    identity = await case.ask()
    if identity.oldest_event != identity.next_event:
        raise Failed(
            f"all is acknowledged, and IDENTITY says next {identity.next_event}, oldest {identity.oldest_event}"
        )

    async def with_events() -> None:
        await case.open()
        told = await case.happen(2)
        now = await case.ask()
        want = told[-1].number + 1, told[0].number
        if (now.next_event, now.oldest_event) != want:
            raise Failed(
                f"events {told[0].number} to {told[-1].number} wait, and IDENTITY says next {now.next_event}, "
                f"oldest {now.oldest_event}, not {want[0]} and {want[1]}"
            )

    await case.part(with_events, "with events that wait")


async def refused_versions(case: Case) -> None:
    await case.open()
    for low, high in (TOO_NEW, (0, 0)):
        mark = case.talk.mark
        await case.talk.hello(low, high)
        refused = await case.talk.wait_for(Refused, ANSWER_S, mark)
        if refused is None:
            raise Failed(f"a HELLO for the versions {low} to {high} was not REFUSED")
        if refused.reason != 1 or not refused.min_version <= 1 <= refused.max_version:
            raise Failed(f"it speaks version 1, and refused {low} to {high} with {message_words(refused)}")
        if any(isinstance(heard.message, Identity) for heard in case.talk.log[mark:]):
            raise Failed(f"a HELLO for the versions {low} to {high} got an IDENTITY too")
    await case.must_be_open("after HELLOs with versions that it does not speak")


async def hello_alone(case: Case) -> None:
    await case.open()
    for _ in range(3):
        await case.ask()
    await case.must_be_open("after three HELLOs without a RESUME")


async def resumes(case: Case) -> None:
    try:
        ready = await case.open()
    except NoSessionHad:
        if case.talk.key is not None and not case.talk.verified:
            raise
        raise Failed("RESUME with its boot id was not answered with READY") from None
    if ready.boot != case.me.boot or ready.first_event != case.me.next_event:
        raise Failed(f"all is acknowledged up to {case.me.next_event - 1}, and it answers {message_words(ready)}")
    await _again(case, ready.first_event - 1, ready.first_event, [], "a repeated RESUME")
    future = ready.first_event + 1000
    await _again(case, future, ready.first_event, [], f"RESUME up to {future}, which it has not numbered,")

    async def with_events() -> None:
        told = [event.number for event in await case.happen(3)]
        rest = told[1:]
        await _again(case, told[0], rest[0], rest, f"RESUME up to {told[0]}")
        await _again(case, told[0], rest[0], rest, f"a repeated RESUME up to {told[0]}")
        await _again(case, rest[-1] + 50, rest[0], rest, f"RESUME up to {rest[-1] + 50}, which it has not numbered,")
        await _again(case, rest[-1], rest[-1] + 1, [], f"RESUME up to {rest[-1]}")

    await case.part(with_events, "with events that wait")


async def _again(case: Case, upto: int, first: int, numbers: list[int], what: str) -> None:
    mark = case.talk.mark
    try:
        ready = await case.resume(upto, of_offer=False)
    except NoSessionHad:
        raise Failed(f"{what} was not answered with READY") from None
    await case.talk.listen(2 * QUIET_S)
    came = [heard.message for heard in case.talk.log[mark:]]
    place = came.index(ready)
    told = [message.number for message in came[place:] if isinstance(message, Event)]
    if ready.first_event != first:
        raise Failed(f"{what} was answered with first event {ready.first_event}, not {first}")
    if told[: len(numbers)] != numbers or set(told) - set(numbers):
        raise Failed(f"behind READY to {what} the events {told or 'none'} came, not {numbers or 'none'}")


async def other_boot(case: Case) -> None:
    await case.open()
    told: list[Event] = []

    async def with_events() -> None:
        told.extend(await case.happen(1))

    await case.part(with_events, "that it forgets no event then")
    mark, token = case.talk.mark, case.token()
    stranger = case.me.boot ^ 0x00010001
    await case.talk.send(Resume(token, stranger, case.me.next_event + 5), session=case.talk.session)
    heard = await case.talk.wait(lambda heard: isinstance(heard.message, NoSession | Ready), ANSWER_S, mark)
    if heard is None or isinstance(heard.message, Ready):
        answer = "not answered" if heard is None else "answered with READY"
        raise Failed(f"RESUME of the boot {stranger:08X}, which is another's, was {answer}")
    await case.talk.listen(QUIET_S)
    await case.must_be_open("after RESUME of another boot")
    if told:
        _, left = await case.left(told[0].number - 1)
        if told[0].number not in [event.number for event in left]:
            raise Failed(f"after RESUME of another boot, event {told[0].number} is gone")


async def without_session(case: Case) -> None:
    await case.without_session()
    await case.ask()  # an offer alone is no session
    boot = case.me.boot & 0xFFFF
    for message in (Ping(case.token()), Ack(boot, 0), Show(0xFC, 1, b"")):
        mark = case.talk.mark
        await case.talk.send(message)
        if await case.talk.wait_for(NoSession, ANSWER_S, mark) is None:
            raise Failed(f"{type(message).__name__.upper()} without a session was not answered with NO_SESSION")
        await case.talk.listen(QUIET_S)


CHECKS: Final = {
    "TL-020": silent_before,
    "TL-021": boot_ids,
    "TL-022": next_and_oldest,
    "TL-023": refused_versions,
    "TL-024": hello_alone,
    "TL-025": resumes,
    "TL-026": other_boot,
    "TL-027": without_session,
}
