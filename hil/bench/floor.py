"""The least that a card to a sign can cost: `python -m hil.bench.floor FILE IN OUT` sends on what comes in on a pty.

Before each it writes one page over another in a file that has its size already, and waits until the disk has it.
"""

from __future__ import annotations

import os
import sys
from typing import Final

PAGE: Final = 4096
PAGES: Final = 1000  # as many as SQLite's log has before it begins anew


class Log:
    """A file that has its size already."""

    def __init__(self, path: str) -> None:
        self._file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        self._page = bytes(range(256)) * (PAGE // 256)
        self._number = 0
        os.write(self._file, self._page * PAGES)
        os.fsync(self._file)

    def write(self) -> None:
        """One page over another; returns when the disk has it."""
        self._number = (self._number + 1) % PAGES
        os.pwrite(self._file, self._page, self._number * PAGE)
        os.fdatasync(self._file)


def send_on(file: str, heard: str, told: str) -> None:
    log = Log(file)
    come, go = (os.open(path, os.O_RDWR | os.O_NOCTTY) for path in (heard, told))
    print("ready", flush=True)
    while data := os.read(come, PAGE):
        log.write()
        os.write(go, data)


if __name__ == "__main__":
    send_on(*sys.argv[1:])
