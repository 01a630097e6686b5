"""Capture files: what went through a table's ports, line by line as JSON, written as it happens and read back.

A capture holds face-down cards: it is made readable by its owner alone. The reader refuses a file that is none, or of
a newer version; of one that is cut or damaged it gives everything before the damage, and says where that is. Neither
end keeps more than a line.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, Literal

import msgspec
from msgspec import Struct

VERSION: Final = 1
OWNER_ALONE: Final = 0o600
MAX_CHUNK: Final = 4096  # bytes in a line; a longer one is written as several of the same moment
MAX_LINE: Final = 256 * 1024  # characters; the header with all its ports is the longest
Direction = Literal["from_device", "to_device"]
_BEGINNING: Final = b'{"croupier_capture":'


class BadCapture(ValueError):
    """A file that can't be read as a capture at all; the words say which and why."""


class EmptyCapture(BadCapture):
    pass


class ForeignCapture(BadCapture):
    pass


class NewerCapture(BadCapture):
    pass


class RecordedPort(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One port of the header. `settings` are those of its driver in the configuration; a key's file is named, never
    its content. `protocol` is what the wire speaks, also behind a simulated device. `known` is the boot and the number
    up to which the journal knew the device when it began, `first_revision` where a TableLink host began to count."""

    name: str
    kind: str
    driver: str
    address: str
    protocol: str = ""
    settings: dict[str, Any] = {}
    known: tuple[int, int] | None = None
    first_revision: int | None = None


class Header(Struct, frozen=True, kw_only=True):
    """The first line. `started` is wall clock, and `clock` how far to believe it: ntp, rtc or unset."""

    croupier_capture: int = VERSION
    started: str
    clock: str
    croupier: str
    ports: tuple[RecordedPort, ...]
    part: int = 1  # of a recording that was cut in files; the times of a later part go on from the first

    def port(self, name: str) -> RecordedPort:
        return next(port for port in self.ports if port.name == name)


class Chunk(Struct, frozen=True, kw_only=True):
    """Bytes that went through a port at once, `t` seconds after the start."""

    t: float
    port: str
    direction: Direction
    data: bytes


class Opened(Struct, frozen=True, kw_only=True):
    """`simulated`: the port was marked as one with no hardware behind it."""

    t: float
    port: str
    words: str
    simulated: bool = False


class Gone(Struct, frozen=True, kw_only=True):
    """The port was lost, or closed by the table itself."""

    t: float
    port: str
    words: str
    lost: bool = True


class Entered(Struct, frozen=True, kw_only=True):
    """What a person entered at a page or on pins, which no port carries; the table took it."""

    t: float
    what: dict[str, Any]
    who: str  # "dealer:Ann"


class Ended(Struct, frozen=True, kw_only=True):
    """The last line of a recording that was ended in order, with why; without it the file was cut."""

    t: float
    words: str


Entry = Chunk | Opened | Gone | Entered | Ended


class Damage(Struct, frozen=True):
    """Where a capture ends that should go on."""

    line: int
    words: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.words}"


class _Line(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A line behind the header: exactly one of hex (with dir), opened, lost, closed, entered (with by)
    and end is there."""

    t: float
    port: str | None = None
    dir: Direction | None = None
    hex: str | None = None
    opened: str | None = None
    simulated: bool = False
    lost: str | None = None
    closed: str | None = None
    entered: dict[str, Any] | None = None
    by: str | None = None
    end: str | None = None


_encode = msgspec.json.Encoder().encode
_read_line = msgspec.json.Decoder(_Line).decode


class CaptureWriter:
    """Makes the file, which must not be there yet. What is written reaches the kernel at once: killing the program
    loses nothing, a cut of power what the system had not put on the disk. Raises OSError as the disk does."""

    def __init__(self, path: Path, header: Header) -> None:
        check_ports(header.ports)
        self.path = path
        self.size = 0
        self._fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, OWNER_ALONE)
        try:
            self._put(_encode(header))
        except OSError:
            os.close(self._fd)
            raise

    def write(self, entry: Entry) -> None:
        for line in _lines(entry):
            self._put(_encode(line))

    def close(self) -> None:
        os.close(self._fd)

    def _put(self, line: bytes) -> None:
        rest = memoryview(line + b"\n")
        while rest:
            written = os.write(self._fd, rest)
            self.size += written
            rest = rest[written:]


def check_ports(ports: Sequence[RecordedPort]) -> None:
    """Raises BadCapture for a name that two ports have."""
    seen: set[str] = set()
    for port in ports:
        if port.name in seen:
            raise BadCapture(f"two ports are called {port.name!r}: nobody could tell whose bytes are whose")
        seen.add(port.name)


class CaptureReader:
    """The header at once; the entries by iterating, once. Afterwards `damage` says where the file breaks off, if it
    does, and is None for a recording that was ended in order."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.damage: Damage | None = None
        try:
            self._file = open(path, "rb")  # noqa: SIM115  closed by `close`
        except OSError as error:
            raise BadCapture(f"{path} can't be read: {error.strerror}") from error
        try:
            self.header = self._header()
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> CaptureReader:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        self._file.close()

    def __iter__(self) -> Iterator[Entry]:
        names = {port.name for port in self.header.ports}
        open_ports: set[str] = set()
        number, last, ended = 1, 0.0, False
        while True:
            number += 1
            try:
                line = self._next()
                if line is None:
                    if not ended:
                        raise _Broken("the recording breaks off here: nothing says that it was ended")
                    return
                if ended:
                    raise _Broken("something stands behind the line that ends the recording")
                entry = _entry(line, names, open_ports, last)
            except _Broken as broken:
                self.damage = Damage(number, str(broken))
                return
            last, ended = entry.t, isinstance(entry, Ended)
            yield entry

    def _next(self) -> bytes | None:
        """The next line without its end, or None behind the last."""
        try:
            line = self._file.readline(MAX_LINE + 1)
        except OSError as error:
            raise _Broken(f"it can't be read on: {error.strerror}") from error
        if not line:
            return None
        if not line.endswith(b"\n"):
            if len(line) > MAX_LINE:
                raise _Broken(f"the line is longer than {MAX_LINE} characters, which no line of a capture is")
            raise _Broken("the line is torn: the recording was cut while it was written")
        return line[:-1]

    def _began_as_ours(self) -> bool:
        self._file.seek(0)
        return self._file.read(len(_BEGINNING)) == _BEGINNING

    def _header(self) -> Header:
        try:
            line = self._next()
        except _Broken as broken:
            if self._began_as_ours():
                raise BadCapture(f"{self.path} is cut in its first line: nothing in it can be played") from broken
            raise ForeignCapture(f"{self.path} is no capture of Croupier: line 1: {broken}") from broken
        if line is None:
            raise EmptyCapture(f"{self.path} is empty: the recording ended before it began")
        try:
            said = msgspec.json.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise ForeignCapture(f"{self.path} is no capture of Croupier: its first line is not JSON") from error
        version = said.get("croupier_capture") if isinstance(said, dict) else None
        if not isinstance(version, int) or isinstance(version, bool) or version < 1:
            raise ForeignCapture(f"{self.path} is no capture of Croupier: its first line does not say that it is one")
        if version > VERSION:
            raise NewerCapture(
                f"{self.path} is a capture of version {version}, and this Croupier reads version {VERSION}: it was "
                f"recorded by Croupier {said.get('croupier', 'of an unknown version')}; use that or a newer one"
            )
        try:
            header = msgspec.convert(said, Header)
            check_ports(header.ports)
        except (msgspec.ValidationError, BadCapture) as error:
            raise BadCapture(f"{self.path}: line 1: {error}") from error
        return header


class _Broken(Exception):
    """Why a line can't be used."""


def _lines(entry: Entry) -> Iterator[_Line]:
    t = round(entry.t, 6)
    match entry:
        case Chunk():
            for at in range(0, len(entry.data), MAX_CHUNK):
                piece = entry.data[at : at + MAX_CHUNK]
                yield _Line(t, entry.port, entry.direction, piece.hex())
        case Opened():
            yield _Line(t, entry.port, opened=entry.words, simulated=entry.simulated)
        case Gone(lost=True):
            yield _Line(t, entry.port, lost=entry.words)
        case Gone():
            yield _Line(t, entry.port, closed=entry.words)
        case Entered():
            yield _Line(t, entered=entry.what, by=entry.who)
        case Ended():
            yield _Line(t, end=entry.words)


def _entry(text: bytes, names: set[str], open_ports: set[str], last: float) -> Entry:
    """What a line says; keeps `open_ports` up to date. Raises _Broken in words."""
    try:
        line = _read_line(text)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise _Broken(f"it is no line of a capture: {error}") from error
    if not last <= line.t < float("inf"):
        raise _Broken(f"its time is {line.t:g} s, and the line before has {last:g} s")
    said = [name for name in ("hex", "opened", "lost", "closed", "entered", "end") if getattr(line, name) is not None]
    if len(said) != 1 or (line.dir is not None) != (said == ["hex"]) or (line.by is not None) != (said == ["entered"]):
        raise _Broken("it says neither that bytes came or went, nor that a port opened or ended, nor what was entered")
    if line.end is not None:
        return Ended(t=line.t, words=line.end)
    if line.entered is not None and line.by is not None:
        return Entered(t=line.t, what=line.entered, who=line.by)
    if line.port not in names:
        raise _Broken(f"there is no port {line.port!r} in the header")
    name = line.port
    assert name is not None
    if line.opened is not None:
        if name in open_ports:
            raise _Broken(f"{name} is opened, and it is open already")
        open_ports.add(name)
        return Opened(t=line.t, port=name, words=line.opened, simulated=line.simulated)
    if name not in open_ports:
        raise _Broken(f"{name} is not open")
    if line.hex is None:
        open_ports.discard(name)
        return Gone(t=line.t, port=name, words=line.lost or line.closed or "", lost=line.lost is not None)
    try:
        data = bytes.fromhex(line.hex)
    except ValueError as error:
        raise _Broken("its bytes are not hexadecimal") from error
    if not data or line.dir is None:
        raise _Broken("it has no bytes")
    return Chunk(t=line.t, port=name, direction=line.dir, data=data)
