"""A process that commits for ever and says each commit once it is done: to be killed, refused or starved by a test.

`python -m tests.controller.store.child FILE [SIZE]` prints `open PID`, then `done SEQUENCE HASH COUNT` for ever. With
SIZE, no file may grow beyond so many bytes: `unavailable` where that stopped a commit; then the limit is lifted.
"""

from __future__ import annotations

import os
import resource
import sys
from pathlib import Path

from controller.store.errors import JournalUnavailable
from controller.store.journal import Journal
from tests.controller.store.helpers import card


def say(*words: object) -> None:
    os.write(1, (" ".join(map(str, words)) + "\n").encode())


def main(path: Path, size: int | None) -> None:
    journal = Journal.open(path)
    say("open", os.getpid())
    if size is not None:
        _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, most))
    number = 0
    while True:
        number += 1
        batch = [card(number * 10 + each) for each in range(1 + number % 4)]
        snapshot = b"state" * 500 if number % 7 == 0 else None
        try:
            records = journal.append(batch, snapshot=snapshot)
        except JournalUnavailable:
            say("unavailable", *journal.head[:1])
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
            continue
        say("done", records[-1].sequence, records[-1].hash.hex(), len(batch))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else None)
