"""A round of the table as the round script that `croupier settle` plays: bets, cards in their order, decisions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from controller.rules.engine.awaiting import DecisionBy
from controller.rules.engine.events import DecisionMade, InsuranceTaken
from controller.rules.engine.inputs import Decide, PlaySettings
from controller.rules.engine.round import Round
from controller.table.events import CardDrawn
from controller.table.rounds import RoundLog, new_round, rule_input
from controller.table.state import Setup


def round_script(setup: Setup, log: RoundLog, game: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """`game` and `options` name the table's rules, as `controller.library.as_options` finds them. A script says every
    decision: a hit that only a card told and a 21 that stood by itself are written out."""
    round_ = new_round(setup.rules, log.bets, PlaySettings(implied_hit=setup.settings.implied_hit))
    actions: list[list[Any]] = []
    for entry in log.entries:
        awaited = round_.awaiting
        if isinstance(entry.what, CardDrawn) and isinstance(awaited, DecisionBy):
            actions.append([awaited.seat, awaited.hand, "hit"])
        for told in round_.apply(rule_input(entry.what)):
            if isinstance(told, DecisionMade):
                actions.append([told.seat, told.hand, told.action])
            elif isinstance(told, InsuranceTaken):
                actions.append([told.seat, 0, "insurance", None if told.amount is None else str(told.amount)])
        if setup.settings.auto_stand_21:
            _stand_on_21(round_, actions)
    seats = [{"seat": seat, "bet": bets.amount, "side": dict(bets.side)} for seat, bets in sorted(log.bets.items())]
    return {
        "game": game,
        "options": dict(options),
        "seats": seats,
        "shoe": [drawn.card for drawn in log.cards],
        "actions": actions,
    }


def _stand_on_21(round_: Round, actions: list[list[Any]]) -> None:
    while isinstance(awaited := round_.awaiting, DecisionBy):
        if "stand" not in awaited.legal or round_.seats[awaited.seat].hands[awaited.hand - 1].total != 21:
            return
        round_.apply(Decide(awaited.seat, awaited.hand, "stand"))
        actions.append([awaited.seat, awaited.hand, "stand"])
