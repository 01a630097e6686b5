"""Which inputs a table would take now, by name: what a console offers and a refusal points to."""

from __future__ import annotations

from typing import assert_never

from controller.rules.engine import awaiting as a
from controller.rules.engine.round import Round
from controller.table.entries import takeable, undoable
from controller.table.questions import blocks, question
from controller.table.rounds import RoundLog
from controller.table.running import why_no_cut_card, why_no_round
from controller.table.table import Table


def legal_now(table: Table) -> tuple[str, ...]:
    """The names of inputs; for `decision` the actions are in `actions_now`. Those that need a supervisor are among
    them."""
    state = table.state
    names = ["wager", "seat"]
    if question(table) is not None:
        names.append("answer")
    names += _between_rounds(table) if table.round is None else _in_round(table, table.round)
    if why_no_cut_card(table) is None:
        names.append("cut_card")
    if state.holding:
        names.append("fault")
    if state.limits:
        names.append("limits")
    if state.alerts:
        names.append("alert")
    if _has_cards(state.round) or _has_cards(state.last):
        names += ["correct", "exchange"]
    return tuple(names)


def actions_now(table: Table) -> tuple[str, ...]:
    """What the hand in turn may do, where a decision may be entered now."""
    awaited = table.round.awaiting if table.round is not None else None
    return awaited.legal if isinstance(awaited, a.DecisionBy) and not _blocked(table) else ()


def _blocked(table: Table) -> bool:
    state = table.state
    return bool(state.holding) or bool(state.held and blocks(state.held[0].situation))


def _has_cards(log: RoundLog | None) -> bool:
    return log is not None and bool(log.cards)


def _between_rounds(table: Table) -> list[str]:
    state = table.state
    names = ["close_table" if state.open else "open_table", "dealer_in"]
    if state.dealer:
        names.append("dealer_out")
    if not state.held:
        names.append("shoe")
        if why_no_round(table) is None:
            names += ["open_round", "next_round"]
    return names


def _in_round(table: Table, round_: Round) -> list[str]:
    state = table.state
    names = [] if _blocked(table) else _entries(round_)
    if not state.held and isinstance(round_.awaiting, a.CardFor | a.DecisionBy) and "card" not in names:
        names.append("card")  # also while the shoe is gone: then cards are named by hand
    if undoable(table) is not None:
        names.append("undo")
    if takeable(table) is not None and not state.held:
        names.append("take_back")
    return [*names, "void"]


def _entries(round_: Round) -> list[str]:
    match round_.awaiting:
        case a.DecisionBy():
            return ["decision"]
        case a.InsuranceOffer():
            return ["insurance", "close_offer", "next_round"]
        case a.SurrenderOffer():
            return ["decision", "close_offer", "next_round"]
        case a.PeekDue():
            return ["peek", "next_round"]
        case a.HoleCardDue():
            return ["turn_hole_card", "next_round"]
        case a.SettlementDue():
            return ["settle", "next_round"]
        case a.FirstCard() | a.PlayerCard() | a.DealerCard() | a.Nothing():
            return []
        case _:
            assert_never(round_.awaiting)
