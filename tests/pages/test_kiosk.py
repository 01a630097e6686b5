"""`croupier kiosk`: a page on this machine's screen, in a Chromium without one, that is noticed when it dies."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.controller.daemon.served import CROUPIER, WAIT_S, environment, until
from tests.pages.browsing import CHROMIUM
from tests.pages.served import Table


class Kiosk:
    def __init__(self, folder: Path, table: Table, browser: Path) -> None:
        self.log = folder / "kiosk.log"
        command = [CROUPIER, "kiosk", "sign", "--config", table.process.config, "--browser", browser]
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(command, stderr=log, env=environment(TMPDIR=str(folder)))

    def said(self) -> str:
        return self.log.read_text()

    def end(self) -> int:
        return self.process.wait(WAIT_S)

    def browsers(self, kind: str) -> list[int]:
        """Those of this kiosk alone: their parent is its Chromium, which is its only child."""
        mine = _children(self.process.pid)
        every = mine + [grandchild for child in mine for grandchild in _descendants(child)]
        return [pid for pid in every if f"--type={kind}" in _command(pid)]


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
    except OSError:
        return ""


def _children(pid: int) -> list[int]:
    try:
        return [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def _descendants(pid: int) -> list[int]:
    return [each for child in _children(pid) for each in (child, *_descendants(child))]


@pytest.fixture
def browser(tmp_path: Path) -> Path:
    """A Chromium that needs no screen."""
    if not os.access(CHROMIUM, os.X_OK):
        pytest.skip(f"there is no browser: {CHROMIUM} is missing; `make browser` installs it on Debian, as root")
    program = tmp_path / "browser"
    program.write_text(f'#!/bin/sh\nexec {CHROMIUM} --headless=new --no-sandbox --disable-gpu "$@"\n')
    program.chmod(0o755)
    return program


@pytest.fixture
def shown(tmp_path: Path, table: Table, browser: Path) -> Iterator[Kiosk]:
    kiosk = Kiosk(tmp_path, table, browser)
    try:
        until(lambda: "is on the screen" in kiosk.said() or kiosk.process.poll() is not None, "the page")
        assert kiosk.process.poll() is None, kiosk.said()
        yield kiosk
    finally:
        kiosk.process.terminate()
        kiosk.end()


def test_a_page_that_crashes_ends_the_kiosk_and_every_process_of_it(shown: Kiosk, tmp_path: Path) -> None:
    pages = until(lambda: shown.browsers("renderer"), "the page's process")
    for pid in pages:
        os.kill(pid, signal.SIGKILL)
    assert shown.end() == 1
    assert "/sign: the page has crashed" in shown.said()
    assert not any(_command(pid) for pid in pages)
    assert not list(tmp_path.glob("croupier-kiosk-*")), "its profile is taken away"


def test_a_page_that_hangs_is_noticed(shown: Kiosk) -> None:
    for pid in until(lambda: shown.browsers("renderer"), "the page's process"):
        os.kill(pid, signal.SIGSTOP)
    assert shown.end() == 1
    assert "/sign: the page did not answer" in shown.said()


def test_it_outlives_the_daemon_and_ends_when_it_is_told_to(shown: Kiosk, table: Table) -> None:
    table.kill()
    table.start()
    shown.process.terminate()
    assert shown.end() == 0


@pytest.mark.parametrize(
    ("script", "words"),
    [("echo no screen for me >&2; exit 7", "no screen for me"), ("exit 0", "the browser has ended")],
)
def test_a_browser_that_does_not_come_up_says_why(tmp_path: Path, table: Table, script: str, words: str) -> None:
    program = tmp_path / "browser"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    kiosk = Kiosk(tmp_path, table, program)
    assert kiosk.end() == 1
    assert words in kiosk.said()


def test_a_browser_that_is_not_there_is_named(tmp_path: Path, table: Table) -> None:
    kiosk = Kiosk(tmp_path, table, Path("no-such-browser"))
    assert kiosk.end() == 4
    assert "There is no no-such-browser here" in kiosk.said()


def test_a_page_that_there_is_not_is_refused(run: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    done = run("kiosk", "sing")
    assert done.returncode == 2
    assert "'sign', 'board', 'dealer', 'pit', 'overlay'" in done.stderr


@pytest.fixture
def run() -> Callable[..., subprocess.CompletedProcess[str]]:
    def call(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([CROUPIER, *arguments], capture_output=True, text=True, timeout=WAIT_S, check=False)

    return call
