"""Tells systemd that the table is ready, what it is doing and that it is alive; does nothing where nobody asked."""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping
from typing import Final

USEC: Final = 1_000_000


class Notifier:
    """`NOTIFY_SOCKET` names who is told; without it every call is in vain and harmless."""

    def __init__(self, environment: Mapping[str, str] = os.environ) -> None:
        self._address = environment.get("NOTIFY_SOCKET", "")
        usec = environment.get("WATCHDOG_USEC", "")
        for_us = environment.get("WATCHDOG_PID", str(os.getpid())) == str(os.getpid())
        self.watchdog_s = int(usec) / USEC if usec.isdigit() and for_us else 0.0

    def ready(self, words: str) -> None:
        self._tell("READY=1", _status(words))

    def status(self, words: str) -> None:
        self._tell(_status(words))

    def alive(self) -> None:
        if self.watchdog_s:
            self._tell("WATCHDOG=1")

    def stopping(self) -> None:
        self._tell("STOPPING=1", _status("ending"))

    def _tell(self, *lines: str) -> None:
        if not self._address:
            return
        address = "\0" + self._address[1:] if self._address.startswith("@") else self._address
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC | socket.SOCK_NONBLOCK) as line:
            try:
                line.sendto("\n".join(lines).encode(), address)
            except OSError:
                return  # who asked is gone or does not read; a table does not wait for that


def _status(words: str) -> str:
    return f"STATUS={' '.join(words.split())}"  # a line end would begin another assignment
