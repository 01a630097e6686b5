"""Runs a display's link against a clock of its own: every packet with the time it was sent, and no waiting."""

from __future__ import annotations

from collections.abc import Callable

from drivers.base import Said
from drivers.displays.stream_display import DisplayLink


class Driven:
    """The link, the time, and what was sent when."""

    def __init__(self, link: DisplayLink, take: Callable[[bytes, float], object] | None = None) -> None:
        self.link = link
        self.now = 1000.0
        self.sent: list[tuple[float, bytes]] = []
        self.said: list[Said] = []
        self._take = take

    def connect(self) -> None:
        self.said += self.link.opened(self.now)

    def cut(self) -> None:
        self.said += self.link.closed()

    def run(self, seconds: float) -> list[bytes]:
        """Lets time pass as a device would; gives what was sent in it."""
        until, before = self.now + seconds, len(self.sent)
        while True:
            self.said += self.link.poll(self.now)
            data = self.link.data_to_send(self.now)
            if data:
                self.sent.append((self.now, data))
                if self._take is not None:
                    self._take(data, self.now)
            due = self.link.next_time()
            if due is None or due > until:
                break
            assert data or due > self.now or self.link.poll(self.now) or self.link.next_time() != due, "it spins"
            self.now = max(self.now, due)
        self.now = until
        return [data for _, data in self.sent[before:]]
