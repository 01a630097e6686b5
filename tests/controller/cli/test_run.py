"""`croupier run` at its end: the second signal ends it at once, and what did not end in time holds nobody up."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from controller.cli.common import USAGE
from controller.cli.run import LEFT_BEHIND
from tests.controller.cli.conftest import Croupier
from tests.controller.daemon.served import WAIT_S, environment

STUBBORN = """
import asyncio, threading
from controller.cli.run import _run

class Daemon:
    left = []
    def __init__(self):
        self._stop = asyncio.Event()
    def stop(self):
        self._stop.set()
    async def run(self):
        print("ready", flush=True)
        await self._stop.wait()
        print("ending", flush=True)
        %s

asyncio.run(_run(Daemon))
"""
NEVER_ENDS = "await asyncio.Event().wait()"
LEAVES_A_THREAD = """
        threading.Thread(target=threading.Event().wait).start()
        self.left.append("the journal")
"""


@contextmanager
def stubborn(end: str) -> Iterator[subprocess.Popen[str]]:
    """The command's own end of a program whose daemon ends like this."""
    process = subprocess.Popen(
        [sys.executable, "-c", STUBBORN % end.strip()], stdout=subprocess.PIPE, env=environment(), text=True
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        process.terminate()
        assert process.stdout.readline() == "ending\n"
        yield process
    finally:
        process.kill()
        process.communicate()


def test_a_second_signal_ends_it_at_once() -> None:
    for number in (signal.SIGTERM, signal.SIGINT):
        with stubborn(NEVER_ENDS) as process:
            process.send_signal(number)
            assert process.wait(WAIT_S) == -number


def test_what_did_not_end_in_its_time_holds_nobody_up() -> None:
    with stubborn(LEAVES_A_THREAD) as process:
        assert process.wait(WAIT_S) == LEFT_BEHIND


def test_without_a_configuration_it_says_how_to_get_one(croupier: Croupier) -> None:
    ran = croupier("run")
    assert ran.status != 0
    assert "croupier check --print-default" in ran.err
    assert croupier("run", "--port", "1").status == USAGE
