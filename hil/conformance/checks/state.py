"""TL-061 to TL-064: what the host wants shown, by slot and revision."""

from __future__ import annotations

from typing import Final

from firmware_protocol.tablelink.messages import Show, Shown
from hil.conformance.case import ANSWER_S, STRANGE_SLOT, Case
from hil.conformance.helper import Stopped
from hil.conformance.verdicts import Failed, NotApplicable

TEXT, LAMP, LOCK = 0x00, 0x40, 0x80
HALF: Final = 0x7FFF  # the farthest that is still ahead


def _own_slot(case: Case) -> tuple[int, bytes, bytes, str]:
    """A slot that the device must have, two contents for it, and what it is."""
    if case.can("text"):
        return TEXT, b"TL 61 A", b"TL 61 B", "the text of slot 00"
    if case.can("lamps"):
        return LAMP, b"\x01", b"\x00", "lamp 0"
    if case.can("lock"):
        return LOCK, b"\x00", b"\x00", "the lock"
    raise NotApplicable("by its capabilities it has neither text nor lamps nor a lock")


async def _show(case: Case, slot: int, revision: int, content: bytes) -> int:
    """The revision that the device then shows."""
    mark = case.talk.mark
    await case.talk.send(Show(slot, revision & 0xFFFF, content))
    heard = await case.talk.wait(
        lambda heard: isinstance(heard.message, Shown) and heard.message.slot == slot, ANSWER_S, mark
    )
    if heard is None or not isinstance(heard.message, Shown):
        raise Failed(f"SHOW slot {slot:02X}, revision {revision & 0xFFFF} was not answered with its SHOWN")
    return heard.message.revision


async def _takes(case: Case, slot: int, revision: int, content: bytes, shown: int, why: str) -> None:
    told = await _show(case, slot, revision, content)
    if told != shown & 0xFFFF:
        raise Failed(
            f"SHOW slot {slot:02X}, revision {revision & 0xFFFF} was answered with revision {told}, "
            f"not {shown & 0xFFFF}: {why}"
        )


async def _looked(case: Case, slot: int, content: bytes, question: str) -> None:
    async def look() -> None:
        if not await case.while_alive(case.helper.looks(slot, content, question)):
            raise Failed(f"it answered SHOWN, and slot {slot:02X} does not show {content!r}")

    await case.part(look, "that it is really on show")


async def slots(case: Case) -> None:
    _own_slot(case)
    await case.open()
    if case.can("text"):
        await _takes(case, TEXT, 1, b"CROUPIER", 1, "it says that it shows texts")
        await _looked(case, TEXT, b"CROUPIER", "Does it show CROUPIER now?")
        await _takes(case, TEXT, 2, b"", 2, "an empty text is one too")
    if case.can("lamps"):
        for revision, (state, words) in enumerate(((2, "blink"), (1, "shine steadily"), (0, "stay dark")), start=1):
            await _takes(case, LAMP, revision, bytes([state]), revision, "it says that it has lamps")
            await _looked(case, LAMP, bytes([state]), f"Does lamp 0 {words} now?")
    if case.can("lock"):
        await _takes(case, LOCK, 1, b"\x01", 1, "it says that it has a lock")
        await case.part(lambda: _is_locked(case), "that no card leaves it then")
        await _takes(case, LOCK, 2, b"\x00", 2, "it says that it has a lock")
        await case.open()


async def _is_locked(case: Case) -> None:
    if case.role != "shoe":
        return
    if case.helper.patient:
        if not await case.while_alive(case.helper.looks(LOCK, b"\x01", "Is the shoe locked, so that no card leaves?")):
            raise Failed("it was locked, and cards leave it")
        return
    try:
        await case.while_alive(case.helper.happen(case.role))
    except Stopped:
        return
    raise Failed("it was locked, and a card left it")


async def revisions(case: Case) -> None:
    slot, one, other, what = _own_slot(case)
    await case.open()
    await _takes(case, slot, 100, one, 100, "the first revision in a session is shown, whatever it is")
    await _takes(case, slot, 101, other, 101, "101 is newer than 100")
    await _takes(case, slot, 90, one, 101, "90 is older than 101, and must not be shown")
    await _looked(case, slot, other, f"Does {what} show what was sent last but one ({other!r})?")
    await _takes(case, slot, 101, one, 101, "101 is on show already")
    await _takes(case, slot, 101 + HALF, one, 101 + HALF, "7FFF ahead is newer")
    await _takes(case, slot, 101 + 2 * HALF, other, 101 + 2 * HALF, "7FFF ahead is newer, also around the circle")
    newest = 101 + 2 * HALF
    await _takes(case, slot, newest + HALF + 1, one, newest, "8000 ahead is older")
    await _takes(case, slot, newest + 1, b"" if case.can("text") else b"\x00", newest + 1, "one ahead is newer")


async def forgets_revisions(case: Case) -> None:
    slot, one, _, what = _own_slot(case)
    await case.open()
    await _takes(case, slot, 500, one, 500, "the first revision in a session is shown")
    await case.resume(case.me.next_event - 1, of_offer=False)
    await _looked(case, slot, one, f"Does {what} still show {one!r}?")
    await _takes(case, slot, 400, one, 400, "behind RESUME any revision is the first")
    await case.open()
    await _takes(
        case, slot, 300, b"" if case.can("text") else b"\x00", 300, "in a new session any revision is the first"
    )


async def strange_slots(case: Case) -> None:
    await case.open()
    for slot, revision in ((STRANGE_SLOT, 7), (0xC5, 0xFFFF)):
        await _takes(case, slot, revision, b"\x01", revision, "a slot that it does not have is answered all the same")


CHECKS: Final = {"TL-061": slots, "TL-062": revisions, "TL-063": forgets_revisions, "TL-064": strange_slots}
