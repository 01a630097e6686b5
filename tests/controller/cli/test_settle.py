"""`croupier settle`: files, lines, exit codes, and everything a script can have wrong with it."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from tests.controller.cli.conftest import Croupier
from tests.oracle.generate import random_script

CASES = Path(__file__).parents[2] / "cases"
GOOD = {
    "game": "power_blackjack",
    "seats": [{"seat": 1, "bet": "10"}],
    "shoe": ["10S", "9C", "9H", "8D"],
    "actions": [[1, 1, "stand"]],
}


def test_each_file_gives_one_settlement_in_order(croupier: Croupier) -> None:
    ran = croupier("settle", str(CASES / "pw-01.json"), str(CASES / "mc-03.json"))
    first, second = map(json.loads, ran.out.splitlines())
    assert (ran.status, first["burned"], second["net"]) == (0, ["AD"], {"1": "15/2"})


def test_a_refused_script_is_an_error_object_and_exit_status_6(croupier: Croupier) -> None:
    ran = croupier("settle", str(CASES / "mc-09.json"))
    assert (ran.status, ran.json["error"]) == (6, "insurance_over_half")
    assert "half" in ran.json["message"]


def test_one_refused_file_does_not_stop_the_others(croupier: Croupier) -> None:
    ran = croupier("settle", "no-such-file.json", str(CASES / "pw-01.json"))
    first, second = map(json.loads, ran.out.splitlines())
    assert (ran.status, first["error"], second["cards_used"]) == (6, "unreadable", 16)


def test_a_dash_reads_one_script_from_standard_input(croupier: Croupier) -> None:
    ran = croupier("settle", "-", "--pretty", stdin=json.dumps(GOOD).encode())
    assert (ran.status, ran.json["net"]) == (0, {"1": "10"})
    assert len(ran.out.splitlines()) > 10


@pytest.mark.parametrize(
    "text",
    [b"", b"{", b"nonsense", b"\xff\xfe\x00", b"[" * 100_000, b'{"a": 1} {"b": 2}', b"1" * 10_000],
    ids=["empty", "cut", "words", "not UTF-8", "nested too deep", "two objects", "a huge number"],
)
def test_what_is_not_json_is_refused_in_words(croupier: Croupier, text: bytes) -> None:
    ran = croupier("settle", "-", stdin=text)
    assert (ran.status, ran.json["error"]) == (6, "bad_json")
    assert ran.json["message"]


@pytest.mark.parametrize("text", [b"[]", b"null", b"3", b'"x"'])
def test_json_that_is_no_object_is_refused(croupier: Croupier, text: bytes) -> None:
    ran = croupier("settle", "-", stdin=text)
    assert (ran.status, ran.json["error"]) == (6, "bad_script")


def test_lines_answer_line_by_line_even_where_a_line_is_bad(croupier: Croupier) -> None:
    good = json.dumps(GOOD)
    bad_game = json.dumps({**GOOD, "game": "bridge"})
    ran = croupier("settle", "--lines", stdin=f"{good}\r\n\n{bad_game}\nnonsense\n{good}".encode())
    answers = [json.loads(line) for line in ran.out.splitlines()]
    assert [answer.get("error") for answer in answers] == [None, "bad_json", "unknown_game", "bad_json", None]
    assert ran.status == 6


def test_no_lines_at_all_is_no_error(croupier: Croupier) -> None:
    ran = croupier("settle", "--lines")
    assert (ran.status, ran.out) == (0, "")


def test_thousands_of_lines_come_back_in_order(croupier: Croupier) -> None:
    rng = random.Random(4000)
    scripts = [random_script(rng) for _ in range(4000)]
    ran = croupier("settle", "--lines", stdin="\n".join(map(json.dumps, scripts)).encode())
    answers = [json.loads(line) for line in ran.out.splitlines()]
    assert len(answers) == len(scripts)
    for script, answer in zip(scripts, answers, strict=True):
        if "error" not in answer:
            assert list(answer["net"]) == [str(seat["seat"]) for seat in script["seats"]]


@pytest.mark.parametrize("args", [[], ["--lines", "file.json"], ["--no-such-option"]])
def test_a_wrong_command_line_is_exit_status_2(croupier: Croupier, args: list[str]) -> None:
    ran = croupier("settle", *args)
    assert (ran.status, ran.out) == (2, "")
    assert "Usage" in ran.err


def test_a_reader_that_stops_early_is_no_error(croupier: Croupier, tmp_path: Path) -> None:
    import subprocess

    from tests.controller.cli.conftest import CROUPIER

    lines = (json.dumps(GOOD) + "\n") * 3000
    (tmp_path / "rounds.jsonl").write_text(lines)
    done = subprocess.run(
        f"{CROUPIER} settle --lines < rounds.jsonl | head -n 1",
        shell=True,
        cwd=tmp_path,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert (done.stderr, json.loads(done.stdout)["cards_used"]) == (b"", 4)
