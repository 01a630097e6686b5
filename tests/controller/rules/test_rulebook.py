"""Rulesets are merged from layers; every refusal names the file, the line and the key, and says what is allowed."""

from fractions import Fraction
from typing import Any

import pytest

from controller.library import GAMES, game_names, load_game
from controller.rules.errors import RulesetError
from controller.rules.rulebook import Source, build, overlay, read_layers
from controller.rules.ruleset import _IMPOSSIBLE, Ruleset

PERFECT = '[side_bets.perfect_pairs.pays]\nperfect_pair = "25:1"\n'


def read(text: str, **beside: str) -> Ruleset:
    """The ruleset of `house.toml`; `beside` are the files it may extend, by stem, before the shipped games."""

    def find(name: str, wanted_by: Source) -> Source | None:
        stem = name.removesuffix(".toml")
        if stem in beside:
            return Source(stem, f"{stem}.toml", beside[stem])
        if stem == "house":
            return house
        return Source(stem, f"{stem}.toml", (GAMES / f"{stem}.toml").read_text()) if stem in game_names() else None

    house = Source("house", "house.toml", text)
    return build("house", read_layers(house, find))


def refused(text: str, **beside: str) -> RulesetError:
    with pytest.raises(RulesetError) as caught:
        read(text, **beside)
    return caught.value


def says(error: RulesetError, line: int, key: str, *words: str, source: str = "house.toml") -> None:
    """The error knows where and what, and its text tells it all."""
    assert (error.source, error.line, error.key) == (source, line, key)
    assert str(error).startswith(f"{source}:{line}: {key}: " if key else f"{source}:{line}: ")
    for word in (error.problem, error.allowed, *words):
        assert word in str(error)
    if error.nearest:
        assert f"did you mean {error.nearest!r}?" in str(error)


@pytest.mark.parametrize(
    ("written", "nearest"),
    [
        ("deks = 6", "decks"),
        ("dealer_hit_soft_17 = true", "dealer_hits_soft_17"),
        ("blackjack_pay = '3:2'", "blackjack_pays"),
        ("side_bet = 1", "side_bets"),
        ("extend = 'blackjack'", "extends"),
        ("zzzzzz = 1", ""),
        ("[deks]\nx = 1", "decks"),
    ],
)
def test_an_unknown_key_is_refused_with_the_nearest_known_one(written: str, nearest: str) -> None:
    error = refused(f"# a remark\n\n{written}\n")
    key = written.strip("[").split("]")[0].split(" ")[0]
    says(error, 3, key, "there is no such key")
    assert (error.nearest, error.kind) == (nearest, "unknown")


@pytest.mark.parametrize(
    ("key", "value", "allowed"),
    [
        ("decks", '"six"', "a whole number from 1 to 8"),
        ("decks", "0", "a whole number from 1 to 8"),
        ("decks", "9", "a whole number from 1 to 8"),
        ("decks", "6.0", "a whole number from 1 to 8"),
        ("decks", "true", "a whole number from 1 to 8"),
        ("decks", "2024-01-01", "a whole number from 1 to 8"),
        ("insurance", '"yes"', "true, false"),
        ("insurance", "1", "true, false"),
        ("blackjack_pays", "1.5", 'a payout such as "3:2"'),
        ("blackjack_pays", '"1:0"', 'a payout such as "3:2"'),
        ("surrender", '"always"', '"none", "early", "late", "any_time"'),
        ("pairs", "[]", '"value", "rank"'),
        ("double_totals", "[9, 9]", "a list of hand totals"),
        ("double_totals", "11", "a list of hand totals"),
        ("cut_card_from_back", "[50, 40]", "two card counts"),
        ("rounding_chip", '"0"', "a chip's worth"),
        ("instant_wins", "[{ cards = 5 }]", 'tables with "cards", "pays"'),
        ("name", "5", "a text"),
        ("name", '" "', "a text"),
        ("summary", "[]", "a text"),
    ],
)
def test_a_value_of_the_wrong_kind_is_refused_with_what_is_allowed(key: str, value: str, allowed: str) -> None:
    error = refused(f'extends = "blackjack"\n{key} = {value}\n')
    says(error, 2, key)
    assert allowed in error.allowed
    assert error.kind == "bad"


@pytest.mark.parametrize("value", ["9" * 5000, "0x" + "f" * 5000, "[" * 3000 + "]" * 3000], ids=["long", "hex", "deep"])
def test_a_monstrous_value_is_refused_like_any_other(value: str) -> None:
    error = refused(f"\ndecks = {value}\n")
    assert error.source == "house.toml"


@pytest.mark.parametrize(
    ("game", "key", "value", "offered"),
    [
        ("super_fun_21_extreme", "decks", "4", "2, 6, 8"),
        ("super_fun_21_extreme", "blackjack_pays", '"3:2"', '"2:1", "12:5", "5:2"'),
        ("super_fun_21_extreme", "dealer_hits_soft_17", "false", "true"),
        ("chinese_fortune_21", "decks", "3", "1, 2, 4, 6, 8"),
        ("power_blackjack", "decks", "8", "6"),
        ("power_blackjack", "dealer_pushes_22", "false", "true"),
        ("power_blackjack", "blackjack_tie", '"win"', '"push"'),
        ("monte_carlo", "blackjack_pays", '"6:5"', '"3:2"'),
    ],
)
def test_what_a_game_does_not_offer_is_refused_with_what_it_does(game: str, key: str, value: str, offered: str) -> None:
    error = refused(f'extends = "{game}"\n\n{key} = {value}\n')
    says(error, 3, key, f"{load_game(game).name} is not offered with {value}")
    assert error.allowed == offered


def test_a_house_may_widen_what_a_game_offers_and_must_say_so() -> None:
    rules = read('extends = "super_fun_21_extreme"\ndecks = 4\n[offers]\ndecks = [2, 4, 6, 8]\n')
    assert rules.decks == 4
    error = refused('extends = "wide.toml"\ndecks = 5\n', wide='extends = "power_blackjack"\noffers.decks = [4, 6]\n')
    says(error, 2, "decks")
    assert error.allowed == "4, 6"


@pytest.mark.parametrize("key", ["max_hands", "decks"])
def test_an_offer_that_shuts_out_what_the_game_is_names_the_house_file_that_makes_it(key: str) -> None:
    """The game sets decks itself and leaves max_hands at its default; either way the mistake is in line 3."""
    error = refused(f'extends = "blackjack"\n[offers]\n{key} = [2]\n')
    assert (error.source, error.line) == ("house.toml", 3)
    assert key in error.key


@pytest.mark.parametrize(
    ("offers", "line", "key", "problem"),
    [
        ("offers = 5", 2, "offers", "is not a table"),
        ("[offers]\ndeks = [6]", 3, "offers.deks", "there is no such option"),
        ("[offers]\ndecks = 6", 3, "offers.decks", "is not a list of values"),
        ("[offers]\ndecks = []", 3, "offers.decks", "is not a list of values"),
        ("[offers]\ndecks = [6,\n 9]", 3, "offers.decks", "not a whole number from 1 to 8"),
        ("[offers]\nblackjack_pays = [2]", 3, "offers.blackjack_pays", "is no payout"),
    ],
)
def test_offers_that_make_no_sense_are_refused(offers: str, line: int, key: str, problem: str) -> None:
    says(refused(f'extends = "blackjack"\n{offers}\n'), line, key, problem)


IMPOSSIBLE: list[tuple[dict[str, str], str]] = [
    ({"surrender": '"late"', "no_hole_card": "true"}, "late surrender follows a check"),
    ({"no_hole_card": "true", "surrender": '"any_time"'}, "late surrender follows a check"),
    ({"up_card": '"second"', "no_hole_card": "true"}, "first card is the one face up"),
    ({"double_cards": '"first_two"', "max_doubles": "3"}, "a re-double is on three cards"),
    ({"double_card": '"face_down"', "surrender": '"any_time"'}, "has nothing more to decide"),
    ({"double_cards": '"any"', "double_card": '"face_down"', "max_doubles": "2"}, "has nothing more to decide"),
    ({"double_card": '"face_down"', "power_double_totals": "[10, 11]"}, "kept or rolled over"),
    ({"power_split_totals": "[15, 16]", "max_hands": "1"}, "a power split makes two hands"),
]


@pytest.mark.parametrize(("options", "words"), IMPOSSIBLE, ids=lambda x: "-".join(x) if isinstance(x, dict) else None)
def test_what_can_not_be_played_is_refused_at_the_file_that_set_it_last(options: dict[str, str], words: str) -> None:
    *first, last = [f"{key} = {value}\n" for key, value in options.items()]
    last_key = list(options)[-1]
    error = refused(f'extends = "base.toml"\n{last}', base="".join(first))
    says(error, 2, last_key, words)
    one_file = refused("".join([*first, last]))
    assert one_file.key in options
    assert one_file.line == list(options).index(one_file.key) + 1
    assert words in str(one_file)
    read("".join(first))  # it takes them all


def test_every_impossible_combination_has_an_example_here() -> None:
    said = [words for _, _, words in _IMPOSSIBLE]
    assert all(any(part in words for _, part in IMPOSSIBLE) for words in said)
    assert all(sum(part in words for words in said) == 1 for _, part in IMPOSSIBLE)


TEN_ELEVEN = "[side_bets.ten_eleven_or_bust."


@pytest.mark.parametrize(
    ("written", "line", "key", "problem", "nearest"),
    [
        ("side_bets = 5", 2, "side_bets", "is not a table", ""),
        ("side_bets.perfekt_pairs = 5", 2, "side_bets.perfekt_pairs", "no such side bet", "perfect_pairs"),
        ("[side_bets.perfekt_pairs]", 2, "side_bets.perfekt_pairs", "no such side bet", "perfect_pairs"),
        ("\n[side_bets.perfekt_pairs.pays]", 3, "side_bets.perfekt_pairs", "no such side bet", "perfect_pairs"),
        ("side_bets.perfect_pairs = 5", 2, "side_bets.perfect_pairs", "is not a table", ""),
        ("[side_bets.perfect_pairs.pay]", 2, "side_bets.perfect_pairs.pay", "no such key", "pays"),
        ("[side_bets.perfect_pairs]\npays = 5", 3, "side_bets.perfect_pairs.pays", "is not a pay table", ""),
        ("[side_bets.perfect_pairs]\noffered = 1", 3, "side_bets.perfect_pairs.offered", "not true or false", ""),
        (PERFECT + "mixed_pare = '1:1'", 4, "side_bets.perfect_pairs.pays.mixed_pare", "no such line", "mixed_pair"),
        (PERFECT + "mixed_pair = 6", 4, "side_bets.perfect_pairs.pays.mixed_pair", "is no payout", ""),
        ("[side_bets.precious_diamond]", 2, "side_bets.precious_diamond", "lacks its pay table 'pays'", ""),
        ("[side_bets.precious_diamond.pays]", 2, "side_bets.precious_diamond", "lacks its pay table 'pays'", ""),
        (
            TEN_ELEVEN + "phase1]\nsuited_5_5 = '9:1'",
            2,
            "side_bets.ten_eleven_or_bust",
            "lacks its pay table 'phase2'",
            "",
        ),
        (TEN_ELEVEN + "phase2]\n8 = '9:1'", 3, "side_bets.ten_eleven_or_bust.phase2.8", "no such line", ""),
    ],
)
def test_a_side_bet_that_makes_no_sense_is_refused(
    written: str, line: int, key: str, problem: str, nearest: str
) -> None:
    error = refused(f'extends = "blackjack"\n{written}\n')
    says(error, line, key, problem)
    assert error.nearest == nearest
    assert (error.kind == "unknown") is ("no such" in problem)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("decks = 6\n\ndecks = 8\n", 3),
        ("decks = 6\ndecks = 6", 2),
        ('name = "x"\n[offers]\ndecks = [6]\n\n[offers]\ndecks = [8]\n', 5),
        (PERFECT + '\nperfect_pair = "30:1"\n', 4),
        ("decks = 6\nthis is no TOML\n", 2),
        ('name = "never closed\ndecks = 6\n', 1),
        ("decks = 6\ninsurance = yes\n", 2),
        ("decks = ", 1),
        ("[offers\n", 1),
    ],
)
def test_a_text_that_is_not_toml_is_refused_at_its_line(text: str, line: int) -> None:
    error = refused(text)
    says(error, line, "", "not TOML")
    assert "(at " not in str(error)  # said once, at the front


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('\nextends = "blackjak"\n', "there is no game 'blackjak'"),
        ('\nextends = "nowhere.toml"\n', "there is no game 'nowhere.toml'"),
        ("\nextends = 5\n", "names no game"),
        ('\nextends = ["blackjack"]\n', "names no game"),
        ("\nextends = false\n", "names no game"),
        ('\nextends = ""\n', "there is no game ''"),
        ('\nextends = "house.toml"\n', "goes round in a circle: house.toml → house.toml"),
    ],
)
def test_what_can_not_be_extended_is_refused(text: str, said: str) -> None:
    says(refused(text), 2, "extends", said)


def test_two_files_that_extend_each_other_are_refused_with_the_way_round() -> None:
    error = refused('extends = "other.toml"\n', other='decks = 6\nextends = "house.toml"\n')
    says(error, 2, "extends", "house.toml → other.toml → house.toml", source="other.toml")


def test_a_mistake_in_a_file_that_is_extended_names_that_file() -> None:
    says(refused('extends = "base"\n', base="\n\ndeks = 6\n"), 3, "deks", source="base.toml")


def test_later_layers_win_key_by_key_and_the_rest_stays() -> None:
    base = 'extends = "blackjack"\ndecks = 8\ninsurance = false\ndouble_totals = [10, 11]\n'
    rules = read('extends = "base.toml"\ndecks = 2\ndouble_totals = [9]\n', base=base)
    assert (rules.decks, rules.insurance, rules.double_totals) == (2, False, (9,))
    assert rules.blackjack_pays == Fraction(3, 2)
    assert list(rules.side_bets) == ["perfect_pairs", "twenty_one_plus_three"]


@pytest.mark.parametrize(
    ("text", "name", "summary"),
    [
        ("decks = 6", "house", ""),
        ('extends = "base"', "Base", "Plain."),
        ('extends = "base"\nname = "Ours"', "Ours", "Plain."),
        ('extends = "base"\nsummary = "Better."', "Base", "Better."),
    ],
)
def test_a_house_keeps_the_name_and_summary_it_does_not_change(text: str, name: str, summary: str) -> None:
    rules = read(text, base='name = "Base"\nsummary = "Plain."')
    assert (rules.game, rules.name, rules.summary) == ("house", name, summary)


def test_a_side_bet_that_is_no_longer_offered_is_gone_and_can_come_back() -> None:
    off = 'extends = "blackjack"\n[side_bets.perfect_pairs]\noffered = false\n'
    assert list(read(off).side_bets) == ["twenty_one_plus_three"]
    back = read('extends = "off.toml"\n[side_bets.perfect_pairs]\noffered = true\n', off=off)
    assert back.side_bets["perfect_pairs"].pays == load_game("blackjack").side_bets["perfect_pairs"].pays


def test_the_lines_of_a_pay_table_merge_one_by_one() -> None:
    rules = read('extends = "blackjack"\n[side_bets.perfect_pairs.pays]\nmixed_pair = "5:1"\n')
    assert rules.side_bets["perfect_pairs"].pays == ({"perfect_pair": 25, "coloured_pair": 12, "mixed_pair": 5},)
    assert rules.side_bets["twenty_one_plus_three"] == load_game("blackjack").side_bets["twenty_one_plus_three"]


@pytest.mark.parametrize(
    ("options", "key", "kind"),
    [
        ({"deks": 6}, "deks", "unknown"),
        ({"name": "x"}, "name", "unknown"),
        ({"extends": "blackjack"}, "extends", "unknown"),
        ({"offers": {"decks": [4]}}, "offers", "unknown"),
        ({"decks": "6"}, "decks", "bad"),
        ({"side_bets": {"perfect_pares": {}}}, "side_bets.perfect_pares", "unknown"),
        (
            {"side_bets": {"perfect_pairs": {"pays": {"mixed_pair": 5}}}},
            "side_bets.perfect_pairs.pays.mixed_pair",
            "bad",
        ),
    ],
)
def test_options_from_elsewhere_name_their_place_and_key(options: dict[str, Any], key: str, kind: str) -> None:
    source = Source("house", "house.toml", "decks = 6\n")
    with pytest.raises(RulesetError) as caught:
        build("house", (*read_layers(source, lambda name, by: None), overlay(options, "round 17")))
    assert (caught.value.source, caught.value.line, caught.value.key, caught.value.kind) == (
        "round 17",
        None,
        key,
        kind,
    )
    assert str(caught.value).startswith(f"round 17: {key}: ")
    assert caught.value.nearest == {"deks": "decks", "side_bets.perfect_pares": "perfect_pairs"}.get(key, "")
