"""Rounds a second of the rules engine beside PyPI's blackjack21: one seat, six decks, S17, DAS, basic strategy.

Ours runs with everything on: wagers, the legal choices asked at every decision, a record of every event, exact
settlement of every hand. Cards go in one at a time, as from a shoe. Both engines get the same shuffled shoes, made
before the clock starts, and the same moves, each remembered by what that engine tells of a hand.
"""

from __future__ import annotations

import random
from typing import Any

import blackjack21  # type: ignore[import-untyped]
from blackjack21.utils import calculate_hand  # type: ignore[import-untyped]

from controller.library import load_game
from controller.rules.cards import DECK, Card
from controller.rules.engine.awaiting import (
    DealerCard,
    DecisionBy,
    FirstCard,
    InsuranceOffer,
    PeekDue,
    PlayerCard,
    SettlementDue,
)
from controller.rules.engine.inputs import CloseOffer, Decide, Peek, SeatBet, Settle, TurnHoleCard
from controller.rules.engine.round import Round
from controller.rules.money import Money
from controller.rules.ruleset import Ruleset
from hil.bench.measure import Result, compare
from hil.bench.strategy import best_move

DECKS = 6
CUT = DECKS * 52 // 4  # a quarter of the shoe stays behind the cut card
BET = [SeatBet(1, 10)]
CLOSE, PEEK, TURN, SETTLE = CloseOffer(), Peek(), TurnHoleCard(), Settle()
CARD_AWAITED = (FirstCard, DealerCard, PlayerCard)
WON_ON_TEN = {"BLACKJACK": 15, "PLAYER_WIN": 10, "DEALER_BUST": 10, "PUSH": 0}


def shuffled_shoes(count: int, seed: int) -> list[list[Card]]:
    rng = random.Random(seed)
    shoes = []
    for _ in range(count):
        shoe = list(DECK) * DECKS
        rng.shuffle(shoe)
        shoes.append(shoe)
    return shoes


def play_ours(rules: Ruleset, shoes: list[list[Card]]) -> tuple[int, Money]:
    """Rounds played, and what the seat won on them."""
    moves: dict[Any, str] = {}
    rounds = 0
    won: Money = 0
    for cards in shoes:
        shoe = cards.copy()
        draw = shoe.pop
        while len(shoe) >= CUT:
            rounds += 1
            r = Round(rules, BET)
            apply = r.apply
            while True:
                awaited = r.awaiting
                kind = awaited.__class__
                if kind in CARD_AWAITED:
                    apply(draw())
                elif kind is DecisionBy:
                    hand = r.queue[r.at]
                    key = (hand.hard, hand.ace, awaited.legal, r.up_value)  # type: ignore[union-attr]
                    move = moves.get(key)
                    if move is None:
                        legal = awaited.legal  # type: ignore[union-attr]
                        move = moves[key] = best_move(hand.total, hand.soft, legal, r.up_value)
                    if move == "hit":
                        apply(draw())
                    else:
                        apply(Decide(1, hand.number, move))  # type: ignore[arg-type]
                elif kind is SettlementDue:
                    apply(SETTLE)
                    break
                elif kind is PeekDue:
                    apply(PEEK)
                elif kind is InsuranceOffer:
                    apply(CLOSE)
                else:
                    apply(TURN)
            for hand in r.seats[1].hands:
                won += hand.result.net  # type: ignore[operator, union-attr]
    return rounds, won


class _Shoe:
    """A shoe of blackjack21's cards, through the protocol it offers for a card source."""

    def __init__(self) -> None:
        self.cards: list[Any] = []

    def draw_card(self) -> Any:
        return self.cards.pop()

    def __len__(self) -> int:
        return len(self.cards)


def play_reference(shoes: list[list[Any]]) -> tuple[int, int]:
    """The same on blackjack21: rounds played and what the seat won."""
    moves: dict[Any, str] = {}
    rounds = won = 0
    source = _Shoe()
    table = blackjack21.Table([("seat 1", 10)], source)
    act = {"hit": table.hit, "stand": table.stand, "double": table.double_down, "split": table.split}
    for cards in shoes:
        source.cards = cards.copy()
        while len(source.cards) >= CUT:
            rounds += 1
            table.start_game()
            up = table.dealer.hand[0].value % 10 or 10
            while (hand := table.current_hand) is not None:
                counted = calculate_hand(hand)
                legal = table.available_actions()
                key = (counted.value, counted.is_soft, legal, up)
                move = moves.get(key)
                if move is None:
                    move = moves[key] = best_move(counted.value, counted.is_soft, legal, up)
                act[move]()
            for hand in table.players[0].hands:
                won += hand.bet * WON_ON_TEN.get(hand.result.value, -10) // 10
    return rounds, won


def their_cards(shoes: list[list[Card]]) -> list[list[Any]]:
    """The same shoes in blackjack21's cards."""
    deck = blackjack21.Deck(blackjack21.DEFAULT_SUITS)
    known = {(card.rank, card.suit[0]): card for card in deck}
    return [[known[card.text[:-1], card.suit] for card in shoe] for shoe in shoes]


def run(pairs: int = 7, shoes: int = 300) -> Result:
    rules = load_game("blackjack")
    dealt = shuffled_shoes(shoes, seed=21)
    theirs = their_cards(dealt)
    return compare(
        "rules engine",
        "rounds/s",
        lambda: play_ours(rules, dealt)[0],
        f"blackjack21 {blackjack21.__version__}",
        lambda: play_reference(theirs)[0],
        aim="at least 6",
        pairs=pairs,
    )
