"""The named situations in which a table asks: what it asks, which answers it takes, and who may give them."""

from __future__ import annotations

from typing import Final, Literal

from msgspec import Struct

from controller.rules.cards import card
from controller.rules.engine import awaiting as a
from controller.table.events import Situation
from controller.table.inputs import AnswerName
from controller.table.running import why_no_round
from controller.table.state import Held
from controller.table.table import Table

SHOE_LOST: Final = "shoe_lost"


class _Kind(Struct, frozen=True):
    """`blocks`: nothing else may be entered before it is answered, because nobody knows how the cards lie."""

    asks: str
    answers: tuple[AnswerName, ...]
    blocks: bool = False


_KINDS: Final[dict[str, _Kind]] = {
    "game_before_time": _Kind(
        "A card left the shoe and betting is not closed. Does the round begin with it, or is it burned?",
        ("begin", "burn"),
    ),
    "unexpected_card": _Kind(
        "A card left the shoe and none was awaited. Enter what is missing and deal it, or burn it.",
        ("deal", "burn", "void"),
    ),
    "extra_card": _Kind(
        "A card left the shoe and the round needs no more. Burn it, or pay this round and begin the next with it.",
        ("begin", "burn", "void"),
    ),
    "behind_a_question": _Kind(
        "A card left the shoe while a question was open. Is it dealt, or burned?",
        ("same", "deal", "begin", "burn", "void"),
    ),
    "taken_back": _Kind(
        "A card was taken back. Enter what was forgotten and deal it, or burn it.", ("deal", "burn", "void")
    ),
    "named_already": _Kind(
        "The shoe tells a card, and cards were named by hand. Is it one of those, or another one?",
        ("same", "deal", "begin", "burn", "void"),
    ),
    "misread": _Kind("A card left the shoe unread. Which card is it?", ("name", "burn", "void"), blocks=True),
    "double_feed": _Kind(
        "Two cards left the shoe together. Which are they, in the order they lie?",
        ("name", "burn", "void"),
        blocks=True,
    ),
    "missed": _Kind(
        "The shoe can't prove that every card was told. Do the cards on the felt agree? If not, which came?",
        ("confirm", "name", "void"),
        blocks=True,
    ),
    SHOE_LOST: _Kind(
        "The shoe is gone in the middle of a round. Wait for it, or deal on and name each card by hand.",
        ("by_hand", "void"),
    ),
}
_WORDS: Final[dict[AnswerName, str]] = {
    "begin": "Begin the round with it",
    "burn": "Burn it",
    "same": "It is one that was named",
    "name": "Name it",
    "confirm": "The felt agrees",
    "by_hand": "Deal by hand",
    "void": "Void the round",
}


class Choice(Struct, frozen=True):
    """An answer that can be given now, with what a button for it says."""

    answer: AnswerName
    words: str
    who: Literal["dealer", "supervisor"]


class Question(Struct, frozen=True):
    """What the table asks now. It names no card: who holds it in hand can see it, and nobody else may."""

    number: int
    situation: str
    asks: str
    words: str
    choices: tuple[Choice, ...]

    @property
    def answers(self) -> tuple[AnswerName, ...]:
        return tuple(choice.answer for choice in self.choices)


def question(table: Table) -> Question | None:
    """The first open question; the answers are those that can be given now."""
    state = table.state
    if state.held:
        held = state.held[0]
        return _asked(table, held.number, held.situation, held.words, held)
    if state.holding and state.round is not None:
        device = state.holding[0]
        return _asked(table, 0, SHOE_LOST, state.faults.get(device, ""), None)
    return None


def asks(situation: Situation) -> str:
    return _KINDS[situation].asks


def blocks(situation: Situation) -> bool:
    return _KINDS[situation].blocks


def _asked(table: Table, number: int, situation: str, words: str, held: Held | None) -> Question:
    kind = _KINDS[situation]
    who: dict[AnswerName, Literal["dealer", "supervisor"]] = {"void": "supervisor"}
    choices = tuple(
        Choice(answer, _answer_words(table, answer), who.get(answer, "dealer"))
        for answer in kind.answers
        if _can(table, held, answer)
    )
    return Question(number, situation, kind.asks, words, choices)


def _can(table: Table, held: Held | None, answer: AnswerName) -> bool:
    state = table.state
    if answer == "deal" and held is not None:
        return table.round is not None and table.round.allows(card(held.card))
    if answer == "same":
        return bool(state.by_hand) and held is not None and held.source == "shoe"
    if answer == "begin":
        return why_no_round(table) is None
    if answer == "void":
        return table.round is not None
    return True


def _answer_words(table: Table, answer: AnswerName) -> str:
    """What a button says. For whom the card would be is what the round awaits, and no secret."""
    if answer != "deal" or table.round is None:
        return _WORDS[answer]
    match table.round.awaiting:
        case a.CardFor(seat=seat) | a.DecisionBy(seat=seat):
            return f"It belongs to seat {seat}" if seat else "It belongs to the dealer"
    return "Deal it"
