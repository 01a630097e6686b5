"""The stimulus line: how a test bench tells a device under test what is to happen to it, and what the device answers.

Pure: text in, values out; refuses what is no order, in words. It is a second line beside the one under test (a spare
UART, a debug port, a pty), never part of TableLink, and never built into a device that leaves the bench.

ASCII, 115200 8N1 where it is a serial line. An order is one line that ends with LF (a CR before it is ignored) and has
at most 40 bytes without its end. Each order is answered by exactly one line, in order, within a second:

    ok              it has happened: an event is numbered already, a reset begins now
    ok WORDS        the same, with what was asked for
    no: WHY         it has not happened, and nothing else did; WHY is for a person

An answer has at most 120 bytes without its end.

A device answers `no: unknown` to an order it does not have, so a small device may have only some. An empty line is no
order and is not answered. A longer line is answered `no: too long`.

    hello           ok ROLE         who is there: shoe, sign or panel
    deal 8S         ok              that card leaves the shoe: CARD. A suit may be `?` (`8?`); `no: stopped` where the
                                    motor would not run: the queue is nearly full, or the table has locked the shoe
    misread         ok              a card leaves unread: MISREAD with reason 1 (`no: stopped` as above)
    cut             ok              CUT_CARD
    lid open        ok              LID 1; `lid close`: LID 0
    empty           ok              EMPTY
    jam on          ok              JAM 1; `jam off`: JAM 0
    back            ok              BACKFEED
    key 3 down      ok              KEY 3 with action 1; `up` is 0, `hold` is 2
    slot 40         ok 01           what slot 40 (hex) shows now, as hex, `ok -` for nothing; `no: unknown` without one
    reset           ok              the device restarts as after a power cut, when the answer is on its way

`deal`, `misread` and `key` answer `no: full` where the device could not keep the event; it is then not numbered.
"""

from __future__ import annotations

import re
from typing import Final

from msgspec import Struct

MAX_LINE: Final = 40  # bytes of an order without the end: fits the smallest device's buffer
MAX_ANSWER: Final = 120  # room for a slot's 48 bytes as hex
ANSWER_S: Final = 1.0  # how long a device may take
BAUD: Final = 115200
FORMS: Final[dict[str, str]] = {
    "hello": r"",
    "deal": r"[2-9TJQKA][CDHS?]",
    "misread": r"",
    "cut": r"",
    "lid": r"open|close",
    "empty": r"",
    "jam": r"on|off",
    "back": r"",
    "key": r"(?:25[0-5]|2[0-4]\d|1?\d?\d) (?:down|up|hold)",
    "slot": r"[0-9a-fA-F]{2}",
    "reset": r"",
}
KEY_ACTIONS: Final = {"up": 0, "down": 1, "hold": 2}
UNKNOWN: Final = "unknown"


class NotAnOrder(ValueError):
    """A line that is no order; the words are what follows `no: `."""


class Order(Struct, frozen=True):
    """One order: `Order("deal", "8S")`."""

    verb: str
    what: str = ""

    def __str__(self) -> str:
        return f"{self.verb} {self.what}".rstrip()


class Answer(Struct, frozen=True):
    """What came back: whether it has happened, and the words behind `ok` or `no: `."""

    ok: bool
    words: str = ""

    def __str__(self) -> str:
        return f"ok {self.words}".rstrip() if self.ok else f"no: {self.words}"


def parse_order(line: str) -> Order:
    """The order in a line without its end; raises NotAnOrder."""
    if len(line) > MAX_LINE:
        raise NotAnOrder("too long")
    verb, _, what = line.strip().partition(" ")
    if verb not in FORMS:
        raise NotAnOrder(UNKNOWN)
    if not re.fullmatch(FORMS[verb], what):
        raise NotAnOrder(f"{verb} does not take {what!r}" if what else f"{verb} needs more")
    return Order(verb, what)


def parse_answer(line: str) -> Answer:
    """The answer in a line without its end; raises NotAnOrder with what is wrong with it."""
    text = line.strip()
    if text == "ok" or text.startswith("ok "):
        return Answer(True, text[3:].strip())
    if text.startswith("no:"):
        return Answer(False, text[3:].strip())
    raise NotAnOrder(f"an answer is ok, or no: and why, not {text[:MAX_LINE]!r}")


class Lines:
    """Bytes to lines, in any cutting. Keeps at most one line; a longer one comes out cut, as too long to be one."""

    def __init__(self, most: int = MAX_LINE) -> None:
        self._most = most
        self._kept = bytearray()

    def feed(self, data: bytes) -> list[str]:
        found: list[str] = []
        for byte in data:
            if byte == 0x0A:
                text = self._kept.decode("ascii", "replace").removesuffix("\r")
                self._kept.clear()
                if text.strip():
                    found.append(text)
            elif len(self._kept) < self._most + 2:  # one for the CR, and one more shows that it was too long
                self._kept.append(byte)
        return found


def on_the_line(said: Order | Answer) -> bytes:
    """The bytes to send."""
    return f"{said}\n".encode("ascii", "replace")
