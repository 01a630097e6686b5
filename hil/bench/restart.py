"""Start-up on a journal of a million events beside one that has only the table's set-up: open it and recover the table.

The long journal is made once, through the store's own records and rows. Its last record ends a round, with a snapshot,
as the daemon leaves it; before that it has what a bot's rounds come to, over and over, each record sealed to the last.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator
from contextlib import closing
from itertools import cycle, islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from msgspec import structs

from controller.daemon.runner import recover
from controller.store import database, rows
from controller.store.clock import now
from controller.store.journal import Journal
from controller.store.record import SALT_BYTES, Record, sealed
from controller.table.events import Event, RoundEnded, encode_event
from controller.table.inputs import Actor
from controller.table.state import State, encode_state
from controller.table.table import Table
from drivers.simulated.pile import shuffled
from hil.bench.measure import FOLDER, Result, beside
from hil.bench.table import play, setup

ROUNDS: Final = 60  # different ones
AT_ONCE: Final = 50_000  # records in a transaction


def run(events: int = 1_000_000, times: int = 25) -> Result:
    FOLDER.mkdir(exist_ok=True)
    with TemporaryDirectory(prefix="bench-", dir=FOLDER) as folder:
        long, empty = Path(folder) / "long.db", Path(folder) / "empty.db"
        make_journal(empty, 0)
        make_journal(long, events)
        pairs = [(_recovered(long), _recovered(empty)) for _ in range(times + 2)][2:]
    ours, reference = zip(*pairs, strict=True)
    return beside(f"start on {events:,} events", "µs", ours, "an empty journal", reference, aim="at most 1.2")


def make_journal(path: Path, events: int) -> None:
    """A closed journal of a table that was set up, and has had so many events since."""
    with closing(Journal.open(path)) as journal:
        table = recover(setup(), journal)
        sequence, previous = journal.head
    if not events:
        return
    happened, state = _rounds(table)
    last = sequence + events
    start = len(happened) - events % len(happened)  # so that the last one ends a round
    with closing(database.connect(path)) as connection:
        records = _chained(islice(cycle(happened), start, start + events), sequence, previous)
        while page := list(islice(records, AT_ONCE)):
            connection.execute("BEGIN")
            rows.insert(connection, page)
            connection.execute("COMMIT")
    with closing(Journal.open(path)) as journal:
        journal.append([], snapshot=encode_state(structs.replace(state, sequence=last)))


def _rounds(table: Table) -> tuple[list[tuple[Actor, Event]], State]:
    """What some rounds come to, from the opening of the table to a round's end."""
    happened: list[tuple[Actor, Event]] = []
    for actor, event in play(table, lambda: iter(shuffled(6, 1, cut_card=0)), seed=1):
        happened.append((actor, event))
        if isinstance(event, RoundEnded) and table.state.round_number >= ROUNDS:
            return happened, table.state
    raise AssertionError("a table plays for ever")


def _chained(happened: Iterator[tuple[Actor, Event]], sequence: int, previous: bytes) -> Iterator[Record]:
    stamp = now()
    known: dict[int, tuple[str, str, bytes]] = {}
    for number, (actor, event) in enumerate(happened, sequence + 1):
        if id(event) not in known:
            known[id(event)] = (str(actor), type(event).__name__, encode_event(event))
        who, kind, data = known[id(event)]
        record = Record(
            sequence=number,
            boot="bench",
            wall=stamp.wall,
            clock=stamp.clock,
            monotonic_ns=stamp.monotonic_ns + number,
            actor=who,
            kind=kind,
            data=data,
            salt=secrets.token_bytes(SALT_BYTES),
        )
        record = sealed(previous, record)
        previous = record.hash
        yield record


def _recovered(path: Path) -> float:
    """Microseconds. The journal is closed when the clock has stopped."""
    settings = setup()
    start = time.perf_counter()
    journal = Journal.open(path)
    recover(settings, journal)
    taken = (time.perf_counter() - start) * 1e6
    journal.close()
    return taken
