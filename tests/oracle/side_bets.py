"""The side bets, each a plain reading of its pay table: the odds to 1 that the first cards win, or None."""

from fractions import Fraction
from typing import Any

from .house import RANKS, VALUE, Card

FIRST_PHASE = {
    "suited_5_5": 50,
    "offsuit_5_5": 25,
    "suited_6_5": 20,
    "offsuit_6_5": 10,
    "other_suited_10": 8,
    "other_suited_11": 8,
    "other_offsuit_10": 5,
    "other_offsuit_11": 5,
}
SECOND_PHASE = {3: 5, 4: 10, 5: 20, 6: 50, 7: 100}
PLACE = {rank: place for place, rank in enumerate(RANKS, start=1)}  # ace 1 … king 13


def precious_diamond(cards: list[Card]) -> int | None:
    """250 to 1 for an ace and a ten-value, both of diamonds."""
    (rank1, suit1), (rank2, suit2) = cards
    one_ace = (rank1 == "A") != (rank2 == "A")
    return 250 if suit1 == suit2 == "D" and one_ace and VALUE[rank1] + VALUE[rank2] == 11 else None


def perfect_pairs(cards: list[Card]) -> int | None:
    """Two cards of one rank: 25 in one suit, 12 in one colour, 6 otherwise."""
    (rank1, suit1), (rank2, suit2) = cards
    if rank1 != rank2:
        return None
    if suit1 == suit2:
        return 25
    return 12 if (suit1 in "HD") == (suit2 in "HD") else 6


def twenty_one_plus_three(cards: list[Card], up: Card) -> int | None:
    """The player's two cards and the dealer's up card as a three-card poker hand."""
    three = [*cards, up]
    ranks = {rank for rank, _ in three}
    flush = len({suit for _, suit in three}) == 1
    if len(ranks) == 1:
        return 100 if flush else 30
    places = sorted(PLACE[rank] for rank, _ in three)
    low, middle, high = places
    straight = (middle == low + 1 and high == low + 2) or places == [1, 12, 13]
    if straight:
        return 40 if flush else 10
    return 5 if flush else None


def ten_or_eleven(cards: list[Card]) -> str | None:
    """The line of the first phase: a hard 10 or 11 without an ace."""
    (rank1, suit1), (rank2, suit2) = cards
    count = VALUE[rank1] + VALUE[rank2]
    if "A" in (rank1, rank2) or count not in (10, 11):
        return None
    suited = "suited" if suit1 == suit2 else "offsuit"
    if rank1 == rank2 == "5":
        return f"{suited}_5_5"
    if {rank1, rank2} == {"5", "6"}:
        return f"{suited}_6_5"
    return f"other_{suited}_{count}"


def entry(seat: int, bet: str, wager: Fraction, net: Fraction, stage: str, why: str) -> dict[str, Any]:
    """One line of `side_bets`; its outcome is the sign of what it brings."""
    outcome = "win" if net > 0 else "lose" if net < 0 else "push"
    return {
        "seat": seat,
        "bet": bet,
        "wager": str(wager),
        "net": str(net),
        "outcome": outcome,
        "stage": stage,
        "why": why,
    }


def settle_on_the_deal(seat: int, bet: str, wager: Fraction, cards: list[Card], up: Card) -> dict[str, Any]:
    """A side bet that the first cards decide."""
    if bet == "precious_diamond":
        odds = precious_diamond(cards)
    elif bet == "perfect_pairs":
        odds = perfect_pairs(cards)
    else:
        odds = twenty_one_plus_three(cards, up)
    if odds is None:
        return entry(seat, bet, wager, -wager, "deal", "not one of the paying hands")
    return entry(seat, bet, wager, wager * odds, "deal", f"pays {odds} to 1")


def settle_ten_eleven_or_bust(
    seat: int, wager: Fraction, cards: list[Card], dealer_bust_cards: int | None
) -> dict[str, Any]:
    """Both phases; `dealer_bust_cards` is None where the dealer did not bust."""
    line1 = ten_or_eleven(cards)
    line2 = None
    if line1 is None:
        phase1, phase2, stage, why = -wager, Fraction(0), "deal", "no hard 10 or 11 without an ace"
    else:
        phase1, stage = wager * FIRST_PHASE[line1], "after_round"
        if dealer_bust_cards is None:
            phase2, why = -wager, "the dealer did not bust"
        else:
            line2 = min(dealer_bust_cards, 7)
            phase2, why = wager * SECOND_PHASE[line2], f"the dealer bust with {dealer_bust_cards} cards"
    phases = {"line1": line1, "phase1": str(phase1), "line2": line2, "phase2": str(phase2)}
    return entry(seat, "ten_eleven_or_bust", wager, phase1 + phase2, stage, why) | phases
