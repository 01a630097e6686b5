"""How a device of ours is bent: in its link, or in the bytes that pass by, and which ids the kit must then fail."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from drivers.simulated.tablelink_end import TableLinkEnd
from firmware_protocol.tablelink.device import DeviceLink
from firmware_protocol.tablelink.framing import decode_frame, encode_frame

KEY = bytes(range(16))


class BentEnd(TableLinkEnd):
    """A simulated device whose link is another class."""

    link: type[DeviceLink] = DeviceLink

    def _start(self, boot: int) -> DeviceLink:
        return self.link(
            self._described, boot=boot, fresh=self._fresh, key=self._key, baud=self._baud, capacity=self._capacity
        )


@dataclass(frozen=True)
class Broken:
    name: str
    end: Callable[[], TableLinkEnd]
    fails: frozenset[str]
    role: str = "shoe"
    key: bytes | None = None


ALL: list[Broken] = []


def breaks(*fails: str, role: str = "shoe", key: bytes | None = None, **end: Any) -> Callable[[type], type]:
    """Registers a link or an end; its first line of documentation says what it does wrong."""

    def register(kind: type) -> type:
        def made() -> TableLinkEnd:
            if issubclass(kind, DeviceLink):
                bent = type("Bent", (BentEnd,), {"link": kind})
                return bent(role, key=key, **end)
            return kind(role, key=key, **end)

        words = (kind.__doc__ or "").strip().rstrip(".")
        ALL.append(Broken(words, made, frozenset(f"TL-{each}" for each in fails), role, key))
        return kind

    return register


class Sends(BentEnd):
    """Bends what goes out: each frame by itself, `extra` behind some."""

    def data_to_send(self, now: float) -> bytes:
        frames = super().data_to_send(now).split(b"\0")[:-1]
        return b"".join(self.bend(decode_frame(each), now) for each in frames)

    def bend(self, body: bytes, now: float) -> bytes:
        return encode_frame(body)
