"""When the power goes: seeded moments, at the table and while it starts. Pure; the same seed gives the same ones."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from random import Random
from typing import Final

from msgspec import Struct

MOST_CARDS: Final = 12  # of one start, before it is cut
AFTER_CARD_S: Final = 0.025  # a card is committed and acknowledged within: half of the cuts come before that
MOUNT_S: Final = 0.03  # in which ext4 plays its journal again
BOOT_S: Final = 6.0  # the table may come up within
EVERY: Final = 7  # cuts of which two in a row come before the table is up


class WhileMounting(Struct, frozen=True):
    """So long after the guest began to mount its disk."""

    seconds: float

    def __str__(self) -> str:
        return f"{self.seconds * 1000:.1f} ms into mounting the disk"


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


Moment = WhileMounting | WhileBooting | AtCard | DiskFull


def moments(seed: int) -> Iterator[Moment]:
    """Without end."""
    chance = Random(seed)
    for number in count():
        match number % EVERY:
            case 3:
                yield WhileMounting(chance.uniform(0, MOUNT_S))
            case 4:
                yield WhileBooting(chance.uniform(0, BOOT_S))
            case _:
                yield AtCard(chance.randint(1, MOST_CARDS), chance.uniform(0, AFTER_CARD_S))


def control_moments(seed: int) -> Iterator[Moment]:
    """Without end, and each when some cards are acknowledged: a table that has none can lose none."""
    chance = Random(seed)
    while True:
        yield AtCard(chance.randint(MOST_CARDS // 2, MOST_CARDS), chance.uniform(0, AFTER_CARD_S))
