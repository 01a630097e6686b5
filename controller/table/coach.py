"""The coach: at every moment one sentence that tells a dealer what to do next, and the rule that says so.

Pure, made from the table alone. It knows what a dealer may know: nothing it says depends on a face-down card, but for
the actions of a hand that holds it.
"""

from __future__ import annotations

from typing import Final, Literal

from msgspec import Struct

from controller.rules.engine import awaiting as a
from controller.rules.engine.events import DEALER
from controller.rules.engine.round import Round
from controller.table import events as e
from controller.table.coach_round import in_round
from controller.table.coach_words import Saying, Step, seats_words, sentence
from controller.table.payments import Kind, Payment, payments
from controller.table.questions import SHOE_LOST, question
from controller.table.rounds import RoundLog
from controller.table.running import refused_wager
from controller.table.state import MAIN, State
from controller.table.table import Table

_WHY_ASKED: Final = {
    "game_before_time": "Only a dealer knows whether the bets were closed when the card came.",
    "unexpected_card": "A card that left the shoe is never lost and never guessed at: a person says where it belongs.",
    "extra_card": "A card that left the shoe is never lost and never guessed at: a person says where it belongs.",
    "behind_a_question": "It came while something else was open, so nobody has said yet what it is for.",
    "taken_back": "A card that was taken back is out of the shoe: it goes where it belongs, or it is burned.",
    "named_already": "A card that was named by hand is counted; only a person can see whether this is the same one.",
    "misread": "A card is never guessed at. One that a person names stays marked as named by hand.",
    "double_feed": "Cards are never guessed at. Those that a person names stay marked as named by hand.",
    "missed": "The round goes on only when the table and the felt hold the same cards.",
    SHOE_LOST: "No card is taken for granted while the shoe is away; cards that are named by hand stay marked so.",
}
_MOVES: Final[tuple[Kind, ...]] = ("pay", "take")


class Coach(Struct, frozen=True):
    """`say`: what to do next. `why`: the rule behind it. `first`: what comes before it, where bets were settled a
    moment ago. `pay`: every bet of the round shown that is settled, in the order of paying and taking; those to move at
    this moment are marked. `check`: what a check for blackjack has just found. `step`: what to press, where `say` asks
    for that. `seat` and `hand`: whom the round waits for; seat 0 is the dealer."""

    say: str
    why: str
    step: Step = ""
    first: str = ""
    pay: tuple[Payment, ...] = ()
    check: Literal["", "blackjack", "no_blackjack"] = ""
    seat: int | None = None
    hand: int = 0


def coach(table: Table) -> Coach:
    state, pay = table.state, _payments(table)
    asked = question(table)
    if asked is not None:
        why = _WHY_ASKED[asked.situation]
        return Coach(asked.asks, f"{sentence(asked.words)} {why}" if asked.words else why, "", _first(table, pay), pay)
    if table.round is None or state.round is None:
        said = _before_a_round(table)
        return Coach(said.say, said.why, said.step, _first(table, pay), pay)
    said = in_round(table.setup, table.round, state.round)
    return Coach(
        said.say, said.why, said.step, _first(table, pay), pay, _check(state.round, table.round), *_whom(table.round)
    )


def _payments(table: Table) -> tuple[Payment, ...]:
    """Of the round in play; when it is over, until the next one begins."""
    state = table.state
    if table.round is not None and state.round is not None:
        return payments(table.setup, state.round, table.round)
    if table.last is None or state.last is None or state.last.number != state.round_number:
        return ()
    return payments(table.setup, state.last, table.last)


def _first(table: Table, pay: tuple[Payment, ...]) -> str:
    """What is settled is paid and taken before anything else is done."""
    state = table.state
    if state.round is None and state.round_number > (state.last.number if state.last is not None else 0):
        return f"Round {state.round_number} is void: clear the cards, and give the bets back as the supervisor says."
    paid, taken = (seats_words([each.seat for each in pay if each.now and each.kind == kind]) for kind in _MOVES)
    parts = [f"pay {paid}" if paid else "", f"take from {taken}" if taken else ""]
    moves = " and ".join(part for part in parts if part)
    clear = "clear the cards" if pay and state.round is None else ""
    steps = ", then ".join(part for part in (moves, clear) if part)
    return f"First {steps}." if steps else ""


def _check(log: RoundLog, round_: Round) -> Literal["", "blackjack", "no_blackjack"]:
    if not log.entries or not isinstance(log.entries[-1].what, e.Peeked):
        return ""
    return "no_blackjack" if round_.dealer.down else "blackjack"


def _whom(round_: Round) -> tuple[int | None, int]:
    match round_.awaiting:
        case a.CardFor(seat=seat, hand=hand) | a.DecisionBy(seat=seat, hand=hand):
            return seat, hand
        case a.PeekDue() | a.HoleCardDue():
            return DEALER, 1
    return None, 0


def _before_a_round(table: Table) -> Saying:
    state = table.state
    if state.holding:
        device = state.holding[0]
        words = state.faults.get(device, "")
        return Saying(f"See to the {device}: no round begins without it.", sentence(words or "It does not answer"))
    if state.shoe.passing:
        return _passing(state)
    if not state.open:
        return Saying("Open the table.", "It is closed: no round begins at a closed table.", "open_table")
    if not state.shoe.number:
        why = "No shoe is loaded: cards are counted from its first."
        return Saying("Fill the shoe, then press Shoe loaded.", why, "shoe_loaded")
    if state.shoe_change_due:
        why = "The cut card came out: the round in which it shows is the last of the shoe."
        return Saying("Change the shoe: fill it anew, then press Shoe loaded.", why, "shoe_loaded")
    if state.burn_due:
        why = "At this table a card is burned when a shoe is loaded and when a dealer comes in."
        return Saying("Burn a card: draw one and lay it into the discard rack.", why)
    if not state.wagers:
        return Saying("Take the bets: no seat has one yet.", _limits_words(table))
    refused = refused_wager(table)
    if refused is not None:
        return Saying(f"{refused.message} Change that bet, or clear it.", _limits_words(table))
    seats = seats_words(sorted(state.wagers))
    return Saying(f"Close the betting for {seats}, then press Open round.", _limits_words(table), "open_round")


def _passing(state: State) -> Saying:
    if state.shoe.passing == "verify":
        why = "All cards of a new shoe are counted once, to find any that is missing or too many."
        return Saying("Draw every card of the shoe, one by one, then press Verified.", why, "shoe_verified")
    why = "The cards that are left must be those that were not dealt."
    return Saying("Draw every card that is left in the shoe, one by one, then press Counted.", why, "shoe_counted")


def _limits_words(table: Table) -> str:
    """What may be bet, by the name of the bet."""
    rules, parts = table.setup.rules, []
    for bet, text in table.state.limits.items():
        title = "The bet" if bet == MAIN else rules.side_bets[bet].bet.title
        parts.append(f"{title}: {text.limits.words()}.")
    return " ".join(parts) or "A round needs at least one seat with a bet."
