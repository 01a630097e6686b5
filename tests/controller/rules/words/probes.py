"""Probing rounds: for every option, what the rules card claims and a round that shows the engine doing it.

A probe is one value of one option: the words that must stand on the card, and a script whose settlement must come
out as those words say. `want` is a part of the settlement, or the code of a refusal.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

FIVE_CARD_21 = [{"cards": 5, "total_min": 21, "pays": "2:1"}]


@dataclass(frozen=True)
class Probe:
    key: str
    value: Any
    words: str
    shoe: str
    actions: list[list[Any]]
    want: dict[str, Any]
    also: dict[str, Any] = field(default_factory=dict)  # options the probe needs besides
    bet: str = "10"

    @property
    def options(self) -> dict[str, Any]:
        return {**self.also, self.key: self.value}


def _a(*names: str) -> list[list[Any]]:
    """Actions of seat 1: "stand", or "2:stand" for hand 2."""
    actions: list[list[Any]] = []
    for name in names:
        hand, _, action = name.rpartition(":")
        actions.append([1, int(hand or 1), action])
    return actions


INSURED = [[1, 0, "insurance", "5"]]
ANY = {"double_cards": "any"}
NO_HOLE = {"no_hole_card": True}
RESPLIT = "8S 6D 8H 10C 8D"  # 8-8 against a 6; the first split draws another 8

PROBES = [
    Probe("decks", 1, "from one deck of", "AS 7D AS 9D", _a("stand"), {"error": "too_many:AS"}),
    Probe("decks", 2, "from two decks of", "AS 7D AS 10D", _a("stand"), {"cards_used": 4}),
    Probe("dealer_hits_soft_17", False, "stand on all 17s", "10S AD 8H 6C 2D", _a("stand"), {"cards_used": 4}),
    Probe("dealer_hits_soft_17", True, "hit soft 17", "10S AD 8H 6C 2D", _a("stand"), {"cards_used": 5}),
    Probe("dealer_pushes_22", False, "over 21 is a bust", "10S 10D 8H 6C 6D", _a("stand"), {"outcome": "win"}),
    Probe("dealer_pushes_22", True, "22 pushes every hand", "10S 10D 8H 6C 6D", _a("stand"), {"outcome": "push"}),
    Probe("dealer_always_draws", False, "draws no card when", "10S 9D 6H 6C KD 2D", _a("hit"), {"cards_used": 5}),
    Probe("dealer_always_draws", True, "draws also when", "10S 9D 6H 6C KD 2D", _a("hit"), {"cards_used": 6}),
    Probe("no_hole_card", False, "before play", "5S 10D 6H AC KD", _a("double"), {"error": "extra_action"}),
    Probe("no_hole_card", True, "after the players have played", "5S 10D 6H KD AC", _a("double"), {"net": "-20"}),
    Probe("dealer_blackjack_takes", "all", "takes all bets", "5S 10D 6H KD AC", _a("double"), {"net": "-20"}, NO_HOLE),
    Probe("dealer_blackjack_takes", "original", "the original bet only", "5S 10D 6H KD AC", _a("double"),
          {"net": "-10"}, NO_HOLE),
    Probe("up_card", "first", "first card lies face up", "9S AD 9H 7C", [*INSURED, *_a("stand")], {"total": 18}),
    Probe("up_card", "second", "second face up", "9S AD 9H 7C", [*INSURED, *_a("stand")],
          {"error": "insurance_no_ace"}),
    Probe("blackjack_pays", "3:2", "pays 3 to 2", "AS 7D KH 9C", [], {"net": "15"}),
    Probe("blackjack_pays", "6:5", "pays 6 to 5", "AS 7D KH 9C", [], {"net": "12"}),
    Probe("blackjack_tie", "push", "is a push", "AS AD KH KC", [], {"outcome": "push", "net": "0"}),
    Probe("blackjack_tie", "win", "wins even against", "AS AD KH KC", [], {"outcome": "blackjack", "net": "15"}),
    Probe("blackjack_paid", "at_once", ", at once.", "AS 7D KH 9C", [], {"stage": "deal"}),
    Probe("blackjack_paid", "in_turn", ", in turn", "AS 7D KH 9C", [], {"stage": "turn"}),
    Probe("blackjack_paid", "after_all", "after every other bet", "AS 7D KH 9C", [], {"stage": "after_all"}),
    Probe("insurance", False, "is not offered", "10S AD 9H KC", INSURED, {"error": "insurance_not_offered"}),
    Probe("insurance", True, "up to half the bet is offered", "10S AD 9H KC", INSURED, {"insurance": "10"}),
    Probe("insurance_pays", "2:1", "pays 2 to 1 on a dealer", "10S AD 9H KC", INSURED, {"insurance": "10"}),
    Probe("insurance_pays", "3:1", "pays 3 to 1 on a dealer", "10S AD 9H KC", INSURED, {"insurance": "15"}),
    Probe(
        "double_cards", "first_two", "on its first two cards", "2S 7D 3H 10C 4D 6H", _a("hit", "double"),
        {"error": "double_not_two_cards"},
    ),
    Probe("double_cards", "any", "any number of cards", "2S 7D 3H 10C 4D 9H", _a("hit", "double"), {"wager": "20"}),
    Probe("double_totals", [], "first two cards; it gets", "7S 7D 5H 10C 4D", _a("double"), {"wager": "20"}),
    Probe(
        "double_totals", [9, 10, 11], "a total of 9, 10 or 11", "7S 7D 5H 10C 4D", _a("double"),
        {"error": "double_not_9_10_11"},
    ),
    Probe("double_soft", True, "An ace counts as 1 or 11", "AS 7D 8H 10C 9D", _a("double"), {"wager": "20"},
          {"double_totals": [9]}),
    Probe("double_soft", False, "Only hard hands may be doubled", "AS 7D 6H 10C 4D", _a("double"),
          {"error": "double_not_soft"}),
    Probe("double_after_split", True, "Split hands may be doubled", "8S 7D 8H 10C 3D KD 10S",
          _a("split", "double", "2:stand"), {"wager": "20"}),
    Probe("double_after_split", False, "Split hands may not be doubled", "8S 7D 8H 10C 3D KD 10S",
          _a("split", "double"), {"error": "double_after_split"}),
    Probe("max_doubles", 1, "it gets one card for it", "2S 7D 3H 10C 4D 9H", _a("double", "double"),
          {"error": "extra_action"}, ANY),
    Probe("max_doubles", 2, "twice in all", "2S 7D 3H 10C 4D 9H", _a("double", "redouble", "stand"),
          {"wager": "40"}, ANY),
    Probe("pairs", "value", "K-Q is a pair", "KS 7D QH 10C 9D 9H", _a("split", "stand", "2:stand"), {"hands": 2}),
    Probe("pairs", "rank", "K-Q is no pair", "KS 7D QH 10C 9D 9H", _a("split"), {"error": "split_not_a_pair"}),
    Probe("max_hands", 1, "may not be split", "8S 7D 8H 10C", _a("split"), {"error": "split_too_many_hands"}),
    Probe("max_hands", 2, "at most two hands", RESPLIT, _a("split", "split"), {"error": "split_too_many_hands"}),
    Probe("max_hands", 3, "at most three hands", f"{RESPLIT} 10S 9S 9H 10D",
          _a("split", "split", "stand", "3:stand", "2:stand"), {"hands": 3}),
    Probe("split_cards", "in_turn", "when its turn comes", "8S 7D 8H 10C 2S 9H 10S",
          _a("split", "hit", "stand", "2:stand"), {"cards": ["8S", "2S", "9H"]}),
    Probe("split_cards", "at_once", "second card at once", "8S 7D 8H 10C 2S 9H 10S",
          _a("split", "hit", "stand", "2:stand"), {"cards": ["8S", "2S", "10S"]}),
    Probe("new_hand_plays", "next", "right after the one", f"{RESPLIT} 10S 9S 9H 10D",
          _a("split", "split", "stand", "3:stand", "2:stand"), {"hands": 3}),
    Probe("new_hand_plays", "last", "last of its seat", f"{RESPLIT} 10S 9S 9H 10D",
          _a("split", "split", "stand", "2:stand", "3:stand"), {"hands": 3}),
    Probe("split_aces", "one_card", "Split aces get one card each", "AS 7D AH 10C 2S 3H", _a("split"), {"total": 13}),
    Probe("split_aces", "play_on", "played like any other hand", "AS 7D AH 10C 2S 8H 9H",
          _a("split", "hit", "stand", "2:stand"), {"total": 21}),
    Probe("resplit_aces", False, "Split aces may not be split again", "AS 7D AH 10C AD 3H", _a("split", "split"),
          {"error": "split_aces_again"}),
    Probe("resplit_aces", True, "Split aces may be split again", "AS 7D AH 10C AD 3H 4H 5H", _a("split", "split"),
          {"hands": 3}),
    Probe("surrender", "none", "Surrender is not offered", "10S 10D 6H 7C", _a("surrender"),
          {"error": "surrender_not_offered"}),
    Probe("surrender", "late", "once the dealer has checked", "10S 10D 6H AC", _a("surrender"),
          {"error": "extra_action"}),
    Probe("surrender", "early", "before the dealer checks", "10S 10D 6H AC", _a("surrender"), {"net": "-5"}),
    Probe("surrender", "any_time", "also after hitting", "2S 10D 6H 7C 8D", _a("hit", "surrender"), {"net": "-5"}),
    Probe("instant_wins", [], "Payouts are exact", "2S 10D 3H 7C 4S 5H 7D", _a("hit", "hit", "hit", "stand"),
          {"outcome": "win", "net": "10"}),
    Probe("instant_wins", FIVE_CARD_21, "is paid 2 to 1 at once", "2S 10D 3H 7C 4S 5H 7D", _a("hit", "hit", "hit"),
          {"outcome": "instant_win", "net": "20"}),
    Probe("power_split_totals", [], "Payouts", "10S 9D 6H 8C", _a("power_split"), {"error": "power_split_not_offered"}),
    Probe("power_split_totals", [15, 16], "A hard 15 or 16", "10S 9D 6H 8C 9H 8D KD",
          _a("power_split", "stand", "2:hit"), {"hands": 2}),
    Probe("power_double_totals", [], "Payouts", "6S 9D 5H 8C", _a("power_double"),
          {"error": "power_double_not_offered"}),
    Probe("power_double_totals", [10, 11], "or burned once for the next", "6S 9D 5H 8C 2H 10D",
          _a("power_double", "rollover"), {"burned": ["2H"], "net": "20"}),
    Probe("rounding", "exact", "Payouts are exact", "AS 7D KH 9C", [], {"net": "15/2"}, bet="5"),
    Probe("rounding", "up", "rounded up to whole chips of 1", "AS 7D KH 9C", [], {"net": "8"}, bet="5"),
    Probe("rounding", "down", "rounded down to whole chips of 1", "AS 7D KH 9C", [], {"net": "7"}, bet="5"),
    Probe("rounding", "nearest", "to the nearest, halves up,", "AS 7D KH 9C", [], {"net": "8"}, bet="5"),
    Probe("rounding_chip", "1", "chips of 1.", "AS 7D KH 9C", [], {"net": "7"}, {"rounding": "down"}, bet="5"),
    Probe("rounding_chip", "5", "chips of 5.", "AS 7D KH 9C", [], {"net": "5"}, {"rounding": "down"}, bet="5"),
]  # fmt: skip

# Options that a settlement cannot show. How cards lie is seen in what the round awaits; where the cut card lies is
# for the person who loads the shoe.
SEEN_ELSEWHERE = {"player_cards", "double_card", "cut_card_from_back"}
