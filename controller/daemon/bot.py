"""A dealer and players who are not there: enters whatever a table awaits, by a seed. For demos, soaks and proofs.

It deals only from the shoe it is given, and only when a card is awaited, as a dealer would. It answers questions as a
careful dealer does: it looks at the card in hand, which the simulated shoe knows.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Final

from controller.table import inputs as i
from controller.table.questions import Question
from controller.table.views import DealerView

STAND_FROM: Final = 17
PASSIVE: Final = ("stand", "keep")


class Bot:
    """`next` says what a person would enter now; None where a card must come first."""

    def __init__(self, seed: int, *, seats: int, least: str | None) -> None:
        self._chance = Random(seed)
        self._seats, self._least = seats, least

    def wagers(self) -> list[i.FromPeople]:
        """What the players bet at the start: some seats stay empty."""
        count = self._chance.randrange(1, self._seats + 1)
        return [i.Wager(seat, self._least) for seat in sorted(self._chance.sample(range(1, self._seats + 1), count))]

    def next(self, view: DealerView, dealt: Sequence[str]) -> i.FromPeople | None:
        """`dealt`: all that left the shoe since it was loaded, as somebody sees who looks at the felt."""
        if view.question is not None:
            return self._answer(view.question, dealt, view.public.shoe.cards_out)
        if view.actions:
            seat, hand = view.public.turn
            return i.Decision(seat, hand, self._decision(view))
        return i.NextRound() if "next_round" in view.legal else None

    def _decision(self, view: DealerView) -> str:
        hand = next(each for each in view.public.hands if (each.seat, each.hand) == view.public.turn)
        total = int(hand.total.split()[-1]) if hand.total else 0
        passive = [action for action in view.actions if action in PASSIVE]
        if passive and (total >= STAND_FROM or self._chance.random() < 0.4):
            return passive[0]
        return self._chance.choice(view.actions)

    def _answer(self, question: Question, dealt: Sequence[str], known: int) -> i.FromPeople:
        """Cards that the table does not know are named; where it counts more than there are, one was told twice."""
        if "name" in question.answers and len(dealt) > known:
            return i.Answer("name", tuple(dealt[known:]))
        if "same" in question.answers and len(dealt) < known:
            return i.Answer("same")
        for answer in question.answers:
            if answer not in ("name", "same"):
                return i.Answer(answer)
        raise ValueError(f"a question without an answer: {question}")
