"""The guest's disk: a small Debian with systemd, the package installed into it, and the probe that looks around inside.

The Debian is made once and kept in build/; the package is built and installed anew each time.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from hil.kernel.program import ROOT, NoProgram, find_program

RELEASE: Final = "bookworm"  # the oldest that the installer takes, and so the oldest systemd
PARTS: Final = "systemd-sysv,udev,python3,libusb-1.0-0,dbus"
SIZE: Final = 900 << 20
BASE: Final = ROOT / "build" / "service" / RELEASE
TOOLS: Final = {"debootstrap": "debootstrap", "mkfs.ext4": "e2fsprogs", "dpkg-deb": "dpkg", "chroot": "coreutils"}
PROBE: Final = "/root/probe.py"
PACKAGE: Final = "/root/croupier.deb"
UNIT: Final = f"""\
[Unit]
After=multi-user.target
[Service]
ExecStart=/usr/bin/python3 {PROBE}
StandardOutput=tty
TTYPath=/dev/console
Environment=PYTHONUNBUFFERED=1
[Install]
WantedBy=graphical.target
"""


def needed() -> Path:
    """The kernel; raises NoProgram with the reason where something is missing."""
    if platform.machine() != "x86_64":
        raise NoProgram(f"SKIPPED: User-Mode Linux exists for x86-64 only; this is {platform.machine()}.")
    if os.geteuid() != 0:
        raise NoProgram("SKIPPED: only root may make the guest's disk.")
    missing = sorted({package for tool, package in TOOLS.items() if shutil.which(tool) is None})
    if missing:
        raise NoProgram(f"SKIPPED: tools are missing. On Debian: apt install {' '.join(missing)}")
    if subprocess.run(["/usr/bin/python3", "-c", "import venv, ensurepip"], capture_output=True).returncode:
        raise NoProgram("SKIPPED: Debian's own python3 can't make virtual environments: apt install python3-venv")
    return find_program()


def make(folder: Path) -> Path:
    """The disk's image in `folder`. Raises RuntimeError with what a step said."""
    if not (BASE / "complete").exists():
        print(f"service: making a Debian {RELEASE} in {BASE} (once; some minutes)", flush=True)
        shutil.rmtree(BASE, ignore_errors=True)
        BASE.mkdir(parents=True)
        _run("debootstrap", "--variant=minbase", f"--include={PARTS}", RELEASE, str(BASE / "root"))
        (BASE / "complete").touch()
    root = folder / "root"
    _run("cp", "-a", "--reflink=auto", str(BASE / "root"), str(root))
    print("service: building and installing the package", flush=True)
    _run("bash", str(ROOT / "deploy" / "deb" / "build"), str(folder))
    (package,) = folder.glob("croupier-table_*.deb")
    shutil.copy(package, root / PACKAGE.lstrip("/"))
    _run("chroot", str(root), "dpkg", "-i", PACKAGE)
    shutil.copy(Path(__file__).with_name("probe.py"), root / PROBE.lstrip("/"))
    (root / "etc/systemd/system/probe.service").write_text(UNIT)
    _run("chroot", str(root), "systemctl", "enable", "probe.service")
    image = folder / "disk"
    with image.open("wb") as file:
        file.truncate(SIZE)
    _run("mkfs.ext4", "-q", "-F", "-d", str(root), str(image))
    shutil.rmtree(root)
    return image


def command(program: Path, folder: Path, image: Path) -> Sequence[str]:
    return [
        str(program), "mem=640M", f"uml_dir={folder}", "umid=service", f"ubda={image}", "root=/dev/ubda", "rw",
        "init=/lib/systemd/systemd", "systemd.show_status=0", "quiet", "loglevel=3", "con=null", "con0=null,fd:1",
    ]  # fmt: skip


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        last = "\n".join((done.stdout + done.stderr).splitlines()[-20:])
        raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}:\n{last}")
