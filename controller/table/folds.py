"""How each event changes a table: one small function an event, from the table before to what is different after it.

Each gives the changed fields of the state, the round in play and the one before; an event that can't be raises.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from msgspec import structs

from controller.rules.engine.round import Round
from controller.rules.words.narrate import shown_total
from controller.table import events as e
from controller.table.rounds import Entry, RoundLog, new_round, played
from controller.table.state import (
    RECENT,
    DeviceMark,
    Held,
    PastHand,
    PastRound,
    Pending,
    RaisedAlert,
    ShoeCount,
    State,
)

if TYPE_CHECKING:
    from controller.table.table import Table

UNREAD: Final[dict[str, int]] = {"misread": 1, "double_feed": 2}  # how many cards a question is about
TOLD_AGAIN_S: Final = 10  # a shoe that is back tells what it has kept within two or three

Change = tuple[dict[str, Any], Round | None, Round | None]


def out_of_shoe(state: State, code: str, held: int) -> dict[str, Any]:
    """A card is counted when it leaves the shoe: one that was held is counted already, if it was read then."""
    waiting = next((each for each in state.held if each.number == held), None)
    changes: dict[str, Any] = {"held": tuple(each for each in state.held if each is not waiting)}
    if waiting is None or not waiting.card:
        shoe = state.shoe
        changes["shoe"] = (
            structs.replace(shoe, out=shoe.with_card(code)) if code else structs.replace(shoe, unknown=shoe.unknown + 1)
        )
    return changes


def _plain(**changes: Any) -> Callable[[Table, Any], Change]:
    return lambda table, event: (changes, table.round, table.last)


def _keep(table: Table, changes: dict[str, Any]) -> Change:
    return changes, table.round, table.last


# The table's day


def _set_up(table: Table, event: e.TableSetUp) -> Change:
    state = table.state
    changes: dict[str, Any] = {"game": event.game, "rules": event.rules, "configured": event.limits}
    if event.limits != state.configured:
        changes |= {"limits": event.limits, "pending": ()}
    return _keep(table, changes)


def _dealer(table: Table, event: e.DealerCameIn) -> Change:
    return _keep(table, {"dealer": event.name, "burn_due": table.setup.burns})


def _loaded(table: Table, event: e.ShoeLoaded) -> Change:
    shoe = ShoeCount(number=event.number, decks=event.decks)
    changes = {
        "shoe": shoe,
        "shoe_change_due": False,
        "burn_due": table.setup.burns,
        "alarmed": {},
        "by_hand": (),
    }
    return _keep(table, changes)


def _verifying(table: Table, event: e.VerificationBegun) -> Change:
    shoe = table.state.shoe
    return _keep(table, {"shoe": ShoeCount(number=shoe.number, decks=shoe.decks, passing="verify"), "alarmed": {}})


def _verified(table: Table, event: e.ShoeVerified) -> Change:
    """The cards go back into the shoe."""
    shoe = table.state.shoe
    return _keep(table, {"shoe": ShoeCount(number=shoe.number, decks=shoe.decks)})


def _counting(table: Table, event: e.CountBegun) -> Change:
    return _keep(table, {"shoe": structs.replace(table.state.shoe, passing="count")})


def _counted(table: Table, event: e.ShoeCounted) -> Change:
    return _keep(table, {"shoe": structs.replace(table.state.shoe, passing=""), "shoe_change_due": True})


def _passed(table: Table, event: e.CardPassed) -> Change:
    shoe = table.state.shoe
    return _keep(table, {"shoe": structs.replace(shoe, out=shoe.with_card(event.card))})


def _cut_card(table: Table, event: e.CutCardSeen) -> Change:
    state = table.state
    changes: dict[str, Any] = {"shoe": structs.replace(state.shoe, cut_card=True)}
    if state.round is None:
        changes["shoe_change_due"] = True
    return _keep(table, changes)


# Seats and rounds


def _seated(table: Table, event: e.SeatTaken) -> Change:
    state = table.state
    changes: dict[str, Any] = {"seated": tuple(sorted({*state.seated, event.seat}))}
    if not table.setup.wagers:
        changes["wagers"] = {**state.wagers, event.seat: e.Bets()}
    return _keep(table, changes)


def _wager(table: Table, event: e.WagerPlaced) -> Change:
    state = table.state
    changes = {
        "seated": tuple(sorted({*state.seated, event.seat})),
        "wagers": {**state.wagers, event.seat: e.Bets(event.amount, event.side)},
        "again": tuple(seat for seat in state.again if seat != event.seat),
    }
    return _keep(table, changes)


def _cleared(table: Table, event: e.SeatCleared) -> Change:
    state = table.state
    changes = {
        "seated": tuple(seat for seat in state.seated if seat != event.seat),
        "wagers": {seat: bets for seat, bets in state.wagers.items() if seat != event.seat},
        "again": tuple(seat for seat in state.again if seat != event.seat),
    }
    return _keep(table, changes)


def _begun(table: Table, event: e.RoundBegun) -> Change:
    if table.state.round is not None:
        raise ValueError("a round is in play already")
    round_ = new_round(table.setup.rules, event.bets, table.setup.settings)
    log = RoundLog(event.number, event.bets, shoe=table.state.shoe.number)
    return {"round_number": event.number, "round": log}, round_, table.last


def _ended(table: Table, event: e.RoundEnded) -> Change:
    state, round_ = table.state, table.round
    if round_ is None or not round_.over:
        raise ValueError("the round is not over")
    changes = {
        "round": None,
        "last": state.round,
        "recent": (*state.recent, past(event.number, round_))[-RECENT:],
        "again": tuple(sorted(state.wagers)),
        "by_hand": state.by_hand if state.set_aside else (),  # what it still had, it has told by now
        "shoe_change_due": state.shoe_change_due or state.shoe.cut_card,
    }
    return changes, None, round_


def past(number: int, round_: Round) -> PastRound:
    """The round as it lies on the felt at its end: what was never turned stays unknown."""
    hands = tuple(
        PastHand(
            hand.seat,
            hand.number,
            shown_total(hand),
            hand.result.outcome if hand.result else "",
            None if hand.result is None or hand.result.net is None else str(hand.result.net),
        )
        for seat in round_.seats.values()
        for hand in seat.hands
    )
    return PastRound(number, shown_total(round_.dealer), hands)


def _voided(table: Table, event: e.RoundVoided) -> Change:
    """A card that nobody could read is counted as unknown; a doubt about the shoe's own count outlives the round."""
    state = table.state
    unread = sum(UNREAD.get(each.situation, 0) for each in state.held)
    changes = {
        "round": None,
        "held": tuple(each for each in state.held if each.situation == "missed"),
        "again": tuple(sorted(state.wagers)),
        "shoe": structs.replace(state.shoe, unknown=state.shoe.unknown + unread),
        "shoe_change_due": state.shoe_change_due or state.shoe.cut_card,
    }
    return changes, None, table.last


# Cards and questions


def _burned(table: Table, event: e.CardBurned) -> Change:
    changes = out_of_shoe(table.state, event.card, event.held)
    burned = not event.held and not table.state.shoe.passing  # not one that is only passed through
    return _keep(table, changes | {"burn_due": False} if burned else changes)


def _held(table: Table, event: e.CardHeld) -> Change:
    state = table.state
    waiting = Held(event.number, event.situation, event.card, event.words, event.source)
    first = 0  # one that was named left the shoe before those that waited for its name
    while event.source == "manual" and first < len(state.held) and state.held[first].source == "manual":
        first += 1
    place = first if event.source == "manual" else len(state.held)
    changes: dict[str, Any] = {
        "held": (*state.held[:place], waiting, *state.held[place:]),
        "held_number": event.number,
    }
    if event.card:
        changes["shoe"] = structs.replace(state.shoe, out=state.shoe.with_card(event.card))
    return _keep(table, changes)


def _answered(table: Table, event: e.QuestionAnswered) -> Change:
    state = table.state
    answered = next((each for each in state.held if each.number == event.number), None)
    changes: dict[str, Any] = {"held": tuple(each for each in state.held if each is not answered)}
    if answered is not None and answered.situation == "missed" and event.cards:
        changes |= {"by_hand": (*state.by_hand, *event.cards), "by_hand_until": event.at + TOLD_AGAIN_S}
    return _keep(table, changes)


def _told_again(table: Table, event: e.CardToldAgain) -> Change:
    state = table.state
    told = next(each for each in state.held if each.number == event.number)
    changes = {
        "held": tuple(each for each in state.held if each is not told),
        "shoe": structs.replace(state.shoe, out=state.shoe.with_card(told.card, -1)),
        "by_hand": without_one(state.by_hand, told.card),
    }
    return _keep(table, changes)


def without_one(codes: tuple[str, ...], code: str) -> tuple[str, ...]:
    """The codes without one of them: this one, where it is there."""
    at = codes.index(code) if code in codes else 0
    return codes[:at] + codes[at + 1 :]


def _without_last(table: Table, sequence: int) -> tuple[RoundLog, Entry]:
    log = table.state.round
    if log is None or not log.entries or log.entries[-1].sequence != sequence:
        raise ValueError(f"{sequence} is not the last entry")
    return structs.replace(log, entries=log.entries[:-1]), log.entries[-1]


def _undone(table: Table, event: e.Undone) -> Change:
    shorter, last = _without_last(table, event.sequence)
    changes: dict[str, Any] = {"round": shorter}
    if isinstance(last.what, e.CardDrawn):
        shoe, by_hand = table.state.shoe, table.state.by_hand
        changes["shoe"] = structs.replace(shoe, out=shoe.with_card(last.what.card, -1))
        if last.aside and last.what.card in by_hand:
            changes["by_hand"] = without_one(by_hand[::-1], last.what.card)[::-1]  # it was the newest of its kind
    return changes, played(table.setup.rules, shorter, table.setup.settings), table.last


def _taken_back(table: Table, event: e.CardTakenBack) -> Change:
    """It is first in line: cards that are in question already came after it."""
    shorter, last = _without_last(table, event.sequence)
    what = last.what
    if not isinstance(what, e.CardDrawn):
        raise ValueError(f"{event.sequence} is no card")
    waiting = Held(event.number, "taken_back", what.card, "", what.source)
    changes = {"round": shorter, "held": (waiting, *table.state.held), "held_number": event.number}
    return changes, played(table.setup.rules, shorter, table.setup.settings), table.last


def _corrected(table: Table, event: e.CardCorrected) -> Change:
    """The shoe that is counted may be another by now than the one that the last round's cards came from."""
    changes, round_, last = _rewritten(table, event.round, lambda log: log.with_card(event.place, event.card))
    shoe = table.state.shoe
    if "round" in changes or changes["last"].shoe == shoe.number:
        shoe = structs.replace(shoe, out=shoe.with_card(event.was, -1))
        shoe = structs.replace(shoe, out=shoe.with_card(event.card))
    return {**changes, "shoe": shoe}, round_, last


def _exchanged(table: Table, event: e.CardsExchanged) -> Change:
    return _rewritten(table, event.round, lambda log: log.with_exchanged(event.place, event.other))


def _rewritten(table: Table, number: int, change: Callable[[RoundLog], RoundLog]) -> Change:
    state, rules, settings = table.state, table.setup.rules, table.setup.settings
    if state.round is not None and state.round.number == number:
        log = change(state.round)
        return {"round": log}, played(rules, log, settings), table.last
    if state.last is None or state.last.number != number:
        raise ValueError(f"round {number} is neither in play nor the last one")
    log = change(state.last)
    made = played(rules, log, settings)
    recent = tuple(past(number, made) if each.number == number else each for each in state.recent)
    return {"last": log, "recent": recent}, table.round, made


# Limits, faults, alerts, devices


def _scheduled(table: Table, event: e.LimitsScheduled) -> Change:
    others = tuple(each for each in table.state.pending if each.bet != event.bet)
    waiting = Pending(event.bet, event.after, event.policy, event.why, event.due)
    return _keep(table, {"pending": (*others, waiting)})


def _limits(table: Table, event: e.LimitsApplied) -> Change:
    state = table.state
    changes = {
        "limits": {**state.limits, event.bet: event.after},
        "pending": tuple(each for each in state.pending if each.bet != event.bet),
    }
    return _keep(table, changes)


def _fault(table: Table, event: e.FaultBegan) -> Change:
    state = table.state
    holding = {*state.holding, event.device} if event.holds else {*state.holding} - {event.device}
    return _keep(table, {"faults": {**state.faults, event.device: event.words}, "holding": tuple(sorted(holding))})


def _well(table: Table, event: e.FaultEnded) -> Change:
    state = table.state
    holding = tuple(device for device in state.holding if device != event.device)
    faults = {device: words for device, words in state.faults.items() if device != event.device or event.set_aside}
    aside = {*state.set_aside, event.device} if event.set_aside else {*state.set_aside} - {event.device}
    changes: dict[str, Any] = {"faults": faults, "holding": holding, "set_aside": tuple(sorted(aside))}
    if state.by_hand and not aside:
        changes["by_hand_until"] = event.at + TOLD_AGAIN_S
    return _keep(table, changes)


def _raised(table: Table, event: e.AlertRaised) -> Change:
    state = table.state
    raised = RaisedAlert(event.number, event.words, event.card)
    changes: dict[str, Any] = {"alerts": (*state.alerts, raised), "alert_number": event.number}
    if event.card:
        counted = max(state.alarmed.get(event.card, 0), state.shoe.decks) + 1
        changes["alarmed"] = {**state.alarmed, event.card: counted}
    return _keep(table, changes)


def _seen(table: Table, event: e.AlertAcknowledged) -> Change:
    return _keep(table, {"alerts": tuple(each for each in table.state.alerts if each.number != event.number)})


def _mark(table: Table, event: e.MarkReached) -> Change:
    return _keep(table, {"marks": {**table.state.marks, event.device: DeviceMark(event.boot, event.number)}})


FOLDS: Final[dict[type, Callable[[Table, Any], Change]]] = {
    e.TableSetUp: _set_up,
    e.TableOpened: _plain(open=True, reserved=""),
    e.TableClosed: lambda table, event: _keep(table, {"open": False, "reserved": event.reserved}),
    e.DealerCameIn: _dealer,
    e.DealerWentOut: _plain(dealer=""),
    e.ShoeLoaded: _loaded,
    e.VerificationBegun: _verifying,
    e.ShoeVerified: _verified,
    e.CountBegun: _counting,
    e.ShoeCounted: _counted,
    e.CardPassed: _passed,
    e.CutCardSeen: _cut_card,
    e.SeatTaken: _seated,
    e.SeatCleared: _cleared,
    e.WagerPlaced: _wager,
    e.RoundBegun: _begun,
    e.RoundEnded: _ended,
    e.RoundVoided: _voided,
    e.CardBurned: _burned,
    e.CardHeld: _held,
    e.CardTakenBack: _taken_back,
    e.CardToldAgain: _told_again,
    e.QuestionAnswered: _answered,
    e.Undone: _undone,
    e.CardCorrected: _corrected,
    e.CardsExchanged: _exchanged,
    e.LimitsScheduled: _scheduled,
    e.LimitsApplied: _limits,
    e.FaultBegan: _fault,
    e.FaultEnded: _well,
    e.AlertRaised: _raised,
    e.AlertAcknowledged: _seen,
    e.AttemptRefused: _plain(),
    e.MarkReached: _mark,
}
