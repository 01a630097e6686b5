"""A hand of cards and its money, as it lies on the felt. Counts only; the rules about it are elsewhere."""

from __future__ import annotations

from typing import Any, Self

from controller.rules.cards import Card
from controller.rules.engine.events import HandSettled


def best_total(hard: int, ace: bool) -> int:
    """The total with one ace as 11 where that does not bust."""
    return hard + 10 if ace and hard < 12 else hard


class Cards:
    """Cards that lie together. `hard` counts every ace as 1; `down` has a bit for each face-down card."""

    __slots__ = ("ace", "cards", "down", "hard", "number", "seat")

    def __init__(self, seat: int, number: int) -> None:
        self.seat = seat
        self.number = number
        self.cards: list[Card] = []
        self.hard = 0
        self.ace = False
        self.down = 0

    def add(self, card: Card) -> None:
        self.cards.append(card)
        value = card.value
        self.hard += value
        if value == 1:
            self.ace = True

    def remove_last(self) -> Card:
        """Take back the last card: the second one of a split, or a burned double card."""
        card = self.cards.pop()
        self.hard -= card.value
        self.ace = any(c.value == 1 for c in self.cards)
        return card

    @property
    def total(self) -> int:
        hard = self.hard
        return hard + 10 if self.ace and hard < 12 else hard

    @property
    def soft(self) -> bool:
        return self.ace and self.hard < 12

    @property
    def blackjack(self) -> bool:
        """A two-card 21, of a split hand or not; whether it counts as a natural is `Hand.natural`."""
        return self.hard == 11 and self.ace and len(self.cards) == 2

    def copy(self) -> Self:
        twin = self.__class__.__new__(self.__class__)
        for name in self._names():
            setattr(twin, name, getattr(self, name))
        twin.cards = self.cards.copy()
        return twin

    def state(self) -> tuple[Any, ...]:
        """Everything about these cards, as a value that can be compared."""
        return tuple(tuple(self.cards) if name == "cards" else getattr(self, name) for name in self._names())

    @classmethod
    def _names(cls) -> tuple[str, ...]:
        return Cards.__slots__


class Hand(Cards):
    """A player's hand. `done` wants nothing more; `natural` is a blackjack on the first two cards."""

    __slots__ = ("done", "doubles", "natural", "result", "split")

    def __init__(self, seat: int, number: int) -> None:
        self.seat = seat
        self.number = number
        self.cards = []
        self.hard = 0
        self.ace = False
        self.down = 0
        self.doubles = 0
        self.split = False
        self.natural = False
        self.done = False
        self.result: HandSettled | None = None

    @property
    def split_ace(self) -> bool:
        """One of two aces that were split; no other split leaves an ace as first card."""
        return self.split and self.cards[0].value == 1

    @property
    def pair_of_aces(self) -> bool:
        return len(self.cards) == 2 and self.hard == 2

    @classmethod
    def _names(cls) -> tuple[str, ...]:
        return (*Cards.__slots__, *Hand.__slots__)
