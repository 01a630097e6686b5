"""When the power goes: seeded moments, at the table and while it starts. Pure; the same seed gives the same ones."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from random import Random
from typing import Final

from msgspec import Struct

MOST_CARDS: Final = 12  # of one start, before it is cut
AFTER_CARD_S: Final = 0.025  # a card is committed and acknowledged within: half of the cuts come before that
BOOT_S: Final = (1.0, 6.0)  # the image is mounted within the first, the table may come up within the second
IN_BOOT: Final = (3, 4)  # of every so many cuts these: two in a row, before the table is up
EVERY: Final = 7


class WhileBooting(Struct, frozen=True):
    """So long after the kernel was started."""

    seconds: float

    def __str__(self) -> str:
        return f"{self.seconds:.3f} s after the start"


class AtCard(Struct, frozen=True):
    """So long after so many cards of this start have left the shoe."""

    cards: int
    seconds: float

    def __str__(self) -> str:
        return f"{self.seconds * 1000:.1f} ms after card {self.cards} of this start"


class DiskFull(Struct, frozen=True):
    """The disk is filled when the first card is awaited; the cut comes when the journal has taken no more."""

    def __str__(self) -> str:
        return "on a full disk, refused"


Moment = WhileBooting | AtCard | DiskFull


def moments(seed: int, *, booting: bool = True) -> Iterator[Moment]:
    """Without end."""
    chance = Random(seed)
    for number in count():
        if booting and number % EVERY in IN_BOOT:
            yield WhileBooting(chance.uniform(0, BOOT_S[IN_BOOT.index(number % EVERY)]))
        else:
            yield AtCard(chance.randint(1, MOST_CARDS), chance.uniform(0, AFTER_CARD_S))
