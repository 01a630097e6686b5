"""What time it is, and how far to believe it. Never used to order records: a Pi has no clock of its own."""

from __future__ import annotations

import ctypes
import functools
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Literal

from msgspec import Struct

Clock = Literal["ntp", "rtc", "unset"]
Stamper = Callable[[], "Stamp"]

FIRST_YEAR: Final = 2025  # this program is younger than any year before; such a clock was never set
TIME_ERROR: Final = 5  # adjtimex(2): the kernel's clock is not synchronised (STA_UNSYNC)
TIMEX_ROOM: Final = 512  # bytes; struct timex is 208 at most, and differs between machines
SYNCHRONIZED: Final = Path("/run/systemd/timesync/synchronized")


class Stamp(Struct, frozen=True):
    """One moment: UTC to the millisecond, its quality, and the clock that only goes forward."""

    wall: str
    clock: Clock
    monotonic_ns: int


def now(
    *,
    time_ns: Callable[[], int] = time.time_ns,
    monotonic_ns: Callable[[], int] = time.monotonic_ns,
    synchronised: Callable[[], bool] | None = None,
) -> Stamp:
    milliseconds = time_ns() // 1_000_000
    moment = datetime.fromtimestamp(milliseconds // 1000, UTC)
    wall = f"{moment:%Y-%m-%dT%H:%M:%S}.{milliseconds % 1000:03d}Z"
    clock: Clock
    if moment.year < FIRST_YEAR:
        clock = "unset"
    else:
        clock = "ntp" if (synchronised or is_synchronised)() else "rtc"
    return Stamp(wall, clock, monotonic_ns())


def is_synchronised(*, ask_kernel: Callable[[], int] | None = None, flag: Path = SYNCHRONIZED) -> bool:
    """Whether something keeps the clock right now.

    The kernel is asked first: it takes its word back when nobody has corrected the clock for hours, and the file of
    systemd-timesyncd stays for ever. The file counts where the kernel may not be asked (ProtectClock=yes).
    """
    state = (ask_kernel or _clock_state)()
    if state < 0:
        return flag.exists()
    return state != TIME_ERROR


def _clock_state() -> int:
    """What adjtimex(2) returns when it is asked to change nothing; negative where it is forbidden or missing."""
    # The answer is in the return value, so that the layout of struct timex need not be known here.
    adjtimex = _adjtimex()
    return -1 if adjtimex is None else int(adjtimex(ctypes.create_string_buffer(TIMEX_ROOM)))


@functools.cache
def _adjtimex() -> Callable[..., int] | None:
    try:
        return ctypes.CDLL(None).adjtimex
    except (OSError, AttributeError):
        return None
