"""Boots the kernel on this machine's own files, runs pytest in it, and brings the result out; judges no test itself.

What pytest said is believed only from the file it left: a kernel that stops, hangs or panics before is a failure.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Final
from xml.etree import ElementTree

from msgspec import Struct

from hil.kernel.program import ROOT

LIMIT_S: Final = 300.0  # the suite takes a minute and a half on two busy cores; a hung kernel must not hold up CI
HUNG_S: Final = 60  # after which pytest prints where a test hangs, while there is still somebody to print it
MEMORY: Final = "512M"
LAST_LINES: Final = 30
NO_RESULT: Final = 3  # our exit code where pytest left none; pytest's own for "internal error"
TESTS: Final = Path("hil/kernel/inside")
LIBRARIES_VARIABLE: Final = "CROUPIER_KERNEL_LIBRARIES"  # read by the conftest of the tests inside
REVISION: Final = "a03111"  # a Pi 4: rpi-lgpio asks, and there is no Pi to look at

_INIT: Final = """\
#!/bin/sh
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t configfs configfs /sys/kernel/config
grep -q ' /dev devtmpfs ' /proc/mounts || mount -t devtmpfs devtmpfs /dev
exec </dev/null >/dev/console 2>&1
mkdir -p /dev/pts
mount -t devpts devpts /dev/pts
mount -t tmpfs tmpfs /run
mkdir /run/tmp
mount -t hostfs -o {folder} hostfs {folder}
ip link set lo up 2>/dev/null
cd {root}
export {environment}
{pytest}
echo $? >{result}
sync
echo o >/proc/sysrq-trigger
sleep 10
"""


class Outcome(Struct, frozen=True):
    """How it ended: pytest's own exit code, or NO_RESULT; and what it counted."""

    code: int
    words: str


def init_script(root: Path, folder: Path, python: str, libraries: Path, arguments: Sequence[str]) -> str:
    """What runs as process 1. `folder` is the only one of this machine that can be written; the rest goes to memory."""
    environment = {
        "HOME": "/run",
        "TMPDIR": "/run/tmp",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONUNBUFFERED": "1",
        "RPI_LGPIO_REVISION": REVISION,
        LIBRARIES_VARIABLE: str(libraries),
    }
    colour = "--color=yes" if sys.stdout.isatty() else "--color=no"  # inside, the console is always a terminal
    own = ["-p", "no:cacheprovider", "-o", f"faulthandler_timeout={HUNG_S}", colour]
    own += ["-o", f"testpaths={TESTS}"]  # of the two suites this one, unless a test is named
    own += ["--junit-xml", str(folder / "junit.xml")]
    return _INIT.format(
        root=shlex.quote(str(root)),
        environment=" ".join(f"{name}={shlex.quote(value)}" for name, value in environment.items()),
        pytest=shlex.join([python, "-m", "pytest", *own, *arguments]),
        folder=shlex.quote(str(folder)),
        result=shlex.quote(str(folder / "code")),
    )


def command(program: Path, folder: Path) -> list[str]:
    """How the kernel is started: this machine's files as its root, its console on our standard output."""
    return [
        str(program),
        f"mem={MEMORY}",
        "rootfstype=hostfs",
        "rootflags=/",
        "ro",  # whatever a test does inside, the machine's own files stay as they are
        f"init={folder / 'init'}",
        "quiet",
        "loglevel=3",  # the virtual host controller calls every plugging an error
        "con=null",
        "con0=null,fd:1",
        f"uml_dir={folder}",
        "umid=kernel",
    ]


def run(program: Path, libraries: Path, arguments: Sequence[str], *, limit_s: float = LIMIT_S) -> Outcome:
    """Boots, prints what comes as it comes, and gives pytest's own verdict."""
    with tempfile.TemporaryDirectory(prefix="hil-kernel-") as name:
        folder = Path(name)
        init = folder / "init"
        init.write_text(init_script(ROOT, folder, sys.executable, libraries, arguments))
        init.chmod(0o755)
        last = _boot(command(program, folder), limit_s)
        return read_outcome(folder, last)


def _boot(started: list[str], limit_s: float) -> str | None:
    """Returns when the kernel has ended; the words if it had to be ended."""
    said, late = watched(started, limit_s)
    if not late:
        return None
    return "\n".join([f"the kernel was ended after {limit_s:.0f} seconds. The last it said:", *said[-LAST_LINES:]])


def watched(started: Sequence[str], limit_s: float) -> tuple[list[str], bool]:
    """Starts a kernel and prints what comes as it comes; what it said, and whether it had to be ended."""
    late = threading.Event()
    # A session of its own, because each process inside is one outside too: they are killed together.
    with subprocess.Popen(
        started, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True
    ) as kernel:

        def end() -> None:
            late.set()
            _kill(kernel)

        timer = threading.Timer(limit_s, end)
        timer.start()
        try:
            assert kernel.stdout is not None
            said = list(_stream(kernel.stdout))
        finally:
            timer.cancel()
            _kill(kernel)
    return said, late.is_set()


def _kill(kernel: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError):  # it and all of its own have ended
        os.killpg(kernel.pid, signal.SIGKILL)


def _stream(source: IO[bytes]) -> Iterator[str]:
    for line in source:
        text = line.decode(errors="replace").rstrip("\r\n")
        print(text, flush=True)
        yield text


def read_outcome(folder: Path, ended: str | None) -> Outcome:
    """The verdict from the files that came out. `ended`: why the kernel had to be ended, if it had."""
    code_file, counts_file = folder / "code", folder / "junit.xml"
    if ended:
        return Outcome(NO_RESULT, f"FAILED: {ended}")
    code = code_file.read_text().strip() if code_file.exists() else ""
    if not code.isdecimal():
        return Outcome(NO_RESULT, "FAILED: the kernel stopped before pytest had ended; see its last words above")
    counts = _counts(counts_file) if counts_file.exists() else "pytest left no count"
    return Outcome(int(code), f"{'passed' if code == '0' else 'FAILED'}: {counts}")


def _counts(file: Path) -> str:
    """pytest's report counts a test that is expected to fail among the skipped; here it is named apart."""
    root = ElementTree.parse(file).getroot()
    total = {
        each: sum(int(suite.get(each, "0")) for suite in root.iter("testsuite"))
        for each in ("tests", "failures", "errors", "skipped")
    }
    known = sum(skipped.get("type") == "pytest.xfail" for skipped in root.iter("skipped"))
    words = f"{total['tests']} tests in a real kernel, {total['failures'] + total['errors']} failed"
    words += f", {total['skipped'] - known} skipped"
    return f"{words}, {known} known to fail" if known else words
