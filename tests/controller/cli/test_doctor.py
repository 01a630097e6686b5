"""`croupier doctor` and `croupier version` as a person runs them, on this very machine."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests.controller.cli.conftest import CROUPIER, Croupier
from tests.controller.daemon.served import CONFIG, Process, until

HOLDER = """
import fcntl, os, sys, time
fcntl.flock(os.open(sys.argv[1], os.O_RDWR | os.O_NOCTTY), fcntl.LOCK_EX)
print(flush=True)
time.sleep(60)
"""
# Once as it is, so that all modules are there: nobody else may be let into the folder of this Python.
AS_NOBODY = """
import contextlib, io, os, sys
from controller.cli.app import croupier
with contextlib.redirect_stdout(io.StringIO()):
    try:
        croupier(sys.argv[1:])
    except SystemExit:
        pass
os.setgroups([]); os.setgid(65534); os.setuid(65534)
croupier(sys.argv[1:])
"""
SIGN = '[[display]]\nname = "sign"\nshows = "limits"\ndriver = "alpha_sign"\nport = "{port}"\n'


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "table.toml"
    path.write_text(CONFIG)
    return path


def told(croupier: Croupier, *args: str) -> dict[str, list[tuple[str, str]]]:
    ran = croupier("doctor", "--json", *args)
    assert ran.status in (0, 1)
    assert (ran.status == 0) == (ran.json["grade"] == "good")
    found: dict[str, list[tuple[str, str]]] = {}
    for each in ran.json["findings"]:
        assert each["remedy"] or each["grade"] == "good", each
        found.setdefault(each["subject"], []).append((each["grade"], each["words"]))
    return found


def test_each_finding_is_a_line_with_its_remedy_below(croupier: Croupier, table: Path) -> None:
    table.write_text(CONFIG + SIGN.format(port="/dev/no-sign"))
    ran = croupier("doctor")
    assert ran.status == 1
    lines = ran.out.splitlines()
    at = next(number for number, line in enumerate(lines) if line.startswith("broken        devices: sign"))
    assert lines[at + 1].startswith("                → ")
    assert lines[-1].startswith("1 broken") or " 1 broken" in lines[-1] or "broken" in lines[-1]


def test_it_runs_without_a_configuration(croupier: Croupier) -> None:
    found = told(croupier)
    assert found["configuration"][0][0] == "look"
    assert "room" in found
    assert "versions" in found


def test_an_address_that_is_taken_is_told(croupier: Croupier, table: Path) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        table.write_text(f'{CONFIG}[web]\nlisten = "127.0.0.1:{taken.getsockname()[1]}"\n')
        assert any(
            grade == "broken" and "another program listens" in words for grade, words in told(croupier)["configuration"]
        )
    assert not any(grade == "broken" for grade, _ in told(croupier)["configuration"])


def test_a_port_that_another_program_holds_is_named_with_it(croupier: Croupier, table: Path) -> None:
    master, slave = os.openpty()
    path = os.ttyname(slave)
    try:
        held = subprocess.Popen([sys.executable, "-c", HOLDER, path], stdout=subprocess.PIPE)
        try:
            assert held.stdout is not None
            held.stdout.readline()
            table.write_text(CONFIG + SIGN.format(port=path))
            shown = told(croupier)["devices"]
            assert any(grade == "broken" and f"pid {held.pid}" in words for grade, words in shown), shown
        finally:
            held.kill()
            held.wait()
            assert held.stdout is not None
            held.stdout.close()
    finally:
        os.close(master)
        os.close(slave)


def test_the_running_tables_own_words_are_told_and_its_ports_left_alone(tmp_path: Path, croupier: Croupier) -> None:
    process = Process(tmp_path, CONFIG + SIGN.format(port="/dev/no-sign"))
    try:
        process.start()
        until(lambda: "sign" in process.state("dealer")["faults"], "the missing sign")
        shown = {words.split(" ")[0]: (grade, words) for grade, words in told(croupier)["devices"]}
        assert shown["shoe"][0] == "good"
        assert shown["sign"][0] == "broken"
        assert "/dev/no-sign" in shown["sign"][1]
        assert process.stop() == 0
    finally:
        process.close()


def test_a_user_who_may_read_nothing_is_told_so_without_a_traceback(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root may become somebody else")
    secret = tmp_path / "secret"
    secret.mkdir(mode=0o700)
    (secret / "table.toml").write_text(CONFIG)
    ran = subprocess.run(
        [sys.executable, "-c", AS_NOBODY, "doctor", "--config", str(secret / "table.toml")],
        capture_output=True, text=True, cwd="/", timeout=60, check=False,
    )  # fmt: skip
    assert (ran.returncode, "Traceback" in ran.stderr) == (1, False), ran.stderr
    assert "may not look into the configuration" in ran.stdout
    assert "sudo croupier doctor" in ran.stdout
    assert "memory" in ran.stdout


def test_the_version_says_what_runs_here(croupier: Croupier) -> None:
    said = croupier("version", "--json").json
    assert {"croupier", "python", "platform", "machine", "journal_format", "libraries", "installed_in"} <= said.keys()
    assert said["journal_format"] == 1
    assert {"click", "msgspec", "starlette"} <= said["libraries"].keys()
    assert "pytest" not in said["libraries"]
    assert croupier("version").out.startswith(f"croupier {said['croupier']}, journal format 1\n")
    plain = subprocess.run([CROUPIER, "--version"], capture_output=True, text=True, check=True).stdout
    assert said["croupier"] in plain
