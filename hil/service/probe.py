"""Runs inside the guest, as root, with nothing but Debian's Python: one line a check, then the power goes off.

Imports nothing of the project: what it asks, it asks as a technician would, through systemctl, the command and the API.
"""

from __future__ import annotations

import http.client
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import time
import traceback
from collections.abc import Callable

STATE = pathlib.Path("/var/lib/croupier")
CONFIGURATION = pathlib.Path("/etc/croupier/table.toml")
PACKAGE = "/root/croupier.deb"
WAIT_S = 120.0
entered: list[int] = []  # what the API said is in the journal
CHECKS: list[Callable[[], None]] = []


def check(work: Callable[[], None]) -> Callable[[], None]:
    CHECKS.append(work)
    return work


def run(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=WAIT_S).stdout


def shown(name: str) -> str:
    return run("systemctl", "show", "croupier", "--value", "-p", name).strip()


def until(reached: Callable[[], object], what: str) -> None:
    end = time.monotonic() + WAIT_S
    while not reached():
        assert time.monotonic() < end, f"not within {WAIT_S:.0f} s: {what}"
        time.sleep(0.2)


def pid() -> int:
    return int(shown("MainPID"))


def ask(method: str, address: str, body: dict[str, object] | None = None) -> dict[str, object]:
    line = http.client.HTTPConnection("localhost", timeout=30)
    line.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    line.sock.settimeout(30)
    line.sock.connect(str(STATE / "table.sock"))
    headers = {"Content-Type": "application/json", "Croupier-As": "supervisor:Probe"}
    line.request(method, address, json.dumps(body) if body is not None else None, headers)
    answer = line.getresponse()
    said: dict[str, object] = json.loads(answer.read())
    assert answer.status == 200, said
    return said


def enter(**what: object) -> None:
    numbers = ask("POST", "/api/v1/inputs", what)["sequences"]
    assert isinstance(numbers, list)
    entered.extend(numbers)


def all_there() -> None:
    """Every number that the API gave away is in the journal, and the chain holds."""
    words = run("croupier", "audit", "verify", str(STATE / "table.db"))
    assert "whole" in words, words
    lines = run("croupier", "audit", "export", str(STATE / "table.db")).splitlines()
    there = {json.loads(line)["sequence"] for line in lines}
    assert entered, "nothing was entered, so nothing is proven"
    assert set(entered) <= there, sorted(set(entered) - there)


def settled() -> None:
    """Up, ready and answering; the API's socket comes with READY."""
    until(lambda: shown("ActiveState") == "active" and shown("StatusText"), "the table is active and says what it does")


@check
def it_is_ready_and_says_what_it_does() -> None:
    settled()
    assert shown("Type") == "notify"
    assert shown("StatusText").startswith("Table 7, Power Blackjack: round 0"), shown("StatusText")
    assert run("systemctl", "is-enabled", "croupier").strip() == "enabled"


@check
def it_runs_as_its_own_user_without_a_privilege() -> None:
    status = dict(re.findall(r"^(\w+):\s+(.*)$", pathlib.Path(f"/proc/{pid()}/status").read_text(), re.MULTILINE))
    assert status["Uid"].split()[0] == run("id", "-u", "croupier").strip()
    assert (status["NoNewPrivs"], status["Seccomp"], int(status["CapEff"], 16)) == ("1", "2", 0)


@check
def its_sandbox_is_on() -> None:
    inside = ("nsenter", "-t", str(pid()), "-m")
    for path in ("/etc/croupier/x", "/usr/x", "/opt/croupier/x", "/var/lib/x"):
        done = subprocess.run([*inside, "touch", path], capture_output=True, text=True)
        assert "Read-only file system" in done.stderr, (path, done.stderr)
    subprocess.run([*inside, "touch", str(STATE / "x")], check=True)
    (STATE / "x").unlink()
    pathlib.Path("/home/private").write_text("")
    seen = subprocess.run([*inside, "ls", "/home/private"], capture_output=True)
    assert seen.returncode != 0, "it sees what is in /home"


@check
def its_commands_answer_root() -> None:
    assert "Table 7" in run("croupier", "status")
    for people in (STATE / "table.token", STATE / "table.db"):
        assert people.stat().st_mode & 0o077 == 0, people


@check
def what_was_entered_is_there_after_an_orderly_stop() -> None:
    enter(input="open_table")
    enter(input="shoe", action="load")
    for seat in (1, 2, 3):
        enter(input="wager", seat=seat, amount="50")
    run("systemctl", "stop", "croupier")
    assert (shown("ActiveState"), shown("Result")) == ("inactive", "success")
    all_there()
    run("systemctl", "start", "croupier")
    settled()


@check
def killed_it_is_back_by_itself_and_nothing_is_lost() -> None:
    enter(input="wager", seat=4, amount="20")
    before = pid()
    os.kill(before, signal.SIGKILL)
    until(lambda: pid() not in (0, before), "it is started again")
    settled()
    all_there()


@check
def hanging_it_is_killed_by_the_watchdog_and_back() -> None:
    enter(input="wager", seat=5, amount="30")
    before, restarts = pid(), int(shown("NRestarts"))
    os.kill(before, signal.SIGSTOP)
    until(lambda: pid() not in (0, before), "the watchdog ends it")
    settled()
    assert int(shown("NRestarts")) == restarts + 1
    assert "Watchdog timeout" in run("journalctl", "-u", "croupier", "--no-pager")
    all_there()


@check
def a_configuration_that_can_not_be_used_is_told_and_not_tried_for_ever() -> None:
    good = CONFIGURATION.read_bytes()
    CONFIGURATION.write_bytes(good.replace(b"seats = 7", b"seats = 70"))
    subprocess.run(["systemctl", "restart", "croupier"], capture_output=True)
    until(lambda: shown("ActiveState") == "failed", "it has failed")
    assert shown("ExecMainStatus") == "7"
    time.sleep(5)
    assert shown("ActiveState") == "failed", "it was started again"
    assert "table.toml:" in run("journalctl", "-u", "croupier", "--no-pager", "-n", "20")
    CONFIGURATION.write_bytes(good)
    run("systemctl", "reset-failed", "croupier")
    run("systemctl", "start", "croupier")
    settled()


@check
def installed_again_it_goes_on_with_its_journal_and_its_configuration() -> None:
    CONFIGURATION.write_bytes(CONFIGURATION.read_bytes().replace(b'"Table 7"', b'"Table 8"'))
    before = pid()
    run("dpkg", "-i", PACKAGE)
    settled()
    assert pid() != before
    until(lambda: shown("StatusText").startswith("Table 8"), "the configuration is the same")
    all_there()


@check
def taken_off_its_journal_stays() -> None:
    size = (STATE / "table.db").stat().st_size
    run("dpkg", "--remove", "croupier-table")
    assert not pathlib.Path("/usr/bin/croupier").exists()
    assert subprocess.run(["systemctl", "is-active", "--quiet", "croupier"]).returncode != 0
    run("dpkg", "--purge", "croupier-table")
    assert (STATE / "table.db").stat().st_size >= size > 0


def main() -> None:
    for each in CHECKS:
        try:
            each()
        except BaseException as error:
            traceback.print_exc()
            said = getattr(error, "stderr", "") or ""
            print(f"CHECK {each.__name__} FAILED {error} {said}".replace("\n", " "))
        else:
            print(f"CHECK {each.__name__} passed")
    print(f"CHECKED {len(CHECKS)}")
    subprocess.run(["journalctl", "-u", "croupier", "--no-pager", "-n", "60"], check=False)
    subprocess.run(["systemctl", "poweroff"], check=False)


if __name__ == "__main__":
    main()
