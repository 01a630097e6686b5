"""TL-080 to TL-087: authentication. Every frame's seal is watched; here a host does what it must not."""

from __future__ import annotations

from typing import Final

from firmware_protocol.tablelink import auth
from firmware_protocol.tablelink.auth import is_sealed
from firmware_protocol.tablelink.framing import encode_frame
from firmware_protocol.tablelink.messages import (
    NEEDS_KEY,
    Ack,
    Message,
    NoSession,
    Ping,
    Pong,
    Ready,
    Refused,
    Resume,
    Show,
    encode_message,
)
from hil.conformance.case import ANSWER_S, QUIET_S, Case
from hil.conformance.checks.framing import answers
from hil.conformance.reading import message_words
from hil.conformance.talk import Session
from hil.conformance.verdicts import Failed, NotTried

HELLOS: Final = 20


async def session_key(case: Case) -> None:
    """IDENTITY is sealed with the session key, so a right tag shows a right key."""
    case.needs_key()
    mark = case.talk.mark
    await case.ask()
    if not is_sealed(case.talk.log[-1].body):
        raise NotTried("IDENTITY came plain (see TL-083)")
    if not any(heard.session is case.talk.offer for heard in case.talk.log[mark:]):
        raise Failed(
            "IDENTITY is not sealed with the session key that this key and both nonces make: perhaps another key"
        )
    await case.open()


async def tags(case: Case) -> None:
    case.needs_key()
    await case.open()
    await _pong(case, counter=None, what="a frame that is sealed as it should be")


async def _pong(case: Case, *, counter: int | None, what: str) -> bytes:
    mark, token = case.talk.mark, case.token()
    data = await case.talk.send(Ping(token), counter=counter)
    heard = await case.talk.wait(
        lambda heard: isinstance(heard.message, Pong) and heard.message.token == token, ANSWER_S, mark
    )
    if heard is None:
        raise Failed(f"{what} was not answered")
    return data


async def counters(case: Case) -> None:
    case.needs_key()
    await case.open()
    session = case.talk.session
    assert session is not None
    old = await _pong(case, counter=None, what="an authenticated PING")
    await _dropped(case, old, "the same frame once more")
    session.sent += 1000
    await _pong(case, counter=None, what="a frame whose counter is 1000 ahead, as if frames had been lost,")
    await _dropped(case, _ping(case, session, session.sent - 500), "a frame with a counter of before")
    wrong = bytearray(session.seal(encode_message(Ping(case.token()))))
    wrong[-1] ^= 1
    await _dropped(case, encode_frame(bytes(wrong)), "a frame whose tag is wrong in one bit")
    body = encode_message(Ping(case.token()))
    reflected = auth.seal(body, session.key, auth.FROM_DEVICE, session.sent + 5)
    await _dropped(case, encode_frame(reflected), "a frame sealed for the other direction")
    stranger = Session(bytes(32)).seal(encode_message(Ping(case.token())), session.sent + 6)
    await _dropped(case, encode_frame(stranger), "a frame sealed with another key")
    await case.must_be_open("after forged frames")


def _ping(case: Case, session: Session, counter: int) -> bytes:
    return encode_frame(session.seal(encode_message(Ping(case.token())), counter))


async def _dropped(case: Case, data: bytes, what: str) -> None:
    mark = case.talk.mark
    await case.talk.send_bytes(data, what)
    await case.talk.listen(2 * QUIET_S)
    for heard in filter(answers, case.talk.log[mark:]):
        raise Failed(f"{what} was answered with {message_words(heard.message)}")


async def plain_frames(case: Case) -> None:
    """Which frames are plain is watched; here those are called for that must be."""
    case.needs_key()
    await case.open()
    mark = case.talk.mark
    await case.talk.hello(200, 255)
    if await case.talk.wait_for(Refused, ANSWER_S, mark) is None:
        raise Failed("a plain HELLO for versions it can't speak got no REFUSED")
    mark = case.talk.mark
    await case.talk.send(Resume(case.token(), case.me.boot ^ 1, 0))
    if await case.talk.wait_for(NoSession, ANSWER_S, mark) is None:
        raise Failed("an authenticated RESUME of another boot got no plain NO_SESSION")


async def wants_key(case: Case) -> None:
    case.needs_key()
    await case.open()
    if not case.me.capabilities & NEEDS_KEY:
        raise Failed(f"it has a key, and its capabilities {case.me.capabilities:04X} do not have 0080 set")
    mark = case.talk.mark
    await case.talk.send(Resume(case.token(), case.me.boot, 0), plain=True)
    heard = await case.talk.wait(lambda heard: isinstance(heard.message, Refused | Ready), ANSWER_S, mark)
    if heard is None or not isinstance(heard.message, Refused) or heard.message.reason != 2:
        answer = "nothing" if heard is None else message_words(heard.message)
        raise Failed(f"a plain RESUME got {answer}, not REFUSED with reason 2")
    boot = case.me.boot & 0xFFFF
    plain: tuple[Message, ...] = (Ping(case.token()), Ack(boot, 0), Show(0xFC, 1, b""))
    await _ignores(case, plain, "in an open session")
    await case.must_be_open("after plain frames")
    await case.without_session()
    await _ignores(case, plain, "without a session")


async def _ignores(case: Case, messages: tuple[Message, ...], when: str) -> None:
    for message in messages:
        mark = case.talk.mark
        await case.talk.send(message, plain=True)
        await case.talk.listen(2 * QUIET_S)
        for heard in filter(answers, case.talk.log[mark:]):
            name = type(message).__name__.upper()
            raise Failed(f"a plain {name} {when} was answered with {message_words(heard.message)}")


async def nonces(case: Case) -> None:
    case.needs_key()
    seen: set[bytes] = set()
    for _ in range(HELLOS):
        await _another(case, seen)

    async def restarted() -> None:
        await case.restart()
        for _ in range(HELLOS):
            await _another(case, seen)

    await case.part(restarted, "that no nonce comes again after a restart")


async def _another(case: Case, seen: set[bytes]) -> None:
    nonce = (await case.ask()).nonce
    if nonce in seen:
        raise Failed(f"the device nonce {nonce.hex()} came twice")
    seen.add(nonce)


async def offer_waits(case: Case) -> None:
    case.needs_key()
    await case.open()
    await case.ask()
    offer = case.talk.offer
    assert offer is not None
    token = case.token()
    body = encode_message(Resume(token, case.me.boot, case.me.next_event - 1))
    forged = bytearray(offer.seal(body))
    forged[-1] ^= 1
    await _dropped(case, encode_frame(bytes(forged)), "a RESUME of the offered session whose tag is wrong")
    await case.must_be_open("after a HELLO and a RESUME whose tag is wrong")
    old = case.talk.session
    assert old is not None
    await case.resume(case.me.next_event - 1)
    await case.must_be_open("after the RESUME of the offered session")
    await _dropped(case, _ping(case, old, old.sent + 1), "a PING of the session before")


CHECKS: Final = {
    "TL-080": session_key,
    "TL-081": tags,
    "TL-082": counters,
    "TL-083": plain_frames,
    "TL-084": wants_key,
    "TL-086": nonces,
    "TL-087": offer_waits,
}
