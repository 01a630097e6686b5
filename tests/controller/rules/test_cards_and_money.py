"""Cards are fifty-two fixed things and money is exact: what is read, what is written, what is refused."""

import copy
import pickle
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from controller.rules.cards import DECK, RED_SUITS, BadCard, Card, card
from controller.rules.money import money_words, odds_key, odds_words, parse_amount, parse_odds, round_to_chip, whole

# Spelt out here and not taken from the module: the printed deck is the yardstick.
RANKS = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"]
VALUES = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10]


def test_a_deck_is_every_rank_of_every_suit_once() -> None:
    assert len(DECK) == 52
    assert {c.text for c in DECK} == {rank + suit for rank in RANKS for suit in "SHDC"}


@pytest.mark.parametrize("suit", "CDHS")
@pytest.mark.parametrize(("rank", "value", "order"), list(zip(RANKS, VALUES, range(1, 14), strict=True)))
def test_a_code_names_its_card(rank: str, value: int, order: int, suit: str) -> None:
    named = card(rank + suit)
    assert (named.suit, named.value, named.order) == (suit, value, order)
    assert str(named) == named.text == rank + suit
    assert len(named.code) == 2
    assert card(named.code) is named


@pytest.mark.parametrize("suit", "CDHS")
def test_both_spellings_of_a_ten_are_one_card(suit: str) -> None:
    assert card(f"10{suit}") is card(f"T{suit}")
    assert card(f"T{suit}").text == f"10{suit}"
    assert card(f"T{suit}").code == f"T{suit}"


def test_diamonds_and_hearts_are_the_red_suits() -> None:
    assert {c.suit for c in DECK if c.suit in RED_SUITS} == {"D", "H"}


def test_a_card_equals_itself_and_no_other() -> None:
    assert all((a == b) is (a is b) for a in DECK for b in DECK)
    assert len(set(DECK)) == 52


@pytest.mark.parametrize("field", ["code", "text", "rank", "suit", "value", "order", "owner"])
def test_a_card_never_changes(field: str) -> None:
    ace = card("AS")
    with pytest.raises(AttributeError):
        setattr(ace, field, "KH")
    assert (ace.code, ace.text, ace.rank, ace.suit, ace.value, ace.order) == ("AS", "AS", "A", "S", 1, 1)


def test_a_card_loses_no_part_of_itself() -> None:
    ace = card("AS")
    try:
        with pytest.raises(AttributeError):
            del ace.text
    finally:
        object.__setattr__(ace, "text", "AS")  # the card is shared: leave it whole for the other tests


@pytest.mark.parametrize("one", DECK, ids=str)
def test_a_copied_or_pickled_card_is_the_same_object(one: Card) -> None:
    assert copy.copy(one) is one
    assert copy.deepcopy([one])[0] is one
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(one, protocol)) is one


NO_CARDS = ["1S", "11S", "10", "S", "A", "", " ", "as", "As", "aS", "tS", "AS ", " AS", "SA", "ASS", "A♠", "0S", "XX"]


@pytest.mark.parametrize("text", [*NO_CARDS, None, 5, True, 1.5, b"AS", ["AS"], {"A": "S"}, ("A", "S")], ids=repr)
def test_what_names_no_card_is_refused_with_what_it_was(text: object) -> None:
    with pytest.raises(BadCard) as refused:
        card(text)
    assert repr(text) in str(refused.value)
    assert isinstance(refused.value, ValueError)


@pytest.mark.parametrize(("rank", "suit"), [("", "S"), ("23", "S"), ("A", "X"), ("A", ""), ("1", "S")])
def test_no_fifty_third_card_can_be_made(rank: str, suit: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        Card(rank, suit)


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("10", 10),
        (" 10 ", 10),
        ("+10", 10),
        ("-3", -3),
        ("0", 0),
        ("007", 7),
        ("5/2", Fraction(5, 2)),
        ("10/4", Fraction(5, 2)),
        ("6/3", 2),
        ("7.50", Fraction(15, 2)),
        ("7.00", 7),
        ("0.1", Fraction(1, 10)),
        ("9" * 30, 10**30 - 1),
        (25, 25),
        (0, 0),
    ],
)
def test_an_amount_is_read_exactly_and_a_whole_one_is_an_int(text: object, amount: object) -> None:
    read = parse_amount(text)
    assert read == amount
    assert type(read) is type(amount)


NO_AMOUNTS: list[Any] = [
    *("", " ", "1e3", "1E3", "1/0", "0/0", "1/", "/2", "1/2/3", "1.5/2", "1/2.5", ".5", "5.", "1,000", "1_000"),
    *("NaN", "nan", "inf", "-inf", "Infinity", "ten", "0x10", "--1", "+-1", "1 0", "1 /2", "$5", "१०", "½", "1\n2"),
    *("9" * 31, "9" * 5000, "1." + "0" * 31, "1/" + "9" * 31),
    *(1.0, 0.5, float("nan"), float("inf"), True, False, None, b"10", [], ["10"], {}, (1, 2), 5j),
]


@pytest.mark.parametrize("text", NO_AMOUNTS, ids=lambda text: repr(text)[:12])
def test_what_is_no_exact_amount_is_refused(text: object) -> None:
    with pytest.raises(ValueError, match="is no exact amount"):
        parse_amount(text)


@given(st.fractions(min_value=-(10**9), max_value=10**9, max_denominator=10**6))
def test_an_amount_that_was_written_is_read_again(amount: Fraction) -> None:
    assert parse_amount(str(amount)) == amount
    assert isinstance(whole(amount), int) is (amount.denominator == 1)


@pytest.mark.parametrize("text", ["3:2", "3/2", "3-2", "3 to 2", "3 : 2", " 3:2 ", "6:4", "3  to  2", "03:02"])
def test_odds_have_many_spellings_and_one_meaning(text: str) -> None:
    assert parse_odds(text) == Fraction(3, 2)


@pytest.mark.parametrize(("text", "odds"), [("1:1", 1), ("2:1", 2), ("250:1", 250), ("4:2", 2), ("999999:1", 999_999)])
def test_whole_odds_are_an_int(text: str, odds: int) -> None:
    assert parse_odds(text) == odds
    assert type(parse_odds(text)) is int


NO_ODDS: list[Any] = [
    *(
        "",
        "3",
        "3:",
        ":2",
        "3:2:1",
        "0:1",
        "1:0",
        "0:0",
        "-3:2",
        "3:-2",
        "3.5:1",
        "1e1:1",
        "3 2",
        "3to",
        "three to two",
    ),
    *("1000000:1", "1:1000000", "3 for 2", "nan:1", "३:२"),
    *(1, 1.5, float("nan"), True, None, [], ["3:2"], [3, 2], {"3": 2}, b"3:2"),
]


@pytest.mark.parametrize("text", NO_ODDS, ids=repr)
def test_what_is_no_payout_is_refused(text: object) -> None:
    with pytest.raises(ValueError, match="is no payout"):
        parse_odds(text)


@given(st.integers(1, 999_999), st.integers(1, 999_999))
def test_odds_are_always_said_with_to_and_read_back_from_words_and_key(wins: int, stake: int) -> None:
    odds = parse_odds(f"{wins}:{stake}")
    first, to, second = odds_words(odds).split(" ")
    assert to == "to"
    assert Fraction(int(first), int(second)) == Fraction(wins, stake)
    assert parse_odds(odds_words(odds)) == parse_odds(odds_key(odds)) == odds


def test_a_sign_never_says_two_for_two_to_one() -> None:
    assert odds_words(parse_odds("2:1")) == "2 to 1"
    assert odds_words(parse_odds("12:5")) == "12 to 5"
    assert odds_key(parse_odds("2:1")) == "2:1"


@pytest.mark.parametrize(
    ("amount", "words"),
    [
        ("10", "10"),
        ("15/2", "7.50"),
        ("-15/2", "-7.50"),
        ("1/20", "0.05"),
        ("-1/4", "-0.25"),
        ("10/3", "10/3"),
        ("0", "0"),
    ],
)
def test_money_is_said_in_cents_where_cents_will_do(amount: str, words: str) -> None:
    assert money_words(parse_amount(amount)) == words


@pytest.mark.parametrize(
    ("amount", "chip", "up", "down", "nearest"),
    [
        ("15/2", "1", "8", "7", "8"),  # a tie is the player's
        ("37/5", "1", "8", "7", "7"),
        ("38/5", "1", "8", "7", "8"),
        ("7", "1", "7", "7", "7"),
        ("7", "5", "10", "5", "5"),
        ("8", "5", "10", "5", "10"),
        ("7/4", "1/2", "2", "3/2", "2"),
        ("1/4", "1", "1", "0", "0"),
        ("0", "5", "0", "0", "0"),
    ],
)
def test_odd_chips_are_rounded_as_the_house_says(amount: str, chip: str, up: str, down: str, nearest: str) -> None:
    for policy, expected in (("up", up), ("down", down), ("nearest", nearest)):
        assert round_to_chip(parse_amount(amount), parse_amount(chip), policy) == parse_amount(expected), policy


amounts = st.fractions(min_value=0, max_value=10**7, max_denominator=1000).map(whole)
chips = st.fractions(min_value=Fraction(1, 100), max_value=1000, max_denominator=100).map(whole)


@given(amounts, amounts, chips)
@example(Fraction(5, 2), 3, 1)
@example(Fraction(1, 2), 0, 1)
def test_rounding_stays_within_a_chip_on_its_own_side_and_keeps_the_order(
    amount: int | Fraction, other: int | Fraction, chip: int | Fraction
) -> None:
    up, down, nearest = (round_to_chip(amount, chip, policy) for policy in ("up", "down", "nearest"))
    for rounded in (up, down, nearest):
        assert Fraction(rounded, 1) % chip == 0
        assert abs(Fraction(rounded) - amount) < chip
        assert rounded >= 0
    assert down <= amount <= up
    assert nearest in (down, up)
    off = abs(Fraction(nearest) - amount)
    assert off * 2 <= chip
    if off * 2 == chip:
        assert nearest == up
    low, high = sorted((amount, other))
    for policy in ("up", "down", "nearest"):
        assert round_to_chip(low, chip, policy) <= round_to_chip(high, chip, policy)
