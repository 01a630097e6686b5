"""The daemon as systemd runs it: started, told to end, killed, started again, refused; with its watchdog."""

from __future__ import annotations

import os
import resource
import signal
import socket
from pathlib import Path

from controller.cli.common import BAD_RULESET, BROKEN, CANT_LISTEN
from controller.store.audit import verify
from controller.store.journal import Journal
from tests.controller.daemon.served import CONFIG, Process, PtyShoe, until

WATCHED = {"WATCHDOG_USEC": "200000"}  # 0.2 s
UNLIMITED = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)


def test_it_says_when_it_is_ready_what_it_does_and_that_it_ends(process: Process) -> None:
    process.start()
    process.open()
    until(lambda: [line for line in process.systemd.hear() if "waiting for bets" in line], "the new status")
    assert process.stop() == 0
    process.systemd.hear()
    said = process.systemd.said
    assert said.count("READY=1") == 1
    assert "STATUS=Table 7, Power Blackjack: round 0, waiting for the table to open" in said
    assert "WATCHDOG=1" not in said, "nobody asked for it"
    assert said[-2:] == ["STOPPING=1", "STATUS=ending"]
    assert not process.socket.exists()
    assert {path.name for path in process.folder.glob("table.db*")} == {"table.db", "table.db.lock"}
    assert (process.folder / "table.db.lock").read_text() == ""


def test_after_a_restart_it_is_the_same_table_and_reads_nothing_again(tmp_path: Path) -> None:
    with PtyShoe(tmp_path) as shoe:
        process = Process(tmp_path, CONFIG.replace('driver = "simulated"', shoe.section))
        try:
            process.start()
            until(lambda: "shoe" in process.state()["state"]["marks"], "the shoe's place")
            process.open()
            process.enter("open_round")
            first = shoe.deal()
            until(lambda: process.state()["state"]["shoe"]["out"] == {first: 1}, "the card")
            before = process.state()
            assert process.stop() == 0
            with Journal.read_only(process.folder / "table.db") as journal:
                snapshot = journal.snapshot()
                assert snapshot is not None
                assert snapshot[0] == journal.head[0], "a snapshot was kept at the end"
            process.start()
            until(lambda: process.ask("GET", "/api/v1/devices")[1]["devices"][0]["state"] == "ready", "the shoe")
            assert process.state() == before
            process.kill()
            second = shoe.deal()
            process.start()
            until(lambda: process.state()["state"]["shoe"]["out"].get(second), "the card")
            entries = process.state()["state"]["round"]["entries"]
            assert [entry["what"]["card"] for entry in entries] == [first, second]
            assert process.state()["state"]["held"] == []
        finally:
            process.close()


def test_killed_it_starts_again_over_what_it_left_behind(process: Process) -> None:
    process.start()
    process.open()
    process.enter("open_round")
    process.enter("card", card="TS")
    process.kill()
    assert process.socket.exists()
    process.start()
    state = process.state()["state"]
    assert [entry["what"]["card"] for entry in state["round"]["entries"]] == ["TS"]
    assert process.stop() == 0
    verify(process.folder / "table.db")


def test_a_second_daemon_is_refused_and_the_first_goes_on(process: Process, tmp_path: Path) -> None:
    process.start()
    folder = tmp_path / "other"
    folder.mkdir()
    other = Process(folder, f'{CONFIG}[journal]\npath = "{process.folder / "table.db"}"\n')
    try:
        other.spawn()
        assert other.wait() == BROKEN
        assert f"is in use by another program (pid {process.pid}, croupier)" in other.words()
        assert "A journal has one daemon" in other.words()
        assert "Traceback" not in other.words()
    finally:
        other.close()
    assert process.ask("GET", "/healthz") == (200, {"status": "ok"})


def test_a_port_that_is_taken_is_refused_and_everything_is_let_go(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        process = Process(tmp_path, f'{CONFIG}[web]\nlisten = "127.0.0.1:{port}"\n')
        try:
            process.spawn()
            assert process.wait() == CANT_LISTEN
            assert f"the web can't listen on 127.0.0.1:{port}" in process.words()
            assert f"(pid {os.getpid()}) listens there already" in process.words()
            assert "READY=1" not in process.systemd.hear()
            assert not process.socket.exists()
        finally:
            process.close()
    with Journal.open(tmp_path / "table.db") as journal:
        assert journal.head[0] >= 1


def test_all_that_is_wrong_in_a_configuration_is_told_and_nothing_is_made(process: Process) -> None:
    process.config.write_text(CONFIG.replace("power_blackjack", "power_blackjak").replace('"500"', '"5"'))
    process.spawn()
    assert process.wait() == BAD_RULESET
    assert "Did you mean power_blackjack?" in process.words()
    assert "table.toml:10:7: limits.main.max: 5 is less than the min of 10" in process.words()
    assert not (process.folder / "table.db").exists()


def test_a_journal_that_is_none_is_refused_and_left_as_it_is(process: Process) -> None:
    journal = process.folder / "table.db"
    journal.write_text("This is a shopping list and no journal. " * 10)
    before = journal.read_bytes()
    process.spawn()
    assert process.wait() == BROKEN
    assert "it is not a journal of Croupier" in process.words()
    assert "Traceback" not in process.words()
    assert journal.read_bytes() == before


def test_a_device_that_is_missing_keeps_no_table_from_starting(tmp_path: Path) -> None:
    shoe = f'driver = "tablelink"\nport = "{tmp_path / "no-shoe"}"'
    process = Process(tmp_path, CONFIG.replace('driver = "simulated"', shoe))
    try:
        process.start()
        faults = until(lambda: process.state("dealer")["faults"], "the fault")
        assert "no-shoe" in faults["shoe"]
        process.enter("open_table")
        process.enter("shoe", action="load")
        process.enter("wager", seat=1, amount="10")
        status, said = process.ask("POST", "/api/v1/inputs", {"input": "open_round"})
        assert (status, said["code"]) == (409, "device_missing")
        assert process.stop() == 0
    finally:
        process.close()


def test_a_hang_up_is_no_end(process: Process) -> None:
    process.start()
    process.signal(signal.SIGHUP)
    until(lambda: "SIGHUP: ignored" in process.words(), "the log")
    assert process.ask("GET", "/healthz")[0] == 200
    process.signal(signal.SIGINT)
    assert process.wait() == 0
    assert "SIGINT: the table ends" in process.words()


def test_the_log_has_systemd_s_priorities_where_it_reads_them(process: Process) -> None:
    process.start(INVOCATION_ID="1")
    assert process.stop() == 0
    lines = process.words().splitlines()
    assert lines
    assert all(line.startswith(("<6>", "<4>")) for line in lines), lines
    assert "<6>SIGTERM: the table ends" in lines


def test_a_disk_that_takes_nothing_is_told_and_is_no_reason_to_be_killed(process: Process) -> None:
    process.start(**WATCHED)
    process.open()
    before = process.state()["state"]["sequence"]
    resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))  # as good as full
    status, said = process.ask("POST", "/api/v1/inputs", {"input": "wager", "seat": 2, "amount": "10"})
    assert (status, said["code"]) == (503, "journal_unavailable")
    until(lambda: [line for line in process.systemd.hear() if "could not be written" in line], "the status")
    process.systemd.hear()
    fed: list[str] = []
    until(lambda: fed.extend(process.systemd.hear()) or fed.count("WATCHDOG=1") >= 5, "the watchdog is fed on")
    assert process.ask("GET", "/healthz")[0] == 503
    resource.prlimit(process.pid, resource.RLIMIT_FSIZE, UNLIMITED)
    until(lambda: process.ask("GET", "/healthz")[0] == 200, "it finds out by itself")
    assert process.state()["state"]["sequence"] == before
    process.enter("wager", seat=2, amount="10")
    assert process.state()["state"]["sequence"] == before + 1
    assert "the journal takes records again" in process.words()
    assert process.stop() == 0
    verify(process.folder / "table.db")
