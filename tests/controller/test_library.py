"""Rulesets are found on disk: the shipped games, a house's own files, and a new game that is nothing but a file."""

import os
from collections.abc import Callable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from controller.library import game_names, load_file, load_game
from controller.rules.errors import Refused, RulesetError
from controller.rules.report import settle_script

GAMES = ("blackjack", "chinese_fortune_21", "monte_carlo", "power_blackjack", "super_fun_21_extreme")
Write = Callable[[str, str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Puts a file into a house's folder."""

    def put(name: str, text: str) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    return put


def refused(path: Path) -> RulesetError:
    with pytest.raises(RulesetError) as caught:
        load_file(path)
    return caught.value


def test_five_games_come_with_croupier() -> None:
    assert game_names() == GAMES


@pytest.mark.parametrize("game", GAMES)
def test_a_shipped_game_loads_by_either_spelling_of_its_name(game: str) -> None:
    rules = load_game(game)
    assert rules.game == game
    assert rules.name != game
    assert rules.summary
    assert load_game(game.replace("_", "-")) == rules


def test_the_games_are_as_the_rulings_say() -> None:
    """The lines of the rulings page that give each game's deck count, 17, blackjack and 22."""
    said = {
        game: (r.decks, r.dealer_hits_soft_17, r.blackjack_pays, r.dealer_pushes_22, r.insurance, r.max_hands)
        for game in GAMES
        for r in [load_game(game)]
    }
    three_to_two = Fraction(3, 2)
    assert said == {
        "blackjack": (6, False, three_to_two, False, True, 4),
        "chinese_fortune_21": (6, True, three_to_two, False, True, 4),
        "monte_carlo": (6, False, three_to_two, False, True, 3),
        "power_blackjack": (6, True, three_to_two, True, True, 4),
        "super_fun_21_extreme": (6, True, 2, True, False, 4),
    }


@pytest.mark.parametrize("game", ["blackjak", "", "black jack", "blackjack.toml", "../games/blackjack", "__init__"])
def test_an_unknown_game_is_refused_with_those_there_are(game: str) -> None:
    with pytest.raises(Refused) as caught:
        load_game(game)
    assert caught.value.code == "unknown_game"
    assert all(known in caught.value.message for known in GAMES)
    assert repr(game) in str(caught.value)


def test_options_lie_over_the_game_and_leave_it_as_it_was() -> None:
    options = {"decks": 2, "side_bets": {"perfect_pairs": {"offered": False}}}
    rules = load_game("blackjack", options)
    assert (rules.decks, list(rules.side_bets)) == (2, ["twenty_one_plus_three"])
    options["decks"] = 8
    assert rules.decks == 2
    assert load_game("blackjack") == load_game("blackjack", {}) == load_game("blackjack", None)
    assert load_game("blackjack").decks == 6


def test_true_is_not_taken_for_the_one_that_was_asked_before() -> None:
    assert load_game("blackjack", {"decks": 1}).decks == 1
    with pytest.raises(RulesetError):
        load_game("blackjack", {"decks": True})


def test_an_option_that_is_wrong_names_the_place_it_came_from() -> None:
    with pytest.raises(RulesetError, match=r"^table 4: decks: ") as caught:
        load_game("blackjack", {"decks": 9}, place="table 4")
    assert (caught.value.source, caught.value.line, caught.value.key) == ("table 4", None, "decks")


def test_options_lie_over_a_house_file_too(write: Write) -> None:
    path = write("ours.toml", 'extends = "super-fun-21-extreme"\ndecks = 8\n')
    assert (load_file(path).decks, load_file(path, {"decks": 2}).decks) == (8, 2)
    with pytest.raises(RulesetError, match=r"^options: decks: .*allowed: 2, 6, 8"):
        load_file(path, {"decks": 4})


def test_a_house_game_is_called_by_its_file(write: Write) -> None:
    rules = load_file(write("friday_night.toml", "decks = 2\n"))
    assert (rules.game, rules.name) == ("friday_night", "friday_night")


def test_a_file_extends_the_file_beside_it_and_not_one_beside_the_reader(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("base.toml", "decks = 1\n")
    write("pit/base.toml", 'extends = "../floor.toml"\ndecks = 2\n')
    write("floor.toml", "max_hands = 2\n")
    monkeypatch.chdir(tmp_path)
    for path in (tmp_path / "pit" / "ours.toml", Path("pit/ours.toml")):
        write("pit/ours.toml", 'extends = "base.toml"\n')
        rules = load_file(path)
        assert (rules.decks, rules.max_hands) == (2, 2)


def test_a_house_file_may_be_called_like_the_game_it_extends(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write("blackjack.toml", 'extends = "blackjack"\ndecks = 8\n')
    assert load_file(path).decks == 8
    monkeypatch.chdir(tmp_path)
    assert load_file(Path("blackjack.toml")).decks == 8


@pytest.mark.parametrize(
    ("extends", "files"),
    [
        ("house.toml", {}),
        ("../pit/house.toml", {}),
        ("./house.toml", {}),
        ("other.toml", {"pit/other.toml": 'extends = "house.toml"\n'}),
        ("../other.toml", {"other.toml": 'extends = "pit/house.toml"\n'}),
        ("a.toml", {"pit/a.toml": 'extends = "b.toml"\n', "pit/b.toml": 'extends = "a.toml"\n'}),
    ],
)
def test_files_that_extend_each_other_in_a_circle_are_refused(
    write: Write, extends: str, files: dict[str, str]
) -> None:
    for name, text in files.items():
        write(name, text)
    error = refused(write("pit/house.toml", f'extends = "{extends}"\n'))
    assert (error.line, error.key) == (1, "extends")
    assert "circle" in str(error)


@pytest.mark.parametrize("extends", ["nowhere.toml", "folder.toml", "\\u0000.toml", "x" * 300 + ".toml", "blackjak"])
def test_what_is_not_there_can_not_be_extended(write: Write, tmp_path: Path, extends: str) -> None:
    (tmp_path / "folder.toml").mkdir()
    path = write("house.toml", f'\nextends = "{extends}"\n')
    error = refused(path)
    assert (error.source, error.line, error.key) == (str(path), 2, "extends")
    assert str(error).startswith(f"{path}:2: extends: there is no game")


def test_a_mistake_in_an_extended_file_names_that_file_and_line(write: Write) -> None:
    base = write("base.toml", "decks = 6\n\ndeks = 6\n")
    error = refused(write("house.toml", 'extends = "base.toml"\n'))
    assert (error.source, error.line, error.key, error.nearest) == (str(base), 3, "deks", "decks")
    assert str(error).startswith(f"{base}:3: deks: ")


def test_windows_line_ends_do_not_move_the_line(tmp_path: Path) -> None:
    path = tmp_path / "house.toml"
    path.write_bytes(b"# one\r\n# two\r\ndecks = 0\r\n")
    assert refused(path).line == 3


def test_a_file_that_is_not_there_or_no_file_is_refused_by_name(tmp_path: Path) -> None:
    assert "No such file" in str(refused(tmp_path / "nowhere.toml"))
    error = refused(tmp_path)
    assert error.source == str(tmp_path)
    assert "can't be read: Is a directory" in str(error)


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is unreadable for root")
def test_a_file_that_may_not_be_read_is_refused_by_name(write: Write) -> None:
    path = write("secret.toml", "decks = 6\n")
    path.chmod(0)
    assert "can't be read: Permission denied" in str(refused(path))


def test_a_file_that_is_not_text_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "house.toml"
    path.write_bytes(b"name = '\xff\xfe'\n")
    error = refused(path)
    assert (error.source, error.problem) == (str(path), "not UTF-8 text")


FLOOR = """\
extends = "blackjack"
surrender = "late"
rounding = "up"
rounding_chip = "5"

[side_bets.perfect_pairs]
offered = false
"""
DRAGON = """\
extends = "floor.toml"
name = "Dragon 21"
summary = "Power splits, a re-double, five cards win, and a dealer 22 pushes."

decks = 2
dealer_hits_soft_17 = true
dealer_pushes_22 = true
blackjack_pays = "7:5"
double_cards = "any"
max_doubles = 2
power_split_totals = [15, 16]

[[instant_wins]]
cards = 5
pays = "1:1"

[side_bets.precious_diamond.pays]
diamond_blackjack = "100:1"

[side_bets.ten_eleven_or_bust.phase1]
suited_5_5 = "30:1"

[side_bets.ten_eleven_or_bust.phase2]
3 = "4:1"
"""


@pytest.fixture
def dragon(write: Write) -> Callable[..., dict[str, Any]]:
    """Settles a script of Dragon 21, a game that no line of code knows."""
    write("floor.toml", FLOOR)
    path = write("dragon_21.toml", DRAGON)

    def settle(seats: list[Mapping[str, Any]], shoe: str, *actions: list[Any]) -> dict[str, Any]:
        script = {"game": "dragon_21", "seats": seats, "shoe": shoe.split(), "actions": list(actions)}
        return settle_script(script, lambda game, options: load_file(path, options))

    return settle


def test_a_new_game_from_a_file_pays_its_own_odds_side_bets_and_pushes(dragon: Callable[..., dict[str, Any]]) -> None:
    """Seat 1 has a diamond blackjack: 14 rounded up to 15. Seat 2 doubles 5-5 twice to 21; the dealer makes 22."""
    seats = [
        {"seat": 1, "bet": "10", "side": {"precious_diamond": "1"}},
        {"seat": 2, "bet": "10", "side": {"ten_eleven_or_bust": "5"}},
    ]
    moves = [[2, 1, "double"], [2, 1, "redouble"], [2, 1, "stand"]]
    said = dragon(seats, "AD 5H 6C KD 5H 10S 2C 9H 6D", *moves)
    natural, doubled = said["hands"]
    assert (natural["outcome"], natural["net"]) == ("blackjack", "15")
    assert "7 to 5" in natural["why"]
    assert "rounded by 1" in natural["why"]
    assert (doubled["outcome"], doubled["wager"], doubled["net"]) == ("push", "40", "0")
    diamond, bust = said["side_bets"]
    assert (diamond["line"], diamond["net"]) == ("diamond_blackjack", "100")
    assert (bust["line1"], bust["phase1"], bust["line2"], bust["phase2"]) == ("suited_5_5", "150", 3, "20")
    assert (said["dealer"]["total"], said["net"], said["cards_used"]) == (22, {"1": "115", "2": "170"}, 9)


def test_a_new_game_from_a_file_plays_moves_borrowed_from_three_games(dragon: Callable[..., dict[str, Any]]) -> None:
    """A power split; its first hand wins with five cards, its second loses; seat 2 surrenders."""
    moves = [[1, 1, "power_split"], *[[1, 1, "hit"]] * 3, [1, 2, "stand"], [2, 1, "surrender"]]
    said = dragon([{"seat": 1, "bet": "10"}, {"seat": 2, "bet": "10"}], "10S 10D 7C 5D 6D 10H 3C 2H 2S AC 9D", *moves)
    results = [(hand["seat"], hand["hand"], hand["outcome"], hand["net"]) for hand in said["hands"]]
    assert results == [(1, 1, "instant_win", "10"), (1, 2, "lose", "-10"), (2, 1, "surrender", "-5")]
    assert said["net"] == {"1": "0", "2": "-5"}


def test_a_new_game_from_a_file_refuses_what_it_does_not_offer(dragon: Callable[..., dict[str, Any]]) -> None:
    plain = {"seat": 1, "bet": "10"}
    shoe = "10S 7C 5D 10H 2C 2D 2H"
    said = dragon([{**plain, "side": {"perfect_pairs": "5"}}], shoe)
    assert said["error"] == "side_bet_not_offered"
    assert "Dragon 21" in said["message"]
    three = [[1, 1, "double"]] * 3
    assert dragon([plain], shoe, *three)["error"] == "double_too_many"
    assert dragon([plain], shoe, [1, 1, "power_double"])["error"] == "power_double_not_offered"
    assert dragon([plain], "10S 7C 5D 10H 7C 7C")["error"] == "too_many:7C"
