"""Round scripts of every wrong form are answered with a code and words, never with an exception or half an answer."""

import copy
import json
import random
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from controller.cli.settle import settle
from controller.library import load_game
from controller.rules.cards import DECK
from controller.rules.options import OPTIONS
from controller.rules.report import settle_script
from controller.rules.script import SCRIPT_ACTIONS

CASES = [json.loads(path.read_text()) for path in sorted((Path(__file__).parents[2] / "cases").glob("*.json"))]
PLAIN: dict[str, Any] = {
    "game": "blackjack",
    "options": {},
    "seats": [{"seat": 1, "bet": "10", "side": {"perfect_pairs": "5/2"}}],
    "shoe": ["10S", "9C", "QH", "8D"],
    "actions": [[1, 1, "stand"]],
}
GONE: Any = ...
WHOLE = {"dealer", "hands", "side_bets", "net", "burned", "cards_used"}


def answer(script: object) -> dict[str, Any]:
    """The answer to a script, which is a whole settlement or a whole refusal, and leaves the script alone."""
    before = repr(script)
    said = settle_script(script, load_game)
    assert repr(script) == before
    if "error" in said:
        assert set(said) == {"error", "message"}
        assert all(isinstance(words, str) and words.strip() for words in said.values())
    else:
        assert set(said) == WHOLE
        assert all(hand["outcome"] and hand["why"] for hand in said["hands"])
    json.dumps(said)
    return said


def changed(**parts: Any) -> dict[str, Any]:
    """The plain script with some parts put in another's place, or left out."""
    return {key: part for key, part in {**PLAIN, **parts}.items() if part is not GONE}


def seat(**parts: Any) -> dict[str, Any]:
    return changed(seats=[{key: part for key, part in {"seat": 1, "bet": "10", **parts}.items() if part is not GONE}])


def test_the_plain_script_is_settled() -> None:
    assert answer(PLAIN)["net"] == {"1": "15/2"}  # ten won, five halves lost


@pytest.mark.parametrize("script", [None, True, 5, 1.5, "", "blackjack", [], [["game", "blackjack"]]], ids=repr)
def test_a_script_is_an_object(script: object) -> None:
    assert answer(script)["error"] == "bad_script"


@pytest.mark.parametrize("key", ["seats", "shoe", "actions"])
@pytest.mark.parametrize("value", [None, True, 0, 1.5, "", "AS", {}, {"seat": 1}], ids=repr)
def test_what_is_no_list_is_refused_by_name(key: str, value: object) -> None:
    assert answer(changed(**{key: value}))["error"] == f"bad_script:{key}"


def test_actions_and_options_may_be_left_out_and_no_other_part() -> None:
    assert answer(changed(actions=GONE))["error"] == "missing_action:1/1"
    assert answer(changed(seats=GONE))["error"] == "bad_script:seats"
    assert answer(changed(shoe=GONE))["error"] == "bad_script:shoe"
    natural = changed(actions=GONE, options=GONE, shoe=["AS", "9C", "KH", "8D"], seats=[{"seat": 1, "bet": "10"}])
    assert answer(natural)["net"] == {"1": "15"}


@pytest.mark.parametrize("game", ["super_fun_21_extreme", "monte_carlo", "power_blackjack", "chinese_fortune_21"])
def test_a_game_may_be_written_with_hyphens(game: str) -> None:
    plain = changed(seats=[{"seat": 1, "bet": "10"}], game=game)
    assert answer({**plain, "game": game.replace("_", "-")}) == answer(plain)
    assert "error" not in answer(plain)


@pytest.mark.parametrize("game", [GONE, None, True, 5, [], {}, "", "Blackjack", "blackjak", "../blackjack"], ids=repr)
def test_an_unknown_game_is_refused_with_the_games_there_are(game: object) -> None:
    said = answer(changed(game=game))
    assert said["error"] == "unknown_game"
    assert "power_blackjack" in said["message"]
    assert ("Did you mean blackjack?" in said["message"]) is (isinstance(game, str) and game != "")


@pytest.mark.parametrize("options", [None, True, 5, "decks", [], [["decks", 6]]], ids=repr)
def test_options_are_an_object(options: object) -> None:
    assert answer(changed(options=options))["error"] == "bad_script:options"


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"deks": 6}, "unknown_option:deks"),
        ({"": 6}, "unknown_option:"),
        ({"name": "Ours"}, "unknown_option:name"),
        ({"extends": "blackjack"}, "unknown_option:extends"),
        ({"offers": {"decks": [9]}}, "unknown_option:offers"),
        ({"decks": 9}, "bad_option:decks"),
        ({"decks": True}, "bad_option:decks"),
        ({"decks": None}, "bad_option:decks"),
        ({"insurance": 1}, "bad_option:insurance"),
        ({"blackjack_pays": 1.5}, "bad_option:blackjack_pays"),
        ({"double_totals": {"9": 10}}, "bad_option:double_totals"),
        ({"no_hole_card": True, "surrender": "late"}, "bad_option:surrender"),
        ({"side_bets": []}, "bad_option:side_bets"),
        ({"side_bets": {"lucky": {}}}, "unknown_option:side_bets.lucky"),
    ],
)
def test_options_are_refused_as_a_ruleset_would_be(options: dict[str, Any], error: str) -> None:
    said = answer(changed(options=options))
    assert said["error"] == error
    assert error.split(":")[1] in said["message"]


@pytest.mark.parametrize("item", [None, True, 1, "1", [], [1, "10"]], ids=repr)
def test_a_seat_is_an_object(item: object) -> None:
    assert answer(changed(seats=[item]))["error"] == "bad_script:seats"


@pytest.mark.parametrize("number", [GONE, None, True, False, 0, -1, 100, 10**6, 1.0, "1", [], {}], ids=repr)
def test_a_seat_number_is_whole_and_from_one(number: object) -> None:
    assert answer(seat(seat=number))["error"].startswith("bad_seat:")


def test_a_round_needs_a_seat_and_none_twice() -> None:
    assert answer(changed(seats=[{"seat": 2, "bet": "1"}, {"seat": 2, "bet": "1"}]))["error"] == "seat_twice:2"
    assert answer(changed(seats=[]))["error"] == "no_seats"


NO_BETS: list[Any] = [
    *("0", "-5", "0/5", "", "ten", "1e3", "1/0", "nan", "9" * 40),
    *(0, -1, 2.5, True, False, [], {}, ["10"]),
]


@pytest.mark.parametrize("bet", NO_BETS, ids=lambda bet: repr(bet)[:8])
def test_a_bet_is_an_exact_amount_above_zero(bet: object) -> None:
    assert answer(seat(bet=bet))["error"] == "bad_bet:1"
    assert answer(seat(side={"perfect_pairs": bet}))["error"] == "bad_bet:1"


@pytest.mark.parametrize("bet", [10**29, int("9" * 4300)], ids=["30 digits", "4300 digits"])
def test_a_huge_bet_is_refused_or_settled(bet: int) -> None:
    natural = ["AS", "9C", "KH", "8D"]
    said = answer({**seat(bet=bet), "shoe": natural, "actions": []})
    assert said.get("error") == "bad_bet:1" or Fraction(said["net"]["1"]) == Fraction(3 * bet, 2)


def test_without_a_wager_results_have_no_money() -> None:
    for said in (answer(seat(bet=GONE)), answer(seat(bet=None))):
        assert said["net"] == {"1": None}
        assert said["hands"][0]["outcome"] == "win"


@pytest.mark.parametrize("side", [True, 5, "perfect_pairs", ["perfect_pairs"], 1.5, [], "", 0, False], ids=repr)
def test_side_bets_are_an_object(side: object) -> None:
    assert answer(seat(side=side))["error"] == "bad_script:side"


def test_a_side_bet_the_game_does_not_offer_is_refused() -> None:
    assert answer(seat(side={"precious_diamond": "1"}))["error"] == "side_bet_not_offered"
    assert answer(seat(side={"": "1"}))["error"] == "side_bet_not_offered"


@pytest.mark.parametrize("code", ["1S", "10", "as", "", "ZZ", "A♠", None, 5, True, 1.5, [], ["AS"], {}], ids=repr)
def test_a_card_that_does_not_exist_is_refused_wherever_it_lies(code: object) -> None:
    assert answer(changed(shoe=[code, *PLAIN["shoe"]]))["error"] == f"bad_card:{code}"
    assert answer(changed(shoe=[*PLAIN["shoe"], code]))["error"] == f"bad_card:{code}"


@pytest.mark.parametrize(("decks", "code", "said"), [(6, "AS", "AS"), (1, "10D", "10D"), (2, "TD", "10D")])
def test_a_shoe_holds_no_more_of_a_card_than_its_decks(decks: int, code: str, said: str) -> None:
    shoe = [card for card in PLAIN["shoe"] if card != code]
    full = changed(options={"decks": decks}, shoe=[*shoe, *[code] * decks])
    assert "error" not in answer(full)
    assert answer({**full, "shoe": [*full["shoe"], code]})["error"] == f"too_many:{said}"


def test_both_spellings_of_a_ten_count_together() -> None:
    assert answer(changed(options={"decks": 1}, shoe=["10S", "9C", "QH", "8D", "TS"]))["error"] == "too_many:10S"


BAD_ENTRIES: list[Any] = [
    *(None, True, 1, "stand", {}, [], [1], [1, 1], ["stand"], [1, "stand"], ["1", 1, "stand"], [1, "1", "stand"]),
    *([1, 1, None], [1, 1, 5], [1, 1, ["stand"]], [1.0, 1, "stand"], [1, None, "stand"], [1, 1, "stand", "5", "6"]),
    *([True, 1, "stand"], [1, True, "stand"]),
]


@pytest.mark.parametrize("entry", BAD_ENTRIES, ids=repr)
def test_an_action_is_a_seat_a_hand_and_a_word(entry: object) -> None:
    assert answer(changed(actions=[entry]))["error"] == "bad_script:actions"


@pytest.mark.parametrize("action", ["", "Stand", "stay", "stand ", "double down", "fold", "peek"])
def test_an_unknown_action_is_refused_with_those_there_are(action: str) -> None:
    said = answer(changed(actions=[[1, 1, action]]))
    assert said["error"] == f"unknown_action:{action}"
    assert all(known in said["message"] for known in SCRIPT_ACTIONS)


@pytest.mark.parametrize(
    ("parts", "error"),
    [
        ({"shoe": ["10S", "9C", "QH"]}, "shoe_exhausted"),
        ({"shoe": []}, "shoe_exhausted"),
        ({"actions": []}, "missing_action:1/1"),
        ({"actions": [[1, 2, "stand"]]}, "out_of_turn:1/2"),
        ({"actions": [[2, 1, "stand"]]}, "out_of_turn:2/1"),
        ({"actions": [[1, 1, "stand"], [1, 1, "stand"]]}, "extra_action"),
        ({"actions": [[1, 1, "surrender"]]}, "surrender_not_offered"),
        ({"actions": [[1, 0, "insurance", "5"], [1, 1, "stand"]]}, "insurance_no_ace"),
        (
            {"actions": [[1, 1, "hit"], [1, 0, "insurance", "5"]], "shoe": ["2S", "9C", "2H", "8D", "2D"]},
            "out_of_turn:1/0",
        ),
        ({"actions": [[1, 1, "hit"], [1, 1, "insurance"]], "shoe": ["2S", "9C", "2H", "8D", "2D"]}, "out_of_turn:1/1"),
        (
            {"actions": [[1, 2, "surrender"]], "options": {"surrender": "early"}, "shoe": ["9S", "10C", "7H", "8D"]},
            "out_of_turn:1/2",
        ),
    ],
)
def test_a_well_formed_script_that_can_not_be_played_has_its_code(parts: dict[str, Any], error: str) -> None:
    assert answer(changed(**parts))["error"] == error


def test_extra_keys_are_ignored_whatever_they_hold() -> None:
    extra: dict[str, Any] = {
        "id": 5,
        "title": None,
        "why": [],
        "clauses": {},
        "expect": {"error": "x"},
        "": 1,
        "rules": "mine",
    }
    noisy = {**PLAIN, **extra, "seats": [{**PLAIN["seats"][0], "player": ["x"], "hand": 7}]}
    assert answer(noisy) == answer(PLAIN)


WORDS = ["AS", "10D", "TS", "1S", "10", "5/2", "-1", "3:2", "none", "late", "perfect_pairs", "blackjack", "monte-carlo"]
KEYS = ["game", "options", "seats", "shoe", "actions", "seat", "bet", "side", "decks", "surrender", "side_bets", "pays"]
atoms = st.one_of(
    *(st.none(), st.booleans(), st.integers(-3, 12), st.integers(), st.floats(), st.text(max_size=4)),
    st.sampled_from([*WORDS, *SCRIPT_ACTIONS]),
)
keys = st.sampled_from([*KEYS, *OPTIONS]) | st.text(max_size=3)
anything = st.recursive(
    atoms, lambda part: st.lists(part, max_size=4) | st.dictionaries(keys, part, max_size=4), max_leaves=12
)


@given(anything)
def test_any_json_at_all_is_answered(script: object) -> None:
    answer(script)


@given(st.fixed_dictionaries({}, optional=dict.fromkeys(PLAIN, anything)))
def test_any_json_under_the_right_keys_is_answered(parts: dict[str, Any]) -> None:
    answer({**PLAIN, **parts})


@given(st.sampled_from(CASES), st.data())
def test_a_real_script_spoilt_anywhere_is_answered(case: dict[str, Any], data: st.DataObject) -> None:
    """Walk down to some place in the script; there something else is put, or what lies there is taken away."""
    script = copy.deepcopy({key: case[key] for key in PLAIN})
    for _ in range(data.draw(st.integers(1, 3))):
        here: Any = script
        while here:
            key: Any = data.draw(st.sampled_from(sorted(here) if isinstance(here, Mapping) else range(len(here))))
            if isinstance(here[key], dict | list) and data.draw(st.integers(0, 3)):
                here = here[key]
                continue
            if data.draw(st.booleans()):
                here[key] = data.draw(anything)
            else:
                del here[key]
            break
    answer(script)


few_options = st.lists(st.sampled_from(sorted(OPTIONS)), max_size=5, unique=True).flatmap(
    lambda some: st.fixed_dictionaries({key: st.sampled_from(OPTIONS[key].kind.samples) for key in some})
)


@given(few_options, st.integers(0, 10**6))
def test_any_rules_that_can_be_built_can_be_played_to_the_end(options: dict[str, Any], seed: int) -> None:
    rng = random.Random(seed)
    shoe = rng.sample([card.text for card in DECK], 52)
    script = changed(options=options, shoe=shoe, actions=[], seats=[{"seat": n, "bet": "7"} for n in (1, 3)])
    said = answer(script)
    while said.get("error", "").startswith("missing_action:"):
        place = [int(number) for number in said["error"].split(":")[1].split("/")]
        for action in rng.sample(SCRIPT_ACTIONS, len(SCRIPT_ACTIONS)):
            tried = {**script, "actions": [*script["actions"], [*place, action]]}
            said = answer(tried)
            if said.get("error", "missing_action").startswith(("missing_action", "shoe_exhausted")):
                break
        else:
            pytest.fail(f"nothing may be done in {script}: {said}")
        script = tried
    if "error" in said:
        assert said["error"].startswith(("bad_option:", "shoe_exhausted"))
    else:
        assert {hand["seat"] for hand in said["hands"]} == {1, 3}


def test_whatever_json_can_be_read_can_be_answered_however_deep() -> None:
    for depth in range(600, 1000):
        text = json.dumps(PLAIN).replace('"options": {}', '"options": {"decks": ' + "[" * depth + "]" * depth + "}")
        try:
            script = json.loads(text)
        except RecursionError:
            break
        assert settle_script(script, load_game)["error"].startswith("bad_"), depth


@pytest.mark.parametrize("part", [{"shoe": ["\ud800"]}, {"actions": [[1, 1, "\ud800"]]}, {"options": {"\ud800": 1}}])
def test_half_a_character_in_a_script_does_not_stop_the_lines_after_it(part: dict[str, Any]) -> None:
    done = CliRunner().invoke(settle, ["--lines"], input=f"{json.dumps(changed(**part))}\n{json.dumps(PLAIN)}\n")
    assert done.exit_code == 6, done.exception
    refusal, settled = map(json.loads, done.stdout.splitlines())
    assert "error" in refusal
    assert settled["net"] == {"1": "15/2"}
