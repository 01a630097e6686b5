"""`croupier record` and `croupier replay` as a user runs them, with their exit statuses and words."""

from __future__ import annotations

import json
import signal
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from controller.cli.common import BAD_RULESET, CUT, REFUSED, USAGE
from controller.cli.record import record
from controller.cli.replay import replay
from tests.controller.cli.conftest import CROUPIER, Croupier, croupier
from tests.controller.daemon.served import environment
from tests.hil.record.sessions import record_shoe
from tests.hil.record.tables import config_in

__all__ = ["croupier"]
WAIT_S = 30.0


@pytest.fixture
def capture(tmp_path: Path) -> Path:
    path = tmp_path / "floor.capture"
    record_shoe(path, "bee_tek", 1, 30)
    return path


def test_a_simulated_shoe_is_recorded_and_replayed(tmp_path: Path, croupier: Croupier) -> None:
    link, output = tmp_path / "shoe", tmp_path / "floor.capture"
    shoe = subprocess.Popen(
        [CROUPIER, "simulate", "shoe", "--protocol", "angel_eye", "--auto", "0.05", "--link", link],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        env=environment(),
        text=True,
    )
    try:
        assert shoe.stdout is not None
        assert shoe.stdout.readline()
        recording = subprocess.Popen(
            [CROUPIER, "record", link, "--driver", "angel_eye", "-o", output],
            stdout=subprocess.PIPE,
            env=environment(),
            text=True,
        )
        assert recording.stdout is not None
        cards = []
        while len(cards) < 3:
            line = recording.stdout.readline()
            assert line
            cards += [line.strip()] if line.startswith("card read") else []
        recording.send_signal(signal.SIGINT)
        rest, _ = recording.communicate(timeout=WAIT_S)
        assert recording.returncode == 0
        cards += [line for line in rest.splitlines() if line.startswith("card read")]
    finally:
        shoe.kill()
        shoe.communicate()
    ran = croupier("replay", str(output), "--speed", "max")
    assert ran.status == 0, ran.err
    replayed = [line.split("  ")[-1] for line in ran.out.splitlines() if "  card read" in line]
    assert replayed == cards


def test_json_has_one_object_a_line_with_its_time(capture: Path, croupier: Croupier) -> None:
    ran = croupier("replay", str(capture), "--speed", "max", "--json")
    assert ran.status == 0
    first, *told, last = [json.loads(line) for line in ran.out.splitlines()]
    assert first["event"] == "capture"
    assert last == {"event": "replayed", "otherwise": 0}
    assert any(each["event"] == "card_read" for each in told)
    times = [each["t"] for each in told]
    assert times == sorted(times)


def test_what_a_device_sent_is_told_when_it_was_sent(capture: Path, croupier: Croupier) -> None:
    sent = [json.loads(line) for line in capture.read_text().splitlines()[1:]]
    first = next(line["t"] for line in sent if "hex" in line)
    ran = croupier("replay", str(capture), "--speed", "max", "--json")
    told = [json.loads(line) for line in ran.out.splitlines()]
    assert abs(next(each["t"] for each in told if each["event"] == "card_read") - first) < 0.01


def test_from_and_until_print_a_part_of_the_same(capture: Path, croupier: Croupier) -> None:
    whole = croupier("replay", str(capture), "--speed", "max").out.splitlines()[1:-1]
    times = sorted({float(line.split()[0]) for line in whole})
    middle = sum(times[len(times) // 2 - 1 :][:2]) / 2
    early = croupier("replay", str(capture), "--speed", "max", "--until", str(middle)).out.splitlines()[1:-1]
    late = croupier("replay", str(capture), "--speed", "max", "--from", str(middle)).out.splitlines()[1:-1]
    assert 0 < len(early) < len(whole)
    assert 0 < len(late) < len(whole)
    words = [line[13:] for line in whole]
    assert [line[13:] for line in early] == words[: len(early)]
    assert [line[13:] for line in late] == words[-len(late) :]


def test_a_capture_cut_in_the_middle_is_played_up_to_there_with_its_own_status(
    capture: Path, croupier: Croupier
) -> None:
    whole = capture.read_bytes()
    capture.write_bytes(whole[: len(whole) * 3 // 4])
    lines = capture.read_bytes().count(b"\n")
    ran = croupier("replay", str(capture), "--speed", "max")
    assert ran.status == CUT
    assert "card read" in ran.out
    assert "Everything before it was played" in ran.err
    assert f"line {lines + 1}: the line is torn" in ran.err


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is empty"),
        ("hello\n", "is no capture of Croupier"),
        ('{"croupier_capture":2,"croupier":"9.0"}\n', "version 2"),
        (
            '{"croupier_capture":1,"started":"","clock":"ntp","croupier":"0","ports":['
            '{"name":"a","kind":"shoe","driver":"bee_tek","address":"x"},'
            '{"name":"a","kind":"shoe","driver":"bee_tek","address":"y"}]}\n',
            "two ports are called 'a'",
        ),
        ('{"croupier_capture":1,"started":"","clock":"ntp","croupier":"0","ports":[]}\n', "has no port"),
    ],
)
def test_what_is_no_capture_is_refused_in_words(tmp_path: Path, croupier: Croupier, text: str, words: str) -> None:
    (tmp_path / "x").write_text(text)
    ran = croupier("replay", "x")
    assert ran.status == REFUSED
    assert words in ran.err


def test_options_that_mean_nothing_are_refused(capture: Path, croupier: Croupier) -> None:
    for more in (
        ("--speed", "fast"),
        ("--speed", "0"),
        ("--speed", "nan"),
        ("--from", "5", "--until", "1"),
        ("--journal", "x.db"),
        ("--set", "sign.port=x"),
        ("--set", "shoe=1"),
    ):
        assert CliRunner().invoke(replay, [str(capture), *more]).exit_code == USAGE, more
    config_in(capture.parent, "tablelink")
    ran = croupier("replay", str(capture), "--config", "table.toml")
    assert ran.status == BAD_RULESET
    assert "is not the table of" in ran.err


def test_record_says_what_it_needs(tmp_path: Path) -> None:
    output = tmp_path / "x"

    def ran(*args: str) -> str:
        done = CliRunner().invoke(record, [*args, "-o", str(output)])
        assert done.exit_code == USAGE
        return done.output

    assert "--config FILE, or one port with ADDRESS --driver NAME" in ran()
    assert "--config FILE, or one port with ADDRESS --driver NAME" in ran("/dev/null")
    assert "'angel_eye'" in ran("/dev/ttyS99", "--driver", "angle_eye")
    assert "there is no kind 'drum'" in ran("/dev/ttyS99", "--driver", "drum.angel_eye")
    assert "is a Windows name" in ran("COM3", "--driver", "angel_eye")
    assert "reads no bytes from a port" in ran("name:Keypad", "--driver", "console.evdev")
    output.write_text("something")
    assert "x is there already" in ran("/dev/ttyS99", "--driver", "angel_eye")
    assert output.read_text() == "something"


def test_a_table_is_recorded_as_it_runs_and_replayed_through_the_table(tmp_path: Path, croupier: Croupier) -> None:
    config_in(tmp_path, "angel_eye")
    output = tmp_path / "floor.capture"
    recording = subprocess.Popen(
        [CROUPIER, "record", "--config", tmp_path / "table.toml", "-o", output],
        stderr=subprocess.PIPE,
        env=environment(),
        text=True,
    )
    assert recording.stderr is not None
    log = []
    while not log or "ready:" not in log[-1]:
        log.append(recording.stderr.readline())
        assert log[-1]
    recording.terminate()
    _, rest = recording.communicate(timeout=WAIT_S)
    assert recording.returncode == 0, rest
    assert any("board has no port of bytes" in line for line in log)
    ran = croupier("replay", str(output), "--config", "table.toml", "--speed", "max", "--journal", "again.db")
    assert ran.status == 0, ran.err
    assert (tmp_path / "again.db").exists()
    assert croupier("audit", "verify", "again.db").status == 0
