"""Tables for the proofs: every game, plain and as houses change it, with shoes that are new or nearly dealt out."""

from __future__ import annotations

from random import Random
from typing import Any, Final

from msgspec import structs

from controller.library import game_names, load_game
from controller.rules.engine.inputs import PlaySettings
from controller.rules.errors import RulesetError
from controller.rules.ruleset import Ruleset
from controller.table import inputs as i
from controller.table.limits import BetLimits
from controller.table.state import DECK, Setup
from controller.table.table import Table

HOUSES: Final[tuple[dict[str, Any], ...]] = (
    {},
    {},
    {"decks": 1},
    {"player_cards": "face_down"},
    {"double_card": "face_down"},
    {"player_cards": "face_down", "double_card": "face_down", "decks": 2},
    {"up_card": "second"},
    {"surrender": "early"},
    {"surrender": "late", "dealer_hits_soft_17": True},
    {"dealer_always_draws": True},
    {"no_hole_card": True},
    {"blackjack_paid": "at_once"},
    {"rounding": "up", "rounding_chip": "5"},
)
BET: Final = "10"


def game_of(number: int) -> str:
    """The games in turn."""
    names = game_names()
    return names[number % len(names)]


def some_rules(game: str, chance: Random) -> Ruleset:
    """The game, or a house's own form of it where it can be played so."""
    try:
        return load_game(game, chance.choice(HOUSES))
    except RulesetError:
        return load_game(game)


def some_setup(game: str, chance: Random) -> Setup:
    rules = some_rules(game, chance)
    settings = PlaySettings(
        implied_hit=chance.random() < 0.8, auto_stand_21=rules.may_stand_21 and chance.random() < 0.3
    )
    return Setup(
        name="Table 7",
        rules=rules,
        seats=4,
        currency="$",
        wagers=chance.random() < 0.9,
        limits={"main": BetLimits(5, 500, 5)},
        burns=chance.random() < 0.3,
        settings=settings,
    )


def bets(setup: Setup, chance: Random) -> list[i.Wager]:
    """At some seats, with some of the side bets that are offered."""
    taken = sorted(chance.sample(range(1, setup.seats + 1), chance.randrange(1, setup.seats)))
    money = BET if setup.wagers else None
    return [
        i.Wager(seat, money, {bet: money for bet in setup.rules.side_bets if chance.random() < 0.5}) for seat in taken
    ]


def deepened(table: Table, chance: Random) -> Table:
    """The same table late in its shoe: of many cards all are out, of others nearly all."""
    state, decks = table.state, table.state.shoe.decks
    out = {code: left for code in DECK if (left := decks - chance.choice((0, 0, 0, 1, 2))) > 0}
    return Table(table.setup, structs.replace(state, shoe=structs.replace(state.shoe, out=out)))
