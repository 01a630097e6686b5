"""What the game asks of the devices: suits, decks, a cut card; and what the table will say, on the signs it has."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from controller.config.shoe import needs_suits
from controller.library import game_names, load_game
from controller.rules.sidebets import known_bets
from drivers.registry import GROUP
from tests.controller.config.conftest import Writer, shown

DRIVER = """
from msgspec import Struct

class Settings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    port: str = "/dev/ttyS7"
    level: int = 0

class Shoe:
    KIND, TITLE, GRADE, SIMULATED = "shoe", "A camera", "none", False
    CAPABILITIES = ()
    Settings = Settings
    kind, driver, simulated, address = "shoe", "camera", False, "/dev/ttyS7"

    def __init__(self, settings, *, known=None):
        self.level = 1 / settings.level if settings.level else 0
        if settings.level == 2:
            raise RuntimeError("out of film")
"""
CARDS = [rank + suit for suit in "CDHS" for rank in "A23456789TJQK"]


@pytest.fixture
def camera(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A third party's shoe that reads ranks alone."""
    folder = tmp_path / "site-packages"
    info = folder / "camera-1.0.dist-info"
    info.mkdir(parents=True)
    (folder / "camera_shoe.py").write_text(DRIVER)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: camera\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[{GROUP}]\nshoe.camera = camera_shoe:Shoe\n")
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.delitem(sys.modules, "camera_shoe", raising=False)


def game(name: str, more: str = "") -> str:
    return f'[game]\nruleset = "{name}"\n{more}'


def card_map(cards: list[str], cut: bool = True) -> str:
    lines = "".join(f'"code {number}" = "{card}"\n' for number, card in enumerate(cards))
    first = 'cut_card = ["cut"]\n' if cut else ""
    return f"{first}[cards]\n{lines}"


READER = '[shoe]\ndriver = "line_reader"\nport = "/dev/ttyS7"\ncards = "cards.toml"\n'


# Suits


def test_every_side_bet_that_looks_at_suits_is_known_by_asking_it() -> None:
    assert {key: needs_suits(bet) for key, bet in known_bets().items()} == {
        "perfect_pairs": True,
        "precious_diamond": True,
        "ten_eleven_or_bust": True,
        "twenty_one_plus_three": True,
    }


@pytest.mark.usefixtures("camera")
@pytest.mark.parametrize("name", [name for name in game_names() if load_game(name).side_bets])
def test_a_game_that_needs_suits_refuses_a_shoe_without(writer: Writer, name: str) -> None:
    problem = writer.problem(game=game(name), shoe='[shoe]\ndriver = "camera"\n')
    assert (problem.key, shown(problem)) == ("shoe.driver", '"camera"')
    for offered in load_game(name).side_bets.values():
        assert offered.bet.title in problem.message


@pytest.mark.usefixtures("camera")
def test_a_game_that_needs_none_only_notes_it(writer: Writer) -> None:
    notes = writer.good(game=game("monte_carlo"), shoe='[shoe]\ndriver = "camera"\n').notes
    assert ["suits" in note.message for note in notes] == [True, False]
    switched_off = game("super_fun_21_extreme", "side_bets.precious_diamond.offered = false\n")
    assert len(writer.good(game=switched_off, shoe='[shoe]\ndriver = "camera"\n').notes) == 2


@pytest.mark.usefixtures("camera")
def test_a_third_partys_driver_that_breaks_down_is_told(writer: Writer) -> None:
    problem = writer.problem(shoe='[shoe]\ndriver = "camera"\nlevel = 2\n')
    assert (problem.key, "RuntimeError: out of film" in problem.message) == ("shoe.driver", True)


@pytest.mark.parametrize("protocol", ["tablelink", "angel_eye", "bee_tek", "line_reader"])
def test_a_simulated_shoe_tells_what_its_protocol_tells(writer: Writer, protocol: str) -> None:
    config = writer.good(
        game=game("super_fun_21_extreme"),
        shoe=f'[shoe]\ndriver = "simulated"\nprotocol = "{protocol}"\n',
        limits='[limits.main]\nmin = "10"\nmax = "20"\nstep = "10"\n[limits.precious_diamond]\nmin = "1"\nmax = "5"\n',
    )
    told = [note.message for note in config.notes]
    assert ["cut card" in words for words in told] == ([True] if protocol == "bee_tek" else [])


# Card maps


def test_a_card_map_of_one_suit_tells_no_suits(writer: Writer, tmp_path: Path) -> None:
    (tmp_path / "cards.toml").write_text(card_map([card for card in CARDS if card.endswith("S")]))
    problem = writer.problem(game=game("chinese_fortune_21"), shoe=READER)
    assert (problem.key, shown(problem)) == ("shoe.cards", '"cards.toml"')
    assert "Ten, Eleven or Bust" in problem.message
    notes = writer.good(shoe=READER).notes
    assert ["can't come out" in note.message for note in notes] == [True]


def test_a_card_map_that_lacks_cards_or_the_cut_card_is_noted(writer: Writer, tmp_path: Path) -> None:
    (tmp_path / "cards.toml").write_text(card_map(CARDS))
    assert writer.good(shoe=READER).notes == ()
    (tmp_path / "cards.toml").write_text(card_map([card.replace("T", "10") for card in CARDS]))
    assert writer.good(shoe=READER).notes == ()
    (tmp_path / "cards.toml").write_text(card_map([*CARDS[:-1], "CUT"], cut=False))
    assert ["no code for KS" in note.message for note in writer.good(shoe=READER).notes] == [True]
    (tmp_path / "cards.toml").write_text(card_map(CARDS, cut=False))
    assert ["cut card" in note.message for note in writer.good(shoe=READER).notes] == [True]


@pytest.mark.parametrize("text", ["", "[cards]\na = 1\n", "not toml", '[cards]\n"x" = "8?"\n'])
def test_a_card_map_that_cannot_be_used_is_a_problem(writer: Writer, tmp_path: Path, text: str) -> None:
    (tmp_path / "cards.toml").write_text(text)
    assert writer.problem(shoe=READER).key == "shoe.cards"


# Decks


def test_the_shoe_holds_the_decks_that_the_game_is_dealt_from(writer: Writer) -> None:
    problem = writer.problem(game=game("monte_carlo"), shoe='[shoe]\ndriver = "simulated"\ndecks = 8\n')
    assert (problem.key, shown(problem)) == ("shoe.decks", "8")
    assert "write decks = 8 in [game] too" in problem.message
    config = writer.good(game=game("monte_carlo", "decks = 8\n"), shoe='[shoe]\ndriver = "simulated"\ndecks = 8\n')
    assert (config.rules.decks, config.shoe.decks) == (8, 8)


def test_decks_that_the_game_does_not_offer_are_not_proposed(writer: Writer) -> None:
    problem = writer.problem(shoe='[shoe]\ndriver = "simulated"\ndecks = 8\n')
    assert "Power Blackjack is not offered with 8; allowed: 6" in problem.message
    assert "load 6" in problem.message
    assert "write decks" not in problem.message


# Signs


def sign(*lines: str, driver: str = "alpha_sign", shows: str = "limits") -> str:
    return "\n".join(["[[display]]", 'name = "sign"', f'shows = "{shows}"', f'driver = "{driver}"', *lines, ""])


def test_a_text_that_does_not_fit_a_sign_is_told(writer: Writer) -> None:
    small = sign('port = "/dev/ttyS7"', "characters = 8")
    problems = writer.problems(display=small)
    assert all(problem.key == "display.0.shows" for problem in problems)
    assert "does not fit on the sign at /dev/ttyS7, which has 8 characters" in problems[0].message
    assert writer.good(display=sign('port = "/dev/ttyS7"', "characters = 30")).displays[0].shows == "limits"


def test_party_limits_of_six_digits_fit_a_pole_display(writer: Writer) -> None:
    config = writer.good(
        limits='[limits.main]\nmin = "100000"\nmax = "500000"\nstep = "100000"\n',
        display=sign('port = "/dev/ttyS7"', driver="escpos"),
    )
    assert config.limits["main"].max == 500_000


def test_a_table_without_limits_still_has_its_signs_checked(writer: Writer) -> None:
    config = writer.good(
        table='[table]\nname = "T"\nsimulated = true\nwagers = false\n',
        limits="",
        display=sign("clk = 5", "dio = 6", driver="tm1637") + sign(driver="terminal").replace('"sign"', '"box"'),
    )
    assert len(config.displays) == 2
    board = sign('port = "/dev/ttyS7"', "characters = 8", shows="results")
    assert "message's text" in writer.problems(display=board)[0].message


def test_six_digits_do_not_fit_on_four(writer: Writer) -> None:
    problem = writer.problem(
        limits='[limits.main]\nmin = "100000"\nmax = "500000"\nstep = "100000"\n',
        display=sign("clk = 5", "dio = 6", driver="tm1637"),
    )
    assert (problem.key, "4 digits" in problem.message) == ("display.0.shows", True)
