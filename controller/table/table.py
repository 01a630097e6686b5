"""The table: a state, the round of the rules that belongs to it, and the one way to change them, `apply(event)`.

`decide(table, input, actor, now)` in `decisions` says which events an input means, or refuses; nothing else leads to
events. Pure: a table that was given the same events is the same table.
"""

from __future__ import annotations

from typing import Any

from msgspec import structs

from controller.rules.engine.round import Round
from controller.rules.engine.settlement import settlement
from controller.rules.written import written
from controller.table import events as e
from controller.table.folds import FOLDS, out_of_shoe
from controller.table.rounds import Entry, RoundLog, RuleEvents, played, rule_input
from controller.table.state import Setup, State


class Table:
    """`round` is the one in play; `last` the one that ended before it. Both follow from the state."""

    def __init__(self, setup: Setup, state: State | None = None) -> None:
        """With a state that was made under other rules the last round can't be shown again; one in play raises."""
        self.setup = setup
        self.state = state if state is not None else State()
        if not self._same_rules():
            if self.state.round is not None:
                raise ValueError(f"round {self.state.round.number} is in play under other rules")
            self.state = structs.replace(self.state, last=None)
        self.round = self._made(self.state.round)
        self.last = self._made(self.state.last)

    def fork(self) -> Table:
        """A table in the same state that can be tried out."""
        twin = Table.__new__(Table)
        twin.setup, twin.state, twin.last = self.setup, self.state, self.last
        twin.round = self.round.copy() if self.round is not None else None
        return twin

    def set_up(self) -> e.TableSetUp | None:
        """What the journal must be told first, if this table is set up otherwise than it has it."""
        limits = {bet: limits.text() for bet, limits in self.setup.limits.items()}
        if self.state.game and self._same_rules() and limits == self.state.configured:
            return None
        return e.TableSetUp(self.setup.rules.game, written(self.setup.rules), limits)

    def apply(self, event: e.Event) -> RuleEvents:
        """Take over what happened; returns what the rules made of it. An event that can't be raises and changes
        nothing."""
        fold = FOLDS.get(type(event))
        if fold is None:
            return self._enter(event)
        changes, round_, last = fold(self, event)
        self.state = structs.replace(self.state, sequence=self.state.sequence + 1, **changes)
        self.round, self.last = round_, last
        return ()

    def nets(self, round_: Round) -> dict[int, str | None]:
        return {seat: None if net is None else str(net) for seat, net in settlement(round_).net.items()}

    def _same_rules(self) -> bool:
        """Also where the journal has said nothing of rules yet."""
        return not self.state.game or (
            self.state.game == self.setup.rules.game and self.state.rules == written(self.setup.rules)
        )

    def _made(self, log: RoundLog | None) -> Round | None:
        return None if log is None else played(self.setup.rules, log, self.setup.settings)

    def _enter(self, event: Any) -> RuleEvents:
        """An entry of the round in play."""
        log, round_, state = self.state.round, self.round, self.state
        if log is None or round_ is None:
            raise ValueError(f"{type(event).__name__} without a round")
        following, told = round_.after(rule_input(event))
        sequence = state.sequence + 1
        changes: dict[str, Any] = {"sequence": sequence}
        aside = False
        if isinstance(event, e.CardDrawn):
            changes |= out_of_shoe(state, event.card, event.held)
            aside = event.source == "manual" and bool(state.set_aside) and "shoe" in changes
            if aside:
                changes["by_hand"] = (*state.by_hand, event.card)
        changes["round"] = structs.replace(log, entries=(*log.entries, Entry(sequence, event, aside)))
        self.state = structs.replace(state, **changes)
        self.round = following
        return told
