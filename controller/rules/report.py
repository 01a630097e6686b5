"""A settlement as the JSON object that `croupier settle` prints: money as exact text, cards as people write them."""

from __future__ import annotations

from typing import Any

from controller.rules.cards import Card
from controller.rules.engine.events import SideBetSettled
from controller.rules.engine.settlement import HandResult, Settlement, settlement
from controller.rules.errors import Refused
from controller.rules.money import Money
from controller.rules.ruleset import Ruleset
from controller.rules.script import RulesFor, play, read_script
from controller.rules.words.why import why_hand, why_side_bet


def settle_script(data: object, rules_for: RulesFor) -> dict[str, Any]:
    """The settlement of a script, or its refusal as `{"error": code, "message": words}`."""
    try:
        script = read_script(data, rules_for)
        return settlement_object(script.rules, settlement(play(script)))
    except RecursionError:
        return {"error": "bad_script", "message": "The script is nested too deeply."}
    except Refused as refused:
        return {"error": refused.code, "message": refused.message}


def settlement_object(rules: Ruleset, done: Settlement) -> dict[str, Any]:
    return {
        "dealer": {
            "cards": _cards(done.dealer.cards),
            "total": done.dealer.total,
            "blackjack": done.dealer.blackjack,
            "bust": done.dealer.bust,
        },
        "hands": [_hand(rules, hand, done) for hand in done.hands],
        "side_bets": [_side_bet(rules, bet) for bet in done.side_bets],
        "net": {str(seat): _money(net) for seat, net in done.net.items()},
        "burned": _cards(done.burned),
        "cards_used": done.cards_used,
    }


def _hand(rules: Ruleset, hand: HandResult, done: Settlement) -> dict[str, Any]:
    result = hand.result
    return {
        "seat": result.seat,
        "hand": result.hand,
        "cards": _cards(hand.cards),
        "total": hand.total,
        "wager": _money(result.wager),
        "doubles": hand.doubles,
        "outcome": result.outcome,
        "net": _money(result.net),
        "stage": result.stage,
        "why": why_hand(rules, hand, done.dealer),
    }


def _side_bet(rules: Ruleset, bet: SideBetSettled) -> dict[str, Any]:
    said: dict[str, Any] = {
        "seat": bet.seat,
        "bet": bet.bet,
        "wager": _money(bet.wager),
        "net": _money(bet.net),
        "outcome": bet.outcome,
        "stage": bet.stage,
    }
    if bet.bet in rules.side_bets:
        several = len(bet.phases) > 1
        for place, phase in enumerate(bet.phases, 1):
            line = int(phase.line) if phase.line and phase.line.isdecimal() else phase.line
            said[f"line{place}" if several else "line"] = line
            if several:
                said[f"phase{place}"] = _money(phase.net)
    said["why"] = why_side_bet(rules, bet)
    return said


def _cards(cards: tuple[Card, ...]) -> list[str]:
    return [card.text for card in cards]


def _money(amount: Money | None) -> str | None:
    return None if amount is None else str(amount)
