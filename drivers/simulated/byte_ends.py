"""The device ends of the shoes that only talk: Angel Eye with its three copies, Bee-Tek as loose as it is, a reader.

They hear nothing and keep nothing: what happens while the cable is out is counted by the shoe and lost.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable
from typing import Final

from msgspec import Struct

from drivers.simulated.faults import Faults
from drivers.simulated.pile import CUT, DECK
from firmware_protocol import angel_eye
from firmware_protocol.angel_eye import AngelEyeShoe
from firmware_protocol.bee_tek import GAME, MANUAL_BURN, BeeTekShoe
from firmware_protocol.line_reader import CardMap, LineReader

MAX_WAITING: Final = 32  # events that a stalled line holds up before the shoe stops
UNREAD_CODE: Final = "UNREADABLE"  # what the reader sends of a card whose code is damaged: in no map
LINE_ENDS: Final = (b"\r\n", b"\n", b" ", b"")  # the sources disagree


class _Waiting(Struct):
    """An event on its way out."""

    data: bytes
    copies: int


class ByteEnd:
    """Sends each event's bytes `copies` times, `gap_s` apart, and takes nothing. Subclasses have the words."""

    def __init__(self, faults: Faults, *, copies: int = 1, gap_s: float = 0.0) -> None:
        self.faults = faults
        self.woken: Callable[[], None] = lambda: None
        self._copies, self.gap_s = copies, gap_s
        self._waiting: deque[_Waiting] = deque()
        self._next: float | None = None  # when the line is free again
        self._connected = False

    @property
    def stopped(self) -> str:
        waiting = len(self._waiting)
        return f"{waiting} events wait for a line that takes none" if waiting >= MAX_WAITING else ""

    def connected(self, now: float) -> None:
        self._connected = True

    def disconnected(self) -> None:
        self._connected = False
        self._waiting.clear()

    def receive(self, data: bytes, now: float) -> None:
        """This shoe has no ears."""

    def data_to_send(self, now: float) -> bytes:
        out = bytearray()
        while self._waiting and not self.faults.is_on("queue_full") and (self._next is None or now >= self._next):
            first = self._waiting[0]
            out += first.data
            first.copies -= 1
            if not first.copies:
                self._waiting.popleft()
            self._next = now + self.gap_s if self.gap_s else None
        if self.faults.is_on("reboot"):
            self.faults.switch("reboot", None)
            del out[len(out) // 2 :]
            self.reboot()
        return bytes(out)

    def next_time(self) -> float | None:
        return self._next if self._waiting and not self.faults.is_on("queue_full") else None

    def reboot(self) -> None:
        """What was on its way is gone."""
        self._waiting.clear()

    def _send(self, data: bytes) -> bool:
        if self._connected:
            self._waiting.append(_Waiting(data, self._copies))
            self.woken()
        return True

    # What a shoe has no words for

    def cut_card(self) -> bool:
        return False

    def emptied(self) -> bool:
        return False

    def lid(self, is_open: bool) -> bool:
        return False

    def jam(self, jammed: bool) -> bool:
        return False

    def ran_back(self) -> bool:
        return False

    def loaded(self) -> bool:
        return False


class AngelEyeEnd(ByteEnd):
    """Every event three times under one number. It goes on counting while nobody listens."""

    def __init__(self, faults: Faults, *, gap_s: float = angel_eye.REPEAT_GAP_MS / 1000) -> None:
        super().__init__(faults, copies=angel_eye.REPEATS, gap_s=gap_s)
        self._shoe = AngelEyeShoe()

    def card(self, card: str, *, burn: bool = False) -> bool:
        return self._send(self._shoe.burn(card) if burn else self._shoe.draw(card))

    def unread(self, *, two: bool = False) -> bool:
        return self._send(self._shoe.draw_unread())

    def cut_card(self) -> bool:
        return self._send(self._shoe.cut_card())

    def jam(self, jammed: bool) -> bool:
        return self._send(self._shoe.error(7) if jammed else self._shoe.cancel(7))

    def ran_back(self) -> bool:
        return self._send(self._shoe.error(4, error_mode=False))

    def loaded(self) -> bool:
        return self._send(self._shoe.start())

    def reboot(self) -> None:
        super().reboot()
        self._shoe = AngelEyeShoe()
        self.loaded()


class BeeTekEnd(ByteEnd):
    """Records as the sources saw them: other line ends, other modes and other tens from one to the next, seeded."""

    def __init__(self, faults: Faults) -> None:
        super().__init__(faults)
        self._chance = random.Random(faults.seed)

    def card(self, card: str, *, burn: bool = False) -> bool:
        return self._send(self._loose(MANUAL_BURN if burn else None).draw(card))

    def unread(self, *, two: bool = False) -> bool:
        shoe = self._loose(GAME)
        return self._send(shoe.draw_unread() + shoe.alarm("E3 Card Not Read"))

    def _loose(self, mode: str | None) -> BeeTekShoe:
        chance = self._chance
        return BeeTekShoe(
            mode=mode or chance.choice((GAME, MANUAL_BURN)),
            line_end=chance.choice(LINE_ENDS),
            ten=chance.choice(("T", "10")),
        )


class LineReaderEnd(ByteEnd):
    """A reader that sends a card's code and a line end; a damaged code is one that no map has."""

    def __init__(self, faults: Faults, cards: CardMap) -> None:
        super().__init__(faults)
        self._reader = LineReader(cards)
        self._tells_cut = bool(cards.codes_for(CUT))

    def card(self, card: str, *, burn: bool = False) -> bool:
        return self._send(self._reader.draw(card))

    def unread(self, *, two: bool = False) -> bool:
        return self._send(self._reader.send(UNREAD_CODE))

    def cut_card(self) -> bool:
        return self._send(self._reader.cut_card()) if self._tells_cut else False


def plain_card_map() -> CardMap:
    """For a reader whose codes are the cards' own names."""
    return CardMap((card, card) for card in (*DECK, CUT))
