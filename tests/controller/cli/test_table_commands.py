"""`status`, `round`, `limits`, `devices --table` and `tail` against the real daemon, and where none can be asked."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from controller.cli.client import _no_answer
from controller.cli.common import BAD_RULESET, NO_DAEMON, REFUSED, USAGE
from controller.library import load_game
from controller.rules.report import settle_script
from tests.controller.cli.conftest import CROUPIER, Croupier
from tests.controller.daemon.served import CONFIG, WAIT_S, Process, environment, until

SIGN = '[[display]]\nname = "sign"\nshows = "limits"\ndriver = "alpha_sign"\nport = "/dev/no-sign"\n'
COMMANDS = (("status",), ("round",), ("limits",), ("devices", "--table"), ("tail",))


@pytest.fixture(scope="module")
def process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Process]:
    """A table with two rounds that are over, the second void; it is between rounds."""
    made = Process(tmp_path_factory.mktemp("table"), CONFIG + SIGN)
    try:
        made.start()
        until(lambda: made.ask("GET", "/api/v1/devices")[1]["devices"][0]["state"] == "ready", "the shoe")
        until(lambda: "sign" in made.state("dealer")["faults"], "the missing sign")
        made.open()
        made.enter("dealer_in", name="Ann")
        made.play()
        made.enter("open_round")
        made.enter("card", card="5S")
        made.enter("void", reason="the shoe fell")
        yield made
        assert made.stop() == 0
    finally:
        made.close()


@pytest.fixture
def at(process: Process) -> tuple[str, str]:
    return ("--socket", str(process.socket))


def test_status_says_how_the_table_stands(croupier: Croupier, at: tuple[str, str]) -> None:
    ran = croupier("status", *at)
    assert ran.status == 0
    lines = [line.strip() for line in ran.out.splitlines()]
    assert lines[0] == "Table 7: Power Blackjack  SIMULATED"
    assert "between rounds, 1 so far; waiting for bets" in lines
    assert "shoe 1: 5 of 312 cards are out; dealer Ann" in lines
    assert any(line.startswith("limits of main: 10 to 500 in steps of 10") for line in lines)
    assert "seat 1: 10 (same again)" in lines
    assert any(line.startswith("FAULT: sign: ") and "no-sign" in line for line in lines)
    assert any(line.startswith("shoe: ready for ") and line.endswith("SIMULATED") for line in lines)
    assert any(line.startswith("display by alpha_sign at ") for line in lines)


def test_status_for_programs_holds_state_devices_and_trouble(croupier: Croupier, at: tuple[str, str]) -> None:
    said = croupier("status", *at, "--json").json
    assert said["simulated"] is True
    assert said["trouble"] == ""
    assert said["state"]["public"]["table"] == "Table 7"
    assert [each["device"] for each in said["devices"]] == ["shoe", "sign"]


def test_status_says_why_the_table_takes_nothing(croupier: Croupier, at: tuple[str, str], process: Process) -> None:
    import resource

    resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
    try:
        refused = croupier("limits", "set", "main", "--min", "20", "--why", "busy", *at)
        assert (refused.status, "takes no input now" in refused.err) == (REFUSED, True)
        assert "TAKES NO INPUT: " in croupier("status", *at).out
    finally:
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    until(lambda: process.ask("GET", "/healthz")[0] == 200, "the disk takes records again")


def test_a_round_is_shown_as_it_lay(croupier: Croupier, at: tuple[str, str]) -> None:
    ran = croupier("round", "1", *at)
    assert ran.status == 0
    lines = [line.strip() for line in ran.out.splitlines()]
    assert lines[0].startswith("round 1 of power_blackjack, 20")
    assert lines[0].endswith(": settled")
    assert lines[1:] == [
        "dealer: 7♦ 10♥ = 17",
        "seat 1, bet 10: 10♠ 9♣ = 19; win +10: 19 beats the dealer's 17",
        "net: seat 1 +10",
    ]
    last = croupier("round", *at).out
    assert last.startswith("round 2 of power_blackjack, ")
    assert ": void (the shoe fell)" in last
    assert croupier("round", "1", *at, "--json").json["net"] == {"1": "10"}


def test_a_round_as_a_script_settles_the_same(croupier: Croupier, at: tuple[str, str]) -> None:
    script = croupier("round", "1", "--script", *at).json
    assert settle_script(script, load_game)["net"] == {"1": "10"}
    refused = croupier("round", "2", "--script", *at)
    assert (refused.status, refused.err) == (REFUSED, "error: Round 2 was voided: there is nothing to settle.\n")
    refused = croupier("round", "7", *at)
    assert (refused.status, refused.err) == (REFUSED, "error: There is no round 7.\n")
    assert croupier("round", "7", *at, "--json").json == {"error": "not_found", "message": "There is no round 7."}


def test_limits_are_shown_and_scheduled_with_who_and_why(
    croupier: Croupier, at: tuple[str, str], process: Process
) -> None:
    assert croupier("limits", *at).out == "limits of main: 10 to 500 in steps of 10\n"
    assert croupier("limits", *at, "--json").json["limits"][0]["max"] == "500"
    ran = croupier("limits", "set", "main", "--max", "100", "--policy", "next_shoe", "--why", "a quiet night", *at)
    assert ran.out == "limits of main: 10 to 500 in steps of 10; with the next shoe: 10 to 100 in steps of 10\n"
    assert process.state("supervisor")["why"] == {"main": "a quiet night"}
    ran = croupier("limits", "set", "main", "--min", "20", "--policy", "notice:9h", "--why", "busy", *at, "--json")
    assert ran.json["changed"] is True
    assert "or when the round is over: 20 to 500 in steps of 10" in croupier("limits", *at).out


def test_limits_that_cannot_be_are_refused_in_words(croupier: Croupier, at: tuple[str, str]) -> None:
    for arguments, status, words in (
        (("lucky", "--min", "5", "--why", "fun"), REFUSED, "There are limits for main."),
        (("main", "--min", "900", "--why", "fun"), REFUSED, "max: 500 is less than the min of 900."),
        (("main", "--min", "ten", "--why", "fun"), REFUSED, "'ten' is no exact amount"),
        (("main", "--min", "20", "--why", " "), REFUSED, "Say why the limits change."),
        (("main", "--min", "20", "--why", "x", "--policy", "soon"), REFUSED, "'soon' is no policy"),
        (("main", "--why", "fun"), USAGE, "Say what changes: --min, --max or --step."),
        (("main", "--min", "20"), USAGE, "Missing option '--why'"),
    ):
        ran = croupier("limits", "set", *arguments, *at)
        assert ran.status == status, arguments
        assert words in ran.err
    assert croupier("limits", "--json", "set", "main", "--min", "5", "--why", "x").status == USAGE


def test_devices_of_the_table_are_told_as_the_daemon_sees_them(croupier: Croupier, at: tuple[str, str]) -> None:
    ran = croupier("devices", "--table", *at)
    assert ran.status == 0
    assert ran.out.startswith("shoe: ready for ")
    assert "no-sign" in ran.out
    assert [each["kind"] for each in croupier("devices", "--table", *at, "--json").json["devices"]] == [
        "shoe",
        "display",
    ]
    assert croupier("devices", "--table", "--watch").status == USAGE
    assert croupier("devices", *at).status == USAGE
    assert croupier("devices", "--table", "drivers").status == USAGE


# Following


class Tail:
    """`croupier tail` as it goes on."""

    def __init__(self, *arguments: str) -> None:
        self._process = subprocess.Popen(
            [CROUPIER, "tail", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment(),
            text=True,
        )
        self.lines: list[str] = []
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self.lines.append(line.rstrip("\n"))

    def until(self, words: str) -> str:
        return str(until(lambda: next((line for line in self.lines if words in line), ""), words))

    def end(self, number: signal.Signals | None = None) -> tuple[int, str]:
        if number is not None:
            self._process.send_signal(number)
        status = self._process.wait(WAIT_S)
        self._reader.join(WAIT_S)
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        with self._process.stdout, self._process.stderr:
            return status, self._process.stderr.read()


def test_tail_tells_each_change_until_the_daemon_ends(tmp_path: Path) -> None:
    process = Process(tmp_path)
    try:
        process.start()
        told, raw = Tail("--config", str(process.config)), Tail("--config", str(process.config), "--json")
        told.until("Table 7, Power Blackjack: closed; waiting for the table to open")
        raw.until('"type":"snapshot"')
        process.open()
        told.until("seat 1 bets 10")
        process.play()
        told.until("round 1 is over: seat 1 +10; waiting for bets")
        assert [line[9:] for line in told.lines if "dealer: " in line] == [
            "dealer: 7♦ (7); waiting for a card for seat 1",
            "dealer: ▮; waiting for seat 1",
            "dealer: 7♦ 10♥ (17); waiting for the dealer to pay and take",
        ]
        followed: dict[str, Any] = {}
        raw.until('"phase":"betting","round":1')
        for message in map(json.loads, raw.lines):
            followed = message["state"] if message["type"] == "snapshot" else {**followed, **message.get("set", {})}
        assert followed == process.state("dealer")
        one, two = Tail("--config", str(process.config)), Tail("--config", str(process.config))
        one.until("between rounds, 1 so far")
        assert one.end(signal.SIGINT) == (0, "")
        two.until("between rounds, 1 so far")
        process.kill()
        assert two.end() == (NO_DAEMON, "error: The daemon has ended.\n")
        status, words = told.end()
        assert (status, words) == (NO_DAEMON, "error: The daemon has ended.\n")
        assert raw.end()[0] == NO_DAEMON
        dead = subprocess.run(
            [CROUPIER, "status", "--config", process.config], capture_output=True, text=True, env=environment()
        )
        assert dead.returncode == NO_DAEMON
        assert dead.stderr == (
            f"error: No daemon runs this table: the one that made {process.socket} has died. "
            "croupier run starts another.\n"
        )
    finally:
        process.close()


# Where none can be asked


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_without_a_daemon_every_command_says_so_and_leaves_with_3(
    croupier: Croupier, command: tuple[str, ...], tmp_path: Path
) -> None:
    ran = croupier(*command, "--socket", "nowhere.sock")
    assert (ran.status, ran.out) == (NO_DAEMON, "")
    assert ran.err == ("error: No daemon runs this table: there is no socket nowhere.sock. croupier run starts one.\n")
    assert croupier(*command, "--socket", "nowhere.sock", "--json").json["error"] == "no_daemon"


def test_a_table_is_found_by_its_configuration_or_by_the_variable(
    croupier: Croupier, process: Process, tmp_path: Path
) -> None:
    variable = {"CROUPIER_SOCKET": str(process.socket)}
    assert croupier("limits", "--config", str(process.config)).status == 0
    assert croupier("limits", env=variable).status == 0
    nothing = croupier("limits")
    assert (nothing.status, "Say --socket or --config, or set CROUPIER_SOCKET" in nothing.err) == (NO_DAEMON, True)
    both = croupier("limits", "--config", "a", "--socket", "b")
    assert (both.status, both.err) == (USAGE, "error: Say --socket or --config, not both.\n")
    missing = croupier("limits", "--config", "missing.toml", env=variable)
    assert (missing.status, "there is no such file" in missing.err) == (BAD_RULESET, True)
    (tmp_path / "table.toml").write_text(f'[web]\nsocket = "{process.socket}"\n[shoe]\ndriver = "half written')
    broken = croupier("limits", "--config", "table.toml")
    assert broken.status == BAD_RULESET
    (tmp_path / "table.toml").write_text(f'[web]\nsocket = "{process.socket}"\n[shoe]\ndriver = "wrong by now"\n')
    assert croupier("limits").status == 0, "what is wrong elsewhere keeps nobody from asking the daemon that runs"


def answering(path: Path, answer: bytes) -> threading.Thread:
    """A daemon of another kind: says this to everything, once."""
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(str(path))
    listener.listen()

    def serve() -> None:
        with listener:
            line, _ = listener.accept()
            with line:
                line.recv(65536)
                line.sendall(answer)

    thread = threading.Thread(target=serve)
    thread.start()
    return thread


def http_answer(status: str, body: bytes) -> bytes:
    return b"HTTP/1.1 %s\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s" % (status.encode(), len(body), body)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (http_answer("200 OK", b'{"view":"public"}'), "its answers have another form"),
        (http_answer("200 OK", b"<html>"), "something else than JSON"),
        (
            http_answer("404 Not Found", b'{"detail":"There is nothing at /api/v1/state.","code":"not_found"}'),
            "its API has no /api/v1",
        ),
        (b"220 mail.example ESMTP\r\n", "it does not speak HTTP"),
    ],
)
def test_a_daemon_of_another_version_is_told_in_words(
    croupier: Croupier, tmp_path: Path, answer: bytes, words: str
) -> None:
    thread = answering(tmp_path / "other.sock", answer)
    ran = croupier("limits", "--socket", "other.sock")
    thread.join(WAIT_S)
    assert ran.status == NO_DAEMON
    assert words in ran.err
    assert "Use the croupier of the version that runs the table" in ran.err


def test_a_file_that_is_no_socket_and_one_that_may_not_be_used_are_told_in_words(tmp_path: Path) -> None:
    path = tmp_path / "table.sock"
    path.write_text("")
    assert _no_answer(path, ConnectionRefusedError()) == f"{path} is no socket of a daemon."
    words = _no_answer(path, PermissionError(13, "Permission denied"))
    assert words.startswith(f"You may not use the socket {path}: it is for its owner ")
    assert "did not answer within 10 seconds" in _no_answer(path, TimeoutError())
    assert _no_answer(path, OSError(5, "I/O error")).endswith("can't be asked: I/O error.")


@pytest.mark.skipif(os.geteuid() != 0, reason="needs to be root to become somebody else")
def test_somebody_else_may_not_ask(process: Process) -> None:
    process.folder.chmod(0o755)
    for parent in process.folder.parents[:2]:
        parent.chmod(0o755)
    line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    with line:
        before = os.geteuid()
        os.seteuid(65534)
        try:
            with pytest.raises(PermissionError):
                line.connect(str(process.socket))
        finally:
            os.seteuid(before)
