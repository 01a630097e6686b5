"""The least that a card to a sign can cost: `python -m hil.bench.floor FILE IN OUT` sends on what comes in on a pty.

Before each it writes one page over another in a file that has its size already, and waits until the disk has it.
"""

from __future__ import annotations

import os
import sys
from typing import Final

PAGE: Final = 4096
PAGES: Final = 1000  # as many as SQLite's log has before it begins anew


def send_on(file: str, heard: str, told: str) -> None:
    log = os.open(file, os.O_RDWR | os.O_CREAT, 0o600)
    page = bytes(range(256)) * (PAGE // 256)
    os.write(log, page * PAGES)
    os.fsync(log)
    come, go = (os.open(path, os.O_RDWR | os.O_NOCTTY) for path in (heard, told))
    print("ready", flush=True)
    number = 0
    while data := os.read(come, PAGE):
        number = (number + 1) % PAGES
        os.pwrite(log, page, number * PAGE)
        os.fdatasync(log)
        os.write(go, data)


if __name__ == "__main__":
    send_on(*sys.argv[1:])
