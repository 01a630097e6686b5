"""Devices that break the rules of what a host sets: slots, lamps, the lock."""

from __future__ import annotations

from typing import Any

from firmware_protocol.tablelink.device import DeviceLink, SlotChanged
from firmware_protocol.tablelink.messages import (
    Resume,
    Show,
    Shown,
)
from tests.hil.conformance.broken.bend import BentEnd, breaks


@breaks("061")
class NoLock(BentEnd):
    """It says that it has a lock, answers, and does not lock."""

    def _take(self, outputs: list[Any]) -> None:
        super()._take(outputs)
        if 0x80 in self.slots:
            self.slots[0x80] = b"\0"


@breaks("061", "062", "063", role="sign")
class Dark(BentEnd):
    """It answers SHOWN and shows nothing."""

    def _take(self, outputs: list[Any]) -> None:
        super()._take([each for each in outputs if not isinstance(each, SlotChanged)])


@breaks("062", role="sign")
class ShowsOld(DeviceLink):
    """It shows whatever comes, also what is older."""

    def _show(self, message: Show, out: list[Any]) -> None:
        self._revisions.pop(message.slot, None)
        super()._show(message, out)


@breaks("062")
class NoCircle(DeviceLink):
    """It compares revisions as if they never came around."""

    def _show(self, message: Show, out: list[Any]) -> None:
        last = self._revisions.get(message.slot)
        if last is not None and message.revision < last:
            self._answer(Shown(message.slot, last), self._seal)
            return
        if last is not None and message.revision > last:
            del self._revisions[message.slot]
        super()._show(message, out)


@breaks("062")
class SilentRepeats(DeviceLink):
    """It does not answer a SHOW that it has already."""

    def _show(self, message: Show, out: list[Any]) -> None:
        if self._revisions.get(message.slot) != message.revision:
            super()._show(message, out)


@breaks("063", role="panel")
class KeepsRevisions(DeviceLink):
    """RESUME does not make it forget the revisions."""

    def _resume(self, message: Resume, seal: Any, now: float, out: list[Any]) -> None:
        kept = dict(self._revisions)
        super()._resume(message, seal, now, out)
        self._revisions.update({slot: revision for slot, revision in kept.items() if slot == 0x40 and revision >= 400})


@breaks("064")
class OwnSlotsOnly(DeviceLink):
    """It answers nothing for a slot that it does not have."""

    def _show(self, message: Show, out: list[Any]) -> None:
        if message.slot == 0x80:
            super()._show(message, out)
