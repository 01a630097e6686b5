"""Pairs of tables that differ in one face-down card: every byte that leaves them is the same until it is turned.

Both are told the same, step by step. The card is the dealer's hole card, a seat's own face-down or double card, a card
in question or a burned one. Of the hole card the dealer and the pit must not learn either: their views, answers and
lamps are compared as well. What a seat may do can depend on its own cards, so both tables are told only what both take.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from random import Random
from typing import Final

from msgspec import Struct, structs

from controller.rules.engine.awaiting import FirstCard
from controller.rules.errors import Refused
from controller.table import inputs as i
from controller.table.decisions import decide
from controller.table.legal import actions_now
from controller.table.table import Table
from hil.proof.leaks import Leak, leaking
from hil.proof.outlets import NOW, Lines, Outlets
from hil.proof.secret import Secret, follow, may_turn_the_hole, turned, will_be_hidden
from hil.proof.tables import bets, deepened, game_of, some_setup
from hil.proof.whims import a_card, next_step

ROUNDS: Final = 20  # at one table, before another is set up
STEPS: Final = 150  # in one round; then it is voided
PLANTED: Final = 0.7  # of the cards that nobody sees
LATE: Final = 0.2  # of the rounds
FORGOTTEN: Final = 0.2  # of the steps behind a burned card: it is never turned, and others want to be tried too
SUPERVISOR: Final = i.Actor("supervisor", "somebody")
DEALER: Final = i.Actor("dealer", "somebody")


class Leaked(Exception):
    """Two tables that must look the same did not; the words say where."""


class Found(Struct):
    """What one table came to: rounds with a hidden difference, steps compared for each kind of card, failures."""

    rounds: int = 0
    steps: dict[str, int] = {}
    failures: list[str] = []


def prove(number: int, seed: int, rounds: int = ROUNDS, leak: Leak | None = None) -> Found:
    """One table, the `number`th of this seed. It ends at its first failure."""
    lines, root = Lines(), logging.getLogger()
    before = root.level
    root.addHandler(lines)
    root.setLevel(logging.DEBUG)
    logging.getLogger("asyncio").setLevel(logging.WARNING)  # it tells of event loops, not of tables
    try:
        with leaking(leak) as see:
            return asyncio.run(_Pair(number, seed, lines, see).play(rounds))
    finally:
        root.removeHandler(lines)
        root.setLevel(before)


class _Pair:
    def __init__(self, number: int, seed: int, lines: Lines, see: Leak) -> None:
        self._chance = Random(f"secrecy {seed} {number}")
        self._name = f"seed {seed}, table {number} ({game_of(number)})"
        self._again = f"python -m hil.proof secrecy --seed {seed} --table {number}"
        self._setup = some_setup(game_of(number), self._chance)
        self._lines, self._see = lines, see
        self._counts: Counter[str] = Counter()
        self._secret: Secret | None = None
        self._late = False  # a round in which the first cards are the same, so that a later one can differ

    async def play(self, rounds: int) -> Found:
        found = Found()
        try:
            self._one = Outlets(await self._ready(), self._lines, self._see)
            self._other = Outlets(self._one.table.fork(), self._lines, self._see)
            while found.rounds < rounds:
                found.rounds += await self._round()
        except Leaked as leaked:
            found.failures.append(f"{self._name}: {leaked}\n  again: {self._again}")
        found.steps = dict(self._counts)
        return found

    async def _ready(self) -> Table:
        table = Table(self._setup)
        told = table.set_up()
        assert told is not None
        table.apply(told)
        first: list[i.Input] = [i.OpenTable(), i.Shoe("load"), *bets(self._setup, self._chance)]
        for what in first:
            for event in decide(table, what, DEALER, NOW):
                table.apply(event)
        return deepened(table, self._chance) if self._chance.random() < 0.6 else table

    async def _round(self) -> bool:
        """Whether a card was hidden in it."""
        hid = began = False
        self._late = self._chance.random() < LATE
        for count in range(STEPS):
            if self._one.table.state.shoe_change_due and self._one.table.round is None:
                await self._change_shoe()
            what = self._next(void=count > STEPS - 20)
            if not await self._step(what):
                continue
            hid = hid or self._secret is not None
            playing = self._one.table.round is not None
            if began and not playing:
                self._join()
                break
            began = began or playing
        return hid

    def _next(self, *, void: bool) -> i.Input:
        if void and self._one.table.round is not None:
            return i.Void("it takes too long")
        table = self._one.table
        if table.round is None and not table.state.wagers:
            return bets(self._setup, self._chance)[0]
        return next_step(table, self._chance, self._legal_at_both)

    def _legal_at_both(self, table: Table) -> tuple[str, ...]:
        if self._secret is None:
            return actions_now(table)
        others = actions_now(self._other.table)
        return tuple(action for action in actions_now(table) if action in others)

    async def _change_shoe(self) -> None:
        self._join()
        for what in (i.Answer("burn"), i.Answer("confirm"), i.Shoe("load")):
            await self._one.tell(what)
        if self._chance.random() < 0.6:
            self._one.runner.table = deepened(self._one.table, self._chance)

    async def _step(self, what: i.Input) -> bool:
        """False where it was not told, because only one of the two would have taken it."""
        other = what
        planted = False
        if self._secret is None:
            if not self._plants(what):
                await self._one.tell(what)
                return True
            self._join()
            self._secret, planted = Secret(), True
            other = _with_card(what, _another(what, self._chance))
        elif self._secret.where != "hole" and self._takes(self._one, what) != self._takes(self._other, what):
            return False
        before = self._one.table
        answers = (await self._tell(self._one, what), await self._tell(self._other, other))
        await self._look(before, what, answers, planted=planted)
        return True

    def _plants(self, what: i.Input) -> bool:
        round_ = self._one.table.round
        if self._late and round_ is not None and isinstance(round_.awaiting, FirstCard):
            return False
        return _has_one_card(what) and will_be_hidden(self._one.table, what) and self._chance.random() < PLANTED

    async def _tell(self, side: Outlets, what: i.Input) -> tuple[bytes, object]:
        self._lines.taken()
        answer = await side.tell(what)
        return self._lines.taken(), answer

    async def _look(
        self, before: Table, what: i.Input, answers: tuple[tuple[bytes, object], ...], *, planted: bool
    ) -> None:
        secret, one, other = self._secret, self._one, self._other
        assert secret is not None
        was = secret.where
        shown = follow(secret, one.changes, one.table, planted=planted)
        shown = shown or turned(secret, one.changes) or turned(secret, other.changes)
        if shown and (secret.where != "hole" or may_turn_the_hole(before, what)):
            self._join()
            return
        self._counts[secret.where] += 1
        ours, theirs = await one.public(), await other.public()
        ours["log"], theirs["log"] = answers[0][0] + ours["log"], answers[1][0] + theirs["log"]
        if secret.where == "hole" and (was == "hole" or planted):
            ours |= {**one.pit(), "answer": repr(answers[0][1]).encode()}
            theirs |= {**other.pit(), "answer": repr(answers[1][1]).encode()}
        different = [name for name, data in ours.items() if theirs[name] != data]
        if different:
            words = "; ".join(_difference(name, ours[name], theirs[name]) for name in different)
            raise Leaked(f"a {secret.where} card shows after {what}: {words}")
        if secret.where == "burned" and self._chance.random() < FORGOTTEN:
            self._join()

    @staticmethod
    def _takes(side: Outlets, what: i.Input) -> bool:
        if not isinstance(what, i.PEOPLE):
            return True
        try:
            decide(side.table, what, SUPERVISOR, NOW)
        except Refused:
            return False
        return True

    def _join(self) -> None:
        """Both tables are one again: the other takes over everything. What they last showed was the same."""
        self._secret = None
        self._other.take_over(self._one)


def _has_one_card(what: i.Input) -> bool:
    return isinstance(what, i.CardLeftShoe | i.Card) or (isinstance(what, i.Answer) and len(what.cards) == 1)


def _another(what: i.Input, chance: Random) -> str:
    assert isinstance(what, i.CardLeftShoe | i.Card | i.Answer)
    code = what.cards[0] if isinstance(what, i.Answer) else what.card
    while (other := a_card(chance)) == code:
        pass
    return other


def _with_card(what: i.Input, code: str) -> i.Input:
    if isinstance(what, i.Answer):
        return structs.replace(what, cards=(code,))
    assert isinstance(what, i.CardLeftShoe | i.Card)
    return structs.replace(what, card=code)


def _difference(name: str, one: bytes, other: bytes) -> str:
    """From where they differ, in short."""
    at = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    start = max(0, at - 40)
    return f"{name} at byte {at}: {one[start : at + 40]!r} and {other[start : at + 40]!r}"
