"""TL-010 to TL-015 and TL-040: layouts, what the device says of itself, card codes."""

from __future__ import annotations

from typing import Final

from firmware_protocol.tablelink.card_code import card_text
from firmware_protocol.tablelink.framing import encode_frame
from firmware_protocol.tablelink.messages import (
    AUTHENTICATED,
    MAX_CONTENT,
    CardEvent,
    Pong,
)
from hil.conformance.case import QUIET_S, Case
from hil.conformance.checks.framing import answers
from hil.conformance.helper import DECK
from hil.conformance.reading import message_words
from hil.conformance.verdicts import Failed, NotApplicable

UNKNOWN_IDS: Final = (0x07, 0x0A, 0x11, 0x30, 0x7F)
WITHOUT_KEY: Final = 51  # bytes of payload that leave room for counter and tag


async def seal_bit(case: Case) -> None:
    """A frame with bit 7 and a tag that nobody made is no PING."""
    await case.open()
    mark, token = case.talk.mark, case.token()
    body = bytes([0x08 | AUTHENTICATED]) + token.to_bytes(2, "little") + bytes(12)
    await case.talk.send_bytes(encode_frame(body), "PING with bit 7 set and an empty tag")
    await case.talk.listen(3 * QUIET_S)
    if any(isinstance(heard.message, Pong) and heard.message.token == token for heard in case.talk.log[mark:]):
        raise Failed("a frame with bit 7 set and a tag that nobody made was answered with PONG")
    await case.must_be_open("after a frame with bit 7 set")


async def misfits(case: Case) -> None:
    await case.open()
    boot = case.me.boot.to_bytes(4, "little")
    bodies = {
        "PING without a token": b"\x08",
        "PING with half a token": b"\x08\x01",
        "PING with a byte too many": b"\x08\x01\x02\x03",
        "ACK too short": b"\x10" + boot[:2] + b"\xff\xff\xff",
        "ACK too long": b"\x10" + boot[:2] + b"\xff\xff\xff\x00\x00",
        "SHOW without a revision": b"\x18\xfc",
        "RESUME too short": b"\x03\x01\x02" + boot + b"\x00\x00\x00",
        "RESUME too long": b"\x03\x01\x02" + boot + bytes(5),
        "HELLO too short": b"\x01\x01\x01" + bytes(7),
        "HELLO too long": b"\x01\x01\x01" + bytes(9),
    }
    if case.talk.key is None:  # with counter and tag it would be no frame at all
        bodies["SHOW with 49 bytes of content"] = b"\x18\xfc\x01\x00" + bytes(MAX_CONTENT + 1)
    await _ignored(case, bodies)


async def unknown_ids(case: Case) -> None:
    await case.open()
    sizes = (0, 10, WITHOUT_KEY if case.talk.key else 63)
    bodies = {
        f"id {number:02X} with {size} bytes": bytes([number]) + bytes(size) for number in UNKNOWN_IDS for size in sizes
    }
    await _ignored(case, bodies)


async def _ignored(case: Case, bodies: dict[str, bytes]) -> None:
    for name, body in bodies.items():
        mark = case.talk.mark
        await case.talk.send_body(body)
        await case.talk.listen(QUIET_S)
        for heard in filter(answers, case.talk.log[mark:]):
            raise Failed(f"{name} was answered with {message_words(heard.message)}")
    await case.must_be_open(f"after {', '.join(list(bodies)[:3])} and {len(bodies) - 3} more")


async def roles(case: Case) -> None:
    identity = await case.ask()
    if case.role not in identity.role_names:
        raise Failed(f"it is asked for as a {case.role}, and says roles {identity.roles:02X}")


async def capabilities(case: Case) -> None:
    """The bits without a meaning are watched in every IDENTITY."""
    await case.ask()


async def serial(case: Case) -> None:
    """Form and sameness are watched in every IDENTITY; here are two."""
    await case.ask()
    await case.ask()


async def card_codes(case: Case) -> None:
    if case.role != "shoe":
        raise NotApplicable(f"a {case.role} reads no cards")
    await case.open()
    for card in DECK[:1] if case.helper.patient else DECK:
        before = case.highest
        dealt = await case.while_alive(case.helper.happen(case.role, card))
        events = await case.new_events(1, before)
        if not events:
            raise Failed(f"{dealt or 'a card'} left the shoe, and no event came within 3 s")
        event = events[0]
        await case.ack(event.number)
        if not isinstance(event, CardEvent):
            raise Failed(f"{dealt or 'a card'} left the shoe, and it told {message_words(event)}")
        told, wanted = card_text(event.code), dealt if dealt is None or case.can("suits") else f"{dealt[0]}?"
        if wanted is not None and told not in (wanted, "??"):
            raise Failed(f"{dealt} left the shoe, and it told the code {event.code:02X}, which is {told}")


CHECKS: Final = {
    "TL-010": seal_bit,
    "TL-011": misfits,
    "TL-012": unknown_ids,
    "TL-013": roles,
    "TL-014": capabilities,
    "TL-015": serial,
    "TL-040": card_codes,
}
