"""A keypad made through the kernel's uinput: its keys go down and up as a test says. Needs /dev/uinput and root."""

from __future__ import annotations

import fcntl
import os
import struct
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from hil.kernel.usb_device import wait_until

# linux/uinput.h, by _IO, _IOW and _IOR of 'U'
UI_DEV_CREATE, UI_DEV_DESTROY = 0x5501, 0x5502
UI_DEV_SETUP: Final = 0x405C5503
UI_SET_EVBIT, UI_SET_KEYBIT = 0x40045564, 0x40045565
UI_GET_SYSNAME: Final = 0x8040552C  # 64 bytes of room
EV_SYN, EV_KEY, EV_REP = 0, 1, 0x14
SYN_REPORT: Final = 0
BUS_USB: Final = 3

_SETUP: Final = struct.Struct("HHHH80sI")
_EVENT: Final = struct.Struct("llHHi")


class Keypad:
    """Plugged in from the start until `unplug`."""

    def __init__(self, codes: Iterable[int], name: str = "Kernel keypad", product: int = 0xCA50) -> None:
        self._fd = os.open("/dev/uinput", os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        fcntl.ioctl(self._fd, UI_SET_EVBIT, EV_KEY)
        fcntl.ioctl(self._fd, UI_SET_EVBIT, EV_REP)  # a key that stays down repeats, as a real keypad's does
        for code in codes:
            fcntl.ioctl(self._fd, UI_SET_KEYBIT, code)
        fcntl.ioctl(self._fd, UI_DEV_SETUP, _SETUP.pack(BUS_USB, 0x1209, product, 1, name.encode(), 0))
        fcntl.ioctl(self._fd, UI_DEV_CREATE)
        self.path = self._find()

    def press(self, code: int, held_s: float = 0.0) -> None:
        self.turn(code, True)
        time.sleep(held_s)
        self.turn(code, False)

    def turn(self, code: int, down: bool) -> None:
        now = time.time()
        for kind, number, value in ((EV_KEY, code, int(down)), (EV_SYN, SYN_REPORT, 0)):
            os.write(self._fd, _EVENT.pack(int(now), int(now % 1 * 1e6), kind, number, value))

    def unplug(self) -> None:
        """Twice is once."""
        if self._fd >= 0:
            fcntl.ioctl(self._fd, UI_DEV_DESTROY)
            os.close(self._fd)
            self._fd = -1

    def _find(self) -> str:
        name = fcntl.ioctl(self._fd, UI_GET_SYSNAME, bytes(64)).rstrip(b"\0").decode()
        folder = Path("/sys/devices/virtual/input") / name
        wait_until(lambda: any(folder.glob("event*")), "an event device of the keypad")
        return f"/dev/input/{next(folder.glob('event*')).name}"
