"""The named faults of simulated devices: what each does, which are on, and a seeded chance. Refuses unknown names."""

from __future__ import annotations

import difflib
import random
from collections.abc import Callable
from typing import Final

FAULTS: Final = {
    # at the device
    "misread": "a card leaves the shoe unread",
    "double_feed": "two cards leave at once: one misread, and the count is short by one",
    "backfeed": "a card is pushed back into the shoe",
    "reboot": "the device restarts, once",
    "queue_full": "the device holds all its events back until it has no room, and stops",
    "wrong_identity": "the device says it is another kind of device, where it says what it is",
    "mute_sign": "a display takes everything and shows nothing of it",
    "stuck_key": "a key stays down",
    "bounce": "a key's contact bounces",
    # on the line
    "bit_flip": "now and then a bit on the line is turned over",
    "drop": "now and then a byte is lost",
    "duplicate": "now and then a piece of the stream comes twice",
    "garbage": "now and then noise comes between",
    "stall": "nothing passes, and nothing is lost, until it is switched off",
    "unplug": "the cable is out until it is switched off",
}
MAX_NOISE: Final = 16  # bytes between, at a time


class Faults:
    """Which faults are on, each with how often it strikes (0 < often <= 1); the same seed strikes the same way."""

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed
        self._on: dict[str, float] = {}
        self._chance = random.Random(seed)
        self._watchers: list[Callable[[], None]] = []

    def switch(self, name: str, often: float | None) -> None:
        """On with a chance (1 is always), or off with None. Raises ValueError for a name or chance that is none."""
        if name not in FAULTS:
            near = difflib.get_close_matches(name, FAULTS, n=1)
            raise ValueError(
                f"there is no fault {name!r}" + (f"; did you mean {near[0]!r}?" if near else f": {', '.join(FAULTS)}")
            )
        if often is None:
            self._on.pop(name, None)
        elif 0 < often <= 1:
            self._on[name] = often
        else:
            raise ValueError(f"a fault strikes with a chance above 0 and up to 1, not {often}")
        for watcher in list(self._watchers):
            watcher()

    def watch(self, watcher: Callable[[], None]) -> None:
        """Call it after every switching."""
        self._watchers.append(watcher)

    def unwatch(self, watcher: Callable[[], None]) -> None:
        self._watchers.remove(watcher)

    def is_on(self, name: str) -> bool:
        return name in self._on

    @property
    def on(self) -> dict[str, float]:
        return dict(self._on)

    def strikes(self, name: str) -> bool:
        """Whether the fault happens now."""
        often = self._on.get(name)
        return often is not None and (often >= 1 or self._chance.random() < often)

    def spoil(self, data: bytes) -> bytes:
        """The bytes as they come out at the other end of a bad cable; where none go in, none come out."""
        if not data:
            return b""
        out = bytearray(data)
        if self.strikes("bit_flip"):
            out[self._below(len(out))] ^= 1 << self._below(8)
        if self.strikes("drop"):
            del out[self._below(len(out))]
        if self.strikes("duplicate"):
            out += out[self._below(len(out) + 1) :]
        if self.strikes("garbage"):
            at = self._below(len(out) + 1)
            out[at:at] = self._chance.randbytes(1 + self._below(MAX_NOISE))
        return bytes(out)

    def _below(self, limit: int) -> int:
        return self._chance.randrange(limit)
