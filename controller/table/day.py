"""A table's day: open and closed, dealers, shoes, seats and wagers, limits, alerts, faults that are set aside."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from controller.rules.errors import Refused
from controller.table import events as e
from controller.table import inputs as i
from controller.table import running
from controller.table.limits import LimitText, notice_seconds
from controller.table.trial import Trial


def _open_table(trial: Trial, what: i.OpenTable) -> None:
    if not trial.table.state.open:
        trial.emit(e.TableOpened())


def _close_table(trial: Trial, what: i.CloseTable) -> None:
    if trial.table.state.round is not None:
        raise Refused("round_in_play", "Finish the round, or have it voided, before the table closes.")
    reserved = running.line(what.reserved)
    if trial.table.state.open or reserved != trial.table.state.reserved:
        trial.emit(e.TableClosed(reserved))


def _dealer_in(trial: Trial, what: i.DealerIn) -> None:
    if trial.table.state.round is not None:
        raise Refused("round_in_play", "A dealer takes over between rounds.")
    trial.emit(e.DealerCameIn(running.line(what.name, Refused("no_name", "Say who takes over."))))


def _dealer_out(trial: Trial, what: i.DealerOut) -> None:
    state = trial.table.state
    if state.round is not None:
        raise Refused("round_in_play", "A dealer leaves between rounds.")
    if not state.dealer:
        raise Refused("no_dealer", "No dealer is at the table.")
    trial.emit(e.DealerWentOut(state.dealer))


def _shoe(trial: Trial, what: i.Shoe) -> None:
    state = trial.table.state
    if state.round is not None:
        raise Refused("round_in_play", "The shoe is changed between rounds.")
    if state.held:
        raise Refused("question_first", "First the open question about the card that left the shoe.")
    if what.action == "load":
        trial.emit(e.ShoeLoaded(state.shoe.number + 1, trial.table.setup.rules.decks))
        running.apply_due_limits(trial, boundary="next_shoe")
        return
    if not state.shoe.number:
        raise Refused("no_shoe", "No shoe is loaded.")
    match what.action:
        case "verify" | "count":
            if state.shoe.passing:
                raise Refused("counting", "The shoe is being counted already.")
            if what.action == "verify" and state.shoe.count:
                raise Refused("shoe_in_use", "Cards were dealt from this shoe: count it at its end.")
            trial.emit(e.VerificationBegun() if what.action == "verify" else e.CountBegun())
        case "verified" if state.shoe.passing == "verify":
            missing, extra = state.shoe.differences()
            trial.emit(e.ShoeVerified(missing, extra))
            _alert_differences(trial, missing, extra, state.shoe.unknown)
        case "counted" if state.shoe.passing == "count":
            missing, extra = state.shoe.differences()
            trial.emit(e.ShoeCounted(missing, extra))
            _alert_differences(trial, missing, extra, state.shoe.unknown)
        case _:
            raise Refused("not_counting", "No such count of the shoe is going on.")


def _alert_differences(trial: Trial, missing: dict[str, int], extra: dict[str, int], unread: int) -> None:
    if not missing and not extra:
        return
    note = f"; {unread} of the missing left it unread" if unread else ""
    words = f"The count of the shoe does not come out: {_cards_words(missing, extra)}{note}"
    trial.emit(e.AlertRaised(trial.table.state.alert_number + 1, words))


def _cards_words(missing: dict[str, int], extra: dict[str, int]) -> str:
    parts = [
        f"{word} {', '.join(f'{times} × {code}' for code, times in sorted(cards.items()))}"
        for word, cards in (("missing", missing), ("too many", extra))
        if cards
    ]
    return "; ".join(parts)


def _check_seat(trial: Trial, seat: int) -> None:
    if not 1 <= seat <= trial.table.setup.seats:
        raise Refused("no_such_seat", f"This table has seats 1 to {trial.table.setup.seats}.")


def _cut_card(trial: Trial, what: i.CutCard) -> None:
    """As a shoe tells it; a press too many says why it is none."""
    refused = running.why_no_cut_card(trial.table)
    if refused is not None:
        raise refused
    trial.emit(e.CutCardSeen())


def _seat(trial: Trial, what: i.Seat) -> None:
    _check_seat(trial, what.seat)
    if what.taken == (what.seat in trial.table.state.seated):
        return
    trial.emit(e.SeatTaken(what.seat) if what.taken else e.SeatCleared(what.seat))


def _wager(trial: Trial, what: i.Wager) -> None:
    _check_seat(trial, what.seat)
    running.check_wagers(trial.table, what.seat, e.Bets(what.amount, what.side))
    trial.emit(e.WagerPlaced(what.seat, what.amount, dict(what.side)))


def _limits(trial: Trial, what: i.Limits) -> None:
    table = trial.table
    if what.bet not in table.state.limits:
        raise Refused("no_such_bet", f"There are limits for {', '.join(table.state.limits) or 'no bet'}.")
    why = running.line(what.why, Refused("no_reason", "Say why the limits change."))
    after = LimitText(what.min, what.max, what.step)
    try:
        after.limits.words()
    except ValueError as error:
        raise Refused("bad_limits", f"{error}.") from None
    due = trial.now + seconds if (seconds := notice_seconds(what.policy)) else 0
    before = table.state.limits[what.bet]
    trial.emit(e.LimitsScheduled(what.bet, before, after, what.policy, why, due))
    if table.state.round is None:
        running.apply_due_limits(trial, boundary="next_round")


def _alert(trial: Trial, what: i.Alert) -> None:
    if all(alert.number != what.number for alert in trial.table.state.alerts):
        raise Refused("no_such_alert", f"There is no alert {what.number}.")
    trial.emit(e.AlertAcknowledged(what.number))


def _fault(trial: Trial, what: i.Fault) -> None:
    if what.device not in trial.table.state.holding:
        raise Refused("no_such_fault", f"No round waits for {what.device!r}.")
    trial.emit(e.FaultEnded(what.device, set_aside=True))


HANDLERS: Final[dict[type, Callable[[Trial, Any], None]]] = {
    i.OpenTable: _open_table,
    i.CloseTable: _close_table,
    i.DealerIn: _dealer_in,
    i.DealerOut: _dealer_out,
    i.CutCard: _cut_card,
    i.Shoe: _shoe,
    i.Seat: _seat,
    i.Wager: _wager,
    i.Limits: _limits,
    i.Alert: _alert,
    i.Fault: _fault,
}
