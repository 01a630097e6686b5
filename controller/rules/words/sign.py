"""The lines of the limit sign that come from the rules, the most asked-for first."""

from __future__ import annotations

from controller.rules.money import Money, odds_words
from controller.rules.ruleset import Ruleset
from controller.rules.sidebets import OfferedBet
from controller.rules.words.claims import claims

# What a player looks for first. Topics not named here follow in the order of the rules card.
_FIRST = ("Power options", "The dealer", "Blackjack", "Insurance", "Instant winners")


def sign_lines(rules: Ruleset) -> tuple[str, ...]:
    """What the sign says about the rules and the side bets, one line each; table limits come from elsewhere."""
    return (*rule_lines(rules), *(side_bet_line(bet) for bet in rules.side_bets.values()))


def rule_lines(rules: Ruleset) -> tuple[str, ...]:
    """Without the side bets."""
    said = [claim for claim in claims(rules) if claim.sign]
    said.sort(key=lambda claim: _FIRST.index(claim.topic) if claim.topic in _FIRST else len(_FIRST))
    return tuple(claim.sign for claim in said)


def side_bet_line(offered: OfferedBet) -> str:
    """`PRECIOUS DIAMOND PAYS 250 to 1`; a bet of several phases names the best pay of each."""
    best = " AND ".join(_best(list(table.values())) for table in offered.pays)
    return f"{offered.bet.title.upper()} PAYS {best}"


def _best(pays: list[Money]) -> str:
    top = odds_words(max(pays))
    return top if len(set(pays)) == 1 else f"UP TO {top}"
