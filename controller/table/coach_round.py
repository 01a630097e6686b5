"""What the coach says while a round is played: a sentence for each thing that a round may await, and its rule."""

from __future__ import annotations

from typing import Final, assert_never

from controller.rules.engine import awaiting as a
from controller.rules.engine.closing import must_draw, side_bet_live
from controller.rules.engine.events import DEALER
from controller.rules.engine.round import Round
from controller.rules.words.narrate import place, shown_total
from controller.table import events as e
from controller.table.coach_words import Saying, listed, rank_words, rule, seats_words
from controller.table.rounds import RoundLog
from controller.table.state import Setup

_ACTIONS: Final = {
    "hit": "hit",
    "stand": "stand",
    "double": "double",
    "split": "split",
    "surrender": "surrender",
    "power_split": "power split",
    "power_double": "power double",
    "keep": "keep this card",
    "rollover": "roll over to the next",
}
_DOUBLES: Final = ("double", "power_double")
_SPLITS: Final = ("split", "power_split")


def in_round(setup: Setup, round_: Round, log: RoundLog) -> Saying:
    match round_.awaiting:
        case a.FirstCard() as card:
            return _first_card(round_, card)
        case a.PlayerCard() as card:
            return _player_card(round_, card, log)
        case a.DealerCard():
            return _dealer_card(round_)
        case a.DecisionBy() as decision:
            return _decision(setup, round_, decision)
        case a.InsuranceOffer(seats=seats):
            asked = f"Offer insurance to {seats_words(seats)}" if seats else "Insurance is taken by all"
            return Saying(f"{asked}, then press Insurance closed.", rule(round_.rules, "Insurance"), "insurance_closed")
        case a.SurrenderOffer(seats=seats):
            say = f"Ask {seats_words(seats)}: surrender? Then press Surrender closed."
            return Saying(say, rule(round_.rules, "Surrender"), "surrender_closed")
        case a.PeekDue():
            say = f"Look under the {rank_words(round_.up_card)}: blackjack or not?"
            return Saying(say, rule(round_.rules, "The dealer", "checks for blackjack"), "peek")
        case a.HoleCardDue():
            return _hole_card(round_)
        case a.SettlementDue():
            return _settlement(round_)
        case a.Nothing():
            return Saying("Clear the cards.", "The round is over.")
        case _:
            assert_never(round_.awaiting)


def _first_card(round_: Round, card: a.FirstCard) -> Saying:
    if card.seat == DEALER:
        up = "face up" if card.face_up else "face down"
        return Saying(f"Deal the dealer's card {up}.", rule(round_.rules, "The cards", "The dealer"))
    down = "" if card.face_up else ", face down"
    return Saying(f"Deal a card to seat {card.seat}{down}.", rule(round_.rules, "The cards", "Players"))


def _player_card(round_: Round, card: a.PlayerCard, log: RoundLog) -> Saying:
    """A decision that costs another bet: first the bet, then the card."""
    who, rules = place(card.seat, card.hand, round_), round_.rules
    down = "" if card.face_up else ", face down"
    last = log.entries[-1].what
    action = last.action if isinstance(last, e.Decided) else ""
    if action in _SPLITS:
        topic = "Power options" if action == "power_split" else "Splitting"
        say = f"Part seat {card.seat}'s cards, take a second bet, then deal a card to hand {card.hand}{down}."
        return Saying(say, rule(rules, topic, "split"))
    if card.draw in _DOUBLES:
        topic = "Power options" if card.draw == "power_double" else "Doubling"
        say = f"Take the doubled bet of {who}, then deal it one card{down}."
        return Saying(say, rule(rules, topic, "doubled"))
    if card.draw == "rollover":
        return Saying(f"Burn that card, then deal {who} the next one.", rule(rules, "Power options", "power doubled"))
    if card.draw == "second":
        return Saying(f"Deal a second card to {who}{down}.", rule(rules, "Splitting", "second card"))
    return Saying(f"Deal a card to {who}{down}.", rule(rules, "The cards", "hits lie"))


def _decision(setup: Setup, round_: Round, decision: a.DecisionBy) -> Saying:
    hand = round_.seats[decision.seat].hands[decision.hand - 1]
    total = shown_total(hand)
    has = f"It has {total}. " if total else ""
    if "keep" in decision.legal:
        why = has + rule(round_.rules, "Power options", "power doubled")
    else:
        against = [words for action, (code, words) in decision.illegal.items() if _worth_saying(action, code)]
        hit = "A card that is drawn now is a hit." if setup.settings.implied_hit and "hit" in decision.legal else ""
        why = has + " ".join(part for part in (*dict.fromkeys(against), hit) if part)
    names = listed([_ACTIONS[action] for action in decision.legal], "or")
    who = place(decision.seat, decision.hand, round_)
    return Saying(f"Ask {who}: {names}?", why.strip() or rule(round_.rules, "The cards", "hits lie"))


def _worth_saying(action: str, code: str) -> bool:
    """Not what this game does not know at all."""
    return action not in ("keep", "rollover") and not code.endswith("_not_offered")


def _hole_card(round_: Round) -> Saying:
    bonus = _only_for(round_)
    if bonus:
        return Saying("Draw for the bonus: turn the hole card.", bonus, "turn_hole_card")
    return Saying("Turn the hole card.", rule(round_.rules, "The dealer", "must draw"), "turn_hole_card")


def _dealer_card(round_: Round) -> Saying:
    dealer, bonus = round_.dealer, _only_for(round_)
    if bonus:
        return Saying("Draw for the bonus: deal the dealer a card.", bonus)
    if len(dealer.cards) == 1:
        say = "Deal the dealer's second card."
        return Saying(say, rule(round_.rules, "The dealer", "second card"))
    say = f"Deal the dealer a card: the dealer has {shown_total(dealer)}."
    return Saying(say, rule(round_.rules, "The dealer", "must draw"))


def _only_for(round_: Round) -> str:
    """Why the dealer plays when no hand is left: a side bet waits for the dealer's hand (R-21)."""
    if any(hand.result is None and not hand.natural for hand in round_.queue):
        return ""
    if not side_bet_live(round_):
        return ""
    waiting = [
        f"seat {seat.number}'s {stake.offered.bet.title}"
        for seat in round_.seats.values()
        for stake in seat.stakes
        if stake.settled is None
    ]
    drawing = rule(round_.rules, "The dealer", "no hand is left")
    return f"No hand is left, but {listed(waiting)} wait{'s' if len(waiting) == 1 else ''}. {drawing}"


def _settlement(round_: Round) -> Saying:
    dealer, rules = round_.dealer, round_.rules
    down = dealer.down or any(hand.down for hand in round_.queue)
    say = "Turn up what lies face down, then press Pay and take." if down else "Press Pay and take."
    if dealer.down or must_draw(rules, dealer.hard, dealer.ace):
        return Saying(say, rule(rules, "The dealer", "no hand is left"), "settle")
    if dealer.blackjack:
        said, why = "The dealer has blackjack.", rule(rules, "Blackjack", "against a dealer")
    else:
        ends = "is bust with" if dealer.total > 21 else "stands on"
        said, why = f"The dealer {ends} {shown_total(dealer)}.", rule(rules, "The dealer", "must draw")
    return Saying(f"{said} {say}", why, "settle")
