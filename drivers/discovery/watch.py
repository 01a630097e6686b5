"""Tells what changes among the ports of a machine: plugged in, unplugged, taken or let go by another program.

A port is asked when it appears and when something about it changes, not again and again: a device that is switched on
later behind an adapter that stays plugged in is not noticed.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Final, Literal

from msgspec import Struct

from drivers.discovery.candidates import Candidate
from drivers.discovery.probe import Outcome
from drivers.discovery.survey import HERE, Looked, Machine, ask_all, look_around

EVERY_S: Final = 0.5  # what a person takes for "at once"; udev has named a new port well within it
NOT_ASKED: Final = Outcome(said="not_asked", words="not asked")


class Change(Struct, frozen=True, kw_only=True):
    """`among`: every port there is now, which a verdict compares with."""

    change: Literal["added", "removed", "changed"]
    looked: Looked
    among: tuple[Candidate, ...]


async def changes(
    machine: Machine = HERE, *, asks: bool = True, every_s: float = EVERY_S
) -> AsyncGenerator[Change, None]:
    """Without end: first every port as added, then what becomes of them.

    A new or changed port is told when two looks agree on it: udev gives its names and rights a moment later.
    """
    known: dict[str, Looked] = {}
    before: dict[str, Candidate] | None = None
    while True:
        found = {port.path: port for port in await look_around(machine)}
        among = tuple(found.values())
        for path in [path for path in known if path not in found]:
            yield Change(change="removed", looked=known.pop(path), among=among)
        new = [port for path, port in found.items() if path not in known or known[path].port != port]
        settled = [port for port in new if before is None or before.get(port.path) == port]
        for looked in await ask_all(settled, machine) if asks else [Looked(port, NOT_ASKED) for port in settled]:
            was = known.get(looked.port.path)
            known[looked.port.path] = looked
            yield Change(change="added" if was is None else "changed", looked=looked, among=among)
        before = found
        await asyncio.sleep(every_s)
