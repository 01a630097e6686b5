"""Where the one card is that differs between two tables, and whether somebody has turned it. Knows nothing of bytes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, Literal

from msgspec import Struct

from controller.daemon.runner import Change
from controller.rules.engine import awaiting as a
from controller.rules.engine import events as rule
from controller.table import events as e
from controller.table import inputs as i
from controller.table.table import Table

Where = Literal["hole", "seat", "double", "held", "burned", "gone"]
_TURNS_HOLE: Final = (a.PeekDue, a.HoleCardDue, a.SettlementDue)
_STEPS: Final = (i.NextRound, i.Peek, i.TurnHoleCard, i.Settle)


class Secret(Struct):
    """`number` is the question it is held for; `entry` its place in the journal when it lies in the round."""

    where: Where = "gone"
    seat: int = 0
    hand: int = 0
    number: int = 0
    entry: int = 0


def will_be_hidden(table: Table, what: i.Input) -> bool:
    """Whether the card of this input comes to lie where nobody sees it."""
    state, round_ = table.state, table.round
    answers = isinstance(what, i.Answer)
    if state.shoe.passing or (isinstance(what, i.Card) and (round_ is None or state.held)):
        return False
    if round_ is None or (state.held and not answers):
        return True
    awaited = round_.awaiting
    if isinstance(awaited, a.CardFor):
        return not awaited.face_up
    if isinstance(awaited, a.DecisionBy):
        return not (table.setup.settings.implied_hit and "hit" in awaited.legal)
    return not isinstance(what, i.Card)


def may_turn_the_hole(before: Table, what: i.Input) -> bool:
    """Whether this input is the dealer's check, or turning the hole card, or paying and taking."""
    awaited = before.round.awaiting if before.round is not None else None
    return isinstance(awaited, _TURNS_HOLE) and isinstance(what, _STEPS)


def follow(secret: Secret, change: Sequence[Change], after: Table, *, planted: bool) -> bool:
    """Notes where the card went; True where it was dealt face up."""
    for event, told in _steps(change):
        match event:
            case e.CardDrawn(held=held) if planted or (secret.where == "held" and held == secret.number):
                dealt = next(each for each in told if isinstance(each, rule.CardDealt))
                if dealt.face_up:
                    return True
                kind: Where = "hole" if dealt.seat == 0 else "seat" if dealt.draw == "deal" else "double"
                log = after.state.round
                secret.where, secret.seat, secret.hand = kind, dealt.seat, dealt.hand
                secret.entry = log.entries[-1].sequence if log is not None else 0
                planted = False
            case e.CardHeld(number=number) if planted:
                secret.where, secret.number, planted = "held", number, False
            case e.CardBurned(held=held) if planted or (secret.where == "held" and held == secret.number):
                secret.where, planted = "burned", False
            case e.CardTakenBack(sequence=sequence, number=number) if _lies(secret) and sequence == secret.entry:
                secret.where, secret.number = "held", number
            case e.Undone(sequence=sequence) if _lies(secret) and sequence == secret.entry:
                secret.where = "gone"
            case e.RoundVoided():
                secret.where = "gone"
    return False


def turned(secret: Secret, change: Sequence[Change]) -> bool:
    """Whether the hand in which it lies was turned."""
    return _lies(secret) and any(
        isinstance(each, rule.CardsTurned) and (each.seat, each.hand) == (secret.seat, secret.hand)
        for _, told in _steps(change)
        for each in told
    )


def _lies(secret: Secret) -> bool:
    return secret.where in ("hole", "seat", "double")


def _steps(change: Sequence[Change]) -> Iterator[tuple[e.Event, Sequence[rule.Event]]]:
    for each in change:
        yield from zip(each.events, each.told, strict=True)
