"""Raspberry Pis as folders of the files that the doctor reads, good ones and bad ones, and what it finds there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from controller.config.model import TableConfig
from controller.doctor.checks import examine
from controller.doctor.finding import Finding
from controller.doctor.gather import gather
from controller.doctor.machine import DeviceSeen, Installed, Machine
from controller.store.clock import Clock, Stamp

MODELS = {
    3: "Raspberry Pi 3 Model B Plus Rev 1.3\0",
    4: "Raspberry Pi 4 Model B Rev 1.4\0",
    5: "Raspberry Pi 5 Model B Rev 1.0\0",
}
PASSWD = """\
root:x:0:0:root:/root:/bin/bash
pi:x:1000:1000:,,,:/home/pi:/bin/bash
croupier:x:990:985:Croupier table:/var/lib/croupier:/usr/sbin/nologin
"""
GROUP = """\
root:x:0:
tty:x:5:
dialout:x:20:pi,croupier
plugdev:x:46:pi,croupier
input:x:101:pi,croupier
spi:x:989:pi,croupier
gpio:x:986:pi,croupier
croupier:x:985:
pi:x:1000:
"""
MOUNTS = """\
sysfs /sys sysfs rw,nosuid,nodev,noexec,relatime 0 0
/dev/mmcblk0p2 / ext4 rw,noatime 0 0
tmpfs /run tmpfs rw,nosuid,nodev,size=788k,mode=755 0 0
/dev/mmcblk0p1 /boot/firmware vfat rw,relatime 0 0
"""
MEMINFO = """\
MemTotal:        3884044 kB
MemFree:         2717620 kB
MemAvailable:    3359188 kB
"""
UNIT = (Path(__file__).parents[3] / "deploy" / "systemd" / "croupier.service").read_text()
GOOD = {
    "proc/meminfo": MEMINFO,
    "proc/mounts": MOUNTS,
    "etc/passwd": PASSWD,
    "etc/group": GROUP,
    "sys/devices/platform/soc/soc:firmware/get_throttled": "0\n",
    "sys/class/hwmon/hwmon0/name": "cpu_thermal\n",
    "sys/class/hwmon/hwmon1/name": "rpi_volt\n",
    "sys/class/hwmon/hwmon1/in0_lcrit_alarm": "0\n",
    "sys/class/thermal/thermal_zone0/type": "cpu-thermal\n",
    "sys/class/thermal/thermal_zone0/temp": "47712\n",
    "sys/fs/ext4/mmcblk0p2/errors_count": "0\n",
    "sys/block/mmcblk0/device/type": "SD\n",
    "sys/block/mmcblk0/device/name": "SC32G\n",
}
INSTALLED = Installed(
    version="0.1.0",
    python="3.11.2",
    prefix="/opt/croupier/current",
    ours="/opt/croupier/current/lib/python3.11/site-packages",
    made=1_790_000_000.0,  # September 2026
    libraries={"click": "8.1.7", "msgspec": "0.18.6", "rpi-lgpio": "0.6"},
    requires=("click>=8.1", "msgspec>=0.18", 'rpi-lgpio>=0.6; extra == "pi"'),
)
CONFIG = """\
[table]
name = "Table 7"
simulated = true
[game]
ruleset = "power_blackjack"
[limits.main]
min = "10"
max = "500"
step = "10"
[shoe]
driver = "simulated"
"""
SHOE = DeviceSeen(name="shoe", driver="shoe.angel_eye", address="/dev/ttyUSB0", state="ready", words="ready")

Change = Callable[[Machine], Machine]


def make(root: Path, model: int = 4, files: dict[str, str | None] | None = None) -> Path:
    """A good Pi, but for `files`: another text, or None for a file that is not there."""
    wanted: dict[str, str | None] = {**GOOD, "proc/device-tree/model": MODELS[model], **(files or {})}
    for name, text in wanted.items():
        if text is not None:
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    return root


def config_in(folder: Path, text: str = CONFIG) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "table.toml"
    path.write_text(text)
    return path


def looked(
    root: Path,
    config: Path | None = None,
    *,
    devices: Sequence[DeviceSeen] = (),
    daemon: str = "runs",
    trouble: str = "",
    wall: str = "2026-10-01T20:00:00.000Z",
    clock: Clock = "ntp",
    installed: Installed = INSTALLED,
) -> Machine:
    def told(table: TableConfig) -> tuple[str, str, Sequence[DeviceSeen]]:
        return daemon, trouble, devices

    return gather(config, told, root=root, stamp=lambda: Stamp(wall, clock, 1), is_installed=lambda: installed)


def found(machine: Machine, subject: str) -> list[Finding]:
    return [each for each in examine(machine) if each.subject == subject]


def one(machine: Machine, subject: str) -> Finding:
    """The only finding of that subject."""
    (only,) = found(machine, subject)
    return only
