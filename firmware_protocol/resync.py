"""Finding frames again after noise: the part of a decoder that is the same for every format without a clear end mark.

Bytes that start no frame are given up one at a time, so that a good frame behind a false start is still found; a run
of them is told as one `BadFrame`. The answer never depends on how the stream was cut.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from firmware_protocol.wire import BadFrame, Decoded

MAX_NOISE = 128  # bytes of noise in one BadFrame
CUT_OFF = "cut off at the end of the stream"


class ResyncDecoder(ABC):
    """Subclasses say how long a frame is that starts at a place, and what a whole frame means."""

    outside: ClassVar[str]  # the reason for bytes that do not even start like a frame
    max_kept: ClassVar[int]

    def __init__(self) -> None:
        self._kept = bytearray()  # the noise run so far, then what is not yet judged
        self._noise = 0  # bytes of the noise run
        self._reason = self.outside
        self._offset = 0  # in the stream, of the first byte kept

    @property
    def kept(self) -> int:
        return len(self._kept)

    @abstractmethod
    def _size(self, kept: bytearray, at: int) -> int | str | None:
        """How long the frame is that starts here, or why none does, or None while that cannot be told.

        An answer must never change when more bytes come.
        """

    @abstractmethod
    def _read(self, frame: bytes, offset: int) -> Decoded | str | None:
        """What a whole frame says, why it says nothing, or None for one that is not to be told."""

    def _is_filler(self, byte: int, in_noise: bool) -> bool:
        """Whether a byte between frames is allowed; inside noise, whether it ends the run."""
        return False

    def feed(self, data: bytes) -> list[Decoded]:
        self._kept += data
        return self._scan(ended=False)

    def close(self) -> list[Decoded]:
        return self._scan(ended=True)

    def _scan(self, *, ended: bool) -> list[Decoded]:
        found: list[Decoded] = []
        while self._noise < len(self._kept):
            if self._is_filler(self._kept[self._noise], self._noise > 0):
                self._end_noise(found)
                self._take(1)
                continue
            size = self._size(self._kept, self._noise)
            if size is None:
                if not ended:
                    break
                size = CUT_OFF
            if isinstance(size, str):
                if self._reason == self.outside:
                    self._reason = size
                self._noise += 1
                if self._noise == MAX_NOISE:
                    self._end_noise(found)
                continue
            self._end_noise(found)
            self._frame(size, found)
        if ended:
            self._end_noise(found)
        return found

    def _frame(self, size: int, found: list[Decoded]) -> None:
        offset, frame = self._offset, self._take(size)
        said = self._read(frame, offset)
        if isinstance(said, str):
            said = BadFrame(offset=offset, reason=said, data=frame)
        if said is not None:
            found.append(said)

    def _end_noise(self, found: list[Decoded]) -> None:
        if self._noise:
            found.append(BadFrame(offset=self._offset, reason=self._reason, data=self._take(self._noise)))
            self._noise, self._reason = 0, self.outside

    def _take(self, size: int) -> bytes:
        taken = bytes(self._kept[:size])
        del self._kept[:size]
        self._offset += size
        return taken
