"""A table on which a decision is tried out: every event is applied to it at once, so that the next one builds on it."""

from __future__ import annotations

from controller.table.events import Event
from controller.table.table import Table


class Trial:
    """`table` is a fork; `events` are what the decision comes to."""

    def __init__(self, table: Table, now: int) -> None:
        self.table, self.now = table, now
        self.events: list[Event] = []

    def emit(self, event: Event) -> None:
        self.table.apply(event)
        self.events.append(event)
