"""The shoe outside the guest: a TableLink shoe on a pty that outlives every kernel and keeps what nobody acknowledged.

It lets a card out only where the table waits for that very card, and knows which of them it was told are safe. What
nobody reads is lost on the line, as on a real one.
"""

from __future__ import annotations

import contextlib
import os
import select
import time
import tty
from typing import Final, Self

from drivers.simulated.faults import Faults
from drivers.simulated.pile import shuffled
from drivers.simulated.shoe_ends import TableLinkShoeEnd

DECKS: Final = 6
MOST: Final = 4096  # bytes at once


class OutOfStep(Exception):
    """The table waits for another card than the shoe has next."""


class Shoe:
    """Events of this shoe are cards and nothing else, so that event number n is the n-th card of its life."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._end = TableLinkShoeEnd(Faults(seed))
        self._ours, self._theirs = os.openpty()
        tty.setraw(self._theirs)  # held open, so that a guest that dies is no hang-up
        os.set_blocking(self._ours, False)
        self.path = os.ttyname(self._theirs)
        self.dealt: list[str] = []  # in all its life
        self._number = 0  # of the load
        self._out = 0  # of this load
        self._pile: list[str] = []
        self._end.connected(time.monotonic())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._ours)
        os.close(self._theirs)

    @property
    def descriptor(self) -> int:
        """To be waited on."""
        return self._ours

    @property
    def acknowledged(self) -> int:
        """How many cards it was told are safe; it has forgotten them."""
        return len(self.dealt) - self._end.queued

    def deal(self, load: int, count: int) -> bool:
        """Lets out the card behind `count` cards of a load; False while what is out is not known to be safe yet.

        Raises OutOfStep where that is no card that can be next.
        """
        if self._end.queued or (load == self._number and count < self._out):
            return False
        if load == self._number + 1 and not count:
            self._number, self._out = load, 0
            self._pile = list(shuffled(DECKS, self._seed + load, cut_card=0))
        if (load, count) != (self._number, self._out):
            raise OutOfStep(
                f"the table waits for card {count + 1} of shoe {load}; the shoe has card {self._out + 1} "
                f"of shoe {self._number} next"
            )
        card = self._pile.pop()
        self._end.card(card)
        self.dealt.append(card)
        self._out += 1
        self.send()
        return True

    def attend(self) -> None:
        """Takes what came over the line and answers; never waits."""
        with contextlib.suppress(BlockingIOError):
            while True:
                self._end.receive(os.read(self._ours, MOST), time.monotonic())
        self.send()

    def send(self) -> None:
        data = self._end.data_to_send(time.monotonic())
        if data:
            with contextlib.suppress(BlockingIOError):
                os.write(self._ours, data)

    def drain(self) -> None:
        """All that the guest said before it died. Its writes were in the line's buffer when they returned."""
        poll = select.poll()
        poll.register(self._ours, select.POLLIN)
        while poll.poll(0):
            self.attend()
