"""A Chromium that shows one page, asked over a pipe whether the page lives. Opens no port that others could use.

The pipe is Chromium's own (`--remote-debugging-pipe`): it reads at descriptor 3 and writes at 4, JSON with a zero byte
behind each message.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

SILENT_S: Final = 20.0  # a page that answers nothing for so long hangs; a Pi's first one takes ten
_CRASHED: Final = ("Target.targetCrashed", "Inspector.targetCrashed")
_HIGH: Final = 100  # where no descriptor of ours is


class PageGone(Exception):
    """The page has died, hangs or was closed; the words say which."""


class Browser:
    """Made by `opened`, which also ends it."""

    def __init__(self, read: int, write: int) -> None:
        self._read, self._write = read, write
        self._number = 0
        self._heard = b""
        self._session = ""

    def attend(self) -> None:
        """To the first page that it shows, which may take a while to be there."""
        self._ask("Target.setDiscoverTargets", discover=True)
        limit = time.monotonic() + SILENT_S
        while time.monotonic() < limit:
            for target in self._ask("Target.getTargets")["targetInfos"]:
                if target["type"] == "page":
                    self._session = self._ask("Target.attachToTarget", targetId=target["targetId"], flatten=True)[
                        "sessionId"
                    ]
                    return
            self.listen(0.2)
        raise PageGone("the browser shows no page")

    def where(self) -> str:
        """The page's address, from the page itself. Raises PageGone if it does not answer."""
        return str(self._ask("Runtime.evaluate", expression="location.href")["result"].get("value", ""))

    def go(self, address: str) -> None:
        self._ask("Page.navigate", url=address)

    def listen(self, seconds: float) -> None:
        """Waits, and raises PageGone at once if the page crashes meanwhile."""
        limit = time.monotonic() + seconds
        while self._message(limit) is not None:
            pass

    def _ask(self, method: str, **parameters: Any) -> Any:
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        with contextlib.suppress(BrokenPipeError):  # the answer that does not come says why
            os.write(self._write, json.dumps(message).encode() + b"\0")
        limit = time.monotonic() + SILENT_S
        while (said := self._message(limit)) is not None:
            if said.get("id") != self._number:
                continue
            if "error" in said:
                raise PageGone(f"the browser refused {method}: {said['error'].get('message')}")
            return said["result"]
        raise PageGone(f"the page did not answer for {SILENT_S:g} seconds")

    def _message(self, limit: float) -> dict[str, Any] | None:
        """The next message; None if none came in time."""
        while b"\0" not in self._heard:
            if not select.select([self._read], [], [], max(0.0, limit - time.monotonic()))[0]:
                return None
            data = os.read(self._read, 65536)
            if not data:
                raise PageGone("the browser has ended")
            self._heard += data
        line, _, self._heard = self._heard.partition(b"\0")
        said: dict[str, Any] = json.loads(line)
        if said.get("method") in _CRASHED:
            raise PageGone("the page has crashed")
        if said.get("method") == "Target.detachedFromTarget":
            raise PageGone("the page was closed")
        return said


@contextmanager
def opened(command: Sequence[str], log: Path) -> Iterator[Browser]:
    """Raises FileNotFoundError where there is no such program. It and its children end with the block. What it says
    goes to `log`, because a Chromium without a desktop complains all day."""
    their_read, our_write = os.pipe()
    our_read, their_write = os.pipe()
    theirs = [os.dup2(each, _HIGH + place, inheritable=False) for place, each in enumerate((their_read, their_write))]
    os.close(their_read)
    os.close(their_write)
    try:
        actions: list[tuple[Any, ...]] = [(os.POSIX_SPAWN_DUP2, theirs[0], 3), (os.POSIX_SPAWN_DUP2, theirs[1], 4)]
        actions.append((os.POSIX_SPAWN_OPEN, 2, os.fspath(log), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600))
        pid = os.posix_spawnp(command[0], list(command), os.environ, file_actions=actions, setpgroup=0)
    finally:
        for each in theirs:
            os.close(each)
    try:
        yield Browser(our_read, our_write)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(our_read)
        os.close(our_write)
