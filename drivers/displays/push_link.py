"""The link to a display that can't be asked: what changed is sent, and everything again now and then. Pure.

What such a display shows is made of parts, each with the bytes that set it. Only the newest bytes of a part are ever
sent, and never before the line had time for the last ones, so however fast the content changes nothing piles up.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from drivers.base import Content, Noticed, Ready, Said, check_slot
from drivers.displays.fitting import Face, Fitted, problems

BITS_PER_BYTE: Final = 11  # start, eight data or seven and parity, stop; one more where there are two stops


class PushLink:
    """Fulfils `DisplayLink`. A display derives from it and says what fits it and which bytes show that."""

    handshake_s: float | None = None

    def __init__(
        self, *, name: str, words: str, face: Face, baud: int, gap_s: float = 0.0, refresh_s: float | None
    ) -> None:
        self.name = name  # as in "the sign at /dev/ttyUSB0"
        self._words = words  # why nobody can say whether it shows what it was sent
        self._face = face
        self._byte_s = BITS_PER_BYTE / baud
        self._gap_s, self._refresh_s = gap_s, refresh_s
        self._open = False
        self._sent: dict[str, bytes] = {}  # in this connection
        self._again: set[str] = set()  # sent already, and to be sent once more
        self._again_at: float | None = None
        self._free_at = float("-inf")  # when the next may be sent
        self._taken_at = float("-inf")  # when the last one has left the line
        self._settled = False  # whether it has
        self._untold: tuple[str, ...] = ()
        self._fitted = Fitted(rows={})
        self._parts: dict[str, bytes] = {}
        self.set_content({})

    # What a display says of itself

    def fit(self, content: Content) -> Fitted:
        raise NotImplementedError

    def parts(self, fitted: Fitted) -> Mapping[str, bytes]:
        """The bytes of every part, in the order in which they are sent."""
        raise NotImplementedError

    def sent_once(self) -> frozenset[str]:
        """Parts that are sent at the beginning of a connection only."""
        return frozenset()

    # drivers.displays.stream_display.DisplayLink

    def set_content(self, content: Content) -> None:
        for slot in content:
            check_slot(slot)
        fitted = self.fit(content)
        if fitted.problems != self._fitted.problems:
            self._untold = fitted.problems
        self._fitted = fitted
        self._parts = dict(self.parts(fitted))

    def problems(self, content: Content) -> list[str]:
        return problems(content, self._face, self.name)

    def shown(self) -> bool:
        """Sent, and had time on the line: more can't be known."""
        return self._open and self._settled and self._sent == self._parts and not self._fitted.problems

    def opened(self, now: float) -> list[Said]:
        self._open, self._settled = True, False
        self._sent.clear()
        self._again.clear()
        self._again_at = None if self._refresh_s is None else now + self._refresh_s
        return [Ready(identity=self.name, proven=False, words=self._words)]

    def receive(self, data: bytes, now: float) -> list[Said]:
        return []  # nothing was asked

    def poll(self, now: float) -> list[Said]:
        self._settled = now >= self._taken_at
        if self._again_at is not None and self._refresh_s is not None and now >= self._again_at:
            self._again_at = now + self._refresh_s
            self._again = self._sent.keys() - self.sent_once()
        told, self._untold = self._untold, ()
        return [Noticed(words=words) for words in told]

    def data_to_send(self, now: float) -> bytes:
        if not self._open or now < self._free_at:
            return b""
        return self.next_data(now)

    def next_data(self, now: float) -> bytes:
        """What is sent next, and noted as sent: what changed before what is only sent again."""
        part = self._next_part()
        if part is None:
            return b""
        data = self._sent[part] = self._parts[part]
        self._again.discard(part)
        self.took(len(data), now, self._gap_s)
        return data

    def took(self, size: int, now: float, gap_s: float) -> None:
        """So many bytes go out now; nothing more before they are through and the gap is over."""
        self._taken_at = now + size * self._byte_s
        self._free_at = self._taken_at + gap_s
        self._settled = False

    def next_time(self) -> float | None:
        if not self._open:
            return None
        times = [] if self._again_at is None else [self._again_at]
        if not self._settled:
            times.append(self._taken_at)
        if self._untold:
            times.append(float("-inf"))
        if self._next_part() is not None:
            times.append(self._free_at)
        return min(times, default=None)

    def closed(self) -> list[Said]:
        self._open = self._settled = False
        return []

    def _next_part(self) -> str | None:
        changed = (part for part, data in self._parts.items() if self._sent.get(part) != data)
        again = (part for part in self._parts if part in self._again)
        return next(changed, None) or next(again, None)
