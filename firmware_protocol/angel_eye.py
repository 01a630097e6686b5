"""Both ends of the Angel Eye II-EX shoe's link; refuses any frame whose check digits are wrong. Pure.

A frame is `ENQ seq data ETX` and two check digits. The shoe sends each event three times with one `seq`; the
decoder tells it once. A frame is a repeat when it equals the last accepted one byte for byte, so a card drawn
twice in a row (another `seq`) is two cards, and where the first copy is damaged the second one counts. Only the last
one: a shoe that restarts counts from the start again, and its first card may well equal one told a moment ago.

Sound frames that make no sense (unknown letter, wrong length) are a `BadFrame` each. A card message whose card byte
names no card is a `Misread`, because a card did leave the shoe.

Nothing is ever sent to this shoe: the public sources contradict each other on what it understands.
"""

from __future__ import annotations

import re
from functools import reduce
from operator import xor
from typing import ClassVar, Final

from firmware_protocol.resync import MAX_NOISE, ResyncDecoder
from firmware_protocol.shoe_events import (
    Attention,
    CardRead,
    CutCardSeen,
    Error,
    ErrorCleared,
    LockChanged,
    Misread,
    Notice,
    ShoeStarted,
    StandBy,
)
from firmware_protocol.wire import Capabilities, Decoded

TITLE: Final = "Angel Eye II-EX (Angel Playing Cards)"
GRADE: Final = (
    "B: two independent public code bases agree on what the shoe sends; the check digits, the numbering, the lock, "
    "the preset and the error numbers rest on one (C). Not tried on a real shoe."
)
CAPABILITIES: Final = Capabilities(suits=True, cut_card=True, sequence=True, repeats=True, checksum=True)

BAUD: Final = 4800  # a setting: one site ran 9600
DATA_BITS: Final = 8
PARITY: Final = "N"
STOP_BITS: Final = 1

REPEATS: Final = 3  # times the shoe sends each event
REPEAT_GAP_MS: Final = 50  # about, from one copy to the next
SEQUENCES: Final = "123456789"  # as seen on the wire; the decoder takes any byte

STX, ETX, ENQ, ACK, NAK = 0x02, 0x03, 0x05, 0x06, 0x15
MAX_BEFORE_ETX: Final = 128  # bytes from ENQ or STX on; with more and no ETX it is noise
MAX_FRAME: Final = MAX_BEFORE_ETX + 3  # ETX and two check digits

RANKS: Final = "A23456789TJQK"  # rank 1 to 13 on the wire
SUITS: Final = "DCSH"  # suit 1 to 4 on the wire
TARGETS: Final = {"player": 0, "banker": 1, "burn": 2}  # baccarat's; the host ignores them
ERROR_WORDS: Final = {
    1: "cannot read the card",
    2: "overdraw",
    3: "button mishandled",
    4: "card ran back at the exit",
    5: "card ran back midway",
    6: "card code error",
    7: "drawing took too long",
}
PAYLOAD_BYTES: Final = {"S": 0, "P": 0, "D": 2, "d": 2, "R": 2, "C": 0, "G": 1, "E": 1, "e": 1, "L": 1, "M": 6}
MATTERS: Final = "SDdRCEe"  # what may not be missed; the others are only logged
LOGGED_ONLY: Final = {"G": "the shoe's own result", "M": "the shoe's preset was changed"}

OUTSIDE: Final = "bytes outside any frame"
_CONTROL: Final = re.compile(rb"[\x00-\x1f]")


def check_digits(body: bytes | bytearray) -> bytes:
    """The two digits for everything from behind ENQ (or STX) to ETX, both of them included."""
    return b"%02X" % reduce(xor, body, 0)


class Decoder(ResyncDecoder):
    """Host end: bytes of the shoe in, events out. It forgets at `close` what a repeat would be compared with."""

    outside = OUTSIDE
    max_kept: ClassVar[int] = MAX_NOISE + MAX_FRAME

    def __init__(self) -> None:
        super().__init__()
        self._accepted = b""

    def close(self) -> list[Decoded]:
        found = super().close()
        self._accepted = b""
        return found

    def _size(self, kept: bytearray, at: int) -> int | str | None:
        return _frame_size(kept, at)

    def _read(self, frame: bytes, offset: int) -> Decoded | str | None:
        if frame[0] != ENQ:
            return _reply(frame, offset)
        if frame == self._accepted:
            return None
        event = _event(chr(frame[1]), frame[2:-3], offset)
        if not isinstance(event, str):
            self._accepted = frame
        return event


def _frame_size(kept: bytearray, at: int) -> int | str | None:
    """How long the frame is that starts here, or why none does, or None while that cannot be told.

    An answer never changes when more bytes come: that is what makes the cutting of the stream not matter.
    """
    first = kept[at]
    if first in (ACK, NAK):
        return _short_reply_size(kept, at)
    if first not in (ENQ, STX):
        return OUTSIDE
    start = at + 2 if first == ENQ else at + 1
    control = _CONTROL.search(kept, start, at + MAX_BEFORE_ETX + 1)
    if control is None:
        return f"no end of frame within {MAX_BEFORE_ETX} bytes" if len(kept) - at > MAX_BEFORE_ETX else None
    end = control.start()
    if kept[end] != ETX:
        return "a control byte inside a frame"
    if end == start:
        return "a frame without data"
    wanted, given = check_digits(kept[at + 1 : end + 1]), kept[end + 1 : end + 3]
    if not wanted.startswith(given):
        return f"wrong check digits, {wanted.decode()} would be right"
    return end + 3 - at if len(given) == 2 else None


def is_unknown_event(frame: bytes) -> bool:
    """Whether these bytes are one whole event of the shoe that nobody here understands and that moved no card.

    Noise inside a frame leaves the check digits right once in 256 times. Such a frame keeps its event's letter, or has
    it among the payload, where every byte has bit 7 set: it is a damaged event and no unknown one.
    """
    if frame[:1] != bytes([ENQ]) or _frame_size(bytearray(frame), 0) != len(frame):
        return False
    letter, payload = chr(frame[2]), frame[3:-3]
    return letter.isascii() and letter.isalpha() and letter not in MATTERS and all(byte >= 0x80 for byte in payload)


def _short_reply_size(kept: bytearray, at: int) -> int | str | None:
    if at:  # they carry no check, so they are not believed in the middle of noise
        return OUTSIDE
    if kept[0] == ACK:
        return 1
    if len(kept) == 1:
        return None
    return 2 if kept[1] >= 0x20 else "a NAK without its code"


def _reply(frame: bytes, offset: int) -> Notice:
    if frame[0] == ACK:
        return Notice(offset=offset, words="the shoe acknowledged (ACK)")
    if frame[0] == NAK:
        return Notice(offset=offset, words="the shoe refused (NAK)", data=frame[1:].hex())
    return Notice(offset=offset, words="the shoe replied", data=frame[1:-3].hex())


def _event(sequence: str, data: bytes, offset: int) -> Decoded | str:
    """What a frame with right check digits says, or why it says nothing."""
    letter, payload = chr(data[0]), data[1:]
    size = PAYLOAD_BYTES.get(letter)
    if size is None:
        return f"unknown message {letter!r}"
    if len(payload) != size:
        return f"message {letter!r} with {len(payload)} bytes of payload, not {size}"
    if letter in LOGGED_ONLY:
        return Notice(offset=offset, words=LOGGED_ONLY[letter], data=payload.hex(), sequence=sequence)
    if payload and min(payload) < 0x80:
        return f"message {letter!r} with a payload byte whose bit 7 is not set"
    match letter:
        case "S":
            return ShoeStarted(offset=offset, sequence=sequence)
        case "P":
            return StandBy(offset=offset, sequence=sequence)
        case "C":
            return CutCardSeen(offset=offset, sequence=sequence)
        case "L":
            return LockChanged(offset=offset, locked=bool(payload[0] & 1), sequence=sequence)
        case "E" | "e":
            code, stopped = payload[0] & 0x3F, bool(payload[0] & 0x40)
            words = ERROR_WORDS.get(code, f"unknown error {code}")
            if letter == "e":
                return ErrorCleared(offset=offset, words=words, code=code, sequence=sequence)
            return Error(offset=offset, words=words, code=code, error_mode=stopped, sequence=sequence)
    return _card_event(letter, payload[1], sequence, offset)


def _card_event(letter: str, card_byte: int, sequence: str, offset: int) -> Decoded:
    suit, rank = card_byte >> 4 & 7, card_byte & 15
    if not (1 <= suit <= len(SUITS) and 1 <= rank <= len(RANKS)):
        words = f"card byte {card_byte:02X} names no card"
        if letter == "R":
            return Attention(offset=offset, reason=f"the shoe's readings disagree; {words}", sequence=sequence)
        return Misread(offset=offset, reason=words, sequence=sequence)
    card = RANKS[rank - 1] + SUITS[suit - 1]
    if letter == "R":
        return Attention(offset=offset, reason="the shoe's readings disagree", card=card, sequence=sequence)
    return CardRead(offset=offset, card=card, in_game=letter == "D", sequence=sequence)


class AngelEyeShoe:
    """Device end: each method gives the bytes of one copy, to be sent `REPEATS` times, `REPEAT_GAP_MS` apart.

    It counts as the shoe does, and refuses (ValueError) what the wire cannot carry; a refused call counts nothing.
    """

    def __init__(self, sequence: str = "1") -> None:
        if len(sequence) != 1 or sequence not in SEQUENCES:
            raise ValueError(f"the shoe counts from 1 to 9, not {sequence!r}")
        self.sequence = sequence  # of the next event

    def start(self) -> bytes:
        return self._event("S")

    def stand_by(self) -> bytes:
        return self._event("P")

    def draw(self, card: str, *, target: str = "player", index: int = 1, in_game: bool = True) -> bytes:
        return self._event("D" if in_game else "d", _target_byte(target, index), card_byte(card))

    def burn(self, card: str, *, index: int = 1) -> bytes:
        return self.draw(card, target="burn", index=index)

    def draw_unread(self, *, target: str = "player", index: int = 1) -> bytes:
        """A card the shoe let pass without knowing suit or rank."""
        return self._event("D", _target_byte(target, index), 0)

    def disagree(self, card: str, *, target: str = "player", index: int = 1) -> bytes:
        return self._event("R", _target_byte(target, index), card_byte(card))

    def cut_card(self) -> bytes:
        return self._event("C")

    def result(self, value: int) -> bytes:
        """The baccarat result the shoe believes in: seven bits."""
        return self._event("G", value)

    def error(self, code: int, *, error_mode: bool = True) -> bytes:
        return self._event("E", _code(code) | 0x40 * error_mode)

    def cancel(self, code: int, *, error_mode: bool = False) -> bytes:
        return self._event("e", _code(code) | 0x40 * error_mode)

    def lock(self, locked: bool) -> bytes:
        return self._event("L", int(locked))

    def preset(self, values: bytes) -> bytes:
        if len(values) != PAYLOAD_BYTES["M"]:
            raise ValueError(f"a preset has {PAYLOAD_BYTES['M']} values, not {len(values)}")
        return self._event("M", *values)

    def _event(self, letter: str, *payload: int) -> bytes:
        for value in payload:
            if not 0 <= value <= 0x7F:
                raise ValueError(f"a payload byte carries 0 to 127, not {value}")
        body = f"{self.sequence}{letter}".encode() + bytes(0x80 | value for value in payload) + bytes([ETX])
        self.sequence = SEQUENCES[(SEQUENCES.index(self.sequence) + 1) % len(SEQUENCES)]
        return bytes([ENQ]) + body + check_digits(body)


def card_byte(card: str) -> int:
    """Suit and rank as the wire has them, without bit 7."""
    if len(card) != 2 or card[0] not in RANKS or card[1] not in SUITS:
        raise ValueError(f"{card!r} is no card: write a rank of {RANKS} and a suit of CDHS, such as TD")
    return (SUITS.index(card[1]) + 1) << 4 | RANKS.index(card[0]) + 1


def _target_byte(target: str, index: int) -> int:
    if target not in TARGETS:
        raise ValueError(f"{target!r} is no target of this shoe: {', '.join(TARGETS)}")
    if not 1 <= index <= 15:
        raise ValueError(f"a card's place is 1 to 15, not {index}")
    return TARGETS[target] << 4 | index


def _code(code: int) -> int:
    if not 1 <= code <= 0x3F:
        raise ValueError(f"an error code is 1 to 63, not {code}")
    return code
