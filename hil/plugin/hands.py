"""Who moves a device: the bench itself where it is simulated, a stimulus, or a person who is asked.

All take the same orders, those of `croupier simulate`: "deal 8S", "cut", "lid open", "press hit". Refuses in words.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Final, Protocol

from drivers.base import Lamp
from drivers.ports.base import LineSettings
from drivers.ports.opening import open_port
from drivers.simulated.bench import Bench
from drivers.simulated.panel_driver import SimulatedPanel
from drivers.simulated.sign_driver import SimulatedSign
from hil.plugin.bench_file import DeviceEntry
from hil.plugin.loop import Loop
from hil.plugin.words import BenchBroken, CantDo

COMMAND_S: Final = 60.0
Uncaptured = Callable[[], AbstractContextManager[None]]


class NotDone(Exception):
    """The device can't be moved so: a shoe that is stopped, a key that there is not."""


class Hand(Protocol):
    patience_s: float  # what an order may take more than the device itself does

    def do(self, order: str) -> dict[str, Any]:
        """What came of it, where that is known. Raises NotDone, CantDo or BenchBroken."""

    def look(self, question: str) -> str:
        """What is to be seen, by who can see it. Raises CantDo."""


class OwnHand:
    """Of a simulated device."""

    patience_s = 0.0

    def __init__(self, device: Bench, loop: Loop) -> None:
        self._device, self._loop = device, loop

    def do(self, order: str) -> dict[str, Any]:
        said = self._loop.run(self._device.told(order))
        for each in said:
            if each["event"] in ("not_understood", "stopped"):
                raise NotDone(each["words"])
        return said[-1] if said else {}

    def look(self, question: str) -> str:
        return self._loop.call(lambda: str(self._device.state().get("text", "")))


class PinHand:
    """Of a simulated device on pins, which is in the test's own process with its driver."""

    patience_s = 0.0

    def __init__(self, name: str, device: object, loop: Loop) -> None:
        self._name, self._device, self._loop = name, device, loop

    def do(self, order: str) -> dict[str, Any]:
        device, words = self._device, order.split()
        if not isinstance(device, SimulatedPanel):
            raise CantDo(f"{self._name} can't be moved")
        try:
            match words:
                case ["press", key]:
                    self._loop.run(device.press(key))
                case ["hold", key]:
                    self._loop.run(device.hold(key))
                case ["key", state]:
                    self._loop.run(device.turn_key(state == "on"))
        except ValueError as error:
            raise NotDone(str(error)) from error
        return {"lamps": self.lamps()}

    def lamps(self) -> dict[str, Lamp]:
        return self._device.lamps() if isinstance(self._device, SimulatedPanel) else {}

    def look(self, question: str) -> str:
        device = self._device
        if not isinstance(device, SimulatedSign):
            raise CantDo(f"nothing is written on {self._name}")
        return self._loop.call(lambda: device.seen().text)


class Person:
    """Is asked in the terminal, and does what stands there."""

    def __init__(self, name: str, patience_s: float, uncaptured: Uncaptured) -> None:
        self._name, self.patience_s, self._uncaptured = name, patience_s, uncaptured

    def do(self, order: str) -> dict[str, Any]:
        with self._uncaptured():
            self._check()
            print(f"\n  >> {self._name}: {order}", flush=True)
        return {}

    def look(self, question: str) -> str:
        with self._uncaptured():
            self._check()
            return input(f"\n  >> {self._name}: {question} ").strip()

    def _check(self) -> None:
        if not sys.stdin.isatty():
            raise CantDo(
                f"{self._name} is moved by a person, and standard input is no terminal where one could be asked; "
                "run it there, or give the device a stimulus in the bench file"
            )


class Stimulus:
    """A rig that moves the device: a port that is told each order on a line, or a program that is given its words."""

    patience_s = 0.0

    def __init__(self, name: str, entry: DeviceEntry, folder: Path, loop: Loop) -> None:
        self._name, self._entry, self._folder, self._loop = name, entry, folder, loop

    def do(self, order: str) -> dict[str, Any]:
        if self._entry.stimulus:
            self._loop.run(self._write(f"{order}\n".encode()))
        else:
            run_command((*self._entry.command, *order.split()), self._folder, f"the stimulus of {self._name}")
        return {}

    def look(self, question: str) -> str:
        raise CantDo(f"{self._name} is moved by a stimulus, which sees nothing")

    async def _write(self, data: bytes) -> None:
        try:
            port = await open_port(self._entry.stimulus, LineSettings())
        except OSError as error:
            raise BenchBroken(f"the stimulus of {self._name}: {error}") from error
        try:
            await port.write(data)
        finally:
            await port.close()


class Nobody:
    patience_s = 0.0

    def __init__(self, name: str) -> None:
        self._name = name

    def do(self, order: str) -> dict[str, Any]:
        raise CantDo(f'nobody is at {self._name} to {order}: the bench file says hand = "none"')

    def look(self, question: str) -> str:
        raise CantDo(f'nobody looks at {self._name}: the bench file says hand = "none"')


def hand_of(
    name: str, entry: DeviceEntry, folder: Path, loop: Loop, *, person_s: float, uncaptured: Uncaptured
) -> Hand:
    """Of a real device."""
    if entry.stimulus or entry.command:
        return Stimulus(name, entry, folder, loop)
    return Person(name, person_s, uncaptured) if entry.hand == "person" else Nobody(name)


def run_command(words: tuple[str, ...], folder: Path, what: str) -> None:
    """Raises BenchBroken where the program is missing, fails or hangs: the test could not know what came of it."""
    try:
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=COMMAND_S, check=False)
    except OSError as error:
        raise BenchBroken(f"{what}: {words[0]} can't be run: {error.strerror}") from error
    except subprocess.TimeoutExpired as error:
        raise BenchBroken(f"{what}: {words[0]} took longer than {COMMAND_S:g} s") from error
    if done.returncode:
        said = (done.stderr or done.stdout).strip()[-300:]
        raise BenchBroken(f"{what}: {' '.join(words)} ended with {done.returncode}{f': {said}' if said else ''}")
