"""What a limit sign says that does not change while the table runs; the limits themselves come with the stream."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from controller.rules.words.sign import rule_lines, side_bet_line
from controller.table.state import Setup


class SignBet(Struct, frozen=True):
    """A side bet that is offered. `bet` is its name among the limits, `line` what the sign says of it."""

    bet: str
    title: str
    line: str


class Sign(Struct, frozen=True):
    """`lines` are the rules' own. `pushes_22`: a dealer's 22 is no bust, and boards say so."""

    table: str
    game: str
    decks: int
    currency: str
    money: Literal["cash", "play", "points"]
    wagers: bool
    lines: tuple[str, ...]
    side_bets: tuple[SignBet, ...]
    pushes_22: bool


def sign_of(setup: Setup) -> Sign:
    rules = setup.rules
    return Sign(
        table=setup.name,
        game=rules.name,
        decks=rules.decks,
        currency=setup.currency,
        money=setup.money,
        wagers=setup.wagers,
        lines=rule_lines(rules),
        side_bets=tuple(
            SignBet(key, offered.bet.title, side_bet_line(offered)) for key, offered in rules.side_bets.items()
        ),
        pushes_22=rules.dealer_pushes_22,
    )
