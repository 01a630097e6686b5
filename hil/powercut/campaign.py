"""Cut after cut on one image and one shoe: boots, plays until the moment, kills, and judges what the next start finds.

A guest that says nothing more, a table that ends by itself or asks a question that only a lost card could raise: each
is a failure in words, with the last that the guest said.
"""

from __future__ import annotations

import select
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Final, assert_never

from msgspec import Struct, structs

from hil.powercut import words
from hil.powercut.evidence import judge
from hil.powercut.guest import Guest, make_image
from hil.powercut.moments import AtCard, DiskFull, Moment, WhileBooting, WhileMounting
from hil.powercut.shoe import OutOfStep, Shoe

PATIENCE_S: Final = 90.0  # for whatever comes next; a start takes three seconds on a machine that does nothing else
STEP_S: Final = 0.005
MORE_CARDS: Final = 5  # after the last cut, to show that the table goes on
DISK_FULL: Final = "the disk is full"  # as the table's log and its refusals say


class Broken(Exception):
    """The table did not go on; the words say what was waited for, and what the guest said last."""


class Cut(Struct, frozen=True):
    """One cut, and what was found behind it."""

    number: int
    moment: Moment
    acknowledged: int  # cards that the shoe was told are safe, since the beginning
    dealt: int
    journalled: int = 0
    lost: int = 0
    replayed: bool = False  # the guest's file system, from its own journal
    trouble: str = ""


class Campaign:
    """`careless` is the control: the same table without durable commits."""

    def __init__(self, program: Path, maker: str, folder: Path, shoe: Shoe, *, seed: int, careless: bool) -> None:
        self._program, self._folder, self._shoe = program, folder, shoe
        self._seed, self._careless = seed, careless
        self._image = folder / "disk.img"
        make_image(maker, self._image)
        self._starts = 0
        self._open: list[Cut] = []  # cuts that no start has judged yet

    def run(self, planned: Iterable[Moment]) -> Iterator[Cut]:
        """Gives each cut when it is judged. After the last one the table must go on."""
        for number, moment in enumerate(planned, 1):
            with self._start(fill=isinstance(moment, DiskFull)) as start:
                if not isinstance(moment, WhileMounting | WhileBooting):
                    yield from start.find()
                start.until(moment)
                yield from start.found()
            self._open.append(Cut(number, moment, self._shoe.acknowledged, len(self._shoe.dealt)))
        with self._start() as start:
            yield from start.find()
            start.goes_on(MORE_CARDS)

    def _start(self, *, fill: bool = False) -> _Start:
        self._starts += 1
        folder = self._folder / f"start-{self._starts}"
        guest = Guest(
            self._program,
            folder,
            self._image,
            self._shoe.path,
            seed=self._seed + self._starts,
            careless=self._careless,
            fill=fill,
        )
        return _Start(guest, self._shoe, self._open)


class _Start:
    """From the switch until the power goes."""

    def __init__(self, guest: Guest, shoe: Shoe, unjudged: list[Cut]) -> None:
        self._guest, self._shoe, self._unjudged = guest, shoe, unjudged
        self._began = time.monotonic()
        self._had = len(shoe.dealt)
        self._awaited: tuple[int, int] | None = None
        self._mounting = self._replayed = self._full = self._unavailable = False
        self._judged: list[Cut] = []
        self._poll = select.poll()
        self._poll.register(guest.descriptor, select.POLLIN)
        self._poll.register(shoe.descriptor, select.POLLIN)

    def __enter__(self) -> _Start:
        return self

    def __exit__(self, *_: object) -> None:
        self._guest.kill()
        self._shoe.drain()

    def find(self) -> list[Cut]:
        """Waits for what the cuts before have left behind, and judges all that no start has judged yet."""
        self._wait(lambda: not self._unjudged, "the journal as the cut left it")
        return self.found()

    def found(self) -> list[Cut]:
        """What was judged since it was last asked."""
        judged, self._judged = self._judged, []
        return judged

    def until(self, moment: Moment) -> None:
        match moment:
            case WhileMounting(seconds=seconds):
                self._wait(lambda: self._mounting, "the mounting of the disk")
                self._for(seconds)
            case WhileBooting(seconds=seconds):
                self._for(self._began + seconds - time.monotonic())
            case AtCard(cards=cards, seconds=seconds):
                self._wait(lambda: self._cards >= cards, f"card {cards} of this start")
                self._for(seconds)
            case DiskFull():
                self._wait(lambda: self._full, "the full disk")
                self._wait(lambda: self._unavailable, "a journal that takes no more")
            case _:
                assert_never(moment)

    def goes_on(self, cards: int) -> None:
        safe = self._shoe.acknowledged + cards
        self._wait(lambda: self._shoe.acknowledged >= safe, f"{cards} more cards, acknowledged")

    @property
    def _cards(self) -> int:
        return len(self._shoe.dealt) - self._had

    def _for(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            self._turn(min(left, STEP_S))

    def _wait(self, reached: Callable[[], bool], what: str) -> None:
        end = time.monotonic() + PATIENCE_S
        while not reached():
            if time.monotonic() > end:
                raise self._broken(f"{what} did not come within {PATIENCE_S:.0f} s")
            self._turn(STEP_S)

    def _turn(self, seconds: float) -> None:
        self._poll.poll(seconds * 1000)
        self._shoe.attend()
        for line in self._guest.hear():
            self._heard(line)
        if self._guest.ended:
            raise self._broken("the kernel stopped by itself")
        try:
            if self._awaited is not None and self._shoe.deal(*self._awaited):
                self._awaited = None
        except OutOfStep as error:
            raise self._broken(str(error)) from error

    def _heard(self, line: str) -> None:
        sign, _, rest = line.partition(" ")
        self._unavailable = self._unavailable or DISK_FULL in line
        match sign:
            case words.NO_DISK:
                raise self._broken("the guest could not mount its disk")
            case words.MOUNTING:
                self._mounting = True
            case words.REPLAYED:
                self._replayed = True
            case words.EVIDENCE:
                self._judge()
            case words.AWAITED:
                self._awaited = self._place(rest)
            case words.FULL:
                self._full = True
            case words.ASKS:
                raise self._broken(f"the table asks: {rest}")
            case words.ENDED:
                raise self._broken(f"the table ended by itself, with status {rest}")

    def _place(self, text: str) -> tuple[int, int]:
        try:
            load, count = map(int, text.split())
        except ValueError as error:
            raise self._broken(f"the table waits for {text!r}, which is no place in a shoe") from error
        return load, count

    def _judge(self) -> None:
        for cut in self._unjudged:
            found = judge(self._guest.folder, self._shoe.dealt, cut.acknowledged)
            self._judged.append(
                structs.replace(
                    cut,
                    journalled=found.journalled,
                    lost=found.lost,
                    trouble=found.trouble,
                    replayed=self._replayed,
                )
            )
        self._unjudged.clear()

    def _broken(self, what: str) -> Broken:
        return Broken("\n".join([f"{what}. The last that the guest said:", *self._guest.last]))
