"""Alerts of before, from the journal's records: what was wrong, and who saw to it. Names no card."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from controller.table import events as e
from controller.table.history import Kept
from controller.table.playback import who


class PastAlert(Struct, frozen=True):
    """`seen` and `by` are empty while nobody has acknowledged it."""

    number: int
    words: str
    raised: str
    seen: str = ""
    by: str = ""


def alert_log(kept: Iterable[Kept]) -> list[PastAlert]:
    """The newest first."""
    found: dict[int, PastAlert] = {}
    for each in kept:
        match each.event:
            case e.AlertRaised(number=number, words=words):
                found[number] = PastAlert(number, words, each.wall)
            case e.AlertAcknowledged(number=number) if number in found:
                raised = found[number]
                found[number] = PastAlert(number, raised.words, raised.raised, each.wall, who(each.actor))
    return sorted(found.values(), key=lambda alert: -alert.number)
