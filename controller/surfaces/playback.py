"""A past round for a dispute: each step with what the felt, the sign and the board showed after it. Makes no file."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from msgspec import Struct

from controller.surfaces.texts import limits_content, results_content
from controller.table import events as e
from controller.table.history import RoundOnRecord
from controller.table.playback import Felt, Step, steps, table_before
from controller.table.rounds import RoundLog
from controller.table.state import Setup
from controller.table.step_words import StepKind
from drivers.base import Text


class Frame(Struct, frozen=True):
    """`at` is the wall clock, `sequence` the journal's number of the first record; `difference` is what a correction
    changed for each seat; `sign` and `board` are by slot."""

    sequence: int
    at: str
    who: str
    kind: StepKind
    words: tuple[str, ...]
    difference: dict[int, str]
    felt: Felt
    sign: dict[str, Text]
    board: dict[str, Text]


class Playback(Struct, frozen=True, kw_only=True):
    """A round that is over, from its first record to its last correction. `simulated`: no real devices dealt it."""

    table: str
    game: str
    currency: str
    round: int
    status: Literal["ended", "void"]
    simulated: bool
    net: dict[int, str | None]
    frames: tuple[Frame, ...]


def playback(
    setup: Setup,
    found: RoundOnRecord,
    *,
    limits: Iterable[e.Event],
    last: RoundLog | None,
    simulated: bool,
) -> Playback:
    """`limits` and `last` are what the journal says of the time before: see `table_before`. Raises Refused."""
    table = table_before(setup, found, limits, last)
    return Playback(
        table=setup.name,
        game=setup.rules.name,
        currency=setup.currency,
        round=found.number,
        status="void" if found.status == "void" else "ended",
        simulated=simulated,
        net=found.net,
        frames=tuple(_frame(setup, step) for step in steps(table, found)),
    )


def _frame(setup: Setup, step: Step) -> Frame:
    return Frame(
        step.sequence,
        step.at,
        step.who,
        step.kind,
        step.words,
        step.difference,
        step.felt,
        limits_content(step.seen, setup.rules, setup.currency),
        results_content(step.seen, setup.currency),
    )
