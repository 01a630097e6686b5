"""`croupier conformance` as a firmware engineer meets it: real processes, real ptys, every mistake in words."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import pty
import re
import subprocess
import threading
import time
import tty
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

from controller.cli.conformance import conformance
from drivers.ports.pty import PtyPair
from drivers.simulated.cable import Cable
from drivers.simulated.faults import Faults
from drivers.simulated.tablelink_end import TableLinkEnd
from firmware_protocol.tablelink.endpoint import framed
from firmware_protocol.tablelink.messages import Refused
from hil.conformance import orders
from hil.conformance.rules import RULES
from tests.controller.cli.conftest import CROUPIER, Ran
from tests.firmware_protocol.c.common import NEEDS_GCC
from tests.firmware_protocol.c.harness import Pipe, build
from tests.hil.conformance.broken import KEY
from tests.hil.conformance.test_ends import answering
from tests.hil.conformance.test_own_devices import CEnd

WAIT_S = 30.0
QUICK = ("--only", "framing", "TL-021", "TL-030", "TL-050", "TL-061", "TL-090")


@contextmanager
def simulated(*args: str, lines: int = 2) -> Iterator[list[str]]:
    """A running `croupier simulate`; gives the paths that it prints."""
    command = [CROUPIER, "simulate", *args]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        said = "".join(process.stdout.readline() for _ in range(lines))
        yield re.findall(r"/dev/pts/\d+", said)
    finally:
        process.terminate()
        process.communicate(timeout=WAIT_S)


@contextmanager
def at_a_pty(end: object) -> Iterator[str]:
    """Any device's end on a pty of this process."""
    path: list[str] = []
    there, stop = threading.Event(), threading.Event()

    async def run() -> None:
        pair = PtyPair()
        path.append(pair.path)
        there.set()
        cable = asyncio.create_task(Cable(end, pair.port, Faults()).run())  # type: ignore[arg-type]
        while not stop.is_set():
            await asyncio.sleep(0.05)
        cable.cancel()
        await asyncio.gather(cable, return_exceptions=True)
        await pair.close()

    thread = threading.Thread(target=lambda: asyncio.run(run()))
    thread.start()
    try:
        assert there.wait(WAIT_S)
        yield path[0]
    finally:
        stop.set()
        thread.join(WAIT_S)


def conform(*args: str, cwd: Path | None = None) -> Ran:
    """The command in this process; those that are stopped or asked something have one of their own."""
    with contextlib.chdir(cwd or Path.cwd()):
        done = CliRunner().invoke(conformance, args)
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return Ran(done.exit_code, done.stdout, done.stderr)


def test_a_shoe_on_a_pty_is_tried_with_its_stimulus_line_and_reports_are_written(tmp_path: Path) -> None:
    with simulated("shoe", "--stimulus", lines=3) as (port, stimulus):
        ran = conform(
            "shoe", "--port", port, "--stimulus", stimulus, "--junit", "r.xml", "--html", "r.html", *QUICK, cwd=tmp_path
        )
    assert ran.status == 0, ran.out + ran.err
    assert "CONFORMS in what was tried" in ran.out
    assert f"made to happen by: the stimulus line {stimulus}" in ran.out
    assert len(re.findall(r"^ +\d+/11 +TL-\d{3}  pass", ran.out, re.M)) == 11
    assert "simulated" in ran.out
    assert len(list(ElementTree.parse(tmp_path / "r.xml").iter("testcase"))) == 11
    assert "SIM0001" in (tmp_path / "r.html").read_text()


@pytest.mark.parametrize("role", ["shoe", "sign", "panel"])
def test_a_device_with_a_key_is_tried_over_a_pty(role: str, tmp_path: Path) -> None:
    (tmp_path / "key").write_text(KEY.hex())
    quick = ("--only", "TL-004", "TL-050", "TL-064", "TL-080", "TL-081", "TL-082", "TL-083", "TL-087")
    with at_a_pty(TableLinkEnd(role, key=KEY)) as port:
        ran = conform(role, "--port", port, "--key-file", "key", *quick, cwd=tmp_path)
        assert ran.status == 0, ran.out + ran.err
        assert "8 pass" in ran.out
        ran = conform(role, "--port", port, *quick)
        assert ran.status == 4
        assert "the device wants its key" in ran.err


@NEEDS_GCC
def test_the_c_device_is_tried_over_a_pty(tmp_path: Path) -> None:
    with Pipe(build(tmp_path, auth=True, flags=("-O1",))) as pipe, at_a_pty(CEnd(pipe, "shoe", None)) as port:
        ran = conform("shoe", "--port", port, "--no-hands", "--only", "framing", "TL-050", "TL-062", "TL-090")
    assert ran.status == 0, ran.out + ran.err
    assert "9 pass" in ran.out


def test_without_a_terminal_or_stimulus_nobody_is_asked() -> None:
    with simulated("panel") as (port,):
        ran = conform("panel", "--port", port, "--only", "TL-050", "TL-021")
    assert ran.status == 0
    assert "it needs a restart: no --stimulus, and no terminal to ask a person at" in ran.out
    assert "not tried: TL-021" in ran.out


def test_the_whole_kit_on_the_simulated_device_as_json() -> None:
    for role in ("shoe", "sign", "panel"):
        ran = conform(role, "--port", "simulated", "--json")
        assert ran.status == 0
        said = json.loads(ran.out)
        assert said["conforms"] is True
        assert [result["id"] for result in said["results"]] == list(RULES)
        assert said["device"]["role"] == role
        [frame] = [seen for seen in said["results"][0]["evidence"] if "HELLO" in seen["words"]][:1]
        assert bytes.fromhex(frame["data"])


@pytest.mark.parametrize(
    ("args", "status", "words"),
    [
        (("shoe", "--port", "/dev/pts/99999"), 4, "/dev/pts/99999 is not there"),
        (("shoe", "--port", "ttyUSB0"), 2, "did you mean '/dev/ttyUSB0'"),
        (("shoe", "--port", "auto"), 2, "the port must be named"),
        (("shoe", "--port", "/tmp"), 4, "/tmp"),
        (("shoe", "--port", "socket://127.0.0.1:9"), 4, "127.0.0.1:9"),
        (("shoe", "--port", "simulated", "--only", "TL-017"), 2, "Did you mean TL-015 or TL-020?"),
        (("shoe", "--port", "simulated", "--only", "framng"), 2, "Did you mean framing?"),
        (("shoe", "--port", "simulated", "TL-001"), 2, "write --only before"),
        (("shoe", "--port", "simulated", "--key-file", "none"), 2, "--key-file: none cannot be read"),
        (("shoe", "--port", "simulated", "--html", "no/such/r.html"), 2, "there is no folder no/such"),
        (("shoe", "--port", "/dev/x", "--stimulus", "/dev/x"), 2, "a second port"),
        (("shoe",), 2, "--port"),
        (("chair", "--port", "simulated"), 2, "chair"),
    ],
)
def test_bad_input_is_told_in_words(args: tuple[str, ...], status: int, words: str, tmp_path: Path) -> None:
    ran = conform(*args, cwd=tmp_path)
    assert ran.status == status, ran.err
    assert words in ran.err


def test_another_role_another_protocol_and_another_version_are_no_device_for_it() -> None:
    with simulated("sign") as (port,):
        ran = conform("shoe", "--port", port)
        assert (ran.status, ran.out) == (4, "")
        assert "a shoe was asked for, and it answers as a SIMULATED sign" in ran.err
    with simulated("shoe", "--protocol", "angel_eye", "--auto", "0.1") as (port,):
        ran = conform("shoe", "--port", port)
        assert ran.status == 4
        assert "It speaks another protocol; only TableLink is tried here" in ran.err
    with at_a_pty(answering(framed(Refused(1, 2, 2), None))) as port:
        ran = conform("shoe", "--port", port)
        assert ran.status == 4
        assert "This kit tries version 1" in ran.err


def test_a_port_that_another_run_holds_is_told() -> None:
    with simulated("sign") as (port,):
        first = subprocess.Popen(
            [CROUPIER, "conformance", "sign", "--port", port, "--only", "TL-050", "TL-051"],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert first.stdout is not None
        said = ""
        while "TL-050" not in said:
            said = first.stdout.readline()
            assert said
        second = conform("sign", "--port", port)
        first.terminate()
        out, _ = first.communicate(timeout=WAIT_S)
    assert second.status == 4
    assert "is open in another program" in second.err
    assert first.returncode == 4
    assert "it was stopped while TL-051 was being tried" in out


def test_a_stimulus_line_of_another_device_or_of_none_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(orders, "PATIENCE", 1.0)
    with simulated("shoe") as (port,), simulated("sign", "--stimulus", lines=3) as (_, other):
        ran = conform("shoe", "--port", port, "--stimulus", other)
        assert ran.status == 4
        assert "is a sign's, and a shoe is to be tried" in ran.err
        master, slave = pty.openpty()
        tty.setraw(slave)
        ran = conform("shoe", "--port", port, "--stimulus", os.ttyname(slave))
        os.close(master)
        os.close(slave)
        assert ran.status == 4
        assert "did not answer 'hello' within 1 s" in ran.err


def test_a_device_unplugged_in_the_middle_ends_the_run_with_what_was_found() -> None:
    device = subprocess.Popen(
        [CROUPIER, "simulate", "sign"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
    )
    assert device.stdout is not None
    port = device.stdout.readline().strip()
    run = subprocess.Popen(
        [CROUPIER, "conformance", "sign", "--port", port, "--only", "TL-050", "TL-051"],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert run.stdout is not None
    said = ""
    while "TL-050" not in said:
        line = run.stdout.readline()
        assert line, said
        said += line
    device.kill()
    device.communicate(timeout=WAIT_S)
    out, _ = run.communicate(timeout=WAIT_S)
    assert run.returncode == 4
    assert "while TL-051 was being tried. The last good sign was" in out
    assert "1 pass, 1 not tried" in out


def test_a_person_at_the_terminal_is_asked_and_may_skip() -> None:
    with simulated("shoe") as (port,):
        master, slave = pty.openpty()
        run = subprocess.Popen(
            [CROUPIER, "conformance", "shoe", "--port", port, "--only", "TL-021", "TL-030"],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            close_fds=True,
        )
        os.close(slave)
        said = ""
        typed = {"Switch the device off": b"what?\n", "is not understood": b"s\n", "Draw one card": b"s\n"}
        end = time.monotonic() + WAIT_S
        try:
            while time.monotonic() < end:
                said += os.read(master, 4096).decode()
                for words in [words for words in typed if words in said]:
                    os.write(master, typed.pop(words))
        except OSError:
            pass  # EIO: it has ended
        assert run.wait(WAIT_S) == 1, said
        os.close(master)
    assert typed == {}
    assert "'what?' is not understood: press Enter when it is done, or type s to skip it" in said
    assert said.count("it was skipped at the terminal") == 2
    assert "No verdict" in said
