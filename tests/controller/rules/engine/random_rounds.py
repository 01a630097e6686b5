"""Random tables for the property tests: any game, any options it can be played with, any seats, cards and decisions.

A table is a few values and a seed; the seed says every card and every decision, so a printed table is the whole round.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import Any

from hypothesis import strategies as st

from controller.library import game_names, load_game
from controller.rules.cards import DECK, Card
from controller.rules.engine.awaiting import (
    CardFor,
    DecisionBy,
    HoleCardDue,
    InsuranceOffer,
    PeekDue,
    SettlementDue,
    SurrenderOffer,
)
from controller.rules.engine.inputs import (
    CloseOffer,
    Decide,
    Input,
    Insure,
    Peek,
    PlaySettings,
    SeatBet,
    Settle,
    TurnHoleCard,
)
from controller.rules.engine.round import Round
from controller.rules.errors import RulesetError
from controller.rules.money import Money
from controller.rules.options import OPTIONS
from controller.rules.ruleset import Ruleset

BETS: tuple[Money, ...] = (10, 5, 1, 33, Fraction(5, 2), Fraction(7, 3))
MOST_INPUTS = 2_000  # far more than four seats of eight hands can want
# Ranks to deal from: all, and such as make pairs, blackjacks, long hands and the games' own moves frequent.
PALETTES = ("A23456789TJQK", "ATK", "AT8", "A2345", "87T", "5649T", "56T", "823")
SEEDS = 2**24 - 1  # a larger span is not drawn from evenly
COMMON = ("hit", "stand", "double", "surrender")  # other decisions are rarer than they are interesting


class Tape:
    """Chances in an order that a seed decides."""

    def __init__(self, seed: str) -> None:
        self.random = Random(seed)

    def below(self, limit: int) -> int:
        return self.random.randrange(limit)

    def pick(self, things: Any) -> Any:
        return self.random.choice(things)


@dataclass(frozen=True)
class Table:
    """All that makes a round, as a failing test prints it."""

    game: str
    options: dict[str, Any]
    seats: tuple[SeatBet, ...]
    settings: PlaySettings
    palette: str
    seed: int

    @property
    def rules(self) -> Ruleset:
        return load_game(self.game, self.options)

    def open(self) -> Round:
        return Round(self.rules, self.seats, self.settings)

    def tape(self, which: str = "") -> Tape:
        return Tape(f"{which}{self}")

    def card(self, tape: Tape) -> Card:
        cards: Card = tape.pick([card for card in DECK if card.rank in self.palette])
        return cards

    def inputs(self) -> Iterator[tuple[Round, Input]]:
        """A whole round, driven by `awaiting` alone: each time the round as it is, and what will be done to it next."""
        tape = self.tape()
        r = self.open()
        for _ in range(MOST_INPUTS):
            if r.over:
                return
            what = self.next_input(r, tape)
            yield r, what
            r.apply(what)
        raise AssertionError(f"the round does not end: {r.awaiting}")

    def next_input(self, r: Round, tape: Tape) -> Input:
        """Something that `awaiting` says may happen."""
        match r.awaiting:
            case CardFor():
                return self.card(tape)
            case DecisionBy(seat, hand, legal):
                if self.settings.implied_hit and "hit" in legal and tape.below(3) == 1:
                    return self.card(tape)
                rare = [action for action in legal if action not in COMMON]
                return Decide(seat, hand, tape.pick(rare if rare and tape.below(2) else legal))
            case InsuranceOffer(seats):
                return insurance(r, tape.pick(seats), tape) if seats and tape.below(2) else CloseOffer()
            case SurrenderOffer(seats):
                return Decide(tape.pick(seats), 1, "surrender") if tape.below(3) == 1 else CloseOffer()
            case PeekDue():
                return Peek()
            case HoleCardDue():
                return TurnHoleCard()
            case SettlementDue():
                return Settle()
        raise AssertionError(f"awaiting {r.awaiting}, and nothing is known to follow")


def insurance(r: Round, seat: int, tape: Tape) -> Insure:
    bet = r.seats[seat].bet
    return Insure(seat, None if bet is None else Fraction(bet) * tape.pick((Fraction(1, 2), Fraction(1, 5))))


def playable(game: str, wanted: list[tuple[str, Any]]) -> dict[str, Any]:
    """As many of the wanted options, in order, as the game can be played with."""
    options: dict[str, Any] = {}
    for key, value in wanted:
        try:
            load_game(game, options | {key: value})
        except RulesetError:
            continue
        options[key] = value
    return options


def random_seats(rules: Ruleset, count: int, wagers: bool, chance: Random) -> tuple[SeatBet, ...]:
    seats = []
    for number in chance.sample(range(1, 10), count):
        bet = chance.choice(BETS) if wagers and chance.random() < 0.85 else None
        names = [name for name in rules.side_bets if chance.random() < 0.5]
        seats.append(SeatBet(number, bet, {name: None if bet is None else chance.choice(BETS) for name in names}))
    return tuple(seats)


@st.composite
def tables(
    draw: st.DrawFn, /, games: tuple[str, ...] = game_names(), flips: int = 10, wagers: bool = True, **fixed: Any
) -> Table:
    """Any table. `fixed` options are always set; `flips` is how many others may be.

    Only what makes a failure simpler is drawn; a seed decides the rest, because uniform chances make better rounds.
    """
    game = draw(st.sampled_from(games))
    count = draw(st.integers(1, 4))
    keys = draw(st.integers(0, flips))
    seed = draw(st.integers(0, SEEDS))
    chance = Random(f"{seed} {game} {count} {keys}")
    others = [key for key in chance.sample(sorted(OPTIONS), keys) if key not in fixed]
    wanted = [*fixed.items(), *((key, chance.choice(OPTIONS[key].kind.samples)) for key in others)]
    if keys and chance.random() < 0.2:
        wanted.append(("no_hole_card", True))  # it changes more of a round than any other option
    options = playable(game, wanted)
    rules = load_game(game, options)
    return Table(
        game=game,
        options=options,
        seats=random_seats(rules, count, wagers, chance),
        settings=PlaySettings(
            implied_hit=chance.random() < 0.5,
            auto_stand_21=rules.may_stand_21 and chance.random() < 0.3,
        ),
        palette=chance.choice(PALETTES),
        seed=seed,
    )
