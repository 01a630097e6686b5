"""TL-001 to TL-006: frames, and everything that is none."""

from __future__ import annotations

import random
from typing import Final

from firmware_protocol.tablelink.framing import encode_frame
from firmware_protocol.tablelink.messages import MAX_CONTENT, Event, Identity, Ping, Pong, Show, Shown, encode_message
from hil.conformance.case import ANSWER_S, QUIET_S, STRANGE_SLOT, Case
from hil.conformance.reading import message_words
from hil.conformance.talk import Heard
from hil.conformance.verdicts import Failed, NotTried

LONG_NOISE: Final = 4096  # bytes without a zero: more than a small microcontroller has memory
PAUSE_S: Final = 0.02  # between pieces of a frame: longer than a byte at 9600 takes


def answers(heard: Heard) -> bool:
    return not isinstance(heard.message, Event)


async def extra_zeros(case: Case) -> None:
    talk = case.talk
    mark, hello = talk.mark, talk.new_hello()
    await talk.send_bytes(
        bytes(3) + encode_frame(encode_message(hello)) + bytes(2), "HELLO with empty frames around it"
    )
    if await talk.wait_for(Identity, ANSWER_S, mark) is None:
        raise Failed("a HELLO with 00 00 00 before it and 00 00 behind it got no IDENTITY")
    extra = [heard for heard in await talk.listen(QUIET_S) if answers(heard)]
    if extra:
        raise Failed(f"empty frames were answered: {len(extra)} messages more than the IDENTITY")


async def crc(case: Case) -> None:
    """What the device sends is watched all the time; here it must have taken a frame with a right one."""
    await case.ask()


async def sizes(case: Case) -> None:
    await case.open()
    slot = 0x00 if case.can("text") else STRANGE_SLOT
    mark = case.talk.mark
    await case.talk.send(Show(slot, 1, b"x"))
    if await case.talk.wait_for(Shown, ANSWER_S, mark) is None:
        raise NotTried("a short SHOW is not answered either (see TL-062 and TL-064)")
    mark = case.talk.mark
    await case.talk.send(Show(slot, 2, bytes(range(0x21, 0x21 + MAX_CONTENT))))
    if await case.talk.wait_for(Shown, ANSWER_S, mark) is None:
        raise Failed("the longest SHOW, of 48 bytes of content, was not answered")


async def bad_frames(case: Case) -> None:
    await case.open()
    talk, question = case.talk, await case.question()
    for name in ("wrong CRC", "no COBS", "too short", "too long", "too long, and right otherwise", "noise with zeros"):
        bad, good = case.token(), case.token()
        mark = talk.mark
        await talk.send_bytes(_bad(case, name, bad), f"a bad frame: {name}")
        await talk.listen(QUIET_S)  # a device may answer only the newest of two PINGs that come together
        await talk.send(question(good))
        heard = await talk.wait(lambda heard, good=good: _is_to(heard, good), ANSWER_S, mark)  # type: ignore[misc]
        if heard is None:
            raise Failed(f"behind a bad frame ({name}) the next frame was not answered")
        await talk.listen(QUIET_S)
        for heard in filter(answers, talk.log[mark:]):
            if not _is_to(heard, good):
                raise Failed(f"a bad frame ({name}) was answered with {message_words(heard.message)}")


def _is_to(heard: Heard, token: int) -> bool:
    message = heard.message
    return (isinstance(message, Pong) and message.token == token) or (
        isinstance(message, Shown) and message.revision == token
    )


def _bad(case: Case, name: str, token: int) -> bytes:
    if name == "wrong CRC":
        frame = bytearray(case.talk.frame(encode_message(Ping(token))))
        frame[-2] ^= 0x40 if frame[-2] != 0x40 else 0x20  # the CRC's last byte, and not into a zero
        return bytes(frame)
    if name == "no COBS":
        return b"\xff\x08\x01\x00"
    if name == "too short":
        return b"\x03\x08\x01\x00"
    if name == "too long":
        return bytes([0x55]) * 100 + b"\x00"
    if name == "noise with zeros":
        return bytes(byte % 7 for byte in range(40)) + b"\x00"
    from binascii import crc_hqx

    from cobs import cobs  # type: ignore[import-untyped]

    body = encode_message(Show(0xFC, token, b"")) + bytes([0x2E]) * 61
    return bytes(cobs.encode(body + crc_hqx(body, 0xFFFF).to_bytes(2, "little"))) + b"\x00"


async def cuts(case: Case) -> None:
    await case.open()
    talk, question = case.talk, await case.question()
    data = talk.frame(encode_message(question(token := case.token())))
    for byte in data[:-1]:
        await talk.send_bytes(bytes([byte]), "one byte of a frame")
        await talk.listen(PAUSE_S)
    await _rest(case, data[-1:], token, "came a byte at a time")
    for place in (1, 3, len(data) - 1):
        token = case.token()
        data = talk.frame(encode_message(question(token)))
        await talk.send_bytes(data[:place], f"the first {place} bytes of a frame")
        await talk.listen(PAUSE_S)
        await _rest(case, data[place:], token, f"was cut after {place} bytes")
    stranger = talk.frame(bytes([0x7D, 1, 2, 3]))
    for which in ("first", "second"):
        mark, token = talk.mark, case.token()
        frame = talk.frame(encode_message(question(token)))
        await talk.send_bytes(frame + stranger if which == "first" else stranger + frame, "two frames in one write")
        if await talk.wait(lambda heard, token=token: _is_to(heard, token), ANSWER_S, mark) is None:  # type: ignore[misc]
            raise Failed(f"of two frames in one write the {which} was not answered")


async def _rest(case: Case, rest: bytes, token: int, how: str) -> None:
    mark = case.talk.mark
    await case.talk.send_bytes(rest, "the rest of it")
    if await case.talk.wait(lambda heard: _is_to(heard, token), ANSWER_S, mark) is None:
        raise Failed(f"a frame that {how} was not answered")


async def endless_noise(case: Case) -> None:
    talk, chance = case.talk, random.Random(6)
    noise = bytes(chance.randrange(1, 256) for _ in range(LONG_NOISE))
    for start in range(0, LONG_NOISE, 512):
        await talk.send_bytes(noise[start : start + 512], "noise without an end")
        await talk.listen(0)
    await talk.send_bytes(b"\x00", "its end")
    try:
        await case.ask()
    except Failed:
        raise Failed(f"after {LONG_NOISE} bytes of noise without a zero HELLO got no IDENTITY") from None


CHECKS: Final = {
    "TL-001": extra_zeros,
    "TL-002": crc,
    "TL-003": sizes,
    "TL-004": bad_frames,
    "TL-005": cuts,
    "TL-006": endless_noise,
}
