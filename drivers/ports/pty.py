"""A pty as a cable: a path that any program opens as a serial port, and our end of it. For simulated devices.

While `hold` keeps a descriptor of the path open, its name is given to nobody else, and a program that goes away is no
hang-up: reads wait for the next one. A device whose protocol has no word for it says by a mark on the path that it is
simulated.
"""

from __future__ import annotations

import os
import select
import stat
import tty
from typing import Final

from drivers.ports.descriptor import DescriptorPort
from drivers.ports.holders import PROC, is_pty, open_count

MARK: Final = stat.S_ISVTX  # the sticky bit: it means nothing on a device, and no program sets it by itself


def is_marked(status: os.stat_result) -> bool:
    """Whether this is a pty that a simulated device marked."""
    return is_pty(status) and bool(status.st_mode & MARK)


class PtyPair:
    """`path` for the host, `port` for the device. `port.close()` is the unplugging; `close` gives the name back too."""

    def __init__(self, *, hold: bool = True) -> None:
        master, slave = os.openpty()
        try:
            tty.setraw(slave)
            self.path = os.ttyname(slave)
            os.set_blocking(master, False)
            self.port = DescriptorPort(self.path, master)
        except BaseException:
            os.close(master)
            os.close(slave)
            raise
        self._master = master
        self._held: int | None = slave
        if not hold:
            self._let_go()

    def mark(self) -> None:
        """Say to whoever opens the path that no hardware is behind it."""
        os.chmod(self.path, stat.S_IMODE(os.stat(self.path).st_mode) | MARK)

    def attached(self) -> bool:
        """Whether a program has the path open now, beside the pair itself."""
        if self.port.closed:
            return False
        if self._held is not None:
            return open_count(self.path, PROC) > 1
        return not self._poll(0) & select.POLLHUP

    def spoken_to(self) -> bool:
        """Whether bytes wait here: a program may have written them and closed the path again."""
        return not self.port.closed and bool(self._poll(select.POLLIN) & select.POLLIN)

    async def close(self) -> None:
        await self.port.close()
        self._let_go()

    def _poll(self, wanted: int) -> int:
        poll = select.poll()
        poll.register(self._master, wanted)
        return sum(events for _, events in poll.poll(0))

    def _let_go(self) -> None:
        held, self._held = self._held, None
        if held is not None:
            os.close(held)
