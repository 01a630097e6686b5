"""Gives a stream driver its opener: of an address, or of `auto`, which finds the one device that answers in a role.

`auto` never takes the first port that opens: it refuses when none answers and when two do, and names every port it
looked at with what it said. A simulated device and a pty are never chosen.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from weakref import WeakKeyDictionary

from drivers.discovery.candidates import Candidate
from drivers.discovery.ear import Answer
from drivers.discovery.probe import BAUDS
from drivers.discovery.survey import HERE, Given, Looked, Machine, ask_all, look_around
from drivers.discovery.verdict import stable_address, toml_line
from drivers.errors import BadSetting, PortNotFound, WrongDevice
from drivers.ports.addresses import AutoAddress, parse_address
from drivers.ports.base import LineSettings, Port
from drivers.ports.opening import open_port
from drivers.stream import Opener
from firmware_protocol.tablelink.messages import ROLES

# One search at a time: two that ask the same port at once would each find it held.
_searching: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = WeakKeyDictionary()


def opener_for(address: str, line: LineSettings, role: str | None) -> Opener:
    """What opens this address, again and again. `role`: as which a TableLink device must answer; None for others.

    Raises BadSetting for an address that can never work.
    """
    if not isinstance(parse_address(address), AutoAddress):
        return Given(address, line, open_port)
    if role is None:
        raise BadSetting(
            'port = "auto" is for TableLink devices, which say who they are; this one must be named: '
            "croupier devices prints the line to copy"
        )
    if role not in ROLES.values():
        raise BadSetting(f"there is no role {role!r}: roles are {', '.join(ROLES.values())}")

    async def find_and_open() -> Port:
        return await open_the_one(role, line)

    return find_and_open


async def open_the_one(
    role: str,
    line: LineSettings,
    machine: Machine = HERE,
) -> Port:
    """The port of the only device in that role; raises PortNotFound or WrongDevice with what every port said."""
    lock = _searching.setdefault(asyncio.get_running_loop(), asyncio.Lock())
    async with lock:
        ports = await look_around(machine)
        bauds = tuple(dict.fromkeys((line.baud, *BAUDS)))
        looked = await ask_all(ports, machine, bauds=bauds)
        port, answer = the_one(role, looked, ports)
        answered = LineSettings() if answer.baud is None else LineSettings(baud=answer.baud)
        return await machine.opening(port.address, answered)  # still in the lock, so that no other search asks it


def the_one(role: str, looked: Sequence[Looked], ports: Sequence[Candidate]) -> tuple[Candidate, Answer]:
    """The only real device that answered in that role, and its answer."""
    found = [
        (each.port, each.outcome.answer)
        for each in looked
        if each.outcome.answer and role in each.outcome.answer.roles and not each.outcome.answer.simulated
    ]
    if len(found) == 1:
        return found[0]
    if found:
        choices = "; or ".join(
            f"{toml_line('port', stable_address(port, ports)[0])} for {answer.words}" for port, answer in found
        )
        raise WrongDevice(
            f"{len(found)} devices answer as a {role}", advice=f"Name one in the configuration: {choices}"
        )
    if not looked:
        raise PortNotFound(
            f"No {role}: there is no port on this machine that a {role} could be at",
            advice="Plug it in; it is found by itself",
        )
    counted = "1 port" if len(looked) == 1 else f"{len(looked)} ports"
    said = "; ".join(f"{each.port.path}: {_said(role, each)}" for each in looked)
    raise PortNotFound(
        f"No {role}: looked at {counted}, none answered as a {role} ({said})",
        advice=f"Plug the {role} in and switch it on; it is found by itself",
    )


def _said(role: str, looked: Looked) -> str:
    answer = looked.outcome.answer
    if answer and answer.simulated and role in answer.roles:
        return f"left out, it is {answer.words}"
    return looked.outcome.words
