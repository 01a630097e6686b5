"""What the host wants on show: the newest content of every slot, sent until the device says it shows it (TL-060).

Refuses slots and contents that do not fit. Pure: the time is an argument.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from firmware_protocol.tablelink import timing
from firmware_protocol.tablelink.messages import MAX_CONTENT, Show, Shown

HALF_CIRCLE: Final = 0x8000  # revisions are compared around the circle of 65,536


class Slot(Struct):
    """A slot's newest content, whether it is on show, and when to send it next."""

    revision: int
    content: bytes
    shown: bool = False
    due: float = 0


class Slots:
    """All slots of one device. `frame_s` is the wire time of a frame: many slots take turns.

    `first` is the revision a slot begins with. It differs from one host process to the next, so that a late SHOW of the
    process before is not taken for one of this.
    """

    def __init__(self, frame_s: float, first: int) -> None:
        self._frame_s = frame_s
        self._first = first & 0xFFFF
        self._slots: dict[int, Slot] = {}

    def show(self, number: int, content: bytes) -> None:
        if not 0 <= number <= 0xFF:
            raise ValueError(f"there is no slot {number}: slots are 0 to 255")
        if len(content) > MAX_CONTENT:
            raise ValueError(f"a slot holds {MAX_CONTENT} bytes, not {len(content)}")
        old = self._slots.get(number)
        if old is None or old.content != content:
            self._slots[number] = Slot((old.revision + 1) & 0xFFFF if old else self._first, content)

    def send_all(self, now: float) -> None:
        """A session began: every slot is sent anew, with a new revision, so that no late SHOWN is taken for its own."""
        for slot in self._slots.values():
            slot.revision = (slot.revision + 1) & 0xFFFF
            slot.shown, slot.due = False, now

    def answered(self, message: Shown, now: float) -> bool | None:
        """True if the newest content is now on show; None for a slot that was never set.

        If the device shows another revision, the newest is sent again, with a revision after that one.
        """
        slot = self._slots.get(message.slot)
        if slot is None:
            return None
        if slot.revision == message.revision:
            new, slot.shown = not slot.shown, True
            return new
        if (message.revision - slot.revision) & 0xFFFF < HALF_CIRCLE:
            slot.revision = (message.revision + 1) & 0xFFFF
        if slot.shown:
            slot.shown, slot.due = False, now
        return False

    def due(self, now: float) -> Iterator[Show]:
        """What is to be sent now; each comes again only when all that wait had time on the wire."""
        waiting = [(number, slot) for number, slot in self._slots.items() if not slot.shown]
        for number, slot in waiting:
            if now >= slot.due:
                slot.due = now + timing.SHOW_S + self._frame_s * len(waiting)
                yield Show(number, slot.revision, slot.content)

    def next_times(self) -> Iterator[float]:
        return (slot.due for slot in self._slots.values() if not slot.shown)
