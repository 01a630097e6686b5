"""HTTP over the daemon's Unix socket, for commands: one request, one answer. Raises OSError where nobody answers."""

from __future__ import annotations

import http.client
import os
import socket
from collections.abc import Mapping
from pathlib import Path
from typing import Final

ANSWER_S: Final = 10.0  # a table answers at once; a disk that is slow to wake takes seconds


class SocketLine(http.client.HTTPConnection):
    def __init__(self, path: Path) -> None:
        super().__init__("localhost", timeout=ANSWER_S)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(ANSWER_S)
        self.sock.connect(os.fspath(self._path))


def ask(
    path: Path, method: str, address: str, body: bytes | None = None, headers: Mapping[str, str] | None = None
) -> tuple[int, bytes]:
    """Raises http.client.HTTPException for what is no HTTP."""
    line = SocketLine(path)
    try:
        line.request(method, address, body, dict(headers or {}))
        answer = line.getresponse()
        return answer.status, answer.read()
    finally:
        line.close()
