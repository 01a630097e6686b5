"""Every rule id of PROTOCOL.md, and how a device can be held to it from outside: tried, with a hand, or why not.

The words here are short ones for a table; the rule itself stands in PROTOCOL.md and is read from there.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence
from importlib import resources
from typing import Final

from msgspec import Struct

GROUPS: Final = {
    "framing": "Frames: what is one, and what becomes of noise",
    "messages": "Messages: layouts, what the device says of itself, card codes",
    "handshake": "Handshake and resume",
    "events": "Events: numbered, kept, sent again, never dropped",
    "state": "State: what the host wants shown",
    "liveness": "Liveness: pings, and a host that is gone",
    "times": "Times",
    "keys": "Authentication",
    "versions": "Versions and counting",
}
BINDS_HOST: Final = "it binds the host, and the device is under test"


class Rule(Struct, frozen=True, kw_only=True):
    """A rule: `hand` where something must happen at the device; `never` says why it can't be tried here at all."""

    id: str
    group: str
    title: str
    hand: str = ""  # what must be done at the device; the rest of the rule is tried without
    never: str = ""
    host: bool = False  # it binds the other end

    @property
    def is_tried(self) -> bool:
        return not (self.never or self.host)


def _rule(number: int, group: str, title: str, *, hand: str = "", never: str = "", host: bool = False) -> Rule:
    return Rule(id=f"TL-{number:03}", group=group, title=title, hand=hand, never=never, host=host)


_EVENT: Final = "a card or a key"
_RULES: Final = (
    _rule(20, "handshake", "silent before a session; HELLO is answered with its nonce"),
    _rule(1, "framing", "COBS ended by 00; extra 00 bytes are ignored"),
    _rule(2, "framing", "CRC-16/IBM-3740, low byte first"),
    _rule(3, "framing", "bodies of 1 to 64 bytes"),
    _rule(4, "framing", "bad frames are dropped without an answer, the next one is taken"),
    _rule(5, "framing", "the same however the bytes are cut"),
    _rule(6, "framing", "no more than a frame is kept: endless noise does no harm"),
    _rule(10, "messages", "bit 7 of the id marks authenticated frames only"),
    _rule(11, "messages", "messages that do not fit their layout are ignored"),
    _rule(12, "messages", "unknown ids are ignored and end no session"),
    _rule(13, "messages", "roles: shoe, sign, key panel, and no other bit"),
    _rule(14, "messages", "capabilities: bits without a meaning are 0"),
    _rule(15, "messages", "the serial: printable, no spaces, always the same"),
    _rule(40, "messages", "card codes: 52, without suit, or unread; none other", hand="a card"),
    _rule(21, "handshake", "the boot id is new at every start, or kept with the queue", hand="a restart"),
    _rule(22, "handshake", "IDENTITY's next and oldest event", hand=_EVENT),
    _rule(23, "handshake", "a version it does not speak: REFUSED with its own range"),
    _rule(24, "handshake", "HELLO alone ends no session"),
    _rule(25, "handshake", "RESUME opens, forgets what is safe, sends all the rest", hand=_EVENT),
    _rule(26, "handshake", "RESUME of another boot: NO_SESSION, and nothing changes", hand=_EVENT),
    _rule(27, "handshake", "without a session PING, ACK and SHOW get NO_SESSION"),
    _rule(28, "handshake", "the host ignores answers that are not to it", host=True),
    _rule(29, "handshake", "the host says whether anything was missed", host=True),
    _rule(30, "events", "numbered from 1, without gaps, in order", hand=_EVENT),
    _rule(31, "events", "kept until acknowledged", hand=_EVENT),
    _rule(32, "events", "a full queue stops the shoe and drops nothing", hand="many cards or keys"),
    _rule(33, "events", "ACK of another boot or of the future is ignored", hand=_EVENT),
    _rule(34, "events", "sent again from the oldest on, at doubling times", hand=_EVENT),
    _rule(35, "events", "the host drops repeats and what comes before its turn", host=True),
    _rule(36, "events", "the host asks anew when an event stays missing", host=True),
    _rule(37, "events", "the clock counts milliseconds", hand=_EVENT),
    _rule(38, "events", "at most 32 on the way unacknowledged", hand="many cards or keys"),
    _rule(60, "state", "the host sends SHOW until it is SHOWN", host=True),
    _rule(61, "state", "slots: texts, lamps, the lock", hand="a look at the device"),
    _rule(62, "state", "newer revisions are shown, older ones not, all are answered"),
    _rule(63, "state", "RESUME forgets the revisions, not what is shown"),
    _rule(64, "state", "SHOWN also for a slot it does not have"),
    _rule(50, "liveness", "PING gets PONG with its token at once"),
    _rule(51, "liveness", "a host not heard is lost; echoes and noise are no sign of it", hand=_EVENT),
    _rule(70, "times", "an event is sent again after the re-send time", hand=_EVENT),
    _rule(71, "times", "the re-send time grows to 4 s and no further", hand=_EVENT),
    _rule(72, "times", "the host pings each second", host=True),
    _rule(73, "times", "lost after 3 s, not sooner and not later"),
    _rule(74, "times", "working again in time once the line is good", hand=_EVENT),
    _rule(80, "keys", "the session key comes from both nonces"),
    _rule(81, "keys", "counter and tag end every frame"),
    _rule(82, "keys", "forged, replayed and reflected frames are dropped"),
    _rule(83, "keys", "what is never authenticated, and IDENTITY first"),
    _rule(84, "keys", "with a key: says so, refuses a plain RESUME, ignores plain frames"),
    _rule(85, "keys", "host and device with different keys refuse each other", host=True),
    _rule(86, "keys", "no device nonce comes twice", hand="a restart"),
    _rule(87, "keys", "the open session stays until RESUME of the offer is authenticated"),
    _rule(90, "versions", "the highest version that both speak"),
    _rule(91, "versions", "a layout never changes", never="it compares two firmwares; one run sees one"),
    _rule(95, "versions", "counts instead of complaining: no messages of its own"),
)
RULES: Final[dict[str, Rule]] = {rule.id: rule for rule in _RULES}


def rule_texts() -> dict[str, str]:
    """Each rule as PROTOCOL.md has it: its row in a table of rules, or the line or row that names the id."""
    lines = resources.files("firmware_protocol").joinpath("PROTOCOL.md").read_text(encoding="utf-8").splitlines()
    texts: dict[str, str] = {}
    for line in lines:
        if row := re.fullmatch(r"\| (TL-\d{3}) \| (.+) \|", line):
            texts[row[1]] = row[2]
    for number, line in enumerate(lines):
        for found in re.findall(r"TL-\d{3}", line):
            texts.setdefault(found, _around(lines, number))
    return texts


def _around(lines: Sequence[str], number: int) -> str:
    """A table's row as a sentence, or the whole paragraph."""
    if lines[number].startswith("|"):
        return ": ".join(filter(None, (cell.strip() for cell in lines[number].strip("|").split("|"))))
    first = last = number
    while first > 0 and lines[first - 1].strip():
        first -= 1
    while last + 1 < len(lines) and lines[last + 1].strip():
        last += 1
    return " ".join(lines[first : last + 1])


class NoSuchRule(ValueError):
    """A word that names neither a rule nor a group; says what was perhaps meant."""


def chosen(words: Iterable[str]) -> tuple[str, ...]:
    """The ids that these words name, in the kit's order: ids (`TL-017`, `tl17`, `17`) and groups. Raises NoSuchRule."""
    wanted: set[str] = set()
    for word in (part for text in words for part in re.split(r"[,\s]+", text) if part):
        number = re.fullmatch(r"(?:tl-?)?0*(\d{1,3})", word.lower())
        name = f"TL-{int(number[1]):03}" if number else word
        if name in RULES:
            wanted.add(name)
        elif name.lower() in GROUPS:
            wanted |= {rule.id for rule in _RULES if rule.group == name.lower()}
        else:
            near = sorted(sorted(RULES, key=lambda known: abs(int(known[3:]) - int(name[3:])))[:2]) if number else []
            near = near or difflib.get_close_matches(name.lower(), GROUPS, n=1, cutoff=0.5)
            hint = f"Did you mean {' or '.join(near)}?" if near else "Write an id such as TL-020, or a group"
            raise NoSuchRule(f"there is no rule {word!r}. {hint} Groups: {', '.join(GROUPS)}")
    return tuple(rule.id for rule in _RULES if rule.id in wanted)
