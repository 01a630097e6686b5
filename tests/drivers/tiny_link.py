"""A link of a few lines: `hello` out, `ready` in, then a card a line. For tests of what runs links."""

from __future__ import annotations

from drivers.base import CardRead, Lost, Misread, Ready, Refused, Said


class TinyLink:
    """Host's end. `lost`, `refused`, `broken` and two-letter cards come as lines; anything else is noise."""

    def __init__(self, *, handshake_s: float | None = 0.1, silent_s: float | None = None) -> None:
        self.handshake_s, self.silent_s = handshake_s, silent_s
        self.calls: list[str] = []
        self.asked = b""  # what the table wants sent
        self._line = b""
        self._hello = False
        self._heard = 0.0
        self._open = False

    def opened(self, now: float) -> list[Said]:
        self.calls.append("opened")
        self._line, self._hello, self._open = b"", True, False
        return [] if self.handshake_s is not None else self._ready(now)

    def receive(self, data: bytes, now: float) -> list[Said]:
        *lines, rest = (self._line + data).split(b"\n")
        self._line = rest[-80:]
        self._heard = now
        said: list[Said] = []
        for line in lines:
            match line:
                case b"ready":
                    said += self._ready(now)
                case b"lost":
                    self._open, self._hello = False, True
                    said.append(Lost(words="the device restarted"))
                case b"refused":
                    said.append(Refused(words="the device wants its key", advice="Write the key"))
                case b"broken":
                    raise ValueError("a mistake of the driver")
                case _ if len(line) == 2 and line.isalnum():
                    said.append(CardRead(card=line.decode()))
                case _:
                    pass
        return said

    def poll(self, now: float) -> list[Said]:
        if self._open and self.silent_s is not None and now >= self._heard + self.silent_s:
            self._open, self._hello = False, True
            return [Lost(words="nothing was heard")]
        return []

    def data_to_send(self, now: float) -> bytes:
        data, self.asked = (b"hello\n" if self._hello else b"") + self.asked, b""
        self._hello = False
        return data

    def next_time(self) -> float | None:
        return self._heard + self.silent_s if self._open and self.silent_s is not None else None

    def closed(self) -> list[Said]:
        self.calls.append("closed")
        was, self._open = self._open, False
        return [Misread(reason="half a card"), Lost(words="the port closed")] if was else []

    def _ready(self, now: float) -> list[Said]:
        self._open, self._heard = True, now
        return [Ready(identity="tiny", proven=True, words="nothing was missed")]
