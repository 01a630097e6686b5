"""What both ends of a link share: frames in and out, sealed or not, and counts of everything left alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from firmware_protocol.tablelink import auth
from firmware_protocol.tablelink.framing import Frame, FrameDecoder, encode_frame
from firmware_protocol.tablelink.messages import BadMessage, Message, Unknown, decode_message, encode_message

SPARE: Final = 1024  # counter values left when a session is replaced: more than one call can send


class Counts(Struct):
    """What was received and not used. Bounded by being numbers."""

    bad_frames: int = 0
    bad_messages: int = 0
    unknown: int = 0
    forged: int = 0  # also replayed, reordered and cut: a frame whose tag or counter is not right
    unsealed: int = 0  # plain frames where only sealed ones count
    out_of_order: int = 0
    duplicates: int = 0
    unexpected: int = 0


class Seal:
    """One session's authentication at one end; counts its own frames."""

    def __init__(self, session: bytes, sends: bytes, receives: bytes) -> None:
        self.session = session
        self.sends = sends
        self.opener = auth.Opener(session, receives)
        self.counter = 0

    def close(self, body: bytes) -> bytes:
        sealed = auth.seal(body, self.session, self.sends, self.counter)
        self.counter += 1
        return sealed

    @property
    def spent(self) -> bool:
        """Whether the counter has come to its end and a new session is due."""
        return self.counter > auth.MAX_COUNTER - SPARE


class Endpoint:
    """Bytes to plain bodies with their seal still on; the two ends decide what a seal must be."""

    def __init__(self) -> None:
        self.counts = Counts()
        self._decoder = FrameDecoder()

    def bodies(self, data: bytes) -> Iterator[bytes]:
        for found in self._decoder.feed(data):
            if isinstance(found, Frame):
                yield found.body
            else:
                self.counts.bad_frames += 1

    def message(self, body: bytes) -> Message | None:
        """The message in a plain body, or None, counted."""
        try:
            message = decode_message(body)
        except BadMessage:
            self.counts.bad_messages += 1
            return None
        if isinstance(message, Unknown):
            self.counts.unknown += 1
            return None
        return message

    def forget_input(self) -> None:
        """A new connection begins: half a frame of the old one is worth nothing."""
        self._decoder = FrameDecoder()


def framed(message: Message, seal: Seal | None) -> bytes:
    body = encode_message(message)
    return encode_frame(seal.close(body) if seal else body)
