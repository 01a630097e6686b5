"""Start to READY, and the memory then, of `croupier run` beside a bare starlette and uvicorn, turn about.

Both are new processes with warm caches. The clock runs from the start of the process until it tells the socket of
systemd that it is ready; the memory is what the kernel counts as resident at that moment, shared libraries included.
"""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import time
import tty
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import Final

from hil.bench.measure import FOLDER, Result, beside

PATIENCE_S: Final = 60.0
BARE: Final = (sys.executable, "-m", "hil.bench.bare")
CONFIG: Final = """\
[table]
name = "Benchmark"
seats = 5
currency = "$"
simulated = true

[game]
ruleset = "blackjack"

[limits.main]
min = "10"
max = "500"
step = "10"

[shoe]
driver = "tablelink"
port = "{shoe}"
decks = 6

[[display]]
name = "board"
shows = "results"
driver = "escpos"
port = "{sign}"

[journal]
path = "{folder}/table.db"

[web]
listen = "127.0.0.1:{tcp}"
"""


def run(times: int = 15) -> list[Result]:
    FOLDER.mkdir(exist_ok=True)
    with TemporaryDirectory(prefix="bench-", dir=FOLDER) as name, silent_pty() as shoe, silent_pty() as sign:
        config = Path(name) / "table.toml"
        config.write_text(CONFIG.format(shoe=shoe, sign=sign, folder=name, tcp=free_port()))
        table = (str(Path(sys.executable).with_name("croupier")), "run", "--config", str(config))
        pairs = [(_started(table), _started(BARE)) for _ in range(times + 1)][1:]
    ours, reference = zip(*pairs, strict=True)
    (ms, mb), (bare_ms, bare_mb) = zip(*ours, strict=True), zip(*reference, strict=True)
    bare = "bare starlette and uvicorn"
    return [
        beside("start to READY", "ms", ms, bare, bare_ms, aim="at most 300 ms"),
        beside("resident memory", "MB", mb, bare, bare_mb, aim="at most 40 MB"),
    ]


def _started(command: Sequence[str]) -> tuple[float, float]:
    """Milliseconds until it was ready, and megabytes then."""
    address = f"\0croupier bench {os.getpid()}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as ear, TemporaryFile() as log:
        ear.bind(address)
        ear.settimeout(1.0)
        environment = {**os.environ, "NOTIFY_SOCKET": f"@{address[1:]}"}
        start = time.perf_counter()
        with subprocess.Popen(command, env=environment, stdout=log, stderr=log) as process:
            try:
                while not _says_ready(ear):
                    if process.poll() is not None or time.perf_counter() - start > PATIENCE_S:
                        log.seek(0)
                        raise RuntimeError(f"{' '.join(command)} did not become ready: {log.read().decode()}")
                return (time.perf_counter() - start) * 1e3, _resident_mb(process.pid)
            finally:
                process.terminate()


def _says_ready(ear: socket.socket) -> bool:
    try:
        return ear.recv(4096).startswith(b"READY=1")
    except TimeoutError:
        return False


def _resident_mb(pid: int) -> float:
    found = re.search(r"^VmRSS:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE)
    assert found is not None
    return int(found[1]) / 1024


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def silent_pty() -> Iterator[str]:
    """A device that says nothing: being ready does not wait for one."""
    ours, theirs = os.openpty()
    try:
        tty.setraw(theirs)
        yield os.ttyname(theirs)
    finally:
        os.close(ours)
        os.close(theirs)
