"""Files that are no configuration: each is refused in words, with its place where it has one, and never a traceback."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from controller.config.load import find, load
from controller.config.model import TableConfig
from controller.config.problems import BadConfig
from tests.controller.config.conftest import Writer, keys, shown, text_of


def words_of(path: Path) -> str:
    with pytest.raises(BadConfig) as caught:
        load(path)
    return str(caught.value)


def test_a_file_that_is_not_there_says_how_to_get_one(tmp_path: Path) -> None:
    assert "--print-default" in words_of(tmp_path / "table.toml")


def test_a_folder_is_no_configuration(tmp_path: Path) -> None:
    assert words_of(tmp_path) == f"{tmp_path}: can't be read: Is a directory"


def test_a_file_that_may_not_be_read(writer: Writer) -> None:
    path = writer.write(text_of())
    path.chmod(0)
    before = os.geteuid()
    if before == 0:
        os.seteuid(65534)  # nothing is unreadable for root
    try:
        words = words_of(path)
    finally:
        os.seteuid(before)
    assert words == f"{path}: can't be read: Permission denied"


def test_a_file_without_end_is_not_read_to_its_end() -> None:
    assert "more than 1000000 bytes" in words_of(Path("/dev/zero"))


def test_a_name_that_no_file_can_have() -> None:
    assert "can't be read" in words_of(Path("a\0b"))
    assert "can't be read" in words_of(Path("x" * 5000))


def test_a_name_that_is_no_text_can_still_be_told(tmp_path: Path) -> None:
    words_of(tmp_path / os.fsdecode(b"\xff.toml")).encode()


def test_a_byte_that_is_no_utf8_is_shown_with_its_place(writer: Writer) -> None:
    for before in (b"", b"\xef\xbb\xbf"):
        (problem,) = writer.problems_of(before + b'[table]\nname = "caf\xe9"\n')
        assert (problem.line, problem.column) == (2, 12)
        assert "E9" in problem.message


def test_windows_line_ends_and_a_byte_order_mark_change_nothing(writer: Writer) -> None:
    text = text_of().encode().replace(b"\n", b"\r\n")
    assert load(writer.write(b"\xef\xbb\xbf" + text)).table.name == "Table 7"
    (problem,) = writer.problems_of(b"\xef\xbb\xbf" + text.replace(b'"500"', b"true"))
    assert (problem.key, shown(problem)) == ("limits.main.max", "true")


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("[table]\nname =\n", (2, 7)),
        ("[table\n", (1, 7)),
        ('[table]\nname = "a', (2, 10)),
        ("[table]\nx = 1\nx = 2\n", (3, 6)),
        ("a = 1\rb = 2\n", (1, 6)),
    ],
)
def test_broken_toml_is_shown_where_it_breaks(writer: Writer, text: str, place: tuple[int, int]) -> None:
    (problem,) = writer.problems_of(text)
    assert (problem.line, problem.column) == place
    assert problem.message.startswith("not TOML: ")
    assert "^" in str(problem)


@pytest.mark.parametrize("text", ["x = " + "[" * 20_000, "x = " + "9" * 5000])
def test_what_the_parser_gives_up_on(writer: Writer, text: str) -> None:
    (problem,) = writer.problems_of(text)
    assert problem.message.startswith("not TOML")


def test_a_number_that_toml_has_no_room_for(writer: Writer) -> None:
    problems = writer.problems_of(f"[table]\nseats = 0x{'F' * 5000}\nchips = [1, {2**63}, {-(2**63)}]\n")
    assert keys(problems) == ["table.seats", "table.chips.1"]
    assert all("too large" in problem.message for problem in problems)


def test_an_empty_file_says_all_that_is_missing(writer: Writer) -> None:
    told = " ".join(problem.message for problem in writer.problems_of(""))
    assert all(section in told for section in ("[table]", "[game]", "[limits.main]", "[shoe]"))


@pytest.mark.parametrize("section", ["table", "game", "limits", "shoe", "display", "console", "journal", "web"])
@pytest.mark.parametrize("value", ["3", '"x"', "true", "1.5", "2020-01-01", "[1, 2]", "[[1]]", "nan"])
def test_a_section_that_is_no_table(writer: Writer, section: str, value: str) -> None:
    rest = text_of(**{section: ""}) if section in ("table", "game", "limits", "shoe") else text_of()
    problems = writer.problems_of(f"{section} = {value}\n{rest}")
    assert section in {key.partition(".")[0] for key in keys(problems)}


def test_one_bracket_and_two_are_not_the_same(writer: Writer) -> None:
    assert "[[display]]" in writer.problem(display='[display]\nname="a"\nshows="limits"\ndriver="terminal"').message
    assert "single brackets" in writer.problem(shoe='[[shoe]]\ndriver = "simulated"').message


def test_an_unknown_section_is_told_with_the_nearest(writer: Writer) -> None:
    problem = writer.problem(other='[[dispaly]]\nname = "sign"')
    assert (problem.key, shown(problem)) == ("dispaly", "dispaly]]")
    assert "did you mean 'display'?" in problem.message


def test_every_problem_is_told_at_once(writer: Writer) -> None:
    problems = writer.problems(
        table='[table]\nname = 7\nseats = 70\ncolour = "red"\n',
        game='[game]\nruleset = "power_blackjack"\ninsurance = "no"\nsoft = 1\n',
        limits='[limits.main]\nmin = 10.5\nmax = "x"\n',
        shoe='[shoe]\ndriver = "angel_eye"\nbaud = "fast"\nparity = "Q"\nports = 1\n',
        web='[web]\nlisten = "here"\ninsecure = "yes"\n',
    )
    assert keys(problems) == [
        "table.name",
        "table.seats",
        "table.colour",
        "game.insurance",
        "game.soft",
        "limits.main.min",
        "limits.main.max",
        "shoe",
        "shoe.baud",
        "shoe.parity",
        "shoe.ports",
        "web.listen",
        "web.insecure",
    ]
    assert all(problem.line and problem.column and problem.line_text for problem in problems)


def test_the_configuration_here_comes_before_the_one_of_the_machine(tmp_path: Path) -> None:
    here, machine = tmp_path / "table.toml", tmp_path / "etc.toml"
    with pytest.raises(BadConfig, match="no configuration"):
        find((here, machine))
    machine.touch()
    assert find((here, machine)) == machine
    here.touch()
    assert find((here, machine)) == here


PLAIN = "0 -1 7 1.5 true inf 2020-01-01 [] [1] [[]] {} {a=1} {a={b=['c']}} '' 'x' '/' 'auto' '~' '1/0'"
JUNK = st.sampled_from(["", *PLAIN.split(), '"\\u0000"', f"'{'9' * 400}'", f"0x{'F' * 5000}", str(2**63 - 1)])
LINES = (
    text_of(
        table='[table]\nname = "T"\nseats = 7\ncurrency = "$"\nchips = ["1"]\nmoney = "play"\nsimulated = true',
        game='[game]\nruleset = "blackjack"\ndecks = 6\nblackjack_pays = "6:5"\ninstant_wins = []\nrounding = "up"\n'
        "[game.side_bets.perfect_pairs]\noffered = true",
        shoe='[shoe]\ndriver = "simulated"\ndecks = 6\nprotocol = "bee_tek"\nseed = 1\ncut_card = 0\npace = 0.0',
        display='[[display]]\nname = "sign"\nshows = "limits"\ndriver = "tm1637"\nclk = 5\ndio = 6\nrefresh_s = 5.0\n'
        '[[display]]\nname = "board"\nshows = "results"\ndriver = "escpos"\nport = "/dev/ttyS9"\nbaud = 9600',
        console='[[console]]\ndriver = "gpio_keys"\nkeys = {hit = 1}\nlamps = {hit = 2}\nlong_press = ["hit"]\n'
        '[[console]]\nname = "pad"\ndriver = "evdev"\nport = "name:Pad"',
        journal='[journal]\npath = "t.db"',
        web='[web]\nlisten = "127.0.0.1:80"\nsocket = "t.sock"\ninsecure = false',
    )
    .strip()
    .split("\n")
)


def test_the_lines_that_are_spoilt_below_are_good(writer: Writer) -> None:
    assert load(writer.write("\n".join(LINES))).table.name == "T"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=200)
@given(st.dictionaries(st.integers(0, len(LINES) - 1), JUNK, min_size=1, max_size=4), st.integers(0, 9))
def test_values_of_any_kind_make_problems_or_a_configuration_and_nothing_else(
    writer: Writer, junk: dict[int, str], dropped: int
) -> None:
    lines = list(LINES)
    for number, value in junk.items():
        key, equals, _ = lines[number].partition(" = ")
        lines[number] = f"{key} = {value}" if equals else lines[number]
    del lines[dropped * 4 : dropped * 4 + (dropped > 5)]
    path = writer.write("\n".join(lines))
    outcome = read(path)
    if isinstance(outcome, BadConfig):
        assert outcome.problems
        assert str(outcome).encode()
    else:
        assert outcome.path == path


def read(path: Path) -> TableConfig | BadConfig:
    try:
        return load(path)
    except BadConfig as bad:
        return bad
