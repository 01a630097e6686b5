"""The host's side of a recorded port, said again: recorded nonces for its sessions, and what it says beside the record.

A device's recorded answers fit only what was said to it then. Where the host says something else now, the first
difference of each connection is told; what follows in that connection is not compared.
"""

from __future__ import annotations

import secrets
from collections import defaultdict, deque
from collections.abc import Callable, Iterable
from typing import Final

from hil.record.capture import Chunk, Entry, RecordedPort
from hil.record.meaning import Meaning, Message, words_of

TABLELINK: Final = "tablelink"
NONCE_SIZE: Final = 8
MAX_APART: Final = 256  # messages that one side may be ahead of the other
PACED: Final = ("ping", "pong", "ack")  # by the clock, and by how fast the journal's disk was
HANDSHAKE: Final = ("hello", "resume")


class Hello:
    """The nonces of each TableLink port in the order of their sessions, out of one pass over a recording."""

    def __init__(self, ports: Iterable[RecordedPort]) -> None:
        self._meanings = {port.name: Meaning(TABLELINK) for port in ports if port.protocol == TABLELINK}
        self.nonces: dict[str, list[bytes]] = defaultdict(list)

    def look(self, entry: Entry) -> None:
        if not isinstance(entry, Chunk) or entry.direction != "to_device" or entry.port not in self._meanings:
            return
        for message in self._meanings[entry.port].of(entry.data):
            nonces = self.nonces[entry.port]
            if message["event"] == "hello" and (nonce := bytes.fromhex(message["nonce"])) not in nonces[-1:]:
                nonces.append(nonce)


class HostEnd:
    """One port's. `table`: whether a table asks things of the device; without one only handshakes are compared."""

    def __init__(self, port: RecordedPort, nonces: list[bytes], told: Callable[[str], None], *, table: bool) -> None:
        self.two_way = port.protocol == TABLELINK
        self._compared = table or self.two_way
        self._only_handshakes = not table
        self._nonces, self._at = nonces, 0
        self._told = told
        self._then, self._now = _Side(port.protocol), _Side(port.protocol)
        self._differs = False

    def fresh(self) -> bytes:
        """The recorded nonce whose turn it is; it stays so until it was said."""
        if self._at < len(self._nonces):
            return self._nonces[self._at]
        return secrets.token_bytes(NONCE_SIZE)

    def opened(self) -> None:
        self.closed()
        self._then.opened()
        self._now.opened()
        self._differs = False

    def closed(self) -> None:
        """What the recording has still more of is told."""
        if not self._differs and self._then.waiting:
            self._differ(f"the host did not say {words_of(self._then.waiting[0])}, as it did in the recording")

    def recorded(self, data: bytes) -> None:
        self._take(self._then, data)

    def said(self, data: bytes) -> None:
        for message in self._take(self._now, data):
            if message["event"] != "hello":
                continue
            if self._at < len(self._nonces) and message["nonce"] == self._nonces[self._at].hex():
                self._at += 1
            elif message["nonce"] not in (nonce.hex() for nonce in self._nonces[: self._at]):
                self._differ("the host began a session that the recording does not have; no answer fits it")

    def spoke(self) -> bool:
        """Whether what the host said in the recording so far to begin a session, it has said now too."""
        return not self.two_way or self._differs or self._then.handshakes <= self._now.handshakes

    def gave_up(self) -> None:
        self._differ("the host did not begin a session where it did in the recording")

    def _take(self, side: _Side, data: bytes) -> list[Message]:
        messages = side.messages(data)
        if self._compared and not self._differs:
            side.waiting += [each for each in messages if self._counts(side, each)]
            self._compare()
        return messages

    def _counts(self, side: _Side, message: Message) -> bool:
        if not self.two_way:
            return True
        kind = message["event"]
        if kind in PACED or (self._only_handshakes and kind not in HANDSHAKE):
            return False
        return side.is_new(message)

    def _compare(self) -> None:
        then, now = self._then.waiting, self._now.waiting
        while then and now:
            recorded, said = then.popleft(), now.popleft()
            if recorded != said:
                self._differ(f"the host said {words_of(said)}; in the recording it said {words_of(recorded)}")
                return
        if len(now) > MAX_APART:
            self._differ(f"the host said {words_of(now[0])}, and nothing like it in the recording")
        elif len(then) > MAX_APART:
            self.closed()

    def _differ(self, words: str) -> None:
        if not self._differs:
            self._differs = True
            self._told(words)
        self._then.waiting.clear()
        self._now.waiting.clear()


class _Side:
    """What was said in one of the two, then or now, in one connection."""

    def __init__(self, protocol: str) -> None:
        self._meaning = Meaning(protocol)
        self.opened()

    def opened(self) -> None:
        self._meaning.opened()
        self.waiting: deque[Message] = deque()
        self.handshakes: set[str] = set()
        self._last: dict[tuple[str, int | None], Message] = {}

    def messages(self, data: bytes) -> list[Message]:
        found = self._meaning.of(data)
        self.handshakes |= {words_of(each) for each in found if each["event"] in HANDSHAKE}
        return found

    def is_new(self, message: Message) -> bool:
        """A message that is repeated until it is answered counts once."""
        key = (str(message["event"]), message.get("slot"))
        again = self._last.get(key) == message
        self._last[key] = message
        return not again
