"""A worked case as a table plays it: its rules, its bets, its cards, and what is entered at each state."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec

from controller.library import load_game
from controller.rules.engine import awaiting as a
from controller.table import events as e
from controller.table import inputs as i
from controller.table.limits import BetLimits
from controller.table.state import Setup, State
from controller.table.table import Table

FOLDERS = [Path(__file__).parents[2] / name for name in ("cases", "cases_own")]


class Golden:
    """One case of tests/cases or tests/cases_own, by its name."""

    def __init__(self, name: str) -> None:
        file = next(path for folder in FOLDERS if (path := folder / f"{name}.json").exists())
        self._case: dict[str, Any] = json.loads(file.read_text())
        self.cards = tuple(card.replace("10", "T") for card in self._case["shoe"])
        rules = load_game(self._case["game"], self._case["options"])
        self.setup = Setup(name="Table 7", rules=rules, currency="$", limits={"main": BetLimits(5, 500, 5)})

    @property
    def start(self) -> list[i.FromPeople]:
        """Until betting is closed."""
        seats = self._case["seats"]
        bets = [i.Wager(seat["seat"], seat["bet"], dict(seat.get("side", {}))) for seat in seats]
        return [i.OpenTable(), i.Shoe("load"), *bets, i.OpenRound()]

    @property
    def net(self) -> dict[str, str]:
        """What the case says that the hands won, by seat."""
        nets: dict[str, int] = {}
        for hand in (*self._case["expect"]["hands"], *self._case["expect"].get("side_bets", ())):
            nets[str(hand["seat"])] = nets.get(str(hand["seat"]), 0) + int(hand["net"])
        return {seat: str(net) for seat, net in nets.items()}

    def table(self, state: dict[str, Any]) -> Table:
        return Table(self.setup, msgspec.convert(state, State, str_keys=True))

    def step(self, state: dict[str, Any]) -> i.FromPeople | None:
        """What a person enters now; None where a card is awaited."""
        table = self.table(state)
        assert table.round is not None
        log = table.state.round
        assert log is not None
        entered = sum(isinstance(entry.what, e.Decided | e.Insured) for entry in log.entries)
        seat, hand, action, *amount = (*self._case["actions"], [0, 0, ""])[entered]
        match table.round.awaiting:
            case a.DecisionBy():
                return i.Decision(seat, hand, action)
            case a.InsuranceOffer():
                return i.Insurance(seat, amount[0]) if action == "insurance" else i.CloseOffer()
            case a.SurrenderOffer():
                return i.Decision(seat, hand, action) if action == "surrender" else i.CloseOffer()
            case a.CardFor():
                return None
        return i.NextRound()
