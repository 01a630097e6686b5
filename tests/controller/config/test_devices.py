"""The devices of a table: drivers by name, every wrong setting at its key, and what two devices can't share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from controller.config import sharing
from tests.controller.config.conftest import Writer, keys, shown

REAL = '[table]\nname = "T"\n'


def shoe(port: str = "/dev/ttyS7", driver: str = "bee_tek") -> str:
    return f'[shoe]\ndriver = "{driver}"\nport = "{port}"\n'


def display(name: str, *lines: str, driver: str = "escpos", shows: str = "results") -> str:
    return "\n".join(["[[display]]", f'name = "{name}"', f'shows = "{shows}"', f'driver = "{driver}"', *lines, ""])


def console(driver: str, *lines: str) -> str:
    return "\n".join(["[[console]]", f'driver = "{driver}"', *lines, ""])


# Drivers and their settings


@pytest.mark.parametrize(
    ("section", "key"),
    [
        ({"shoe": '[shoe]\ndriver = "angel_aye"\n'}, "shoe.driver"),
        ({"display": display("a", driver="angel_eye")}, "display.0.driver"),
        ({"console": console("gpio_kees")}, "console.0.driver"),
    ],
)
def test_a_driver_that_there_is_not(writer: Writer, section: dict[str, str], key: str) -> None:
    problem = writer.problem(**section)
    assert problem.key == key
    assert "there is no" in problem.message.lower()


def test_the_nearest_driver_is_offered(writer: Writer) -> None:
    assert "did you mean 'angel_eye'?" in writer.problem(shoe='[shoe]\ndriver = "angel_aye"\n').message


def test_simulated_devices_need_a_table_that_says_so(writer: Writer) -> None:
    problems = writer.problems(
        table=REAL,
        display=display("a", 'protocol = "escpos"', driver="simulated"),
        console=console("simulated"),
    )
    assert keys(problems) == ["shoe.driver", "display.0.driver", "console.0.driver"]
    assert all("does not say simulated = true" in problem.message for problem in problems)


def test_a_real_table_takes_real_devices(writer: Writer) -> None:
    assert writer.good(table=REAL, shoe=shoe()).shoe.driver == "shoe.bee_tek"


@pytest.mark.parametrize(
    ("section", "at", "words"),
    [
        ('[shoe]\ndriver = "bee_tek"\nport = "/dev/ttyS7"\nbaud = "fast"', '"fast"', "must be a whole number"),
        ('[shoe]\ndriver = "bee_tek"\nport = "/dev/ttyS7"\nbaud = 0', "0", "baud"),
        ('[shoe]\ndriver = "bee_tek"\nport = "/dev/ttyS7"\nparity = "X"', '"X"', "N, E and O"),
        ('[shoe]\ndriver = "bee_tek"\nport = "/dev/ttyS7"\ndata_bits = 9', "9", "7 or 8"),
        ('[shoe]\ndriver = "bee_tek"\nport = 7', "7", "must be text"),
        ('[shoe]\ndriver = "bee_tek"\nport = "COM3"', '"COM3"', "Windows"),
        ('[shoe]\ndriver = "bee_tek"\nport = "auto"', '"auto"', "TableLink"),
        ('[shoe]\ndriver = "bee_tek"\nport = ""', '""', "port"),
        ('[shoe]\ndriver = "bee_tek"', "shoe]", "lacks port"),
        ('[shoe]\ndriver = "bee_tek"\nprot = "x"\nport = "/dev/ttyS7"', 'prot = "x"', "did you mean 'port'"),
        ('[shoe]\ndriver = "line_reader"\nport = "/dev/ttyS7"\ncards = "gone.toml"', '"gone.toml"', "cannot be read"),
        ('[shoe]\ndriver = "tablelink"\nport = "auto"\nkey_file = "gone"', '"gone"', "cannot be read"),
        ('[shoe]\ndriver = "simulated"\nprotocol = "morse"', '"morse"', "there is no 'morse'"),
        ('[shoe]\ndriver = "simulated"\norder = "8S XX"', '"8S XX"', "'XX' is no card"),
        ('[shoe]\ndriver = "simulated"\ncut_card = 999', "999", "can't come after 999"),
        ('[shoe]\ndriver = "simulated"\ndecks = 9', "9", "from 1 to 8"),
        ("[shoe]\ndriver = 3", "3", "a text"),
        ("[shoe]", "shoe]", "lacks driver"),
    ],
)
def test_a_wrong_setting_of_the_shoe_is_told_at_its_key(writer: Writer, section: str, at: str, words: str) -> None:
    problem = writer.problem(shoe=section + "\n")
    assert words in problem.message
    assert shown(problem) == at


@pytest.mark.parametrize(
    ("section", "key", "words"),
    [
        (display("a", "clk = 5", "dio = 5", driver="tm1637"), "display.0.dio", "used twice"),
        (display("a", "clk = 5", "dio = 28", driver="tm1637"), "display.0.dio", "pins are GPIO numbers 0 to 27"),
        (display("a", "clk = 5", "dio = 6", "brightness = 9", driver="tm1637"), "display.0.brightness", "9"),
        (display("a", 'port = "/dev/ttyS7"', "refresh_s = 0.1"), "display.0.refresh_s", "1 second or more"),
        (display("a", 'port = "/dev/ttyS7"', "characters = 0", driver="alpha_sign"), "display.0.characters", "1 to"),
        (display("a", 'port = "stdin"', driver="terminal"), "display.0.port", "stdin"),
        (console("gpio_keys", "keys = {hit = 17, stand = 99}"), "console.0.keys.stand", "99"),
        (console("gpio_keys", "keys = {hit = 17}", "lamps = {hit = 99}"), "console.0.lamps.hit", "99"),
        (console("gpio_keys", "keys = {hit = 17, stand = 17}"), "console.0.keys.stand", "used twice"),
        (console("gpio_keys", "keys = {hit = 17}", 'long_press = ["hit", "undoo"]'), "console.0.long_press.1", "undoo"),
        (console("gpio_keys", "keys = {hit = 17}", "long_press_ms = 5"), "console.0.long_press_ms", "debounce_ms"),
        (console("gpio_keys", 'keys = {hit = "17"}'), "console.0.keys", "inside it, at"),
        (console("gpio_keys", "keys = {}"), "console.0.keys", "at least one"),
        (console("evdev", 'port = "ttyS7"'), "console.0.port", "no keypad's address"),
        (console("evdev", 'port = "name:Pad"', 'keys = {hit = "KP1", stand = "KP1"}'), "console.0.keys.stand", "twice"),
        (console("tower_light", "lights = {red = 5}", "buzzer = 5"), "console.0.buzzer", "used twice"),
        (console("tablelink", 'port = "auto"', "keys = {hit = 1, stand = 1}"), "console.0.keys.stand", "used twice"),
    ],
)
def test_a_wrong_setting_of_another_device_is_told_at_its_key(
    writer: Writer, section: str, key: str, words: str
) -> None:
    problem = writer.problem(device=section)
    assert words in problem.message
    assert problem.key == key


def test_all_wrong_settings_of_a_device_are_told(writer: Writer) -> None:
    problems = writer.problems(
        shoe='[shoe]\ndriver = "bee_tek"\nport = 7\nbaud = 0\ndata_bits = "8"\nstop_bits = true\nspeed = 1\ndecks = 0\n'
    )
    assert keys(problems) == ["shoe.port", "shoe.data_bits", "shoe.stop_bits", "shoe.speed", "shoe.decks"]
    told_after = writer.problems(shoe='[shoe]\ndriver = "bee_tek"\nport = "/dev/ttyS7"\nbaud = 0\ndata_bits = 9\n')
    assert keys(told_after) == ["shoe.baud", "shoe.data_bits"]


# Names


def test_names_are_used_once(writer: Writer) -> None:
    problem = writer.problem(
        display=display("sign", 'port = "/dev/ttyS7"') + display("sign", 'port = "/dev/ttyS8"'),
    )
    assert problem.key == "display.1.name"
    assert f"(line {problem.line})" == writer.line('"sign"', 2)
    first = writer.line('"sign"')
    assert f"another display {first}" in problem.message
    across = writer.problem(
        display=display("pad", 'port = "/dev/ttyS7"'), console=console("evdev", 'port = "name:Pad"', 'name = "pad"')
    )
    assert across.key == "console.0.name"


def test_the_shoes_name_is_taken(writer: Writer) -> None:
    problem = writer.problem(display=display("shoe", 'port = "/dev/ttyS7"'))
    assert (problem.key, "its shoe" in problem.message) == ("display.0.name", True)


@pytest.mark.parametrize(
    ("section", "words"),
    [
        ('[[display]]\nshows = "results"\ndriver = "terminal"\n', "lacks name"),
        ('[[display]]\nname = "a"\ndriver = "terminal"\n', "lacks shows"),
        ('[[display]]\nname = " "\nshows = "results"\ndriver = "terminal"\n', "is empty"),
        ('[[display]]\nname = "a"\nshows = "result"\ndriver = "terminal"\n', "did you mean 'results'"),
        ('[[display]]\nname = "a"\nshows = 1\ndriver = "terminal"\n', "a text"),
        ('[[console]]\nname = ""\ndriver = "simulated"\n', "is empty"),
    ],
)
def test_a_device_says_what_it_is(writer: Writer, section: str, words: str) -> None:
    assert words in writer.problem(device=section).message


# Ports


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("/dev/ttyS7", "/dev/ttyS7"),
        ("/dev/ttyS7", "/dev/../dev/ttyS7"),
        ("socket://shoe.local:4001", "socket://SHOE.local:4001"),
        ("socket://localhost:4001", "rfc2217://127.0.0.1:4001"),
        ("socket://[::1]:4001", "socket://[0:0::1]:4001"),
        ("usb:1209:ca4d", "usb:1209:CA4D"),
        ("usb:1209:ca4d", "usb:1209:ca4d:SERIAL"),
        ("by-id:usb-Nobody", "by-id:usb-Nobody"),
    ],
)
def test_a_port_is_used_once_however_it_is_written(writer: Writer, one: str, other: str) -> None:
    problem = writer.problem(table=REAL, shoe=shoe(one), display=display("board", f'port = "{other}"'))
    assert (problem.key, shown(problem)) == ("display.0.port", f'"{other}"')
    assert f"is also the port of shoe {writer.line(one)}" in problem.message


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("/dev/ttyS7", "/dev/ttyS8"),
        ("socket://shoe.local:4001", "socket://shoe.local:4002"),
        ("usb:1209:ca4d:ONE", "usb:1209:ca4d:TWO"),
        ("by-id:usb-Nobody", "by-path:usb-Nobody"),
    ],
)
def test_different_ports_are_no_problem(writer: Writer, one: str, other: str) -> None:
    config = writer.good(table=REAL, shoe=shoe(one), display=display("board", f'port = "{other}"'))
    assert [device.address for _, device in config.devices] == [one, other]


def test_two_names_of_one_tty_are_one_port(writer: Writer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    main, other = os.openpty()
    tty = os.ttyname(other)
    by_id = tmp_path / "by-id"
    by_id.mkdir()
    (by_id / "usb-ACME_Shoe-if00").symlink_to(tty)
    monkeypatch.setitem(sharing.FOLDERS, "by-id", by_id)
    try:
        for written in ("by-id:usb-ACME_Shoe-if00", "by-id:usb-ACME", str(by_id / "usb-ACME_Shoe-if00")):
            problem = writer.problem(table=REAL, shoe=shoe(tty), display=display("board", f'port = "{written}"'))
            assert f"which is the same {tty}" in problem.message
    finally:
        os.close(main)
        os.close(other)


def test_a_keypads_port_is_compared_too(writer: Writer) -> None:
    pads = console("evdev", 'port = "name:Pad"') * 2
    assert keys(writer.problems(console=pads)) == ["console.1.port"]


def test_auto_finds_one_device_of_a_kind(writer: Writer) -> None:
    signs = [display(name, driver="tablelink", shows="results") for name in ("a", "b")]
    config = writer.good(table=REAL, shoe=shoe("auto", "tablelink"), display=signs[0])
    assert [device.address for _, device in config.devices] == ["auto", "auto"]
    problem = writer.problem(table=REAL, shoe=shoe("auto", "tablelink"), display="".join(signs))
    assert '"auto" finds the only display there is, and a' in problem.message


def test_simulated_devices_and_terminals_share_nothing(writer: Writer) -> None:
    twice = display("a", driver="terminal") + display("b", driver="terminal")
    pretend = display("c", driver="simulated") + display("d", driver="simulated")
    assert len(writer.good(display=twice + pretend).displays) == 4


# Pins


def test_a_pin_is_used_once_over_all_devices(writer: Writer) -> None:
    problems = writer.problems(
        display=display("digits", "brightness = 6", "dio = 6", "clk = 5", driver="tm1637", shows="limits"),
        console=console("gpio_keys", "keys = {hit = 17, stand = 5}", "lamps = {hit = 6}", "key_switch = 20")
        + console("tower_light", "lights = {red = 17, amber = 21}", "buzzer = 20"),
    )
    assert keys(problems) == [
        "console.0.keys.stand",
        "console.0.lamps.hit",
        "console.1.lights.red",
        "console.1.buzzer",
    ]
    assert f"pin 6 is also used by digits {writer.line('dio = 6')}" in problems[1].message
    assert [shown(problem)[:2] for problem in problems] == ["5}", "6}", "17", "20"]


def test_key_numbers_of_a_panel_are_no_pins(writer: Writer) -> None:
    config = writer.good(
        console=console("gpio_keys", "keys = {hit = 1}") + console("tablelink", 'port = "auto"', "keys = {hit = 1}")
    )
    assert len(config.consoles) == 2
