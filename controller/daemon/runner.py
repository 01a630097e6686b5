"""Runs a table on its journal: decide, commit, take over, acknowledge, show; one input at a time, in order.

Nothing is taken over or acknowledged before it is on the disk. What a device told is tried again for as long as the
journal can't take it, because the device is still holding it; what a person enters is refused meanwhile. A turn that
began goes to its end, whoever asked for it is gone: a table that lacks what its journal has would go astray.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Final, Protocol, TypeVar

import msgspec

from controller.daemon.keeping import Failures
from controller.rules.errors import Refused
from controller.store.errors import JournalError, JournalRefused
from controller.store.journal import Journal
from controller.store.record import Entry, Record
from controller.table import events as e
from controller.table.decisions import decide
from controller.table.events import Event, decode_event, encode_event
from controller.table.inputs import Actor, Input, Looked
from controller.table.rounds import RuleEvents
from controller.table.state import DeviceMark, Setup, decode_state, encode_state
from controller.table.table import Table

RETRY_S: Final = 1.0
CLOCK: Final = Actor("device", "clock")
_BOUNDARIES: Final = (e.RoundEnded, e.RoundVoided, e.ShoeLoaded)  # where a snapshot is worth its bytes

_log = logging.getLogger(__name__)
T = TypeVar("T")


class Commits(Protocol):
    """`controller.store.writer.JournalWriter`."""

    async def commit(self, entries: Sequence[Entry], snapshot: bytes | None = None) -> tuple[Record, ...]: ...


class Change(msgspec.Struct, frozen=True):
    """What one input came to. `told` is what the rules made of each event. Without events, what changed is whether the
    journal takes records."""

    events: tuple[Event, ...]
    told: tuple[RuleEvents, ...]


Listener = Callable[[Change], None]
Committed = Callable[[], None]
Overheard = Callable[[Input, Actor], None]


def recover(setup: Setup, journal: Journal) -> Table:
    """The table as the journal has it; where it was set up otherwise until now, the journal is told so first. Raises
    JournalRefused where it holds what this table can't have done."""
    found = journal.snapshot()
    try:
        table = Table(setup, decode_state(found[1]) if found is not None else None)
        for record in journal.after(found[0] if found is not None else 0):
            table.apply(decode_event(record.data))
        changed = table.set_up()
        if changed is not None and table.round is None:  # else it is the old limits' round, and the next start's news
            table.apply(changed)
            journal.append([_entry(changed, Actor("device", "configuration"))], snapshot=encode_state(table.state))
    except (ValueError, msgspec.MsgspecError) as error:
        words = f"the journal {journal.path} does not fit this table: {error}"
        raise JournalRefused(words, advice="Give the table its own journal, or its old rules back") from error
    return table


def _entry(event: Event, actor: Actor) -> Entry:
    return Entry(str(actor), type(event).__name__, encode_event(event))


class Runner:
    """`table` is the one that is on the disk. Listeners are told after it changed; one that fails harms no other."""

    def __init__(self, table: Table, journal: Commits, *, wall: Callable[[], float] = time.time) -> None:
        self.table = table
        self.trouble = ""  # why the journal takes nothing, in words; empty where it does
        self.standstill = 0  # counts on with each try in which the journal took nothing, and when it takes again
        self.tries = 0  # at the journal, in vain or not: whoever watches sees that it goes on
        self._journal, self._wall = journal, wall
        self._turn = asyncio.Lock()
        self._reports = asyncio.Lock()
        self._waiting = False  # a report that the journal could not take yet
        self._listeners: list[Listener] = []
        self._overhearing: list[Overheard] = []
        self._failures = Failures()

    def listen(self, listener: Listener) -> None:
        self._listeners.append(listener)

    def overhear(self, listener: Overheard) -> None:
        """What people enter, as it is taken, before it is on the disk. What is refused is not told."""
        self._overhearing.append(listener)

    @property
    def busy(self) -> bool:
        """Whether an input is being handled."""
        return self._turn.locked()

    def forget(self, listener: Listener) -> None:
        self._listeners.remove(listener)

    async def enter(self, what: Input, actor: Actor) -> tuple[int, ...]:
        """A person's input: the sequence numbers of what it came to. Raises Refused; then nothing happened."""
        return await _to_its_end(self._enter(what, actor))

    async def report(
        self, what: Input | None, device: str, mark: DeviceMark | None = None, committed: Committed | None = None
    ) -> None:
        """What a device told. `committed` is called when the device may forget it."""
        async with self._reports:
            try:
                while not await _to_its_end(self._report(what, device, mark, committed)):
                    await asyncio.sleep(RETRY_S)
            finally:
                self._waiting = False

    async def look(self) -> None:
        """Time went by: what is due is done. A journal that took nothing is asked whether it does again. Waits for the
        turn that is going on, and for nothing else."""
        await _to_its_end(self._look())

    @property
    def settled(self) -> bool:
        """Whether nothing is on its way into the journal, or waits for it."""
        return not (self.trouble or self._waiting or self._turn.locked() or self._reports.locked())

    async def finish(self) -> None:
        """When nobody enters or reports any more: a snapshot, so that the next start has nothing to read again."""
        async with self._turn:
            try:
                await self._commit((), CLOCK)
            except JournalError as error:
                _log.warning("no snapshot at the end, the next start reads the records instead: %s", error)

    # Turns

    async def _enter(self, what: Input, actor: Actor) -> tuple[int, ...]:
        async with self._turn:
            if self._waiting:  # else a decision could come before the card that it was made upon
                raise Refused("journal_unavailable", f"The table takes no input now: {self.trouble}")
            events = decide(self.table, what, actor, self._now())
            for listener in self._overhearing:
                self._overheard(listener, what, actor)
            try:
                return await self._commit(events, actor) if events else ()
            except JournalError as error:
                raise Refused("journal_unavailable", f"The table takes no input now: {error}") from error

    async def _report(
        self, what: Input | None, device: str, mark: DeviceMark | None, committed: Committed | None
    ) -> bool:
        """Whether it is done."""
        actor = Actor("device", device)
        async with self._turn:
            events: tuple[Event, ...] = ()
            if not self._known(device, mark):
                events = decide(self.table, what, actor, self._now()) if what is not None else ()
                if mark is not None:
                    events = (*events, e.MarkReached(device, mark.boot, mark.number))
            if events:
                try:
                    await self._commit(events, actor, committed)
                except JournalError:
                    self._waiting = True
                    return False
            elif committed is not None:
                self._acknowledge(committed)
            return True

    async def _look(self) -> None:
        async with self._turn:
            if self._waiting:
                return  # it tries by itself, and comes first
            events = decide(self.table, Looked(), CLOCK, self._now())
            if events or self.trouble:
                try:
                    await self._commit(events, CLOCK)
                except JournalError:
                    return  # in words in `trouble`; what is due stays due

    def _now(self) -> int:
        return int(self._wall())

    def _known(self, device: str, mark: DeviceMark | None) -> bool:
        """Whether the journal has it already: a device that was not told so before a restart tells it again."""
        last = self.table.state.marks.get(device)
        return mark is not None and last is not None and last.boot == mark.boot and mark.number <= last.number

    async def _commit(
        self, events: tuple[Event, ...], actor: Actor, committed: Committed | None = None
    ) -> tuple[int, ...]:
        """Without events only a snapshot is kept."""
        after = self.table.fork()
        told = tuple(after.apply(event) for event in events)
        boundary = not events or any(isinstance(event, _BOUNDARIES) for event in events)
        entries = [_entry(event, actor) for event in events]
        try:
            records = await self._journal.commit(entries, snapshot=encode_state(after.state) if boundary else None)
        except JournalError as error:
            self.standstill += 1
            self._in_trouble(str(error))
            raise
        finally:
            self.tries += 1
        self.table = after
        if committed is not None:
            self._acknowledge(committed)
        if events or self.trouble:
            self._out_of_trouble()
            self._tell(Change(events, told))
        return tuple(record.sequence for record in records)

    def _in_trouble(self, words: str) -> None:
        if self.trouble != words:
            self.trouble = words
            _log.error("the journal takes nothing, and the table no input: %s", words)
            self._tell(Change((), ()))

    def _out_of_trouble(self) -> None:
        if self.trouble:
            self.standstill += 1
            self.trouble = ""
            _log.warning("the journal takes records again")

    def _acknowledge(self, committed: Committed) -> None:
        try:
            committed()
        except Exception as error:
            self._failures.tell("the shoe's driver", "failed to acknowledge what is on the disk", error)

    def tell(self, listener: Listener, change: Change) -> None:
        """A listener that fails is told in the log, and harms no other."""
        try:
            listener(change)
        except Exception as error:
            self._failures.tell(_name(listener), "failed to show what changed at the table", error)

    def _overheard(self, listener: Overheard, what: Input, actor: Actor) -> None:
        try:
            listener(what, actor)
        except Exception as error:
            self._failures.tell(_name(listener), "failed to take down what was entered", error)

    def _tell(self, change: Change) -> None:
        for listener in list(self._listeners):
            self.tell(listener, change)


def _name(listener: Callable[..., None]) -> str:
    return str(getattr(listener, "__qualname__", type(listener).__name__))


async def _to_its_end(turn: Coroutine[Any, Any, T]) -> T:
    task = asyncio.ensure_future(turn)
    task.add_done_callback(_look_at_outcome)
    return await asyncio.shield(task)


def _look_at_outcome(task: asyncio.Future[Any]) -> None:
    """Whoever asked may be gone, and nobody is told then."""
    if not task.cancelled():
        task.exception()
