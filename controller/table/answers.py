"""Answers to the table's questions: the card in doubt is dealt, burned or named, and what waited behind it goes on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from controller.rules.engine.awaiting import CardFor
from controller.rules.errors import Refused
from controller.table import events as e
from controller.table import inputs as i
from controller.table import running
from controller.table.entries import named, void
from controller.table.folds import UNREAD
from controller.table.questions import question
from controller.table.trial import Trial


def _answer(trial: Trial, what: i.Answer) -> None:
    table = trial.table
    asked = question(table)
    if asked is None:
        raise Refused("no_question", "No question is open.")
    if what.answer not in asked.answers:
        raise Refused("not_an_answer", f"That is no answer now: {' or '.join(asked.answers) or 'none is possible'}.")
    if (what.answer == "name") != bool(what.cards):
        raise Refused("cards", "Name the cards." if what.answer == "name" else "No card is named with this answer.")
    left = UNREAD.get(asked.situation, 0)
    if what.cards and left and len(what.cards) != left:
        raise Refused(
            "cards", "One card left the shoe: name it." if left == 1 else "Two cards left the shoe: name both."
        )
    if what.answer == "void":
        void(trial, what.reason or asked.asks, "returned")
        return
    if what.answer == "by_hand":
        trial.emit(e.FaultEnded(table.state.holding[0], set_aside=True))
        return
    _settle(trial, what)
    _deal_what_waited(trial)


def _settle(trial: Trial, what: i.Answer) -> None:
    held = trial.table.state.held[0]
    match what.answer:
        case "deal":
            running.draw(trial, held.card, held.source, held.number)
        case "begin":
            running.begin_round(trial)
            running.draw(trial, held.card, held.source, held.number)
        case "same":
            trial.emit(e.CardToldAgain(held.number))
        case "burn" if held.situation == "double_feed":
            trial.emit(e.QuestionAnswered(held.number, "burn"))
            trial.emit(e.CardBurned("", "shoe", held.number))
            trial.emit(e.CardBurned("", "shoe", held.number))
        case "burn":
            trial.emit(e.CardBurned(held.card, held.source, held.number))
        case "confirm":
            trial.emit(e.QuestionAnswered(held.number, "confirm"))
        case "name":
            codes = tuple(named(code) for code in what.cards)
            trial.emit(e.QuestionAnswered(held.number, "name", codes, trial.now))
            for code in codes:
                running.take_card(trial, code, "manual", held.number)


def _deal_what_waited(trial: Trial) -> None:
    """Cards that came behind a question go where the round awaits one; never as a hit that nobody asked for."""
    while (held := trial.table.state.held[:1]) and held[0].situation == "behind_a_question":
        round_ = trial.table.round
        if round_ is None or not isinstance(round_.awaiting, CardFor):
            return
        if held[0].source == "shoe" and running.perhaps_named(trial):
            return
        running.draw(trial, held[0].card, held[0].source, held[0].number)


HANDLERS: Final[dict[type, Callable[[Trial, Any], None]]] = {i.Answer: _answer}
