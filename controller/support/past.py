"""What of a journal may go out: how much of what is in it, and what was wrong when. Never a card or a name.

Nothing of a round in play: it is told as it was when the last round was over.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable
from typing import Final

from msgspec import Struct

from controller.store.record import Record
from controller.table import events as e
from controller.table.events import decode_event

MOST: Final = 200  # troubles, the newest


class Trouble(Struct, frozen=True):
    wall: str
    clock: str
    who: str  # the role, never the name
    what: str
    device: str = ""
    words: str = ""


class Past(Struct, frozen=True, kw_only=True):
    """`records` and `head` are of the moment when no round was in play."""

    records: int = 0
    head: str = ""
    boots: int = 0
    first: str = ""
    last: str = ""
    kinds: dict[str, int] = {}
    clocks: dict[str, int] = {}
    troubles: tuple[Trouble, ...] = ()


def past(records: Iterable[Record]) -> Past:
    told = Past()
    kinds: Counter[str] = Counter()
    clocks: Counter[str] = Counter()
    troubles: deque[Trouble] = deque(maxlen=MOST)
    boots: set[str] = set()
    first = ""
    playing = False
    waiting: list[Record] = []
    for record in records:
        first = first or record.wall
        waiting.append(record)
        if record.kind == "RoundBegun":
            playing = True
        elif record.kind in ("RoundEnded", "RoundVoided"):
            playing = False
        if playing:
            continue
        for each in waiting:
            kinds[each.kind] += 1
            clocks[each.clock] += 1
            boots.add(each.boot)
            trouble = _trouble(each)
            if trouble is not None:
                troubles.append(trouble)
        waiting.clear()
        told = Past(records=record.sequence, head=record.hash.hex(), first=first, last=record.wall)
    return Past(
        records=told.records,
        head=told.head,
        boots=len(boots),
        first=told.first,
        last=told.last,
        kinds=dict(sorted(kinds.items())),
        clocks=dict(clocks),
        troubles=tuple(troubles),
    )


def _trouble(record: Record) -> Trouble | None:
    device = words = ""
    match decode_event(record.data):
        case e.FaultBegan(device=device, words=words):
            pass
        case e.FaultEnded(device=device):
            pass
        case e.AlertRaised(words=words):
            pass
        case e.AttemptRefused(what=words):
            pass
        case e.AlertAcknowledged() | e.TableSetUp() | e.TableOpened() | e.TableClosed() | e.ShoeLoaded():
            pass
        case _:
            return None
    return Trouble(record.wall, record.clock, record.actor.partition(":")[0], record.kind, device, words)
