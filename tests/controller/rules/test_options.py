"""Every rule option is a typed field of a ruleset, takes its own samples and refuses everything of another kind."""

import json
import math
from fractions import Fraction
from typing import Any, Literal, get_args, get_origin, get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.library import game_names, load_game
from controller.rules.options import OPTIONS, InstantWin, Option, chip, instant_wins, number, span, totals
from controller.rules.ruleset import Ruleset

NOT_OPTIONS = {"game", "name", "summary", "side_bets"}
HINTS: dict[str, Any] = {key: hint for key, hint in get_type_hints(Ruleset).items() if key not in NOT_OPTIONS}

# One of everything that JSON, TOML or a careless caller can hold.
ANYTHING: list[Any] = [
    *(None, True, False, 0, 1, -1, 2, 9, 22, 10**9, 0.0, 1.0, 2.5, math.nan, math.inf),
    *("", " ", "none", "None", "true", "1", "3:2", "win", "face_up", "Exact", "nonsense", "1e3", b"win"),
    *([], [0], [3], [9], [22], [9, 9], ["9"], [9.0], [True], [None], [[9]], [40, 50], [50, 40], [1, 209], [0, 5]),
    *(
        [1, True],
        [True, 5],
        [1.0, 2],
        ["1", "2"],
        [1, 2, 3],
        {},
        {"a": 1},
        [{}],
        [{"cards": 5}],
        {"cards": 5, "pays": "1:1"},
    ),
]


def is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def has_type(value: object, hint: Any) -> bool:
    """Whether a value is of a field's type, a bool being no int."""
    if get_origin(hint) is Literal:
        return isinstance(value, str) and value in get_args(hint)
    if get_origin(hint) is tuple:
        first, last = get_args(hint)[0], get_args(hint)[-1]
        if not isinstance(value, tuple) or (last is not Ellipsis and len(value) != len(get_args(hint))):
            return False
        return all(has_type(item, first) for item in value)
    if get_args(hint):
        return any(has_type(value, part) for part in get_args(hint))
    return is_whole(value) if hint is int else type(value) is hint


def test_every_option_is_a_field_of_the_ruleset_and_every_field_an_option() -> None:
    assert set(OPTIONS) == set(HINTS)


@pytest.mark.parametrize("key", OPTIONS)
def test_an_option_knows_its_own_key_and_says_what_it_means(key: str) -> None:
    assert OPTIONS[key].key == key
    assert OPTIONS[key].about.strip()
    assert OPTIONS[key].kind.allowed.strip()


@pytest.mark.parametrize("option", OPTIONS.values(), ids=OPTIONS)
def test_an_option_takes_its_samples_and_its_default_and_reads_them_to_its_type(option: Option) -> None:
    assert option.kind.samples
    for value in (*option.kind.samples, option.default):
        read = option.kind.read(value)
        assert has_type(read, HINTS[option.key]), f"{value!r} was read as {read!r}"


@pytest.mark.parametrize("option", OPTIONS.values(), ids=OPTIONS)
def test_a_value_is_written_so_that_a_file_can_hold_it_and_it_is_read_again(option: Option) -> None:
    for value in (*option.kind.samples, option.default):
        read = option.kind.read(value)
        written = json.loads(json.dumps(option.kind.write(read)))
        assert option.kind.read(written) == read


@pytest.mark.parametrize("option", OPTIONS.values(), ids=OPTIONS)
def test_an_option_refuses_whatever_is_not_of_its_kind(option: Option) -> None:
    """Refused with a ValueError and nothing else; what is accepted is of the field's exact type."""
    refused = 0
    for value in ANYTHING:
        try:
            read = option.kind.read(value)
        except ValueError:
            refused += 1
        else:
            assert has_type(read, HINTS[option.key]), f"{value!r} was taken and read as {read!r}"
    assert refused > len(ANYTHING) // 2


def keys_of(*hints: Any) -> list[str]:
    return [key for key, hint in HINTS.items() if hint in hints]


LITERALS = [key for key, hint in HINTS.items() if get_origin(hint) is Literal]
ODDS = ["blackjack_pays", "insurance_pays"]
TOTALS = ["double_totals", "power_split_totals", "power_double_totals"]


def test_the_kinds_below_cover_every_option() -> None:
    others = {"cut_card_from_back", "instant_wins", "rounding_chip"}
    assert {*keys_of(bool, int), *LITERALS, *ODDS, *TOTALS, *others} == set(OPTIONS)


@pytest.mark.parametrize("key", keys_of(bool))
@pytest.mark.parametrize("value", [0, 1, "true", "false", "yes", "", None, [], [True], {}, 1.0], ids=repr)
def test_a_flag_is_true_or_false_and_nothing_like_it(key: str, value: object) -> None:
    with pytest.raises(ValueError, match="true or false"):
        OPTIONS[key].kind.read(value)


@pytest.mark.parametrize("key", keys_of(int))
@pytest.mark.parametrize("value", [True, False, 0, -1, 9, 10**30, 2.0, "2", None, [2], {}, math.nan], ids=repr)
def test_a_number_is_whole_and_within_its_range_and_no_bool(key: str, value: object) -> None:
    with pytest.raises(ValueError, match="not a whole number from 1 to"):
        OPTIONS[key].kind.read(value)


@given(st.integers(), st.integers(-50, 50), st.integers(0, 50))
def test_a_number_is_taken_exactly_from_low_to_high(value: int, low: int, more: int) -> None:
    kind = number(low, low + more)
    for tried in (value, low - 1, low, low + more, low + more + 1):
        if low <= tried <= low + more:
            assert kind.read(tried) == tried
        else:
            with pytest.raises(ValueError, match="whole number"):
                kind.read(tried)


@pytest.mark.parametrize("key", LITERALS)
def test_a_choice_offers_exactly_the_words_of_its_type(key: str) -> None:
    kind = OPTIONS[key].kind
    assert kind.samples == get_args(HINTS[key])
    for word in get_args(HINTS[key]):
        assert f'"{word}"' in kind.allowed
        for wrong in (word.upper(), f" {word}", [word], word.encode(), True, 0, None):
            with pytest.raises(ValueError, match="not one of"):
                kind.read(wrong)


@pytest.mark.parametrize("key", ODDS)
@pytest.mark.parametrize("value", [1, 1.5, True, None, "3", "0:1", "3:0", [3, 2], {"3": 2}], ids=repr)
def test_odds_are_a_text_with_two_numbers_above_zero(key: str, value: object) -> None:
    with pytest.raises(ValueError, match="is no payout"):
        OPTIONS[key].kind.read(value)


@pytest.mark.parametrize(
    "value", [9, "9", None, {}, {9: 1}, [3], [22], [True], [9.0], ["9"], [[9]], [9, 9], [None]], ids=repr
)
def test_totals_are_a_list_of_different_hand_totals(value: object) -> None:
    with pytest.raises(ValueError, match="total"):
        totals().read(value)


def test_totals_are_sorted_and_may_be_none() -> None:
    assert totals().read([11, 9, 10]) == (9, 10, 11)
    assert totals().read([4, 21]) == (4, 21)
    assert totals().read([]) == ()


@pytest.mark.parametrize(
    "value",
    [
        *(40, "40", None, True, {}, [], [40], [40, 50, 60], [50, 40], [0, 5], [-5, 5], [1, 209], ["1", "2"]),
        *([1.0, 2.0], [True, 5], [1, True], [True, True], "None", ["none"]),
    ],
    ids=repr,
)
def test_a_span_is_two_card_counts_in_order_or_the_word_none(value: object) -> None:
    with pytest.raises(ValueError, match="pair of card counts"):
        span().read(value)


def test_a_span_is_read_with_its_ends() -> None:
    assert span().read([40, 50]) == (40, 50)
    assert span().read([1, 208]) == (1, 208)
    assert span().read([7, 7]) == (7, 7)
    assert span().read("none") is None


@pytest.mark.parametrize("value", ["0", "-1", 0, -1, 0.5, "0.0", "1/0", True, None, "", [], {}, "1e3"], ids=repr)
def test_a_chip_is_worth_more_than_nothing_and_exactly(value: object) -> None:
    with pytest.raises(ValueError, match=r"worth more than nothing|no exact amount"):
        chip().read(value)


def test_a_chip_may_be_half_a_unit() -> None:
    assert chip().read("1/2") == chip().read("0.5") == Fraction(1, 2)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({}, "list of tables"),
        ("five", "list of tables"),
        (None, "list of tables"),
        ([5], "list of tables"),
        ([[]], "list of tables"),
        ([{"cards": 5}], "lacks 'pays'"),
        ([{"pays": "2:1"}], "lacks 'cards'"),
        ([{"cards": 5, "pays": "2:1", "total": 21}], "no key 'total'"),
        ([{"cards": 2, "pays": "2:1"}], "from 3 to 12"),
        ([{"cards": True, "pays": "2:1"}], "from 3 to 12"),
        ([{"cards": 5, "pays": 2}], "no payout"),
        ([{"cards": 5, "pays": "2:1", "total_min": 22}], "from 0 to 21"),
        ([{"cards": 5, "pays": "2:1", "total_min": "21"}], "from 0 to 21"),
        ([{"cards": 5, "pays": "2:1", "total_min": 21, "total_max": 20}], "total_min is above total_max"),
        ([{"cards": 5, "pays": "2:1"}, {"cards": 5}], "lacks 'pays'"),
    ],
    ids=repr,
)
def test_instant_wins_say_what_is_wrong_with_them(value: object, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        instant_wins().read(value)


def test_instant_wins_are_read_in_their_order() -> None:
    read = instant_wins().read(
        [{"cards": 5, "pays": "2:1", "total_min": 21}, {"cards": 6, "pays": "1:1", "total_max": 20}]
    )
    assert read == (InstantWin(5, 2, total_min=21), InstantWin(6, 1, total_max=20))


@pytest.mark.parametrize("game", game_names())
def test_every_field_of_a_shipped_game_is_of_its_type(game: str) -> None:
    rules = load_game(game)
    for key, hint in HINTS.items():
        assert has_type(getattr(rules, key), hint), key


@pytest.mark.parametrize("key", OPTIONS)
def test_a_sample_written_as_an_option_of_a_game_reaches_the_ruleset(key: str) -> None:
    """On the plainest game; combinations that can't be played are the rulebook's own tests."""
    company: dict[str, dict[str, Any]] = {"max_doubles": {"double_cards": "any"}}
    for sample in OPTIONS[key].kind.samples:
        rules = load_game("blackjack", {**company.get(key, {}), key: sample})
        assert getattr(rules, key) == OPTIONS[key].kind.read(sample)
