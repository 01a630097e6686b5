"""The telnet side of RFC 2217, pure: which bytes are data, which are commands, and what is answered.

Bounded for any input: a command that does not end is dropped, and answers that nobody takes are not piled up.
"""

from __future__ import annotations

from typing import Final

from msgspec import Struct

IAC, DONT, DO, WONT, WILL, SB, SE = 255, 254, 253, 252, 251, 250, 240
BINARY, ECHO, SGA, COM_PORT = 0, 1, 3, 44
MAX_COMMAND: Final = 64  # bytes; the longest of RFC 2217 that we ask for has 5 (a signature is text we do not read)
MAX_OWED: Final = 512  # bytes of answers
_WANTED_OF_US: Final = frozenset({BINARY, SGA, COM_PORT})  # what we do when asked to
_WANTED_OF_THEM: Final = frozenset({BINARY, ECHO, SGA, COM_PORT})  # what they may do


class ComPortAnswer(Struct, frozen=True):
    """A server's word on its serial port: `code` as RFC 2217 numbers them."""

    code: int
    value: bytes


def escaped(data: bytes) -> bytes:
    return data.replace(b"\xff", b"\xff\xff")


def com_port(code: int, value: bytes = b"") -> bytes:
    """A request about the serial port."""
    return bytes((IAC, SB, COM_PORT, code)) + escaped(value) + bytes((IAC, SE))


class Telnet:
    """Our end. `receive` gives the data and keeps `answers` and `owed` for whoever runs it."""

    def __init__(self) -> None:
        self.answers: list[ComPortAnswer] = []
        self.owed = bytearray()  # to be sent when there is room
        self.agreed: bool | None = None  # whether they take requests about the serial port; None until they say
        self._us: dict[int, bool] = {}  # option → what we said last
        self._them: dict[int, bool] = {}
        self._before = b""  # IAC, or IAC and a verb, of a command that is not complete
        self._command: bytearray | None = None  # what stands between SB and SE

    def start(self) -> bytes:
        """What we ask for first."""
        self._us.update({BINARY: True, SGA: True, COM_PORT: True})
        self._them.update({BINARY: True, SGA: True})
        wills = b"".join(bytes((IAC, WILL, option)) for option in (COM_PORT, BINARY, SGA))
        return wills + b"".join(bytes((IAC, DO, option)) for option in (BINARY, SGA))

    def receive(self, raw: bytes) -> bytes:
        data = bytearray()
        at = 0
        while at < len(raw):
            if self._before:
                self._go_on(raw[at], data)
                at += 1
                continue
            end = raw.find(b"\xff", at)
            end = len(raw) if end < 0 else end
            self._plain(raw[at:end], data)
            if end < len(raw):
                self._before = b"\xff"
            at = end + 1
        return bytes(data)

    def _plain(self, piece: bytes, data: bytearray) -> None:
        if self._command is None:
            data += piece
        else:
            self._command += piece[: MAX_COMMAND - len(self._command)]

    def _go_on(self, byte: int, data: bytearray) -> None:
        """The byte after IAC, or after IAC and a verb."""
        before, self._before = self._before, b""
        if len(before) == 2:
            self._negotiate(before[1], byte)
        elif byte == IAC:
            self._plain(b"\xff", data)
        elif byte in (DO, DONT, WILL, WONT):
            self._before = before + bytes((byte,))
        elif byte == SB:
            self._command = bytearray()
        elif byte == SE:
            self._complete()

    def _complete(self) -> None:
        command, self._command = self._command, None
        if command is not None and len(command) >= 2 and command[0] == COM_PORT:
            del self.answers[:-MAX_COMMAND]  # nobody is listening to so many
            self.answers.append(ComPortAnswer(command[1], bytes(command[2:])))

    def _negotiate(self, verb: int, option: int) -> None:
        """Answers only what changes something: two ends that answer each other's answers never end."""
        if option == COM_PORT and verb in (DO, DONT):
            self.agreed = verb == DO
        asked = verb in (DO, WILL)
        ours = verb in (DO, DONT)
        said, wanted = (self._us, _WANTED_OF_US) if ours else (self._them, _WANTED_OF_THEM)
        now = asked and option in wanted
        if said.get(option, False) == now and not (asked and not now):
            return
        said[option] = now
        yes, no = (WILL, WONT) if ours else (DO, DONT)
        if len(self.owed) < MAX_OWED:
            self.owed += bytes((IAC, yes if now else no, option))
