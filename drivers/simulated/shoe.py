"""A simulated shoe: cards in it, a lid, a throat that can jam, and an end of some protocol through which it tells.

A card leaves when somebody deals it. A shoe that is locked, open, jammed, empty or full of untold events lets none out
and says why (`ShoeStopped`); that is what a real one's motor does.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

from drivers.simulated.byte_ends import AngelEyeEnd, BeeTekEnd, LineReaderEnd, plain_card_map
from drivers.simulated.faults import Faults
from drivers.simulated.pile import CUT, check_card, without_cut
from drivers.simulated.shoe_ends import PROTOCOLS, ShoeEnd, TableLinkShoeEnd
from firmware_protocol.line_reader import CardMap


class ShoeStopped(Exception):
    """No card leaves now; the words say why."""


class Dealt(Struct, frozen=True, kw_only=True):
    """What really left the shoe, whatever the table was told of it."""

    what: Literal["card", "misread", "double_feed", "backfeed"]
    cards: tuple[str, ...] = ()
    cut_card: bool = False  # it came out just before


class LoadedShoe:
    """The shoe itself. `dealt` is the truth of this load, for whoever checks what the table made of it."""

    def __init__(self, end: ShoeEnd, faults: Faults, cards: Sequence[str], *, burn: int = 0) -> None:
        if not 0 <= burn <= len(without_cut(cards)):
            raise ValueError(f"burn: {len(without_cut(cards))} cards are in the shoe, so {burn} can't be burned")
        self.end, self.faults = end, faults
        self._cards, self._burn = tuple(cards), burn
        self._left: deque[str] = deque(cards)
        self._told_empty = self._open = self._jammed = False
        self.dealt: list[str] = []

    @property
    def left(self) -> tuple[str, ...]:
        """The cards still in it, the next one first, without the cut card."""
        return without_cut(tuple(self._left))

    @property
    def stopped(self) -> str:
        """Why no card leaves now; empty where one does."""
        if self._open:
            return "its lid is open"
        return "a card is jammed in it" if self._jammed else self.end.stopped

    def deal(self, card: str | None = None) -> Dealt:
        """Let the next card out, or this one as if it were the next; the cut card comes out before it if it is due."""
        asked = check_card(card) if card is not None else None
        if self.stopped:
            raise ShoeStopped(f"the shoe lets no card out: {self.stopped}")
        cut = self._pass_cut_card()
        if asked is not None:
            self._left.appendleft(asked)
        if not self._left:
            self._tell_empty()
            raise ShoeStopped("the shoe lets no card out: it is empty")
        return self._feed(cut)

    def cut(self) -> bool:
        """The cut card comes out now; False where the protocol has no words for it."""
        if CUT in self._left:
            self._left.remove(CUT)
        return self.end.cut_card()

    def lid(self, is_open: bool) -> bool:
        told = self.end.lid(is_open)
        self._open = is_open
        return told

    def jam(self, jammed: bool) -> bool:
        told = self.end.jam(jammed)
        self._jammed = jammed
        return told

    def load(self, cards: Sequence[str] | None = None) -> None:
        """Fill it anew with these cards, or the same again."""
        self._cards = tuple(cards) if cards is not None else self._cards
        self._left = deque(self._cards)
        self.dealt.clear()
        self._told_empty = False
        self.end.loaded()

    def _pass_cut_card(self) -> bool:
        passed = False
        while self._left and self._left[0] == CUT:
            self._left.popleft()
            self.end.cut_card()
            passed = True
        return passed

    def _feed(self, cut: bool) -> Dealt:
        if self.faults.strikes("backfeed"):
            self.end.ran_back()
            return Dealt(what="backfeed", cut_card=cut)
        if self.faults.strikes("double_feed") and len(self.left) > 1:
            two = (self._out(), self._out())
            self.end.unread(two=True)
            return Dealt(what="double_feed", cards=two, cut_card=cut)
        card = self._out()
        if self.faults.strikes("misread"):
            self.end.unread()
            return Dealt(what="misread", cards=(card,), cut_card=cut)
        self.end.card(card, burn=len(self.dealt) <= self._burn)
        return Dealt(what="card", cards=(card,), cut_card=cut)

    def _out(self) -> str:
        """The next card; a cut card between two that leave together passes unseen."""
        while (card := self._left.popleft()) == CUT:
            pass
        self.dealt.append(card)
        return card

    def _tell_empty(self) -> None:
        if not self._told_empty:
            self._told_empty = True
            self.end.emptied()


def shoe_end(protocol: str, faults: Faults, cards: CardMap | None = None) -> ShoeEnd:
    """The device's end of a protocol by name; `cards` is for the reader."""
    match protocol:
        case "tablelink":
            return TableLinkShoeEnd(faults)
        case "angel_eye":
            return AngelEyeEnd(faults)
        case "bee_tek":
            return BeeTekEnd(faults)
        case "line_reader":
            return LineReaderEnd(faults, cards if cards is not None else plain_card_map())
    raise ValueError(f"there is no shoe protocol {protocol!r}: there are {', '.join(PROTOCOLS)}")


async def keep_dealing(shoe: LoadedShoe, every_s: float) -> None:
    """Deals for ever; a shoe that is stopped is tried again at the next turn."""
    while True:
        await asyncio.sleep(every_s)
        try:
            shoe.deal()
        except ShoeStopped:
            continue
