"""Why something may not be done now, in words a dealer can say at the table. One sentence a code."""

from __future__ import annotations

from typing import Any, Final

from controller.rules.errors import Refused
from controller.rules.ruleset import Ruleset

_WORDS: Final[dict[str, str]] = {
    # Opening a round
    "no_seats": "A round needs at least one seat with a bet.",
    "seat_twice": "Seat {seat} is named twice.",
    "bad_seat": "{seat} is no seat: seats are numbered from 1.",
    "bad_bet": "Seat {seat}'s bet is not an amount above zero.",
    "side_bet_not_offered": "The side bet {bet} is not offered in {game}; it offers {side_bets}.",
    "auto_stand_not_possible": "{game} may not stand a 21 by itself: {auto_stand}.",
    # Whose turn
    "out_of_turn": "It is not the turn of seat {seat}, hand {hand}.",
    "no_such_seat": "Seat {seat} is not in this round.",
    "unknown_action": "There is no action {action!r}.",
    "card_not_expected": "No card is expected now; the round waits for {awaiting}.",
    "not_now": "Not now; the round waits for {awaiting}.",
    "only_surrender_now": "Before the dealer checks for blackjack a player may only surrender.",
    # Insurance
    "insurance_not_offered": "Insurance is not offered in {game}.",
    "insurance_no_ace": "Insurance is offered only against a dealer's ace.",
    "insurance_closed": "Insurance is closed.",
    "insurance_over_half": "Insurance is at most half of the bet.",
    "insurance_twice": "Seat {seat} is insured already.",
    "insurance_amount": "Seat {seat}'s insurance is not an amount above zero.",
    # Hitting
    "hit_after_double": "A doubled hand draws no further card by hitting.",
    "split_aces_one_card": "Split aces get one card each.",
    # Doubling
    "double_not_two_cards": "Only the first two cards of a hand may be doubled.",
    "double_not_soft": "Only hard hands may be doubled.",
    "double_after_split": "A split hand may not be doubled.",
    "double_too_many": "A hand may be doubled {max_doubles}.",
    # Splitting
    "split_not_a_pair": "Only {pairs} may be split.",
    "split_after_double": "A doubled hand may not be split.",
    "split_too_many_hands": "A seat may have {max_hands}.",
    "split_aces_again": "Split aces may not be split again.",
    # Surrender
    "surrender_not_offered": "Surrender is not offered in {game}.",
    "surrender_not_first_two": "Only the first two cards, before any split, may be surrendered.",
    "surrender_too_late": "Surrender was offered before the dealer checked for blackjack.",
    # The power options
    "power_split_not_offered": "The power split is not offered in {game}.",
    "power_split_not_first_two": "Only the first two cards may be power split.",
    "power_double_not_offered": "The power double is not offered in {game}.",
    "power_double_not_first_two": "Only the first two cards may be power doubled.",
    "power_double_needs_keep_or_rollover": "A power double's card is kept or rolled over first.",
    "keep_without_power_double": "There is no power double card to keep.",
    "rollover_without_power_double": "There is no power double card to roll over.",
}
_WAITING: Final[dict[str, str]] = {
    "FirstCard": "the first cards",
    "InsuranceOffer": "insurance",
    "SurrenderOffer": "surrender",
    "PeekDue": "the dealer to check for blackjack",
    "PlayerCard": "a player's card",
    "DecisionBy": "a player's decision",
    "HoleCardDue": "the dealer to turn the hole card",
    "DealerCard": "the dealer's card",
    "SettlementDue": "settlement",
    "Nothing": "nothing: it is over",
}
_COUNTS: Final = {1: "once", 2: "twice"}


def or_list(numbers: tuple[int, ...]) -> str:
    """`9, 10 or 11`."""
    *most, last = map(str, numbers)
    return f"{', '.join(most)} or {last}" if most else last


def times(count: int) -> str:
    return _COUNTS.get(count, f"{count} times")


def reason_words(code: str, rules: Ruleset, **details: Any) -> str:
    """The sentence for a code under these rules."""
    if code.startswith("double_not_") and code not in _WORDS:
        hard = "" if rules.double_soft else "hard "
        return f"Only {hard}{or_list(rules.double_totals)} may be doubled."
    if code.startswith("power_split_not_hard_"):
        return f"Only a hard {or_list(rules.power_split_totals)} may be power split."
    if code.startswith("power_double_not_hard_"):
        return f"Only a hard {or_list(rules.power_double_totals)} may be power doubled."
    details["awaiting"] = _WAITING.get(details.get("awaiting", ""), "")
    return _WORDS[code].format(
        game=rules.name,
        pairs="two cards of one rank" if rules.pairs == "rank" else "two cards of equal value",
        max_hands="one hand only" if rules.max_hands == 1 else f"at most {rules.max_hands} hands",
        max_doubles="once only" if rules.max_doubles == 1 else f"at most {times(rules.max_doubles)}",
        auto_stand="drawing on it can win more" if rules.instant_wins else "it would tell what lies face down",
        side_bets=", ".join(rules.side_bets) or "none",
        **details,
    )


def refuse(code: str, rules: Ruleset, **details: Any) -> Refused:
    return Refused(code, reason_words(code, rules, **details))
