"""Both ends of a barcode or RFID reader used as a shoe: one line, one card; refuses a map that says two things.

The reader sends a code and a line end (CR, LF or both). A `CardMap` says which card a code is; a code that is not
in it is a `Misread` that shows the code, so that it can be mapped. Blanks around a code do not count and an empty
line is nothing. Pure: the map comes as a table that the caller has read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import ClassVar, Final, Self

from firmware_protocol.shoe_events import CardRead, CutCardSeen, Misread
from firmware_protocol.wire import BadFrame, Capabilities, Decoded

TITLE: Final = "Barcode or RFID reader as a shoe"
GRADE: Final = "none: no maker's format, only lines of text; the codes are the table's own configuration."
CAPABILITIES: Final = Capabilities(suits=True)  # without a cut card's code in the map; else capabilities(cards)

BAUD: Final = 9600  # usual for readers, not a fact of any one of them: a setting
DATA_BITS: Final = 8
PARITY: Final = "N"
STOP_BITS: Final = 1

CUT: Final = "CUT"  # in a map: this code is the cut card
MAX_LINE: Final = 64  # bytes, without the line end
MAX_NOISE: Final = 128  # bytes of noise in one BadFrame
RANKS: Final = "A23456789TJQK"
SUITS: Final = "CDHS"
LINE_ENDS: Final = (b"\r", b"\n", b"\r\n")

_TOO_LONG: Final = f"a line longer than {MAX_LINE} bytes"
_LINE_END: Final = re.compile(rb"[\r\n]")
_UNPRINTABLE: Final = re.compile(rb"[^ -~]")
_CODE: Final = re.compile(r"[!-~](?:[ -~]*[!-~])?")
_CARD: Final = re.compile(rf"(10|[{RANKS}])([{SUITS}])")


class BadCardMap(ValueError):
    """The table of codes cannot be used; the words say which entry and what to write instead."""


class CardMap:
    """Which card each code is. Many codes may be one card, as in a shoe whose every card has its own tag."""

    def __init__(self, pairs: Iterable[tuple[str, str]] = ()) -> None:
        self._cards: dict[str, str] = {}
        for code, written in pairs:
            _check_code(code)
            card = _card_code(code, written)
            if code in self._cards:
                raise BadCardMap(
                    f"the code {code!r} stands twice, for {self._cards[code]} and for {card}. Keep one of them."
                )
            self._cards[code] = card

    @classmethod
    def from_table(cls, table: Mapping[str, object]) -> Self:
        """`{"cards": {"0012345": "AS", …}, "cut_card": ["999"]}`; `cut_card` may be missing, or one code."""
        unknown = sorted(set(table) - {"cards", "cut_card"})
        if unknown:
            raise BadCardMap(f"{unknown[0]!r} is no part of a card map. Its parts are cards and cut_card.")
        cards, cut = table.get("cards"), table.get("cut_card", [])
        if not isinstance(cards, Mapping):
            raise BadCardMap('a card map needs a table "cards" with a line such as "0012345" = "AS" for each code')
        codes = [cut] if isinstance(cut, str) else cut
        if not isinstance(codes, list | tuple):
            raise BadCardMap(f'cut_card is a list of codes in quotes, such as ["999"], not {cut!r}')
        return cls([*cards.items(), *((code, CUT) for code in codes)])

    def card_for(self, code: str) -> str | None:
        """A two-letter card, or `CUT`, or None where the code is unknown."""
        return self._cards.get(code)

    def codes_for(self, card: str) -> tuple[str, ...]:
        return tuple(code for code, mapped in self._cards.items() if mapped == card)

    def __len__(self) -> int:
        return len(self._cards)


def _check_code(code: object) -> None:
    if not isinstance(code, str):
        raise BadCardMap(f'the code {code!r} is no text. Write it in quotes: "{code}".')
    if len(code) > MAX_LINE or not _CODE.fullmatch(code):
        raise BadCardMap(
            f"the code {code!r} can never be read: a code is 1 to {MAX_LINE} printable ASCII characters with no blank "
            "before or behind."
        )


def _card_code(code: str, written: object) -> str:
    if written == CUT:
        return CUT
    found = _CARD.fullmatch(written) if isinstance(written, str) else None
    if found is None:
        raise BadCardMap(
            f"the code {code!r} stands for {written!r}, which is no card. Write a rank of {RANKS} (or 10) and a suit "
            f'of {SUITS}, such as "AS", or "{CUT}" for the cut card.'
        )
    return found[1].replace("10", "T") + found[2]


def capabilities(cards: CardMap) -> Capabilities:
    """What the reader can tell with this map."""
    return Capabilities(suits=True, cut_card=bool(cards.codes_for(CUT)))


class Decoder:
    """Host end: bytes of the reader in, events out. What is wrong spoils its line and no other."""

    max_kept: ClassVar[int] = MAX_NOISE

    def __init__(self, cards: CardMap) -> None:
        self._cards = cards
        self._kept = bytearray()
        self._offset = 0  # in the stream, of the first byte kept
        self._too_long = False  # the line in hand is noise, whatever still comes of it

    @property
    def kept(self) -> int:
        return len(self._kept)

    def feed(self, data: bytes) -> list[Decoded]:
        self._kept += data
        found: list[Decoded] = []
        while (end := _LINE_END.search(self._kept)) is not None:
            found += self._line(end.start())
            self._take(1)
        found += self._shed(len(self._kept))
        return found

    def close(self) -> list[Decoded]:
        if self._too_long or not self._kept.strip(b" "):
            return self._line(len(self._kept))
        return [self._bad("cut off before the end of the line", len(self._kept))]

    def _line(self, size: int) -> list[Decoded]:
        found = self._shed(size)
        size -= sum(len(bad.data) for bad in found)
        if self._too_long:
            self._too_long = False
            return [*found, self._bad(_TOO_LONG, size)] if size else [*found]
        offset, line = self._offset, bytes(self._kept[:size])
        if _UNPRINTABLE.search(line):
            return [self._bad("a line with bytes that are no printable characters", size)]
        self._take(size)
        code = line.decode("ascii").strip(" ")
        return [self._event(code, offset)] if code else []

    def _event(self, code: str, offset: int) -> Decoded:
        card = self._cards.card_for(code)
        if card is None:
            return Misread(offset=offset, reason=f"the code {code!r} is not in the card map")
        return CutCardSeen(offset=offset) if card == CUT else CardRead(offset=offset, card=card)

    def _shed(self, size: int) -> list[BadFrame]:
        """Lets go of full pieces of a line that is too long; `size` is how much of it is here."""
        self._too_long = self._too_long or size > MAX_LINE
        pieces = size // MAX_NOISE if self._too_long else 0
        return [self._bad(_TOO_LONG, MAX_NOISE) for _ in range(pieces)]

    def _bad(self, reason: str, size: int) -> BadFrame:
        return BadFrame(offset=self._offset, reason=reason, data=self._take(size))

    def _take(self, size: int) -> bytes:
        taken = bytes(self._kept[:size])
        del self._kept[:size]
        self._offset += size
        return taken


class LineReader:
    """Device end: what the reader sends when a card passes. Refuses (ValueError) what it could never read."""

    def __init__(self, cards: CardMap, *, line_end: bytes = b"\r\n") -> None:
        if line_end not in LINE_ENDS:
            raise ValueError(f"a line ends in CR, LF or both, not in {line_end!r}")
        self._cards, self._line_end = cards, line_end

    def draw(self, card: str, *, copy: int = 0) -> bytes:
        """The card's code; `copy` picks one where several codes are this card, and goes round."""
        codes = self._cards.codes_for(card)
        if not codes:
            raise ValueError(f"no code in the card map stands for {card!r}")
        return self.send(codes[copy % len(codes)])

    def cut_card(self) -> bytes:
        return self.draw(CUT)

    def send(self, code: str) -> bytes:
        """Any code, mapped or not."""
        _check_code(code)
        return code.encode("ascii") + self._line_end
