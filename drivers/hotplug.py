"""Notices that something was plugged in or out, by looking once a second at the folders where devices appear.

Looking is cheaper than it sounds (four listings, well below a millisecond) and needs no udev, which a container and
a small image may not have. It says only that something changed: what it was, each supervisor finds out by trying.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Hashable
from typing import Final

FOLDERS: Final = ("/dev", "/dev/serial/by-id", "/dev/input", "/sys/bus/usb/devices")
EVERY_S: Final = 1.0


def listing(folders: tuple[str, ...] = FOLDERS) -> frozenset[tuple[str, str, int]]:
    """What is there now. With the inode, because a device unplugged and plugged in between two looks has a new one."""
    found: set[tuple[str, str, int]] = set()
    for folder in folders:
        try:
            with os.scandir(folder) as entries:
                found.update((folder, entry.name, entry.inode()) for entry in entries)
        except OSError:
            continue  # by-id is there only while a serial adapter is, sysfs not in every container
    return frozenset(found)


class HotPlug:
    """Calls `plugged`, which is quick and raises nothing, whenever the listing changed."""

    def __init__(
        self, plugged: Callable[[], None], *, look: Callable[[], Hashable] = listing, every_s: float = EVERY_S
    ) -> None:
        self._plugged, self._look, self._every = plugged, look, every_s
        self._seen = look()
        self._task: asyncio.Task[None] | None = None

    def check(self) -> bool:
        """Look now; whether something changed."""
        now = self._look()
        changed, self._seen = now != self._seen, now
        if changed:
            self._plugged()
        return changed

    def start(self) -> None:
        if self._task is None:
            self._task = asyncio.create_task(self._run(), name="hot-plug")

    async def stop(self) -> None:
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            await asyncio.wait((task,))

    async def _run(self) -> None:
        while True:
            await asyncio.sleep(self._every)
            self.check()
