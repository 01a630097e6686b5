"""A good configuration: what its sections become, what is left out, and what the table is set up as."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from controller.config.model import WebSection
from controller.rules.engine.inputs import PlaySettings
from controller.table.limits import BetLimits
from tests.controller.config.conftest import Writer, shown

TABLE = """
[table]
name = "Harbour 3"
seats = 5
money = "play"
currency = "€"
chips = ["25", "0.50", "5"]
wagers = true
simulated = true
burns = true
lone_dealer = true
implied_hit = false
auto_stand_21 = true
"""


def test_a_short_configuration_has_its_defaults(writer: Writer) -> None:
    config = writer.good()
    assert (config.table.seats, config.table.money, config.table.wagers) == (7, "cash", True)
    assert config.rules.name == "Power Blackjack"
    assert config.shoe.decks == 6
    assert (config.displays, config.consoles, config.web) == ((), (), None)
    assert config.journal == writer.folder / "table.db"
    assert config.socket == writer.folder / "table.sock"
    assert config.notes == ()


def test_the_table_is_set_up_as_the_file_says(writer: Writer) -> None:
    config = writer.good(table=TABLE)
    setup = config.setup()
    assert (setup.name, setup.seats, setup.currency) == ("Harbour 3", 5, "€")
    assert (setup.wagers, setup.burns, setup.lone_dealer) == (True, True, True)
    assert setup.settings == PlaySettings(implied_hit=False, auto_stand_21=True)
    assert setup.limits == {"main": BetLimits(10, 500, 10)}
    assert setup.rules is config.rules
    assert config.table.chips == (Fraction(1, 2), 5, 25)
    assert config.table.money == "play"


def test_devices_have_their_drivers_settings_and_addresses(writer: Writer) -> None:
    config = writer.good(
        shoe='[shoe]\ndriver = "bee_tek"\nport = "/dev/ttyS7"\nbaud = 4800\n',
        display='[[display]]\nname = "digits"\nshows = "limits"\ndriver = "tm1637"\nclk = 5\ndio = 6\n',
        console='[[console]]\ndriver = "evdev"\nport = "name:Pad"\n'
        '[[console]]\ndriver = "tower_light"\nlights = {red = 16}\n',
    )
    assert [(kind, device.name, device.driver, device.address) for kind, device in config.devices] == [
        ("shoe", "shoe", "shoe.bee_tek", "/dev/ttyS7"),
        ("display", "digits", "display.tm1637", "pins 5 and 6"),
        ("console", "console", "console.evdev", "name:Pad"),
        ("console", "console 2", "console.tower_light", "pins 16"),
    ]
    assert config.shoe.settings == {"port": "/dev/ttyS7", "baud": 4800}
    assert config.shoe.driver_name == "bee_tek"


def test_the_shoes_decks_reach_a_driver_that_asks_for_them(writer: Writer) -> None:
    config = writer.good(
        game='[game]\nruleset = "monte_carlo"\ndecks = 2\n', shoe='[shoe]\ndriver = "simulated"\ndecks = 2\n'
    )
    assert config.shoe.settings == {"decks": 2}
    assert writer.good(game='[game]\nruleset = "monte_carlo"\ndecks = 2\n').shoe.settings == {"decks": 2}


def test_paths_are_relative_to_the_file_and_not_to_where_one_stands(
    writer: Writer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "ours.toml").write_text('extends = "power_blackjack"\nname = "Ours"\n')
    (tmp_path / "cards.toml").write_text('cut_card = "1"\n[cards]\n' + _all_cards())
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    config = writer.good(
        game='[game]\nruleset = "ours.toml"\n',
        shoe='[shoe]\ndriver = "line_reader"\nport = "/dev/ttyS7"\ncards = "cards.toml"\n',
        journal='[journal]\npath = "data.db"\n',
        web='[web]\nsocket = "s"\n',
    )
    assert config.rules.name == "Ours"
    assert config.shoe.settings["cards"] == str(tmp_path / "cards.toml")
    assert config.journal == tmp_path / "data.db"
    assert config.socket == tmp_path / "s"


def _all_cards() -> str:
    return "".join(f'"{rank}{suit}" = "{rank}{suit}"\n' for suit in "CDHS" for rank in "A23456789TJQK")


def test_a_web_section_listens_and_may_say_nothing_at_all(writer: Writer) -> None:
    assert writer.good(web="[web]\n").web == WebSection(host="127.0.0.1", port=8021)
    assert writer.good(web='[web]\nlisten = "[::1]:80"\n').web == WebSection(host="::1", port=80)
    assert writer.good(web='[web]\nlisten = "localhost:80"\n').web == WebSection(host="localhost", port=80)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("name = ''", "is empty"),
        ('name = "a\\nb"', "nobody can see"),
        ("seats = 0", "from 1 to 9"),
        ("seats = 7.0", "a number with a point"),
        ('wagers = "yes"', "true or false"),
        ('money = "poins"', "did you mean 'points'"),
        ("chips = 5", "a list"),
        ("chips = []", "is empty"),
        ('chips = ["5", "5"]', "twice"),
        ("chips = [true]", "in quotes"),
        ('chips = ["-5"]', "more than 0"),
    ],
)
def test_a_wrong_key_of_the_table_is_told_at_its_value(writer: Writer, line: str, words: str) -> None:
    rest = "" if line.startswith("name") else 'name = "T"\n'
    problem = writer.problem(table=f"[table]\nsimulated = true\n{rest}{line}\n")
    assert words in problem.message
    assert problem.line_text == line
    assert shown(problem) in line.partition(" = ")[2]


def test_points_have_no_currency(writer: Writer) -> None:
    money = '[table]\nname = "T"\nsimulated = true\nmoney = "points"\n'
    assert writer.good(table=money).table.money == "points"
    assert writer.problem(table=money + 'currency = "$"\n').key == "table.currency"


def test_a_table_does_not_stand_on_21_where_more_can_be_won(writer: Writer) -> None:
    table = '[table]\nname = "T"\nsimulated = true\nauto_stand_21 = true\n'
    assert writer.good(table=table).table.play.auto_stand_21
    problem = writer.problem(table=table, game='[game]\nruleset = "monte_carlo"\n')
    assert problem.key == "table.auto_stand_21"
