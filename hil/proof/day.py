"""A day at one table: the demo's table with faults; each card of its shoe is remembered and looked for in the books."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Final

from msgspec import Struct

from controller.cli.demo_table import Demo
from controller.library import load_game
from controller.rules.errors import Refused
from controller.rules.money import parse_amount
from controller.rules.report import settle_script
from controller.rules.ruleset import Ruleset
from controller.store.audit import verify
from controller.table import inputs as i
from controller.table.views import public_view
from hil.proof import books

ROUND_S: Final = 60.0  # for one round with every fault there is; a table that takes longer hangs


class DayFound(Struct):
    """What a day came to; `problems` is empty where everything adds up."""

    rounds: int = 0
    voided: int = 0
    cards: int = 0
    unread: int = 0
    records: int = 0
    house: Fraction = Fraction(0)
    faults: dict[str, int] = {}
    problems: list[str] = []


class Day(Demo):
    """Also remembers every card of every load, and has side bets."""

    def __init__(self, rules: Ruleset, folder: Path, *, seed: int, faults: str) -> None:
        super().__init__(rules, folder, seed=seed, faults=faults)
        self._journal = folder / "table.db"
        self.loads: list[list[str]] = []
        fill = self.shoe.load

        def load(cards: Sequence[str] | None = None) -> None:
            self.loads.append(list(self.shoe.dealt))
            fill(cards)

        self.shoe.load = load  # type: ignore[method-assign]

    def _bets(self) -> list[i.FromPeople]:
        """Also side bets, where the game has some."""
        side: dict[str, str | None] = dict.fromkeys(self.setup.rules.side_bets, "5")
        placed = (wager for wager in self._bot.wagers() if isinstance(wager, i.Wager))
        return [i.Wager(wager.seat, wager.amount, side if wager.seat % 2 else {}) for wager in placed]

    async def played(self, rounds: int) -> DayFound:
        """Plays so many rounds and checks the books."""
        found = DayFound()
        try:
            async with asyncio.timeout(60 + rounds * ROUND_S):
                summary = await self.run(rounds)
            found.problems += summary.problems
        except (TimeoutError, Refused, ValueError) as error:
            table = self.daemon.runner.table
            found.problems.append(
                f"it stopped ({type(error).__name__}: {error}) in round {table.state.round_number}, waiting for "
                f"{public_view(table).awaiting}; held {table.state.held}, {len(self.shoe.left)} cards in the shoe"
            )
        found.faults = dict(self.summary.faults_injected)
        self.loads.append(list(self.shoe.dealt))
        self._check(found)
        return found

    def _check(self, found: DayFound) -> None:
        try:
            found.records = verify(self._journal).records
        except ValueError as error:
            found.problems.append(f"the journal is not proven: {error}")
            return
        kept = books.read(self._journal)
        self._check_cards(found, books.shoes(kept))
        self._check_money(found, list(books.rounds(self.setup, kept)))
        found.voided = self.summary.voided

    def _check_cards(self, found: DayFound, written: list[books.ShoeBook]) -> None:
        if len(written) != len(self.loads):
            found.problems.append(f"{len(self.loads)} shoes were loaded, and {len(written)} are in the journal")
            return
        for number, (dealt, book) in enumerate(zip(self.loads, written, strict=True), 1):
            found.cards += len(dealt)
            found.unread += book.unread
            missing, extra = Counter(dealt) - book.cards, book.cards - Counter(dealt)
            if extra or missing.total() != book.unread:
                found.problems.append(
                    f"shoe {number}: {len(dealt)} cards left it; not in the journal {dict(missing)}, "
                    f"too often {dict(extra)}, given up unread {book.unread}"
                )

    def _check_money(self, found: DayFound, settled: list[books.RoundBook]) -> None:
        seats = Fraction(0)
        for each in settled:
            found.rounds += 1
            again = settle_script(each.script, load_game)
            if "error" in again:
                found.problems.append(f"round {each.number} can't be settled again: {again}")
                continue
            if again["net"] != {str(seat): net for seat, net in each.net.items()}:
                found.problems.append(f"round {each.number}: {each.net} in the journal, {again['net']} settled again")
            seats += sum((Fraction(parse_amount(net or "0")) for net in each.net.values()), Fraction(0))
            found.house += books.house_takes(again)
        if seats + found.house:
            found.problems.append(f"the seats won {seats} and the house {found.house}: that is not nothing")
