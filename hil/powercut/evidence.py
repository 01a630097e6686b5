"""What a cut left behind: the journal as it was copied out, proven, and its cards beside those of the shoe."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Final

from msgspec import Struct

from controller.store.audit import ChainBroken, verify
from controller.store.errors import JournalError
from controller.store.journal import Journal
from controller.table import events as e

JOURNAL: Final = "table.db"
SHOE: Final = "shoe"
_CARDS: Final = {kind.__name__ for kind in (e.CardDrawn, e.CardBurned, e.CardPassed, e.CardHeld)}
Told = tuple[int, str]  # the shoe's own number of a card, and the card


class Finding(Struct, frozen=True):
    """`trouble` is empty where every acknowledged card is there exactly once, in order, in a whole journal."""

    journalled: int
    lost: int  # acknowledged cards that are not there
    trouble: str


def judge(folder: Path, dealt: Sequence[str], acknowledged: int) -> Finding:
    """`dealt`: every card that ever left the shoe; of these the first `acknowledged` it was told are safe."""
    path = folder / JOURNAL
    told: list[Told] = []
    trouble = ""
    if path.exists():
        try:
            verify(path)
            told = cards_in(path)
        except (ChainBroken, JournalError) as error:
            trouble = f"the journal is broken: {error}"
    there = {number for number, _ in told}
    lost = [number for number in range(1, acknowledged + 1) if number not in there]
    if not trouble and lost:
        trouble = f"LOST: {', '.join(f'{dealt[number - 1]} (card {number})' for number in lost[:5])}"
        trouble += f" and {len(lost) - 5} more" if len(lost) > 5 else ""
    if not trouble:
        trouble = _difference(told, dealt)
    return Finding(len(told), len(lost), trouble)


def cards_in(path: Path) -> list[Told]:
    """Each card that the shoe told, where the journal first has it: the mark is committed with the card."""
    told: list[Told] = []
    card = ""
    with Journal.read_only(path) as journal:
        for record in journal.after(0):
            if record.kind in _CARDS:
                card = getattr(e.decode_event(record.data), "card")  # noqa: B009
            elif record.kind == e.MarkReached.__name__:
                mark = e.decode_event(record.data)
                assert isinstance(mark, e.MarkReached)
                if mark.device == SHOE and card:
                    told.append((mark.number, card))
                card = ""
    return told


def _difference(told: Sequence[Told], dealt: Sequence[str]) -> str:
    """Nothing, where the journal has the shoe's first cards, each once and in its place."""
    for at, (ours, left) in enumerate(zip_longest(told, dealt[: len(told)]), 1):
        if ours != (at, left):
            return f"card {at} of the shoe was {left}; the journal has {ours[1]} with number {ours[0]}"
    return ""
