"""Looks at every candidate port of this machine and asks those that may be asked, all at once and in bounded time.

Leaves alone what another program holds, the kernel's console, a USB device that does not call itself TableLink
(nobody knows what 15 bytes mean to it), and ports that the configuration names for another device.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import ClassVar, Final
from weakref import WeakSet

from msgspec import Struct

from drivers.discovery.candidates import Candidate, candidates
from drivers.discovery.probe import BAUDS, OpenPort, Outcome, Patience, probe
from drivers.ports.aside import aside
from drivers.ports.base import LineSettings, Port
from drivers.ports.opening import open_port

Look = Callable[[], Sequence[Candidate]]


class Machine(Struct, frozen=True, kw_only=True):
    """Where to look, and how ports are opened there: this machine, or one made up for a test."""

    look: Look = candidates
    opening: OpenPort = open_port
    patience: Patience = Patience()


HERE: Final = Machine()


class Looked(Struct, frozen=True):
    """One port and what became of it."""

    port: Candidate
    outcome: Outcome


class Given:
    """Opens an address that a person gave. While it lives, no search asks that port."""

    alive: ClassVar[WeakSet[Given]] = WeakSet()

    def __init__(self, address: str, line: LineSettings, opening: OpenPort) -> None:
        self.address, self._line, self._opening = address, line, opening
        Given.alive.add(self)

    async def __call__(self) -> Port:
        return await self._opening(self.address, self._line)


def why_not_asked(port: Candidate) -> Outcome | None:
    """The outcome of a port that must be left alone; None for one that may be asked."""
    if port.is_console:
        return Outcome(said="not_asked", words="not asked: the kernel writes its messages there")
    if port.holders:
        holder = port.holders[0]
        words = f"in use by {holder.command} (pid {holder.pid})"
        return Outcome(said="held", words=words, advice=f"Close {holder.command} if it should not have the port")
    if port.is_prism:
        return Outcome(said="not_asked", words="not asked: it is known by its USB id")
    if any(port.is_at(given.address) for given in Given.alive):
        return Outcome(said="not_asked", words="not asked: the configuration names it for another device")
    if port.kind == "usb" and not port.says_tablelink:
        advice = f"Ask it if you know that it may be: croupier devices ask {port.usb_address}"
        return Outcome(said="not_asked", words="not asked: it does not call itself TableLink", advice=advice)
    return None


async def look_around(machine: Machine = HERE) -> list[Candidate]:
    """Every candidate; reading /proc takes long enough to be done beside the event loop."""
    return list(await aside(machine.look))


async def ask_all(ports: Sequence[Candidate], machine: Machine = HERE, *, bauds: Sequence[int] = BAUDS) -> list[Looked]:
    """What every port says, in the order given."""

    async def ask(port: Candidate) -> Looked:
        left_alone = why_not_asked(port)
        if left_alone is not None:
            return Looked(port, left_alone)
        speeds = bauds if port.kind == "tty" else ()
        return Looked(port, await probe(port.address, machine.opening, bauds=speeds, patience=machine.patience))

    return list(await asyncio.gather(*map(ask, ports)))
