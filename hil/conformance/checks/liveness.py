"""TL-050, 051 and 073: pings, and a host that is gone."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from firmware_protocol.tablelink import timing
from firmware_protocol.tablelink.messages import Event, Ping, Pong, Shown
from hil.conformance.case import ANSWER_S, AWAY_S, QUIET_S, STRANGE_SLOT, Case
from hil.conformance.verdicts import Failed

STILL_THERE_S: Final = timing.LOST_S - 0.6
MUCH_LATER_S: Final = 3 * timing.LOST_S  # a device that is still there now will be for ever
RESEND_SEEN_S: Final = 1.5  # of listening for events that should not come any more
ECHO_S: Final = 0.4


async def pings(case: Case) -> None:
    await case.open()
    for _ in range(5):
        mark, token = case.talk.mark, case.token()
        await case.talk.send(Ping(token))
        pong = await case.talk.wait_for(Pong, ANSWER_S, mark)
        if pong is None:
            raise Failed(f"PING {token:04X} was not answered within {ANSWER_S} s")
        if pong.token != token:
            raise Failed(f"PING {token:04X} was answered with PONG {pong.token:04X}")
        await case.talk.listen(QUIET_S)
        if sum(isinstance(heard.message, Pong) for heard in case.talk.log[mark:]) > 1:
            raise Failed(f"PING {token:04X} was answered more than once")


class Silence(Struct, frozen=True):
    """What a silent host saw."""

    too_soon: bool
    at_time: bool  # given up after 3 s of plain silence
    ever: bool
    echo_kept: bool  # it was held by echoes and noise, and not by plain silence
    late: int  # events that came after it had given the host up


async def _fall_silent(case: Case) -> Silence:
    await case.open()

    async def with_event() -> None:
        await case.happen(1)

    await case.part(with_event, "that a lost device stops sending events")
    await case.talk.listen(STILL_THERE_S)
    too_soon = await case.probe() != "open"
    if too_soon:
        return Silence(too_soon=True, at_time=True, ever=True, echo_kept=False, late=0)
    await _echoes(case)
    if await case.probe() != "open":
        late = [heard for heard in await case.talk.listen(RESEND_SEEN_S) if isinstance(heard.message, Event)]
        return Silence(too_soon=False, at_time=True, ever=True, echo_kept=False, late=len(late))
    await case.talk.listen(AWAY_S)
    if await case.probe() != "open":
        return Silence(too_soon=False, at_time=True, ever=True, echo_kept=True, late=0)
    await case.talk.listen(MUCH_LATER_S)
    ever = await case.probe() != "open"
    return Silence(too_soon=False, at_time=False, ever=ever, echo_kept=False, late=0)


async def _echoes(case: Case) -> None:
    """Echoes of the device's own frames, and noise, until it must have given us up."""
    talk, end = case.talk, case.talk.now + AWAY_S
    while talk.now < end:
        for message in (Pong(case.token()), Shown(STRANGE_SLOT, case.token())):
            await talk.send(message)
        await talk.send_bytes(b"\x11\x22\x33\x00", "noise")
        await talk.listen(min(ECHO_S, end - talk.now))


async def gone(case: Case) -> None:
    silence = await case.fact("silence", lambda: _fall_silent(case))
    if not silence.ever:
        raise Failed(f"after {MUCH_LATER_S:.0f} s without a word from the host, the session was still open")
    if silence.echo_kept:
        raise Failed("echoes of its own frames and noise kept the session open; only the host's own messages may")
    if silence.late:
        raise Failed(f"it had given the host up, and sent {silence.late} events all the same")


async def lost_time(case: Case) -> None:
    silence = await case.fact("silence", lambda: _fall_silent(case))
    if silence.too_soon:
        raise Failed(
            f"it gave the host up within {STILL_THERE_S} s of silence; that is due after {timing.LOST_S:.0f} s"
        )
    if not silence.at_time:
        raise Failed(f"after {AWAY_S} s of silence the session was still open; it ends after {timing.LOST_S:.0f} s")


CHECKS: Final = {"TL-050": pings, "TL-051": gone, "TL-073": lost_time}
