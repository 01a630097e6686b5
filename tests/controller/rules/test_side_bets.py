"""Side bets are judged as counted by hand: every combination is dealt and held to the printed or worked-out numbers."""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations, permutations
from math import comb

import pytest

from controller.library import load_game
from controller.rules.cards import DECK, Card, card
from controller.rules.sidebets import known_bets
from controller.rules.sidebets.base import OfferedBet


def judge(bet: str, phase: int, cards: Sequence[Card], dealer: Sequence[Card] = ()) -> str | None:
    return known_bets()[bet].phases[phase].judge(cards, dealer)


def hand(text: str) -> list[Card]:
    return [card(code) for code in text.split()]


def test_the_side_bets_are_the_modules_of_their_folder() -> None:
    assert sorted(known_bets()) == ["perfect_pairs", "precious_diamond", "ten_eleven_or_bust", "twenty_one_plus_three"]


@pytest.mark.parametrize("bet", sorted(known_bets()))
def test_a_side_bet_has_a_title_and_words_for_every_line(bet: str) -> None:
    assert known_bets()[bet].title
    for phase in known_bets()[bet].phases:
        assert phase.lines
        assert all(words.strip() for words in phase.lines.values())
        assert len(set(phase.lines.values())) == len(phase.lines)


def test_two_cards_of_six_decks_make_ten_or_eleven_as_often_as_printed() -> None:
    pairs = list(combinations(DECK * 6, 2))
    assert len(pairs) == 48_516
    found = Counter(judge("ten_eleven_or_bust", 0, pair) for pair in pairs)
    nothing = found.pop(None)
    assert found == {
        "suited_5_5": 60,
        "offsuit_5_5": 216,
        "suited_6_5": 144,
        "offsuit_6_5": 432,
        "other_suited_10": 432,
        "other_suited_11": 432,
        "other_offsuit_10": 1_296,
        "other_offsuit_11": 1_296,
    }
    assert nothing == 48_516 - 4_308


def test_only_eight_pairs_of_ranks_make_ten_or_eleven_and_none_has_an_ace_or_a_ten() -> None:
    paid = {
        "-".join(sorted(c.rank for c in two)) for two in combinations(DECK, 2) if judge("ten_eleven_or_bust", 0, two)
    }
    assert paid == {"2-8", "3-7", "4-6", "5-5", "2-9", "3-8", "4-7", "5-6"}


@pytest.mark.parametrize(
    ("cards", "line"),
    [
        ("5H 5H", "suited_5_5"),
        ("5H 5D", "offsuit_5_5"),
        ("6S 5S", "suited_6_5"),
        ("5S 6S", "suited_6_5"),
        ("5S 6C", "offsuit_6_5"),
        ("2C 8C", "other_suited_10"),
        ("7C 4C", "other_suited_11"),
        ("3C 7D", "other_offsuit_10"),
        ("9H 2D", "other_offsuit_11"),
        ("AS 9S", None),
        ("AS 10S", None),
        ("9S AS", None),
        ("AS AS", None),
        ("6S 6S", None),
        ("4S 5S", None),
        ("10S KS", None),
    ],
)
def test_the_first_two_cards_name_their_line(cards: str, line: str | None) -> None:
    assert judge("ten_eleven_or_bust", 0, hand(cards)) == line


@pytest.mark.parametrize(
    ("dealer", "line"),
    [
        ("10S 6S 6H", "3"),
        ("10S 2S 4H 6H", "4"),
        ("2S 3S 4H 6H 7D", "5"),
        ("2S 2C 3H 4H 5D 6C", "6"),
        ("2S 2C 2H 3H 3D 4C 6C", "7"),
        ("AS 2C 2H 2D 2S 3D 4C 6C", "7"),  # eight cards
        ("AS AC AH AD 2C 2H 2S 3D 3S 6H", "7"),  # ten cards
        ("10S 6S AH 10D", "4"),  # the ace counts as 1
        ("10S 7S", None),
        ("AS KS", None),
        ("10S 5S 6H", None),  # 21
        ("AS AC AH 8D", None),  # soft 21
        ("2S 2C 2H 3H 3D 4C 5C", None),  # seven cards, 21
    ],
)
def test_a_dealer_bust_names_the_number_of_its_cards_up_to_seven_or_more(dealer: str, line: str | None) -> None:
    assert judge("ten_eleven_or_bust", 1, hand("5H 5H"), hand(dealer)) == line


def test_the_lines_of_a_dealer_bust_go_from_three_to_seven() -> None:
    assert list(known_bets()["ten_eleven_or_bust"].phases[1].lines) == ["3", "4", "5", "6", "7"]


@pytest.mark.parametrize(
    ("cards", "paid"),
    [
        ("AD KD", True),
        ("10D AD", True),
        ("JD AD", True),
        ("AD QD", True),
        ("AD 9D", False),
        ("KD QD", False),
        ("AD AD", False),
        ("AD KH", False),
        ("AH KD", False),
        ("AS KS", False),
    ],
)
def test_a_precious_diamond_is_an_ace_and_a_ten_value_of_diamonds(cards: str, paid: bool) -> None:
    assert judge("precious_diamond", 0, hand(cards), hand("2S")) == ("diamond_blackjack" if paid else None)


def test_six_decks_hold_144_precious_diamonds() -> None:
    found = Counter(judge("precious_diamond", 0, two) for two in combinations(DECK * 6, 2))
    assert found["diamond_blackjack"] == 6 * 24


def pairs_expected(decks: int) -> dict[str, int]:
    """Perfect Pairs by counting: for each rank, the ways to take two from its suits."""
    return {
        "perfect_pair": 52 * comb(decks, 2),
        "coloured_pair": 13 * 2 * decks * decks,  # clubs with spades, diamonds with hearts
        "mixed_pair": 13 * 4 * decks * decks,  # a black suit with a red one
    }


@pytest.mark.parametrize("decks", [1, 2, 6])
def test_perfect_pairs_come_as_often_as_counted(decks: int) -> None:
    found = Counter(judge("perfect_pairs", 0, two) for two in combinations(DECK * decks, 2))
    assert found.total() == comb(52 * decks, 2)
    for line, count in pairs_expected(decks).items():
        assert found[line] == count, line
    assert set(found) - {None} == {line for line, count in pairs_expected(decks).items() if count}


def test_a_single_deck_has_no_perfect_pair() -> None:
    assert pairs_expected(1)["perfect_pair"] == 0
    assert judge("perfect_pairs", 0, hand("KH QH")) is None  # a pair is of one rank


def threes_expected(decks: int) -> dict[str, int]:
    """21+3 by counting: twelve runs of three (A-2-3 to Q-K-A), thirteen ranks, four suits."""
    suited_trips = 52 * comb(decks, 3)
    straight_flush = 12 * 4 * decks**3
    return {
        "suited_trips": suited_trips,
        "straight_flush": straight_flush,
        "three_of_a_kind": 13 * comb(4 * decks, 3) - suited_trips,
        "straight": 12 * (4 * decks) ** 3 - straight_flush,
        "flush": 4 * comb(13 * decks, 3) - straight_flush - suited_trips,
    }


def test_the_count_of_three_cards_of_one_deck_is_the_known_one() -> None:
    assert threes_expected(1) == {
        "suited_trips": 0,
        "straight_flush": 48,
        "three_of_a_kind": 52,
        "straight": 720,
        "flush": 1_096,
    }


@pytest.mark.parametrize("decks", [1, 3])
def test_twenty_one_plus_three_comes_as_often_as_counted(decks: int) -> None:
    found = Counter(judge("twenty_one_plus_three", 0, three[:2], three[2:]) for three in combinations(DECK * decks, 3))
    assert found.total() == comb(52 * decks, 3)
    for line, count in threes_expected(decks).items():
        assert found[line] == count, line
    assert set(found) - {None} <= set(threes_expected(decks))


@pytest.mark.parametrize(
    ("three", "line"),
    [
        ("AS 2D 3C", "straight"),
        ("QS KD AC", "straight"),
        ("KS AD 2C", None),  # an ace never stands inside
        ("9S 10S JS", "straight_flush"),
        ("JD QD KD", "straight_flush"),
        ("10D JD QD", "straight_flush"),
        ("2H 2H 2H", "suited_trips"),
        ("2H 2H 2D", "three_of_a_kind"),
        ("2H 9H KH", "flush"),
        ("2H 2H KH", "flush"),
        ("2H 2D 3C", None),
        ("JD QD QD", "flush"),
        ("10S JD KC", None),
    ],
)
def test_three_cards_name_the_same_line_in_any_order(three: str, line: str | None) -> None:
    for first, second, up in permutations(hand(three)):
        assert judge("twenty_one_plus_three", 0, [first, second], [up]) == line


def test_a_line_without_a_pay_takes_the_bet() -> None:
    bet = known_bets()["perfect_pairs"]
    offered = OfferedBet("perfect_pairs", bet, ({"perfect_pair": 25},))
    assert offered.judge(0, hand("KH KH"), hand("2S")) == ("perfect_pair", 25)
    assert offered.judge(0, hand("KH KD"), hand("2S")) is None
    assert offered.judge(0, hand("KH QH"), hand("2S")) is None


@pytest.mark.parametrize(
    ("game", "bets"),
    [
        ("blackjack", ["perfect_pairs", "twenty_one_plus_three"]),
        ("chinese_fortune_21", ["ten_eleven_or_bust"]),
        ("super_fun_21_extreme", ["precious_diamond"]),
        ("monte_carlo", []),
        ("power_blackjack", []),
    ],
)
def test_a_game_prices_every_line_of_the_side_bets_it_offers(game: str, bets: list[str]) -> None:
    offered = load_game(game).side_bets
    assert list(offered) == bets
    for name in bets:
        for phase, pays in zip(known_bets()[name].phases, offered[name].pays, strict=True):
            assert set(pays) == set(phase.lines)


def test_a_precious_diamond_pays_250_to_1() -> None:
    assert load_game("super_fun_21_extreme").side_bets["precious_diamond"].pays == ({"diamond_blackjack": 250},)
