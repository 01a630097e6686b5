"""What people enter into a round: decisions, offers, checks, cards by hand; and how it is undone, voided, corrected."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from controller.rules.cards import BadCard, card
from controller.rules.engine import awaiting as a
from controller.rules.errors import Refused
from controller.rules.money import whole
from controller.table import events as e
from controller.table import inputs as i
from controller.table import running
from controller.table.questions import blocks, question
from controller.table.rounds import Entry, RoundLog, label, money, played
from controller.table.table import Table
from controller.table.trial import Trial

_UNDOABLE: Final = (e.Decided, e.Insured, e.OfferEnded)
_STEPS: Final[dict[type, e.RoundEntry]] = {
    a.InsuranceOffer: e.OfferEnded(),
    a.SurrenderOffer: e.OfferEnded(),
    a.PeekDue: e.Peeked(),
    a.HoleCardDue: e.HoleCardTurned(),
    a.SettlementDue: e.PaidAndTaken(),
}


def enter(trial: Trial, event: e.RoundEntry) -> None:
    """An entry by a person, checked by the rules."""
    state = trial.table.state
    if state.round is None:
        raise Refused("no_round", "No round is in play.")
    if state.held and blocks(state.held[0].situation):
        raise _question_first(trial.table)
    if state.holding:
        device = state.holding[0]
        raise Refused("device_missing", f"The round waits for the {device}: {state.faults.get(device, '')}")
    trial.emit(event)
    running.end_round_if_over(trial)


def _question_first(table: Table) -> Refused:
    asked = question(table)
    return Refused("question_first", f"First the open question: {asked.asks if asked else ''}")


def _decision(trial: Trial, what: i.Decision) -> None:
    enter(trial, e.Decided(what.seat, what.hand, what.action))


def _insurance(trial: Trial, what: i.Insurance) -> None:
    try:
        money(what.amount)
    except ValueError as error:
        raise Refused("bad_amount", f"insurance: {error}.") from None
    enter(trial, e.Insured(what.seat, what.amount))


def _manual_card(trial: Trial, what: i.Card) -> None:
    code, table = named(what.card), trial.table
    if table.round is None:
        raise Refused("no_round", "No round is in play.")
    if table.state.held:
        raise Refused("question_first", "First the open question: answer it with the card's name.")
    table.round.check(card(code))
    running.draw(trial, code, "manual")


def _open_round(trial: Trial, what: i.OpenRound) -> None:
    state = trial.table.state
    if state.round is None and state.held:
        raise _question_first(trial.table)
    running.begin_round(trial)


def _next_round(trial: Trial, what: i.NextRound) -> None:
    round_ = trial.table.round
    if round_ is None:
        _open_round(trial, i.OpenRound())
        return
    step = _STEPS.get(type(round_.awaiting))
    if step is None:
        raise Refused("not_now", "A card or a decision is awaited: the round can't go on without it.")
    enter(trial, step)


# Taking back


def undoable(table: Table) -> Entry | None:
    """The last entry, if a person made it and no card has left the shoe since."""
    log = table.state.round
    if log is None or not log.entries:
        return None
    entry = log.entries[-1]
    if isinstance(entry.what, e.CardDrawn):
        return entry if entry.what.source == "manual" and not entry.what.held else None
    return entry if isinstance(entry.what, _UNDOABLE) else None


def takeable(table: Table) -> Entry | None:
    """The last entry, if it is a card that left the shoe: it can't be undone, but it may belong elsewhere."""
    log = table.state.round
    if log is None or not log.entries or undoable(table) is not None:
        return None
    return log.entries[-1] if isinstance(log.entries[-1].what, e.CardDrawn) else None


def _undo(trial: Trial, what: i.Undo) -> None:
    entry = undoable(trial.table)
    if entry is None:
        raise Refused(
            "nothing_to_undo",
            "Nothing can be undone: a card that left the shoe is taken back or corrected, and a check stays checked.",
        )
    trial.emit(e.Undone(entry.sequence, label(entry.what)))


def _replace(trial: Trial, what: i.Replace) -> None:
    entry = undoable(trial.table)
    if entry is None or not isinstance(entry.what, e.Decided):
        raise Refused("nothing_to_replace", "The last entry is no decision that could be replaced.")
    if (entry.what.seat, entry.what.hand) != (what.seat, what.hand):
        raise Refused("nothing_to_replace", f"The last decision was that of {label(entry.what)}.")
    trial.emit(e.Undone(entry.sequence, label(entry.what)))
    _decision(trial, i.Decision(what.seat, what.hand, what.action))


def _take_back(trial: Trial, what: i.TakeBack) -> None:
    entry, state = takeable(trial.table), trial.table.state
    if entry is None:
        raise Refused("no_card_to_take_back", "The last thing that happened in this round was no card from the shoe.")
    if state.held:
        raise _question_first(trial.table)
    trial.emit(e.CardTakenBack(entry.sequence, state.held_number + 1))


def void(trial: Trial, reason: str, bets: e.VoidBets) -> None:
    log, round_ = trial.table.state.round, trial.table.round
    if log is None or round_ is None:
        raise Refused("no_round", "No round is in play; a settled one is corrected.")
    why = running.line(reason, Refused("no_reason", "Say why the round is void."))
    trial.emit(e.RoundVoided(log.number, why, bets, _void_nets(trial.table, bets)))
    running.apply_due_limits(trial, boundary="next_round")


def _void_nets(table: Table, bets: e.VoidBets) -> dict[int, str | None]:
    """What was settled before the round was voided, where that stands; nothing where all bets are returned."""
    round_ = table.round
    assert round_ is not None
    nets: dict[int, str | None] = {}
    for seat in round_.seats.values():
        settled = [hand.result for hand in seat.hands] + [stake.settled for stake in seat.stakes]
        if seat.insurance is not None:
            settled.append(seat.insurance.settled)
        total = sum((each.net or 0 for each in settled if each is not None), 0) if bets == "settled_stand" else 0
        nets[seat.number] = None if seat.bet is None else str(whole(total) if not isinstance(total, int) else total)
    return nets


# Correcting


def _correct(trial: Trial, what: i.Correct) -> None:
    code, log = named(what.card), _log(trial.table, what.round)
    _check_places(log, what.place)
    was = log.cards[what.place - 1].card
    if was == code and log is trial.table.state.last:  # of one that lies face down even this would tell too much
        raise Refused("same_card", "It is that card already.")
    difference = _difference(trial.table, log, log.with_card(what.place, code))
    trial.emit(e.CardCorrected(log.number, what.place, was, code, difference))


def _exchange(trial: Trial, what: i.Exchange) -> None:
    log = _log(trial.table, what.round)
    _check_places(log, what.place, what.other)
    if what.place == what.other:
        raise Refused("same_card", "That is one card, not two.")
    difference = _difference(trial.table, log, log.with_exchanged(what.place, what.other))
    trial.emit(e.CardsExchanged(log.number, what.place, what.other, difference))


def _log(table: Table, number: int) -> RoundLog:
    log = next((each for each in (table.state.round, table.state.last) if each and each.number == number), None)
    if log is None:
        raise Refused("no_such_round", f"Round {number} is neither in play nor the last one.")
    return log


def _check_places(log: RoundLog, *places: int) -> None:
    for place in places:
        if not 1 <= place <= len(log.cards):
            raise Refused("no_such_card", f"Round {log.number} has cards 1 to {len(log.cards)}.")


def _difference(table: Table, log: RoundLog, other: RoundLog) -> dict[int, str]:
    """What each seat gets more than it got; raises Refused where the round could not have gone like this."""
    rules, settings = table.setup.rules, table.setup.settings
    try:
        before, after = played(rules, log, settings), played(rules, other, settings)
    except Refused as refused:
        raise Refused(
            "correction_not_playable", f"With that card it could not have been played so: {refused.message}"
        ) from None
    if before.over and not after.over:
        raise Refused("correction_not_playable", "With that card the round would not have been over.")
    if not before.over:
        return {}
    nets = zip(table.nets(before).items(), table.nets(after).values(), strict=True)
    return {seat: str((money(new) or 0) - (money(old) or 0)) for (seat, old), new in nets if new != old}


def named(text: str) -> str:
    """The code of a card that a person names; raises Refused."""
    try:
        return card(text.strip().upper()).code
    except BadCard:
        raise Refused("bad_card", f"{text[:20]!r} is no card: write a rank and a suit, such as 8S.") from None


HANDLERS: Final[dict[type, Callable[[Trial, Any], None]]] = {
    i.OpenRound: _open_round,
    i.Decision: _decision,
    i.Insurance: _insurance,
    i.CloseOffer: lambda trial, what: enter(trial, e.OfferEnded()),
    i.Peek: lambda trial, what: enter(trial, e.Peeked()),
    i.TurnHoleCard: lambda trial, what: enter(trial, e.HoleCardTurned()),
    i.Settle: lambda trial, what: enter(trial, e.PaidAndTaken()),
    i.NextRound: _next_round,
    i.Card: _manual_card,
    i.Undo: _undo,
    i.Replace: _replace,
    i.TakeBack: _take_back,
    i.Void: lambda trial, what: void(trial, what.reason, what.bets),
    i.Correct: _correct,
    i.Exchange: _exchange,
}
