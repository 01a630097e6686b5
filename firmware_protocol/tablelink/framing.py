"""Frames on the wire: COBS of body and CRC, ended by a zero. Refuses bodies that are empty or too long.

Incremental and bounded: the same frames come out however the bytes are cut, a damaged one becomes `BadFrame`, and
the next zero byte starts afresh (TL-001 to TL-006).
"""

from __future__ import annotations

from binascii import crc_hqx
from typing import ClassVar, Final

from cobs import cobs  # type: ignore[import-untyped]

from firmware_protocol.wire import BadFrame, Decoded

MAX_BODY: Final = 64
CRC_START: Final = 0xFFFF  # CRC-16/IBM-3740, called CCITT-FALSE too: polynomial 1021, not reflected
MAX_ENCODED: Final = MAX_BODY + 2 + 1  # the CRC, and the one byte COBS adds below 254; the ending zero not counted
DELIMITER: Final = b"\0"
TOO_LONG: Final = f"more than {MAX_ENCODED} bytes without an end"


class Frame(Decoded, frozen=True, kw_only=True):
    """A frame whose CRC is right; what its body means is for `messages`."""

    body: bytes


def encode_frame(body: bytes) -> bytes:
    """The bytes to send for a body."""
    if not 1 <= len(body) <= MAX_BODY:
        raise ValueError(f"a body has 1 to {MAX_BODY} bytes, not {len(body)}")
    encoded: bytes = cobs.encode(body + crc_hqx(body, CRC_START).to_bytes(2, "little"))
    return encoded + DELIMITER


def decode_frame(encoded: bytes) -> bytes:
    """The body in what stood between two zeros; raises ValueError with the reason."""
    if len(encoded) > MAX_ENCODED:
        raise ValueError(TOO_LONG)
    try:
        content: bytes = cobs.decode(encoded)
    except cobs.DecodeError as error:
        raise ValueError("not COBS") from error
    if len(content) < 3:
        raise ValueError("too short for a body and its CRC")
    body = content[:-2]
    if crc_hqx(body, CRC_START) != content[-2] | content[-1] << 8:
        raise ValueError("wrong CRC")
    return body


class FrameDecoder:
    """Bytes to frames. Keeps at most one frame's bytes."""

    max_kept: ClassVar[int] = MAX_ENCODED

    def __init__(self) -> None:
        self._kept = b""
        self._offset = 0  # of the first byte kept
        self._skipping = False  # inside a run that is too long to be a frame

    @property
    def kept(self) -> int:
        return len(self._kept)

    def feed(self, data: bytes) -> list[Decoded]:
        """The frames and bad frames that end in these bytes, and a run that has become too long."""
        found: list[Decoded] = []
        runs = (self._kept + data if self._kept else data).split(DELIMITER)
        rest = runs.pop()
        offset = self._offset
        for run in runs:
            if run and not self._skipping:
                try:
                    found.append(Frame(offset=offset, body=decode_frame(run)))
                except ValueError as error:
                    found.append(BadFrame(offset=offset, reason=str(error), data=run[:MAX_ENCODED]))
            self._skipping = False
            offset += len(run) + 1
        if self._skipping or len(rest) > MAX_ENCODED:
            if not self._skipping:
                found.append(BadFrame(offset=offset, reason=TOO_LONG, data=rest[:MAX_ENCODED]))
            self._skipping = True
            offset += len(rest)
            rest = b""
        self._offset = offset
        self._kept = rest
        return found

    def close(self) -> list[Decoded]:
        """The stream is over: what is kept was cut off."""
        kept, self._kept = self._kept, b""
        self._skipping = False
        if not kept:
            return []
        bad = BadFrame(offset=self._offset, reason="cut off before its end", data=kept)
        self._offset += len(kept)
        return [bad]
