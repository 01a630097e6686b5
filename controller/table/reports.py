"""What devices report to a table: cards, doubts, troubles and the time. Nothing here is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from controller.rules.cards import BadCard, card
from controller.table import events as e
from controller.table import inputs as i
from controller.table import running
from controller.table.trial import Trial


def _card_left_shoe(trial: Trial, what: i.CardLeftShoe) -> None:
    try:
        code = card(what.card).code
    except BadCard:
        _unread(trial, i.CardUnread(f"the shoe told {what.card!r}, which is no card"))
        return
    running.take_card(trial, code, "shoe")


def _unread(trial: Trial, what: i.CardUnread) -> None:
    if trial.table.state.shoe.passing:
        for _ in range(what.cards):
            trial.emit(e.CardBurned("", "shoe", why=f"unread while the shoe was counted: {what.reason}"))
        return
    running.hold(trial, "double_feed" if what.cards > 1 else "misread", words=what.reason)


def _missed(trial: Trial, what: i.CardsMissed) -> None:
    """A doubt about a shoe from which nothing was dealt would be one about nothing."""
    state = trial.table.state
    if state.round is not None or state.shoe.count:
        running.hold(trial, "missed", words=what.words)


def _cut_card(trial: Trial, what: i.CutCardCame) -> None:
    shoe = trial.table.state.shoe
    if not shoe.cut_card and not shoe.passing:
        trial.emit(e.CutCardSeen())


def _empty(trial: Trial, what: i.ShoeRanEmpty) -> None:
    """The cut card went by unseen: this round is the shoe's last all the same."""
    _cut_card(trial, i.CutCardCame())


def _trouble(trial: Trial, what: i.DeviceTrouble) -> None:
    """A device that was set aside holds nothing up until it has been well again."""
    state = trial.table.state
    holds = what.holds and what.device not in state.set_aside
    if state.faults.get(what.device) != what.words or holds != (what.device in state.holding):
        trial.emit(e.FaultBegan(what.device, what.words, holds))


def _well(trial: Trial, what: i.DeviceWell) -> None:
    if what.device in trial.table.state.faults:
        trial.emit(e.FaultEnded(what.device, at=trial.now))


def _attempted(trial: Trial, what: i.Attempted) -> None:
    trial.emit(e.AttemptRefused(what.what, what.words))


def _looked(trial: Trial, what: i.Looked) -> None:
    if trial.table.state.round is None:
        running.apply_due_limits(trial)


HANDLERS: Final[dict[type, Callable[[Trial, Any], None]]] = {
    i.CardLeftShoe: _card_left_shoe,
    i.CardUnread: _unread,
    i.CardsMissed: _missed,
    i.CutCardCame: _cut_card,
    i.ShoeRanEmpty: _empty,
    i.DeviceTrouble: _trouble,
    i.DeviceWell: _well,
    i.Attempted: _attempted,
    i.Looked: _looked,
}
