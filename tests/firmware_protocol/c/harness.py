"""The C device behind a pipe, and its twin: every call goes to the C and to the Python device, and must do the same.

No clock: time is a number of milliseconds, given to both.
"""

from __future__ import annotations

import itertools
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import IO, Final, TypeVar

from firmware_protocol.tablelink.device import (
    Described,
    DeviceLink,
    DeviceOutput,
    HostConnected,
    HostLost,
    QueueFull,
    SlotChanged,
)
from firmware_protocol.tablelink.host import Connected, DeviceLost, EventReceived, HostLink, HostOutput, Known
from firmware_protocol.tablelink.messages import BadMessage, Event

SOURCE: Final = Path(__file__).parents[3] / "firmware_protocol" / "c"
LINK: Final = ("tl_codec.c", "tl_device.c", "tl_send.c", "tl_auth.c", "blake2s.c")
WARNINGS: Final = ("-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror")
SANITIZERS: Final = ("-g", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
BOOT: Final = 0xDEADBEEF
SLOTS: Final = bytes([0x00, 0x01, 0x3F, 0x02, 0x40, 0x41, 0x80])
# Python's seconds are floats: 3.1 - 0.1 is a hair below 3.0. A clock a billionth too fast puts a time that is exactly
# reached on the same side for both.
FAST: Final = 1 + 1e-9
Same = TypeVar("Same")


def seconds(ms: int) -> float:
    return ms / 1000 * FAST


def build(into: Path, *, auth: bool, flags: tuple[str, ...] = SANITIZERS) -> Path:
    """The test program, compiled without a warning."""
    program = into / f"tablelink_pipe_{int(auth)}"
    sources = [str(SOURCE / name) for name in ("tablelink_pipe.c", *LINK)]
    compiler = shutil.which("gcc")
    assert compiler is not None
    command = [compiler, *WARNINGS, *flags, f"-DTL_AUTH={int(auth)}", "-o", str(program), *sources]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return program


class Pipe:
    """The test program, running. One line asks, lines up to a dot answer."""

    def __init__(self, program: Path) -> None:
        self._errors = tempfile.TemporaryFile(mode="w+")  # noqa: SIM115 - closed by __exit__
        environment = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}  # no heap; the leak finder dislikes ptrace
        self._process = subprocess.Popen(
            [program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors, text=True, env=environment
        )

    def __enter__(self) -> Pipe:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.close()
        self._process.stdout.close()
        code = self._process.wait(timeout=10)
        words = self._words()
        if kind is None:
            assert code == 0, words

    def _words(self) -> str:
        self._errors.seek(0)
        words = self._errors.read()
        self._errors.close()
        return words

    def ask(self, *commands: str) -> list[list[str]]:
        """The answers to each command. A few go in one write; more could fill the pipes of both ends, who would wait
        for each other."""
        assert self._process.stdin
        assert self._process.stdout
        answers: list[list[str]] = []
        for first in range(0, len(commands), 50):
            several = commands[first : first + 50]
            self._process.stdin.write("".join(command + "\n" for command in several))
            self._process.stdin.flush()
            answers += [self._answer(command, self._process.stdout) for command in several]
        return answers

    def _answer(self, command: str, source: IO[str]) -> list[str]:
        lines: list[str] = []
        while (line := source.readline()) != ".\n":
            assert line, f"the C program died at {command[:200]!r}:\n{self._words()}"
            lines.append(line.rstrip("\n"))
        return lines

    def one(self, command: str) -> str:
        [[line]] = self.ask(command)
        return line


class CDevice:
    """The C device with the calls of `DeviceLink`, in milliseconds. `clock` is what its clock shows at time 0."""

    def __init__(
        self,
        pipe: Pipe,
        *,
        boot: int = BOOT,
        key: bytes | None = None,
        baud: int = 115200,
        serial: str = "SHOE-0042",
        roles: int = 1,
        capabilities: int = 7,
        firmware: tuple[int, int, int] = (1, 2, 3),
        slots: bytes = SLOTS,
        nonce: bytes = bytes(8),
        clock: int = 0,
    ) -> None:
        self.pipe = pipe
        self.clock = clock
        version = " ".join(map(str, firmware))
        hexed = " ".join(part.hex() or "-" for part in (serial.encode(), key or b"", slots))
        command = f"I {boot} {baud} {roles} {capabilities} {version} {hexed}"
        started = pipe.ask(f"W {nonce.hex()}", command)[1]
        if started != ["yes"]:
            raise ValueError("the C device refuses this configuration")

    def _timed(self, ms: int, command: str) -> list[str]:
        return self.pipe.ask(f"T {(self.clock + ms) & 0xFFFFFFFF}", command)[1]

    def receive(self, data: bytes, ms: int) -> list[DeviceOutput]:
        return [_output(line) for line in self._timed(ms, "R " + data.hex())]

    def poll(self, ms: int) -> list[DeviceOutput]:
        return [_output(line) for line in self._timed(ms, "P")]

    def frames_to_send(self, ms: int, command: str = "D") -> list[bytes]:
        return [bytes.fromhex(line.removeprefix("S ")) for line in self._timed(ms, command)]

    def data_to_send(self, ms: int) -> bytes:
        return b"".join(self.frames_to_send(ms))

    def add(self, kind: type[Event], clock_ms: int, *values: int) -> int:
        """The number, or 0 if it was not kept."""
        first, second = (*values, 0, 0)[:2]
        return int(self.pipe.one(f"E {kind.id} {clock_ms} {first} {second}").removeprefix("N "))

    def disconnected(self) -> list[DeviceOutput]:
        return [_output(line) for line in self.pipe.ask("U")[0]]

    def state(self) -> dict[str, int]:
        names = (
            "open queued must_stop next_number "
            "bad_frames bad_messages unknown forged unsealed duplicates unexpected unknown_slots"
        )
        values = self.pipe.one("Q").split()[1:]
        return dict(zip(names.split(), map(int, values), strict=True))


def _output(line: str) -> DeviceOutput:
    match line.split(" "):
        case ["connected"]:
            return HostConnected()
        case ["lost"]:
            return HostLost()
        case ["slot", slot, content]:
            return SlotChanged(int(slot, 16), bytes.fromhex(content))
    raise AssertionError(f"the C program said {line!r}")


def counting(start: bytes) -> Callable[[], bytes]:
    """Nonces as the test program makes them: the first four bytes count up."""
    numbers = itertools.count(int.from_bytes(start[:4], "little"))
    return lambda: (next(numbers) & 0xFFFFFFFF).to_bytes(4, "little") + start[4:]


class Twin:
    """A C and a Python device in step: each call goes to both, and both must answer, send and count the same."""

    def __init__(
        self,
        pipe: Pipe,
        *,
        boot: int = BOOT,
        key: bytes | None = None,
        baud: int = 115200,
        nonce: bytes = bytes(8),
        clock: int = 0,
    ) -> None:
        self.c = CDevice(pipe, boot=boot, key=key, baud=baud, nonce=nonce, clock=clock)
        about = Described(serial="SHOE-0042", roles=1, capabilities=7, firmware=(1, 2, 3))
        self.python = DeviceLink(about, boot=boot, fresh=counting(nonce), key=key, baud=baud)

    def receive(self, data: bytes, ms: int) -> list[DeviceOutput]:
        return self._same(self.c.receive(data, ms), self.python.receive(data, seconds(ms)))

    def poll(self, ms: int) -> list[DeviceOutput]:
        return self._same(self.c.poll(ms), self.python.poll(seconds(ms)))

    def data_to_send(self, ms: int) -> bytes:
        return self._same(self.c.data_to_send(ms), self.python.data_to_send(seconds(ms)))

    def disconnected(self) -> list[DeviceOutput]:
        return self._same(self.c.disconnected(), self.python.disconnected())

    def add(self, kind: type[Event], clock_ms: int, *values: int) -> int:
        """The number, or 0 if it was not kept."""
        try:
            number = self.python.add(kind, clock_ms, *values)
        except (QueueFull, BadMessage):
            number = 0
        return self._same(self.c.add(kind, clock_ms, *values), number)

    def state(self) -> dict[str, int]:
        """As both see it."""
        counts = self.python.counts
        python = {
            "open": int(self.python.is_open),
            "queued": self.python.queued,
            "must_stop": int(self.python.must_stop),
            "next_number": self.python.next_number,
            "bad_frames": counts.bad_frames,
            "bad_messages": counts.bad_messages,
            "unknown": counts.unknown,
            "forged": counts.forged,
            "unsealed": counts.unsealed,
            "duplicates": counts.duplicates,
            "unexpected": counts.unexpected,
            "unknown_slots": 0,  # the Python device has every slot
        }
        return self._same(self.c.state(), python)

    @staticmethod
    def _same(c: Same, python: Same) -> Same:
        assert c == python, f"C: {c!r}\nPython: {python!r}"
        return c


class Table:
    """The Python host and a device on one line, with a journal. A `bend` may do anything to what passes by."""

    def __init__(
        self,
        device: CDevice | Twin,
        *,
        key: bytes | None = None,
        known: Known | None = None,
        baud: int = 115200,
        now: int = 0,
        host_nonce: bytes = b"\0\0\0\0HOST",
    ) -> None:
        self.device = device
        self.host = HostLink(fresh=counting(host_nonce), key=key, known=known, baud=baud)
        self.now = now
        self.host.connected(seconds(now))
        self.journal: list[Event] = []
        self.committing = True
        self.from_host: list[HostOutput] = []
        self.from_device: list[DeviceOutput] = []

    def run(
        self,
        ms: int,
        *,
        step: int = 20,
        to_device: Callable[[bytes], bytes] = bytes,
        to_host: Callable[[bytes], bytes] = bytes,
    ) -> Table:
        """Let time pass; `bytes` as a bend passes everything on, a function that gives b"" cuts the line."""
        for _ in range(0, ms, step):
            self.now += step
            self.from_device += self.device.poll(self.now)
            self._take(self.host.poll(seconds(self.now)))
            data = to_device(self.host.data_to_send(seconds(self.now)))
            if data:
                self.from_device += self.device.receive(data, self.now)
            data = to_host(self.device.data_to_send(self.now))
            if data:
                self._take(self.host.receive(data, seconds(self.now)))
        return self

    def commit(self) -> None:
        if self.journal:
            assert self.host._boot is not None
            self.host.committed(self.host._boot, self.journal[-1].number)

    def _take(self, outputs: list[HostOutput]) -> None:
        self.from_host += outputs
        for output in outputs:
            if isinstance(output, EventReceived):
                self.journal.append(output.event)
                if self.committing:
                    self.host.committed(output.boot, output.event.number)

    @property
    def numbers(self) -> list[int]:
        return [event.number for event in self.journal]

    @property
    def connections(self) -> list[Connected]:
        return [output for output in self.from_host if isinstance(output, Connected)]

    @property
    def losses(self) -> list[str]:
        return [output.words for output in self.from_host if isinstance(output, DeviceLost)]


def cut(data: bytes) -> bytes:
    """A line that lets nothing through."""
    return b""
