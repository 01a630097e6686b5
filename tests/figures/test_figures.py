"""The engine's rules give the figures published for these games, to the last printed digit."""

from collections import Counter
from fractions import Fraction
from itertools import combinations_with_replacement

import pytest

from controller.library import load_game
from controller.rules.cards import DECK
from controller.rules.sidebets import known_bets

from .solver import InfiniteDeck, dealer_hands

# Unconditional: a fresh six-deck shoe, the dealer always plays the hand out, and a dealer blackjack counts as a 21 that
# did not bust. (Without the blackjacks a 22 would come in 0.077203 of the rounds.)
DEALER_22 = "0.073536"
BUSTS = {3: "0.173032", 4: "0.0893918", 5: "0.0204726", 6: "0.0026376", 7: "0.000214444", 8: "0.000011528"}
SIX_DECK_PAIRS = 48_516
FIRST_TWO = {
    "suited_5_5": 60,
    "offsuit_5_5": 216,
    "suited_6_5": 144,
    "offsuit_6_5": 432,
    "other_suited_10": 432,
    "other_suited_11": 432,
    "other_offsuit_10": 1_296,
    "other_offsuit_11": 1_296,
}


def printed(figure: Fraction, like: str) -> str:
    """The figure with as many decimals as the published one."""
    return f"{float(figure):.{len(like.partition('.')[2])}f}"


def test_a_dealer_who_hits_soft_17_ends_with_22_as_often_as_published() -> None:
    hands = list(dealer_hands(load_game("power_blackjack")))
    assert sum(chance for _, _, chance in hands) == 1
    assert printed(sum((p for total, _, p in hands if total == 22), Fraction(0)), DEALER_22) == DEALER_22


def test_a_dealer_who_hits_soft_17_busts_with_so_many_cards_as_published() -> None:
    busts = dict.fromkeys(range(3, 14), Fraction(0))
    for total, cards, chance in dealer_hands(load_game("chinese_fortune_21")):
        if total > 21:
            busts[cards] += chance
    assert {cards: printed(busts[cards], like) for cards, like in BUSTS.items()} == BUSTS


def test_ordinary_blackjack_from_an_infinite_deck_costs_what_is_published() -> None:
    rules = load_game("blackjack")
    assert (rules.dealer_hits_soft_17, rules.double_after_split, rules.max_hands) == (False, True, 4)
    assert (rules.split_aces, rules.resplit_aces, rules.no_hole_card) == ("one_card", False, False)
    assert printed(100 * InfiniteDeck(rules).edge(), "-0.511734") == "-0.511734"


@pytest.mark.parametrize(
    ("options", "better"),
    [
        ({"dealer_hits_soft_17": True}, False),
        ({"double_after_split": False}, False),
        ({"double_soft": False}, False),
        ({"double_totals": [9, 10, 11]}, False),
        ({"max_hands": 2}, False),
        ({"blackjack_pays": "6:5"}, False),
        ({"resplit_aces": True}, True),
        ({"split_aces": "play_on"}, True),
    ],
    ids=str,
)
def test_a_rule_known_to_help_or_hurt_the_player_does(options: dict[str, object], better: bool) -> None:
    """No figure to the digit here, but a wrong sign would show an option that the engine reads the wrong way."""
    ordinary = InfiniteDeck(load_game("blackjack")).edge()
    changed = InfiniteDeck(load_game("blackjack", options)).edge()
    assert changed != ordinary
    assert (changed > ordinary) == better


def test_a_blackjack_at_6_to_5_costs_three_tenths_of_every_blackjack_that_wins() -> None:
    ordinary = InfiniteDeck(load_game("blackjack")).edge()
    six_to_five = InfiniteDeck(load_game("blackjack", {"blackjack_pays": "6:5"})).edge()
    blackjack = Fraction(2 * 4, 13 * 13)
    assert ordinary - six_to_five == Fraction(3, 10) * blackjack * (1 - blackjack)


def test_first_two_cards_of_six_decks_fall_on_the_lines_of_ten_eleven_or_bust_as_counted() -> None:
    judge = known_bets()["ten_eleven_or_bust"].phases[0].judge
    lines: Counter[str | None] = Counter()
    for first, second in combinations_with_replacement(DECK, 2):
        lines[judge((first, second), ())] += 15 if first is second else 36
    assert lines.total() == SIX_DECK_PAIRS
    del lines[None]
    assert lines == FIRST_TWO
