"""`croupier check`: good configurations in words, bad ones with every problem, in text and in JSON."""

from __future__ import annotations

from pathlib import Path

from tests.controller.cli.conftest import Croupier

BAD = '[table]\nname = "T"\nseats = 12\n[game]\nruleset = "monte_carlo"\n[limits.main]\nmin = "10"\n'


def test_the_default_that_it_prints_is_good(croupier: Croupier, tmp_path: Path) -> None:
    printed = croupier("check", "--print-default")
    assert printed.status == 0
    (tmp_path / "table.toml").write_text(printed.out)
    checked = croupier("check")
    assert (checked.status, checked.err) == (0, "")
    for words in ("table.toml: good", "Power Blackjack, 7 seats, 6 decks, SIMULATED", "10 to 500", "sign", "keys"):
        assert words in checked.out
    assert croupier("check", "table.toml", "--json").json == {"problems": [], "notes": []}


def test_every_problem_is_told_with_its_place(croupier: Croupier, tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_text(BAD)
    checked = croupier("check", "bad.toml")
    assert (checked.status, checked.out) == (7, "")
    assert (
        "bad.toml:3:9: table.seats: must be a whole number from 1 to 9, not 12\n  seats = 12\n          ^"
        in checked.err
    )
    assert "bad.toml:6:9: limits.main: lacks max" in checked.err
    assert "bad.toml: there is no [shoe]" in checked.err
    assert checked.err.endswith("3 problems\n")


def test_problems_as_json(croupier: Croupier, tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_text(BAD)
    checked = croupier("check", "bad.toml", "--json")
    assert checked.status == 7
    problems = checked.json["problems"]
    assert [problem["key"] for problem in problems] == ["", "table.seats", "limits.main"]
    assert problems[1] == {
        "path": "bad.toml",
        "line": 3,
        "column": 9,
        "key": "table.seats",
        "message": "table.seats: must be a whole number from 1 to 9, not 12",
    }
    assert problems[0]["line"] is None


def test_notes_are_told_and_do_no_harm(croupier: Croupier, tmp_path: Path) -> None:
    text = croupier("check", "--print-default").out.replace('protocol = "tablelink"', 'protocol = "bee_tek"')
    (tmp_path / "table.toml").write_text(text)
    checked = croupier("check", "table.toml")
    assert checked.status == 0
    assert "note: table.toml:" in checked.out
    assert "cut card" in checked.out
    (note,) = croupier("check", "--json").json["notes"]
    assert note["key"] == "shoe.driver"


def test_without_a_configuration_it_says_where_it_looked(croupier: Croupier) -> None:
    checked = croupier("check")
    if Path("/etc/croupier/table.toml").exists():
        assert "/etc/croupier/table.toml" in checked.out + checked.err
    else:
        assert checked.status == 7
        assert "/etc/croupier/table.toml" in checked.err
        assert "--print-default" in checked.err


def test_files_that_are_none_end_in_words(croupier: Croupier, tmp_path: Path) -> None:
    (tmp_path / "latin1.toml").write_bytes(b'name = "caf\xe9"')
    for name, words in ((".", "Is a directory"), ("gone.toml", "no such file"), ("latin1.toml", "UTF-8")):
        checked = croupier("check", name)
        assert (checked.status, words in checked.err) == (7, True)
        assert words in croupier("check", name, "--json").json["problems"][0]["message"]


def test_a_file_whose_name_is_no_text(croupier: Croupier, tmp_path: Path) -> None:
    name = b"\xff.toml".decode("utf-8", "surrogateescape")
    (tmp_path / name).write_text(croupier("check", "--print-default").out)
    assert croupier("check", name).status == 0
    (tmp_path / name).write_text('[web]\ncertificate = "gone"\n')
    assert croupier("check", name).status == 7
    assert croupier("check", name, "--json").status == 7


def test_the_help_names_the_exit_status(croupier: Croupier) -> None:
    assert "exit status 7" in croupier("check", "--help").out
    assert "7  a configuration or a ruleset can't be used" in croupier("--help").out
