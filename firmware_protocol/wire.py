"""What every wire format here has in common: decoders that turn any bytes into values, and say where they stood.

Pure: no port, no clock. A decoder is fed bytes in any cutting and gives the same values for the same bytes; noise
becomes `BadFrame` and decoding goes on behind it; it never keeps more than its stated maximum.
"""

from __future__ import annotations

import re
from typing import ClassVar, Protocol

from msgspec import Struct


def event_name(class_name: str) -> str:
    """`CardRead` is the event `card_read`."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", class_name).lower()


class Decoded(Struct, frozen=True, kw_only=True, tag=event_name, tag_field="event"):
    """Anything a decoder found. `offset` counts bytes from the start of the stream to the first one of it."""

    offset: int


class BadFrame(Decoded, frozen=True, kw_only=True):
    """Bytes that are no frame: why not, and the bytes themselves (at most the decoder's maximum)."""

    reason: str
    data: bytes


class Decoder(Protocol):
    """A decoder of one direction of one protocol. `close` ends the stream and reports what was cut off."""

    max_kept: ClassVar[int]  # bytes: what the decoder holds between two calls, at the very most

    def feed(self, data: bytes) -> list[Decoded]: ...

    def close(self) -> list[Decoded]: ...


class Capabilities(Struct, frozen=True, kw_only=True):
    """What a device's protocol can tell and do, so that the table knows what to ask a person for."""

    suits: bool = False  # cards are read with their suit
    cut_card: bool = False  # the cut card is told by itself
    sequence: bool = False  # events are numbered, so that a missed one is noticed
    repeats: bool = False  # each event is sent several times
    acknowledged: bool = False  # events are kept until acknowledged, and can be resumed
    checksum: bool = False  # a damaged frame is noticed
    answers: bool = False  # the device says something when asked who it is
    read_back: bool = False  # what a display shows can be asked of it
