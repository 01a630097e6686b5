"""One device with our firmware, running: its link and its bench line on ptys, its hands on the process's input.

It is a process that ends with its standard input, so that nothing is left behind when a test dies. Refuses a bench
order that is none; what the device refuses is an answer.
"""

from __future__ import annotations

import os
import select
import subprocess
import time
from pathlib import Path
from types import TracebackType
from typing import IO, Final, Literal, Self

from hil.firmware.build import Board
from hil.stimulus import MAX_ANSWER, Answer, Lines, Order, on_the_line, parse_answer, parse_order

Role = Literal["shoe", "sign"]
WAIT_S: Final = 30.0  # for an answer that comes at once on an idle machine


class Silent(TimeoutError):
    """The device or its hands did not answer."""


class Device:
    """`link` is what a host opens as its port. `starts` counts them, the first included."""

    def __init__(self, role: Role, board: Board, programs: Path, folder: Path) -> None:
        self.role, self.board = role, board
        self.link, self.stimulus = folder / f"{role}.link", folder / f"{role}.stimulus"
        self.memory = folder / f"{role}.eeprom"
        paths = ["--link", str(self.link), "--stimulus", str(self.stimulus), "--eeprom", str(self.memory)]
        if board == "native":
            self._command = [str(programs / role), *paths]
        else:
            self._command = [str(programs / "simavr_host"), *paths, str(programs / f"{role}.elf")]
        self._log = folder / f"{role}.log"

    def __enter__(self) -> Self:
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, bufsize=0
            )
        self._lines, self._heard = Lines(MAX_ANSWER), list[str]()
        try:
            self._hands(None)
            self._bench = os.open(self.stimulus, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._bench)
        code = self._end()
        if kind is None and code != 0:
            raise RuntimeError(f"the {self.role} ended with {code}:\n{self.words()}")

    def _end(self) -> int:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.close()
        self._process.stdout.close()
        return self._process.wait(WAIT_S)

    def words(self) -> str:
        """What the program said: simavr's words, a sanitizer's."""
        return self._log.read_text(errors="replace")

    # At the bench

    def tell(self, order: str | Order) -> Answer:
        """One order of hil/stimulus.py, or `throat 8S`; waits for its answer."""
        if isinstance(order, str) and not order.startswith("throat "):
            order = parse_order(order)
        os.write(self._bench, on_the_line(order) if isinstance(order, Order) else f"{order}\n".encode("ascii"))
        return parse_answer(self._answer(str(order)))

    def send(self, data: bytes) -> None:
        """Anything at all on the bench line."""
        os.write(self._bench, data)

    def answer(self) -> str:
        """The next line on the bench line."""
        return self._answer("what was sent")

    def shows(self, slot: int) -> bytes:
        """What a slot shows now; nothing where it is dark."""
        answer = self.tell(f"slot {slot:02x}")
        if not answer.ok:
            raise ValueError(f"the {self.role} answered no: {answer.words}")
        return b"" if answer.words == "-" else bytes.fromhex(answer.words)

    def _answer(self, asked: str) -> str:
        end = time.monotonic() + WAIT_S
        while not self._heard:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self._bench], [], [], left)[0]:
                raise Silent(f"the {self.role} did not answer {asked!r} within {WAIT_S:.0f} s\n{self.words()}")
            self._heard += self._lines.feed(os.read(self._bench, 4096))
        return self._heard.pop(0)

    # The hands

    def unplug(self) -> None:
        """The link's cable is pulled; the device runs on."""
        self._hands("unplug")

    def plug(self) -> None:
        self._hands("plug")

    def reset(self) -> None:
        """The reset pin."""
        self._hands("reset")

    def power(self, on: bool) -> None:
        self._hands("power on" if on else "power off")

    @property
    def pins(self) -> dict[str, str]:
        """`motor` is runs or stopped, `lamp` on or off; `spare` on simavr: bytes that the stack never reached."""
        return dict(word.split("=") for word in self._hands("pins").split())

    def _hands(self, order: str | None) -> str:
        """None: only waits until the program says that it is there."""
        assert self._process.stdin
        assert self._process.stdout
        if order is not None:
            self._process.stdin.write(f"{order}\n".encode("ascii"))
        line = _line_of(self._process.stdout)
        answer = parse_answer(line) if line else Answer(False, f"the program ended\n{self.words()}")
        if not answer.ok:
            raise RuntimeError(f"{order or 'start'}: {answer.words}")
        return answer.words


def _line_of(source: IO[bytes]) -> str:
    if not select.select([source], [], [], WAIT_S)[0]:
        raise Silent(f"the program did not answer its hands within {WAIT_S:.0f} s")
    return source.readline().decode()
