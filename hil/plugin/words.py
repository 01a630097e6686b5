"""What a bench tells: its story with times, and the ways in which a test can't go on. Pure, but for the clock."""

from __future__ import annotations

import time
from typing import Any, Final

import msgspec
from msgspec import Struct

from drivers.base import DeviceEvent
from drivers.supervisor import StateChanged

LAST: Final = 12  # lines of the story that a failure quotes


class BenchBroken(Exception):
    """The bench itself can't be tested on: its port is gone, its device lost or another one. No fault of the test."""


class CantDo(Exception):
    """This bench, or this device, has no way to do it: the test is skipped with these words."""


class NotHeard(AssertionError):
    """What a test waited for did not come."""


class Told(Struct, frozen=True):
    at: float  # monotonic seconds
    who: str
    words: str


class Story:
    """What happened in one test, in order: hands, devices, the table. Any thread may add to it."""

    def __init__(self) -> None:
        self.began = time.monotonic()
        self.wall = time.time()
        self.told: list[Told] = []

    def tell(self, who: str, words: str) -> None:
        self.told.append(Told(time.monotonic(), who, words))

    def lines(self) -> list[str]:
        return [f"{each.at - self.began:9.3f}  {each.who}: {each.words}" for each in self.told]

    def tail(self) -> str:
        lines = self.lines()
        more = [f"… {len(lines) - LAST} lines before"] if len(lines) > LAST else []
        return "\n".join([*more, *lines[-LAST:]]) or "(nothing happened)"


def in_words(said: DeviceEvent | StateChanged) -> str:
    """An event with its fields as it would be written, or a device's new state."""
    if isinstance(said, StateChanged):
        advice = f". {said.advice}" if said.advice else ""
        return f"{said.state}: {said.words}{advice}"
    fields: dict[str, Any] = msgspec.to_builtins(said)
    name = str(fields.pop("event"))
    mark = fields.pop("mark", None)
    parts = [f"{key}={value!r}" for key, value in fields.items() if value is not None]
    number = [f"number {mark['number']} of boot {mark['boot']:08X}"] if mark else []
    return f"{name} {', '.join([*parts, *number])}".strip()
