"""A guest kernel with the table in it: booted on an ext4 image, listened to, and killed as if its plug were pulled.

The guest's kernel holds what was written and not yet synced; that dies with it. What had reached the image is kept, as
on a card. The machine's own files are its root, read only: the checkout runs inside as it is.
"""

from __future__ import annotations

import contextlib
import os
import platform
import shlex
import shutil
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from hil.kernel.boot import command
from hil.kernel.program import ROOT, NoProgram, find_program
from hil.powercut import words

IMAGE_BYTES: Final = 64 << 20
BLOCK: Final = 4096  # as on a card; mkfs would take smaller ones for so small a disk
LAST_LINES: Final = 40
SYSTEM_TOOLS: Final = ("/usr/sbin", "/sbin")  # where mkfs.ext4 is, and a user's PATH may not be
DISK: Final = "/run/table"
FILL: Final = "fill"
TABLE: Final = f"""\
[table]
name = "Power cut"
seats = 3
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
port = "/dev/ttyS0"
decks = 6

[journal]
path = "{DISK}/table.db"
"""

_INIT: Final = """\
#!/bin/sh
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
mount -t proc proc /proc
mount -t sysfs sysfs /sys
grep -q ' /dev devtmpfs ' /proc/mounts || mount -t devtmpfs devtmpfs /dev
exec </dev/null >/dev/console 2>&1
mount -t tmpfs tmpfs /run
mkdir /run/tmp {disk}
mount -t hostfs -o {folder} hostfs {folder}
echo '{mounting}'
if ! mount -t ext4 /dev/ubda {disk}; then
    echo '{no_disk}'
    exec sleep 1000
fi
dmesg | grep -q 'recovery complete' && echo '{replayed}'
for name in table.db table.db-wal; do
    if [ -e {disk}/$name ]; then cp {disk}/$name {folder}/; fi
done
echo '{evidence}'
rm -f {disk}/filler
ip link set lo up 2>/dev/null
cd {root}
export HOME=/run TMPDIR=/run/tmp PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1
({table}; echo "{ended} $?") &
exec {dealer}
"""


class NoImage(NoProgram):
    """There is nothing to make a disk with, or no kernel that could use it: skipped, with these words."""


def needed() -> tuple[Path, str]:
    """The kernel and the maker of disks; raises NoProgram with the reason where there is none."""
    if platform.machine() != "x86_64":
        raise NoImage(f"SKIPPED: User-Mode Linux exists for x86-64 only; this is {platform.machine()}.")
    program = find_program()
    maker = shutil.which("mkfs.ext4", path=os.pathsep.join((os.environ.get("PATH", ""), *SYSTEM_TOOLS)))
    if maker is None:
        raise NoImage("SKIPPED: no mkfs.ext4 to make the guest's disk with. On Debian: apt install e2fsprogs")
    return program, maker


def make_image(maker: str, path: Path) -> None:
    """An empty disk. It is sparse: only what the guest writes takes room."""
    with path.open("wb") as image:
        image.truncate(IMAGE_BYTES)
    made = subprocess.run([maker, "-q", "-F", "-b", str(BLOCK), path], capture_output=True, text=True)
    if made.returncode:
        raise RuntimeError(f"mkfs.ext4 could not make the guest's disk {path}: {made.stderr.strip()}")


def init_script(folder: Path, *, seed: int, careless: bool, fill: bool) -> str:
    """What runs as process 1. `folder` is the only one of this machine that can be written."""
    croupier = str(Path(sys.executable).with_name("croupier"))
    start = [sys.executable, "-m", "hil.powercut.careless"] if careless else [croupier]
    dealer = [sys.executable, "-m", "hil.powercut.dealer", f"{DISK}/table.sock", str(seed)]
    if fill:
        dealer.append(FILL)
    return _INIT.format(
        disk=DISK,
        folder=shlex.quote(str(folder)),
        root=shlex.quote(str(ROOT)),
        table=shlex.join([*start, "run", "--config", str(folder / "table.toml")]),
        dealer=shlex.join(dealer),
        mounting=words.MOUNTING,
        no_disk=words.NO_DISK,
        replayed=words.REPLAYED,
        evidence=words.EVIDENCE,
        ended=words.ENDED,
    )


class Guest:
    """One start of the kernel, in a folder of its own."""

    def __init__(
        self, program: Path, folder: Path, image: Path, line: str, *, seed: int, careless: bool, fill: bool = False
    ) -> None:
        folder.mkdir()
        self.folder = folder
        (folder / "table.toml").write_text(TABLE)
        init = folder / "init"
        init.write_text(init_script(folder, seed=seed, careless=careless, fill=fill))
        init.chmod(0o755)
        # ubda without a letter behind it: the guest's writes go through its own cache, as to a card
        started = [*command(program, folder), f"ubda={image}", "ssl=null", f"ssl0=tty:{line}"]
        # A session of its own, because each process inside is one outside too: they are killed together.
        self._process = subprocess.Popen(
            started, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True
        )
        assert self._process.stdout is not None
        self.descriptor = self._process.stdout.fileno()
        os.set_blocking(self.descriptor, False)
        self._rest = b""
        self.last: deque[str] = deque(maxlen=LAST_LINES)
        self.ended = False

    def hear(self) -> Sequence[str]:
        """What it said since the last time; a line that is not whole is kept until it is. Never waits."""
        try:
            while data := os.read(self.descriptor, 1 << 16):
                self._rest += data
            self.ended = True
        except BlockingIOError:
            pass
        *whole, self._rest = self._rest.split(b"\n")
        lines = [line.decode(errors="replace").rstrip("\r") for line in whole]
        self.last.extend(lines)
        return lines

    def kill(self) -> None:
        """The power is gone: the kernel and all that ran in it, at once. May be called again."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()
