"""Gets a run under way on whatever `--port` names, and makes sure of who is there before anything is tried.

Sends nothing to a port at which an Angel Eye shoe is heard. Everything it opens is closed when the run is over.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Final

from msgspec import Struct

from drivers.discovery.probe import Outcome, probe
from drivers.errors import DeviceError
from drivers.ports.base import LineSettings, Port
from drivers.ports.opening import open_port
from drivers.simulated.tablelink_end import TableLinkEnd
from hil.conformance.helper import Helper, Nobody, Ordering, Person, Terminal
from hil.conformance.line import EndLine, Line, PortLine
from hil.conformance.orders import StimulusLine
from hil.conformance.run import SPOKEN, NoDevice, Told, run
from hil.conformance.simulated import Obeying
from hil.conformance.talk import Talk
from hil.conformance.verdicts import Report
from hil.stimulus import BAUD as STIMULUS_BAUD
from hil.stimulus import Order

SIMULATED: Final = "simulated"  # the port that is no port: our own device in memory
DEFAULT_BAUD: Final = 115200


class Wanted(Struct, frozen=True, kw_only=True):
    """What was asked for on the command line."""

    role: str
    port: str
    only: Sequence[str]
    baud: int | None = None
    key: bytes | None = None
    stimulus: str | None = None
    stimulus_baud: int = STIMULUS_BAUD
    hands: bool = True


async def conform(wanted: Wanted, terminal: Terminal | None, told: Told, say: Callable[[str], None]) -> Report:
    """The report of the run. Raises NoDevice, DeviceError and BadSetting, in words."""
    async with AsyncExitStack() as stack:
        line, helper = await _ready(wanted, terminal, stack)
        say(f"{wanted.port}: trying {len(wanted.only)} rules; made to happen by: {helper.name}")
        return await run(
            Talk(line, key=wanted.key),
            wanted.role,
            helper,
            port=wanted.port,
            kit=version("croupier-table"),
            began=datetime.now(UTC).isoformat(timespec="seconds"),
            baud=_speed(wanted),
            only=wanted.only,
            told=told,
        )


async def _ready(wanted: Wanted, terminal: Terminal | None, stack: AsyncExitStack) -> tuple[Line, Helper]:
    if wanted.port == SIMULATED:
        end = TableLinkEnd(wanted.role, key=wanted.key)
        memory = EndLine(end, SIMULATED)
        end.clock = lambda: memory.now
        return memory, Ordering("the simulated device itself", Obeying(end).obey)
    _must_be_there(wanted, await probe(wanted.port, open_port, bauds=_bauds(wanted)))
    helper = await _helper(wanted, terminal, stack)
    settings = LineSettings(baud=wanted.baud or DEFAULT_BAUD)

    async def opening() -> Port:
        return await open_port(wanted.port, settings)

    line = await PortLine.open(wanted.port, opening)
    stack.push_async_callback(line.close)
    return line, helper


def _bauds(wanted: Wanted) -> Sequence[int]:
    return () if wanted.port.startswith("socket://") else (wanted.baud or DEFAULT_BAUD,)


def _speed(wanted: Wanted) -> int | None:
    """The line's speed, where the port has one or it was named."""
    has_none = wanted.port.startswith(("socket://", "usb:"))
    return wanted.baud if has_none else wanted.baud or DEFAULT_BAUD


def _must_be_there(wanted: Wanted, outcome: Outcome) -> None:
    """Only somebody who may speak TableLink, well or badly, is tried. Who that is, the run itself finds out."""
    if outcome.answer is not None:
        if wanted.role not in outcome.answer.roles:
            raise NoDevice(f"{wanted.port}: a {wanted.role} was asked for, and it {outcome.words}")
        return
    if outcome.said == "other" and outcome.looks_like is None and outcome.asked:
        return
    if outcome.looks_like is not None:
        raise NoDevice(f"{wanted.port}: {outcome.words}. It speaks another protocol; only TableLink is tried here")
    if outcome.said == "held":
        raise NoDevice(f"{outcome.words}. Close it and start again")
    if outcome.said == "refused":
        raise NoDevice(f"{wanted.port}: {outcome.words}. This kit tries version {SPOKEN}")
    words = outcome.words if outcome.words.startswith(wanted.port) else f"{wanted.port}: {outcome.words}"
    raise NoDevice(". ".join(filter(None, (words, outcome.advice))))


async def _helper(wanted: Wanted, terminal: Terminal | None, stack: AsyncExitStack) -> Helper:
    if wanted.stimulus is not None:
        return await _stimulus(wanted, wanted.stimulus, stack)
    if not wanted.hands:
        return Nobody("--no-hands")
    if terminal is None:
        return Nobody("no --stimulus, and no terminal to ask a person at")
    return Person(terminal)


async def _stimulus(wanted: Wanted, address: str, stack: AsyncExitStack) -> Helper:
    line = StimulusLine(await open_port(address, LineSettings(baud=wanted.stimulus_baud)), address)
    stack.push_async_callback(line.close)
    try:
        answer = await line.obey(Order("hello"))
    except DeviceError as error:
        raise NoDevice(str(error).rstrip(".")) from error
    if answer.ok and answer.words and wanted.role not in answer.words.split():
        raise NoDevice(f"the stimulus line {address} is a {answer.words}'s, and a {wanted.role} is to be tried")
    return Ordering(f"the stimulus line {address}", line.obey)


async def until(stopped: asyncio.Event, work: asyncio.Task[Report]) -> Report:
    """The report, also of a run that is told to stop: it ends at once, with what it has."""
    stop = asyncio.create_task(stopped.wait())
    try:
        await asyncio.wait((work, stop), return_when=asyncio.FIRST_COMPLETED)
        if not work.done():
            work.cancel()
        return await work
    finally:
        stop.cancel()
