"""Why a bet came to what it came to: the rule that decided it, in a sentence."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from controller.rules.engine.events import SideBetSettled
from controller.rules.engine.settlement import DealerResult, HandResult
from controller.rules.money import odds_words
from controller.rules.ruleset import Ruleset


def why_hand(rules: Ruleset, hand: HandResult, dealer: DealerResult) -> str:
    """The sentence for a settled hand."""
    return _HAND[hand.result.reason](rules, hand, dealer) + _rounding(hand.result.rounded)


def _rounding(rounded: object) -> str:
    return f" (rounded by {rounded} to the chip)" if rounded else ""


def _blackjack(rules: Ruleset, hand: HandResult, dealer: DealerResult) -> str:
    pays = f"blackjack pays {odds_words(rules.blackjack_pays)}"
    if dealer.blackjack and rules.blackjack_tie == "win":
        return f"{pays}, whatever the dealer has"
    return f"{pays}, after every other bet" if hand.result.stage == "after_all" else pays


def _instant(rules: Ruleset, hand: HandResult, dealer: DealerResult) -> str:
    pays = odds_words(hand.result.odds)
    return f"{len(hand.cards)} cards, total {hand.total}, not doubled: paid at once, {pays}"


def _original_only(rules: Ruleset, hand: HandResult, dealer: DealerResult) -> str:
    kept = " and this one is returned" if hand.result.outcome == "push" else ""
    return f"dealer blackjack takes the original bet only{kept}"


_HAND: Final[Mapping[str, Callable[[Ruleset, HandResult, DealerResult], str]]] = {
    "blackjack": _blackjack,
    "instant_win": _instant,
    "original_bet_only": _original_only,
    "blackjack_tie": lambda r, h, d: "blackjack against a dealer blackjack: push",
    "dealer_blackjack": lambda r, h, d: (
        "dealer blackjack takes all bets on the hand" if r.no_hole_card else "dealer blackjack"
    ),
    "bust": lambda r, h, d: f"{h.total}: bust",
    "surrender": lambda r, h, d: "surrendered: half of the wager is lost",
    "dealer_22": lambda r, h, d: "dealer 22: all unresolved hands push",
    "dealer_bust": lambda r, h, d: f"dealer busts with {d.total}",
    "higher": lambda r, h, d: f"{h.total} beats the dealer's {d.total}",
    "tie": lambda r, h, d: f"{h.total} ties the dealer's {d.total}: push",
    "lower": lambda r, h, d: f"{h.total} loses to the dealer's {d.total}",
}


def why_side_bet(rules: Ruleset, bet: SideBetSettled) -> str:
    """The sentence for a settled side bet or insurance."""
    if bet.bet == "insurance":
        if bet.outcome == "win":
            said = f"dealer blackjack: insurance pays {odds_words(rules.insurance_pays)}"
        else:
            said = "no dealer blackjack: insurance is lost"
        return said + _rounding(bet.rounded)
    offered = rules.side_bets[bet.bet]
    parts: list[str] = []
    for phase, pays, result in zip(offered.bet.phases, offered.pays, bet.phases, strict=True):
        if result.line is None:
            parts.append("no paying dealer hand: the bet is lost" if parts else "no paying hand: the bet is lost")
            break
        parts.append(f"{phase.lines[result.line]} pays {odds_words(pays[result.line])}")
    return "; then ".join(parts) + _rounding(bet.rounded)
