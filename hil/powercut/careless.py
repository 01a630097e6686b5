"""`croupier run` without durable commits, for the control: SQLite is told to wait for no disk, and fsync does nothing.

It is what a table would be that forgot its `synchronous = FULL`. Nothing but the control's guest starts it.
"""

from __future__ import annotations

import os
import sqlite3
from functools import partial
from typing import Any


class CarelessConnection(sqlite3.Connection):
    def execute(self, sql: str, *values: Any) -> sqlite3.Cursor:
        return super().execute(sql.replace("synchronous = FULL", "synchronous = OFF"), *values)


def forget_the_disk() -> None:
    """From now on nothing in this process waits until anything is on a disk."""
    setattr(sqlite3, "connect", partial(sqlite3.connect, factory=CarelessConnection))  # noqa: B010
    setattr(os, "fsync", lambda descriptor: None)  # noqa: B010


if __name__ == "__main__":
    forget_the_disk()
    from controller.cli import main

    main()
