"""Card frame in to sign frame out through a running daemon over ptys, commit included, beside the least it can cost.

The daemon is a process of its own with a TableLink shoe on one pty and an ESC/POS sign on the other; this one holds
the far ends and deals a card whenever the table waits for one and the sign has come to rest. The clock runs from the
write of the card's frame until the first byte of the sign's is there. The floor is dealt to in the same way, in turn.
"""

from __future__ import annotations

import os
import select
import subprocess
import sys
import time
import tty
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from drivers.simulated.faults import Faults
from drivers.simulated.pile import shuffled
from drivers.simulated.shoe_ends import TableLinkShoeEnd
from hil.bench.measure import FOLDER, Result, beside
from hil.bench.table import COMMITS

QUIET_S: Final = 0.015  # the sign's line takes five milliseconds for all that it shows
PATIENCE_S: Final = 30.0  # for a table to start, or to come to rest
UNCHANGED_MS: Final = 500  # a card that nobody sees on the sign: none was sent by then
DECKS: Final = 6
WARM_UP: Final = 5  # cards that are not counted


class _Pty:
    """A pair whose path stays open, so that nothing hangs up before the other process has come."""

    def __init__(self, held: ExitStack) -> None:
        self.ours, theirs = os.openpty()
        held.callback(os.close, self.ours)
        held.callback(os.close, theirs)
        tty.setraw(theirs)
        self.path = os.ttyname(theirs)


@contextmanager
def _process(*command: str) -> Iterator[int]:
    """A module of ours in a process; gives the descriptor of what it says."""
    with subprocess.Popen([sys.executable, "-m", *command], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.fileno()
        finally:
            process.kill()


def _microseconds(write: int, data: bytes, read: int) -> float | None:
    """From the write until something can be read; None where nothing comes."""
    ear = select.poll()
    ear.register(read, select.POLLIN)
    start = time.perf_counter_ns()
    os.write(write, data)
    if not ear.poll(UNCHANGED_MS):
        return None
    taken = (time.perf_counter_ns() - start) / 1000
    os.read(read, 4096)
    return taken


class _Dealer:
    """The far ends of a daemon's shoe and sign."""

    def __init__(self, shoe: int, sign: int, said: int) -> None:
        self._shoe, self._sign, self._said = shoe, sign, said
        self._end = TableLinkShoeEnd(Faults())
        self._end.connected(time.monotonic())
        self._loads = 0
        self._pile = list(shuffled(DECKS, self._loads, cut_card=0))
        self._awaited = False
        self._poll = select.poll()
        for descriptor in (shoe, sign, said):
            self._poll.register(descriptor, select.POLLIN)

    def deal(self) -> float | None:
        """Microseconds; None where the sign shows the same as before."""
        self._rest()
        self._awaited = False
        self._end.card(self._pile.pop())
        return _microseconds(self._shoe, self._end.data_to_send(time.monotonic()), self._sign)

    def _rest(self) -> None:
        """Keeps up the shoe's link until the table waits for a card and the sign has had nothing new for a while."""
        began = changed = now = time.monotonic()
        while not (self._awaited and now - changed >= QUIET_S):
            if now - began > PATIENCE_S:
                raise TimeoutError(f"the table did not ask for a card within {PATIENCE_S:.0f} s")
            for descriptor, _ in self._poll.poll(5):
                heard = os.read(descriptor, 4096)
                if descriptor == self._shoe:
                    self._end.receive(heard, time.monotonic())
                elif descriptor == self._sign:
                    changed = time.monotonic()
                else:
                    self._told(heard)
            now = time.monotonic()
            if data := self._end.data_to_send(now):
                os.write(self._shoe, data)

    def _told(self, words: bytes) -> None:
        if not words:
            raise RuntimeError("the table's process ended; what it said is above")
        if b"load" in words:
            self._loads += 1
            self._pile = list(shuffled(DECKS, self._loads, cut_card=0))
        self._awaited = self._awaited or b"card" in words


def measure(cards: int, commits: int, folder: Path) -> tuple[list[float], list[float]]:
    """Microseconds of each card, and of each pass through the floor."""
    with ExitStack() as held:
        shoe, sign, come, go = (_Pty(held) for _ in range(4))
        journal, log = str(folder / "table.db"), str(folder / "floor")
        floor = held.enter_context(_process("hil.bench.floor", log, come.path, go.path))
        os.read(floor, 100)  # it is ready
        said = held.enter_context(_process("hil.bench.table", journal, shoe.path, sign.path, str(commits)))
        dealer = _Dealer(shoe.ours, sign.ours, said)
        ours: list[float] = []
        floors: list[float] = []
        for number in range(-WARM_UP, cards):
            taken = dealer.deal()
            time.sleep(QUIET_S)
            least = _microseconds(come.ours, bytes(20), go.ours)
            if number >= 0 and taken is not None and least is not None:
                ours.append(taken)
                floors.append(least)
    return ours, floors


def run(cards: int = 1000, commits: int = COMMITS) -> list[Result]:
    FOLDER.mkdir(exist_ok=True)
    with TemporaryDirectory(prefix="bench-", dir=FOLDER) as folder:
        ours, floors = measure(cards, commits, Path(folder))
    reference = "pty echo and one fdatasync"
    return [
        beside("card to sign, p50", "µs", ours, reference, floors, aim="at most 2"),
        beside(
            "card to sign, fastest", "µs", ours, reference, floors, aim="none", percent=0
        ),  # least of the disk in it
        beside("card to sign, p99", "µs", ours, reference, floors, aim="none", percent=99),
    ]
