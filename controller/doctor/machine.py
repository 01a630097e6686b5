"""A machine as it was found: the texts of its files, its table, its devices. Frozen values; nothing is looked up here.

What could not be read is a value too, so that a check can say so and no other is stopped by it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final, Literal

from msgspec import Struct

from controller.config.model import TableConfig
from controller.doctor.users import Account
from controller.store.clock import Stamp

UNIT: Final = "croupier.service"
UNIT_PLACES: Final = ("/etc/systemd/system", "/run/systemd/system", "/usr/lib/systemd/system", "/lib/systemd/system")
READS: Final = (
    "/proc/device-tree/model",
    "/proc/meminfo",
    "/proc/mounts",
    "/proc/net/route",
    "/etc/passwd",
    "/etc/group",
    "/sys/devices/platform/soc*/soc*:firmware/get_throttled",
    "/sys/class/hwmon/hwmon*/name",
    "/sys/class/hwmon/hwmon*/in0_lcrit_alarm",
    "/sys/class/thermal/thermal_zone*/type",
    "/sys/class/thermal/thermal_zone*/temp",
    "/sys/fs/ext4/*/errors_count",
    "/sys/fs/ext4/*/last_error_func",
    "/sys/block/mmcblk*/device/type",
    "/sys/block/mmcblk*/device/name",
    "/sys/block/mmcblk*/device/life_time",
    "/sys/block/mmcblk*/device/pre_eol_info",
    "/sys/kernel/debug/mmc*/err_stats",
    "/sys/class/rtc/rtc*/name",
    "/sys/class/rtc/rtc*/since_epoch",
    *(f"{place}/{UNIT}" for place in UNIT_PLACES),
    *(f"{place}/{UNIT}.d/*.conf" for place in UNIT_PLACES),
)

DeviceState = Literal["ready", "answers", "opens", "silent", "missing", "held", "forbidden", "failed", "unasked"]


class Seen(Struct, frozen=True, kw_only=True):
    """A file or folder of the table. `trouble` says why it could not be looked at; then the rest is empty."""

    path: str
    what: str  # "the journal"
    kind: Literal["file", "folder", "socket", "other", "none"] = "none"
    private: bool = False  # for its owner's eyes alone
    written: bool = False  # the table writes it
    mode: int = 0
    uid: int = -1
    gid: int = -1
    trouble: str = ""


class Space(Struct, frozen=True, kw_only=True):
    """Room on the disk below a folder, in bytes; `files` is how many more there can be (None: without limit)."""

    path: str
    what: str
    free: int
    total: int
    files: int | None = None


class DeviceSeen(Struct, frozen=True, kw_only=True):
    """A device of the configuration, and what became of looking at its port. `node` is the file in /dev behind it."""

    name: str
    driver: str
    address: str
    simulated: bool = False
    state: DeviceState = "unasked"
    words: str = ""
    advice: str = ""
    node: str = ""
    node_mode: int = 0
    node_uid: int = -1
    node_gid: int = -1


class JournalSeen(Struct, frozen=True, kw_only=True):
    """The table's journal; `trouble` in words, with advice, where it can't be used."""

    path: str
    there: bool = False
    records: int = 0
    last: str = ""  # the wall clock of the newest record
    trouble: str = ""
    advice: str = ""


class Installed(Struct, frozen=True, kw_only=True):
    """What runs here. `places`: where each of our packages is imported from; `others`: what else has such a name."""

    version: str
    python: str
    prefix: str
    ours: str  # the folder that holds our packages
    made: float = 0.0  # when that was put there, by the clock of then
    libraries: Mapping[str, str] = {}  # distributions by normal name
    requires: tuple[str, ...] = ()
    places: Mapping[str, str] = {}
    others: Mapping[str, tuple[str, ...]] = {}
    commands: tuple[str, ...] = ()  # `croupier` on PATH, the first first, each program once
    running: str = ""  # the command that runs now


class Machine(Struct, frozen=True, kw_only=True):
    """One look at everything. `table` is None where there is no configuration, or none that can be used."""

    texts: Mapping[str, str] = {}
    unreadable: Mapping[str, str] = {}  # path → why
    stamp: Stamp
    me: Account
    active_groups: tuple[int, ...] = ()  # of this very session
    runner: Account  # who runs the table, or would
    under_unit: bool = False  # the unit runs this configuration
    config: str = ""
    problems: tuple[str, ...] = ()  # why the configuration can't be used
    table: TableConfig | None = None
    files: tuple[Seen, ...] = ()
    spaces: tuple[Space, ...] = ()
    devices: tuple[DeviceSeen, ...] = ()
    daemon: str = "none"  # "none", "runs", or in words why it can't be asked
    daemon_trouble: str = ""  # why the running table takes no input
    journal: JournalSeen | None = None
    installed: Installed
    service: Mapping[str, str] | None = None  # what systemd says of the unit; None where there is no systemd
    listening: str = ""  # why the pages' address can't be had
    failures: Mapping[str, str] = {}  # what of all this could not be gathered, and why

    def text(self, path: str) -> str | None:
        return self.texts.get(path)

    def matching(self, pattern: str) -> Iterator[tuple[str, str]]:
        """Path and text of every file that fits, in order."""
        return ((path, self.texts[path]) for path in sorted(self.texts) if fnmatchcase(path, pattern))

    @property
    def model(self) -> str:
        """`Raspberry Pi 5 Model B Rev 1.0`; empty on a machine that is none."""
        return (self.texts.get("/proc/device-tree/model") or "").rstrip("\0\n ")

    @property
    def is_pi(self) -> bool:
        return "Raspberry Pi" in self.model

    @property
    def folder(self) -> Path | None:
        """The journal's, where everything is that the table writes."""
        return self.table.journal.parent if self.table is not None else None
