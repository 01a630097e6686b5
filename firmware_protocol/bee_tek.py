"""Both ends of the Bee-Tek shoe's link, `[Mode]<Field>` in ASCII; refuses fields it does not know. Pure.

The sources disagree on what stands between records, so only the brackets count: white space is filler, anything
else between records is a `BadFrame`, and reading goes on. A mode belongs to the field it stands before, with at
most `MODE_GAP` white-space bytes between; a field without a mode is read just the same.

Every card is `in_game`: the mode only names the menu the shoe was left in ("Manual Burn Cards" is the one that
tells raw cards), not whether a round is on. Ranks and suits may come in lower case (it can mean nothing else),
the words may not. A `Card` field that names no card is a `Misread`: there is no checksum, and a card did leave
the shoe. A "Card Not Read" alarm is an `Error` and no second `Misread`.
"""

from __future__ import annotations

import re
from typing import ClassVar, Final

from firmware_protocol.resync import MAX_NOISE, ResyncDecoder
from firmware_protocol.shoe_events import CardRead, Error, Misread, Notice
from firmware_protocol.wire import Capabilities, Decoded

TITLE: Final = "Bee-Tek (US Playing Card Co.)"
GRADE: Final = (
    "B for cards: two independent public code bases agree; C for the rest: unread cards, alarms and warnings rest on "
    "one. Not tried on a real shoe."
)
CAPABILITIES: Final = Capabilities(suits=True)

BAUD: Final = 9600  # over the shoe's USB adapter
DATA_BITS: Final = 8
PARITY: Final = "N"
STOP_BITS: Final = 1

GAME: Final = "Game"
MANUAL_BURN: Final = "Manual Burn Cards"
MAX_TEXT: Final = 64  # bytes between a pair of brackets
MODE_GAP: Final = 4  # white-space bytes between a mode and its field: two line ends
MAX_RECORD: Final = MAX_TEXT + 2 + MODE_GAP + MAX_TEXT + 2

RANKS: Final = "A23456789TJQK"
SUITS: Final = "CDHS"
WHITE_SPACE: Final = b" \t\r\n\v\f"
LINE_ENDS: Final = b"\r\n"

OUTSIDE: Final = "characters outside any record"
_MODE_STOP: Final = re.compile(rb"[^ -~]|[][<>]")
_FIELD_STOP: Final = re.compile(rb"[^ -~]|[<>]")
_CARD: Final = re.compile(r"(10|[2-9TJQKA])([CDHS])", re.IGNORECASE)
_ALARM_CODE: Final = re.compile(r"E(\d{1,4})\b", re.ASCII)
_WARNING: Final = re.compile(r"W0x((?:[0-9A-Fa-f]{2}){1,4})")


class Decoder(ResyncDecoder):
    """Host end: characters of the shoe in, events out. A run of noise ends at a record or at a line end."""

    outside = OUTSIDE
    max_kept: ClassVar[int] = MAX_NOISE + MAX_RECORD

    def _is_filler(self, byte: int, in_noise: bool) -> bool:
        """A blank inside noise is noise; a line end is where a person would say that the noise was over."""
        return byte in (LINE_ENDS if in_noise else WHITE_SPACE)

    def _size(self, kept: bytearray, at: int) -> int | str | None:
        return _record_size(kept, at)

    def _read(self, frame: bytes, offset: int) -> Decoded | str:
        return _event(frame, offset)


def _record_size(kept: bytearray, at: int) -> int | str | None:
    """How long the record is that starts here, or why none does, or None while that cannot be told.

    An answer never changes when more bytes come: that is what makes the cutting of the stream not matter.
    """
    field = at
    if kept[at] == ord("["):
        mode_end = _text_end(kept, at, ord("]"), _MODE_STOP)
        if not isinstance(mode_end, int):
            return mode_end
        field = mode_end + 1
        while field < len(kept) and field <= mode_end + MODE_GAP and kept[field] in WHITE_SPACE:
            field += 1
        if field == len(kept):
            return None
        if kept[field] != ord("<"):
            return "a mode without its field"
    elif kept[at] != ord("<"):
        return OUTSIDE
    end = _text_end(kept, field, ord(">"), _FIELD_STOP)
    return end + 1 - at if isinstance(end, int) else end


def _text_end(kept: bytearray, at: int, closing: int, stops: re.Pattern[bytes]) -> int | str | None:
    """Where the bracket that opens here is closed; else as `_record_size` answers."""
    stop = stops.search(kept, at + 1, at + MAX_TEXT + 2)
    if stop is None:
        return f"more than {MAX_TEXT} characters between brackets" if len(kept) - at - 1 > MAX_TEXT else None
    if kept[stop.start()] != closing:
        return f"a bracket that is never closed by {chr(closing)}"
    return stop.start()


def _event(record: bytes, offset: int) -> Decoded | str:
    """What a record says, or why it says nothing."""
    field = record.decode("ascii").rpartition("<")[2][:-1].strip()
    name, colon, text = field.partition(":")
    text = text.strip()
    if field == GAME:
        return Misread(offset=offset, reason="the shoe could not read the card")
    if name == "Card" and colon:
        card = _CARD.fullmatch(text)
        if card is None:
            return Misread(offset=offset, reason=f"the shoe named the card {text!r}, which is none")
        return CardRead(offset=offset, card=card[1].upper().replace("10", "T") + card[2].upper())
    if name == "Alarm" and colon:
        code = _ALARM_CODE.match(text)
        return Error(offset=offset, words=text or "an alarm without words", code=int(code[1]) if code else None)
    warning = _WARNING.fullmatch(field)
    if warning:
        return Notice(offset=offset, words=f"warning 0x{warning[1]}", data=warning[1].lower())
    return f"unknown field {field!r}"


class BeeTekShoe:
    """Device end: each method gives the bytes of one record. Refuses (ValueError) what the wire cannot carry."""

    def __init__(self, *, mode: str = MANUAL_BURN, line_end: bytes = b"\r\n", ten: str = "T") -> None:
        _sendable(mode, _MODE_STOP, "a mode")
        if line_end.strip(WHITE_SPACE) or len(line_end) > 2:
            raise ValueError(f"records are parted by up to two white-space bytes, not by {line_end!r}")
        if ten not in ("T", "10"):
            raise ValueError(f"a ten is written T or 10, not {ten!r}")
        self.mode, self.line_end, self.ten = mode, line_end, ten

    def draw(self, card: str) -> bytes:
        if len(card) != 2 or card[0] not in RANKS or card[1] not in SUITS:
            raise ValueError(f"{card!r} is no card: write a rank of {RANKS} and a suit of {SUITS}, such as TD")
        return self._record(f"[{self.mode}]<Card:{card.replace('T', self.ten)}>")

    def draw_unread(self) -> bytes:
        """The only form known, whatever the mode."""
        return self._record(f"[{GAME}]<{GAME}>")

    def alarm(self, text: str, *, mode: str = GAME) -> bytes:
        """`mode` is "Game" or "GameAlarm"; both have been seen."""
        _sendable(mode, _MODE_STOP, "a mode")
        _sendable(f"Alarm:{text}", _FIELD_STOP, "an alarm")
        return self._record(f"[{mode}]<Alarm:{text}>")

    def warning(self, number: int) -> bytes:
        if not 0 <= number <= 0xFF:
            raise ValueError(f"a warning is numbered 0 to 255, not {number}")
        return self._record(f"<W0x{number:02X}>")

    def _record(self, text: str) -> bytes:
        return text.encode("ascii") + self.line_end


def _sendable(text: str, stops: re.Pattern[bytes], what: str) -> None:
    sent = text.encode()
    if not sent or len(sent) > MAX_TEXT or stops.search(sent):
        raise ValueError(f"{text!r} cannot be sent as {what}: 1 to {MAX_TEXT} ASCII characters without brackets")
