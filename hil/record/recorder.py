"""Records what passes through ports, in a thread of its own, into a capture and the same in words beside it.

Never stands in the way of the table: a disk that is full, fails or can't keep up ends the recording in words, and a
limit keeps it from filling the disk. Nothing grows but the files, up to that limit.
"""

from __future__ import annotations

import os
import queue
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, TextIO

from msgspec import structs

from drivers.ports.tapped import Happened, Passed, PortEnded, PortOpened, Tell
from firmware_protocol.line_reader import CardMap
from hil.record.capture import (
    OWNER_ALONE,
    CaptureWriter,
    Chunk,
    Ended,
    Entered,
    Entry,
    Gone,
    Header,
    Opened,
    check_ports,
)
from hil.record.meaning import Meaning, words_of

MAX_WAITING: Final = 8 * 1024 * 1024  # bytes that wait for a slow disk
END_S: Final = 10.0  # for what waits to be written at the end
LINE: Final = 100  # bytes that an entry takes beside its data, about
MB: Final = 1_000_000


class Recorder:
    """`tell` gives what a port's tap is told to. `stop` ends the recording; `trouble` says why it ended by itself.

    `limit` in bytes is of the files of one part, both together; at the limit a new part begins while `keep` allows,
    and of more than `keep` parts the oldest goes. With one part the recording ends there.
    """

    def __init__(
        self,
        path: Path,
        header: Header,
        *,
        limit: int,
        keep: int = 1,
        cards: Mapping[str, CardMap] | None = None,
        say: Callable[[str], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Makes the first files; raises OSError or BadCapture where that can't be."""
        check_ports(header.ports)
        self.path, self.trouble = path, ""
        self._header, self._limit, self._keep, self._say, self._clock = header, limit, keep, say, clock
        self._open: dict[str, Opened] = {}
        self._told = _Told(header, cards or {})
        self._files = _Files(path, header)
        self._queue: queue.SimpleQueue[Entry | None] = queue.SimpleQueue()
        self._waiting = 0
        self._lock = threading.Lock()
        self._began = clock()
        self._over = False
        self._thread = threading.Thread(target=self._write_all, name="recording", daemon=True)
        self._thread.start()

    def tell(self, port: str) -> Tell:
        def told(happened: Happened) -> None:
            t = self._now()
            match happened:
                case PortOpened():
                    self._put(Opened(t=t, port=port, words=happened.words, simulated=happened.simulated), 0)
                case Passed():
                    entry = Chunk(t=t, port=port, direction=happened.direction, data=happened.data)
                    self._put(entry, len(happened.data))
                case PortEnded():
                    self._put(Gone(t=t, port=port, words=happened.words, lost=happened.lost), 0)

        return told

    def entered(self, what: dict[str, Any], who: str) -> None:
        self._put(Entered(t=self._now(), what=what, who=who), 0)

    def stop(self, words: str) -> None:
        """Everything so far is in the files afterwards, unless the disk takes longer than END_S."""
        self._put(Ended(t=self._now(), words=words), 0)
        self._over = True
        self._queue.put(None)
        self._thread.join(END_S)
        if self._thread.is_alive() and not self.trouble:
            self._fail("the disk did not take the end of the recording in time")

    def _now(self) -> float:
        return self._clock() - self._began

    def _put(self, entry: Entry, size: int) -> None:
        if self._over:
            return
        with self._lock:
            self._waiting += size + LINE
            full = self._waiting > MAX_WAITING
        if full:
            self._fail(f"the disk can't keep up: {MAX_WAITING // MB} MB wait to be written")
        else:
            self._queue.put(entry)

    def _fail(self, words: str) -> None:
        self._over = True
        self.trouble = words
        self._say(f"the recording ended, and the table goes on without it: {words}")

    # In the thread

    def _write_all(self) -> None:
        try:
            while (entry := self._queue.get()) is not None:
                with self._lock:
                    self._waiting -= (len(entry.data) if isinstance(entry, Chunk) else 0) + LINE
                self._write(entry)
                if self._files.size >= self._limit and not isinstance(entry, Ended) and not self._next_part(entry.t):
                    return
        except OSError as error:
            self._fail(f"{self._files.path} can't be written: {error.strerror}")
        finally:
            self._files.close()

    def _write(self, entry: Entry) -> None:
        match entry:
            case Opened():
                self._open[entry.port] = entry
            case Gone():
                self._open.pop(entry.port, None)
        self._files.write(entry, self._told.lines(entry))

    def _next_part(self, t: float) -> bool:
        """Whether the recording goes on."""
        number = self._header.part + 1
        if self._keep == 1:
            words = f"its limit of {self._limit / MB:g} MB is reached"
            self._write(Ended(t=t, words=words))
            self._fail(words)
            return False
        path = part_path(self.path, number)
        self._write(Ended(t=t, words=f"it goes on in {path.name}"))
        self._files.close()
        self._header = structs.replace(self._header, part=number)
        self._files = _Files(path, self._header)
        for opened in self._open.values():
            self._files.write(structs.replace(opened, t=t, words=f"{opened.words} since the part before"), ())
        for old in (part_path(self.path, number - self._keep),) if number > self._keep else ():
            old.unlink(missing_ok=True)
            words_path(old).unlink(missing_ok=True)
        return True


def part_path(path: Path, number: int) -> Path:
    """`floor.capture`, `floor.capture.2`, …"""
    return path if number == 1 else path.with_name(f"{path.name}.{number}")


def words_path(path: Path) -> Path:
    return path.with_name(f"{path.name}.txt")


class _Files:
    """The capture and its words."""

    def __init__(self, path: Path, header: Header) -> None:
        self.path = path
        self._capture = CaptureWriter(path, header)
        try:
            descriptor = os.open(words_path(path), os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, OWNER_ALONE)
        except OSError:
            self._capture.close()
            path.unlink()
            raise
        self._text: TextIO = open(descriptor, "w", encoding="utf-8", buffering=1)  # noqa: SIM115  closed by `close`
        self._text_size = 0

    @property
    def size(self) -> int:
        return self._capture.size + self._text_size

    def write(self, entry: Entry, lines: tuple[str, ...]) -> None:
        self._capture.write(entry)
        for line in lines:
            self._text_size += self._text.write(f"{line}\n")

    def close(self) -> None:
        self._capture.close()
        try:
            self._text.close()
        except OSError:
            return  # of words, what the disk did not take; why was told when it was written


class _Told:
    """Entries in words: time, port, direction, hexadecimal, what it means."""

    def __init__(self, header: Header, cards: Mapping[str, CardMap]) -> None:
        self._meanings = {
            (port.name, direction): Meaning(port.protocol, cards.get(port.name))
            for port in header.ports
            for direction in ("from_device", "to_device")
        }
        self._width = max((len(port.name) for port in header.ports), default=0)

    def lines(self, entry: Entry) -> tuple[str, ...]:
        match entry:
            case Chunk():
                meant = "; ".join(map(words_of, self._meanings[entry.port, entry.direction].of(entry.data)))
                arrow = "<-" if entry.direction == "from_device" else "->"
                return (self._line(entry.t, entry.port, f"{arrow} {entry.data.hex(' ')}  {meant}".rstrip()),)
            case Opened():
                for direction in ("from_device", "to_device"):
                    self._meanings[entry.port, direction].opened()
                return (self._line(entry.t, entry.port, f"== opened: {entry.words}"),)
            case Gone():
                return (self._line(entry.t, entry.port, f"== {'lost' if entry.lost else 'closed'}: {entry.words}"),)
            case Entered():
                return (self._line(entry.t, "", f"== {entry.who} entered {entry.what}"),)
            case Ended():
                return (self._line(entry.t, "", f"== the end: {entry.words}"),)

    def _line(self, t: float, port: str, words: str) -> str:
        return f"{t:12.6f}  {port:{self._width}}  {words}"
