"""The Pi's pins, through the RPi.GPIO API: the only module that does pin work. Refuses pins that are none or taken.

Numbers are BCM numbers (GPIO 17 is 17, whatever its place on the header). `board()` gives the pins of this machine,
or says in words that it has none; `drivers.simulated.pins` has pins of the same contract for any machine.
"""

from __future__ import annotations

import asyncio
import contextlib
import glob
import importlib
import os
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from types import ModuleType
from typing import Final, Protocol

from drivers.errors import BadSetting, DeviceError, PortBusy, PortForbidden

PINS: Final = range(28)  # the GPIO numbers on the 40-pin header of every Pi since the B+
MAX_EDGES: Final = 64  # of one pin on their way to the event loop; a line that chatters on loses the oldest
INSTALL: Final = 'pip install "croupier-table[pi]"'

OnEdge = Callable[[bool, float], None]  # the level after the edge, and when it was seen (monotonic seconds)


class Pins(Protocol):
    """Pins of one board, used by several devices; each claims its own first. Calls return at once (microseconds).

    A pin is an output or an input after `output` or `input`, which may be called again to turn it round. True is high.
    """

    def claim(self, owner: str, pins: Iterable[int]) -> None:
        """Take all of the pins for one device, or none: raises PortBusy, with the owner, where one is taken."""

    def output(self, pin: int, initial: bool) -> None: ...

    def input(self, pin: int, pull_up: bool | None = None) -> None:
        """Let go of the pin: pulled up by the board, down (False), or left to what is wired to it (None)."""

    def write(self, pin: int, level: bool) -> None: ...

    def read(self, pin: int) -> bool:
        """The level at an input, or the one an output was set to."""

    def on_edge(self, pin: int, callback: OnEdge) -> None:
        """Call back in the running event loop at every change of an input, until `release`, `input` or `output`."""

    def release(self, *pins: int) -> None:
        """Let go of pins, and give up the claim. Pins that nobody claimed are left alone: it may be called twice."""


def check_pins(named: Iterable[tuple[str, int]]) -> None:
    """For settings: raises BadSetting, in words, for a pin that is none or that two things are wired to."""
    used: dict[int, str] = {}
    for name, pin in named:
        if pin not in PINS:
            raise BadSetting(
                f"{name} is on pin {pin}, which is none: pins are GPIO numbers {PINS[0]} to {PINS[-1]}, "
                "not places on the header"
            )
        if pin in used:
            raise BadSetting(f"pin {pin} is used twice, for {used[pin]} and for {name}; each needs a pin of its own")
        used[pin] = name


class PinBook:
    """Who has which pin, and as what. Real and simulated pins keep one, so that both refuse the same."""

    def __init__(self) -> None:
        self._owners: dict[int, str] = {}
        self._outputs: dict[int, bool] = {}  # pin → whether it is an output; absent until it was set up
        self._edges: dict[int, Edges] = {}

    def claim(self, owner: str, pins: Iterable[int]) -> None:
        wanted = list(pins)
        check_pins((owner, pin) for pin in wanted)
        for pin in wanted:
            if pin in self._owners:
                raise PortBusy(
                    f"pin {pin}, wanted by {owner}, is already used by {self._owners[pin]}",
                    advice="Give one of them another pin in the configuration",
                )
        self._owners.update((pin, owner) for pin in wanted)

    def _set_up(self, pin: int, *, output: bool) -> None:
        if pin not in self._owners:
            raise RuntimeError(f"pin {pin} was not claimed")
        self._end_edges(pin)
        self._outputs[pin] = output

    def _check(self, pin: int, *, output: bool | None = None) -> None:
        """That the pin was set up, as an output or an input where that matters."""
        is_output = self._outputs.get(pin)
        if is_output is None:
            raise RuntimeError(f"pin {pin} was not set up")
        if output is not None and is_output is not output:
            raise RuntimeError(f"pin {pin} was set up as an {'output' if is_output else 'input'}")

    def _end_edges(self, pin: int) -> bool:
        edges = self._edges.pop(pin, None)
        if edges is not None:
            edges.end()
        return edges is not None

    def _forget(self, pins: Iterable[int]) -> list[int]:
        """Give up the claims; returns the pins that were set up."""
        owned = [pin for pin in pins if self._owners.pop(pin, None) is not None]
        return [pin for pin in owned if self._outputs.pop(pin, None) is not None]


class Edges:
    """The edges of one pin on their way from any thread to the event loop; a flood is thinned, never piled up."""

    def __init__(self, callback: OnEdge) -> None:
        self._loop = asyncio.get_running_loop()
        self._callback = callback
        self._kept: deque[tuple[bool, float]] = deque(maxlen=MAX_EDGES)
        self._asked = self._ended = False

    def saw(self, level: bool, at: float) -> None:
        self._kept.append((level, at))
        if not self._asked and not self._ended:
            self._asked = True
            with contextlib.suppress(RuntimeError):  # the loop ended before the pin was released: nobody listens
                self._loop.call_soon_threadsafe(self._hand_over)

    def end(self) -> None:
        self._ended = True

    def _hand_over(self) -> None:
        self._asked = False  # first, so that an edge seen during the calls asks again
        for _ in range(len(self._kept)):
            if not self._ended:
                self._callback(*self._kept.popleft())


class GpioPins(PinBook):
    """This machine's pins. Debouncing is not left to the libraries, which mean different things by it."""

    def __init__(self, gpio: ModuleType, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._gpio, self._clock = gpio, clock

    def output(self, pin: int, initial: bool) -> None:
        gpio = self._gpio
        self._set_up(pin, output=True)
        with _told(pin):
            gpio.setup(pin, gpio.OUT, initial=gpio.HIGH if initial else gpio.LOW)

    def input(self, pin: int, pull_up: bool | None = None) -> None:
        gpio = self._gpio
        self._set_up(pin, output=False)
        pull = gpio.PUD_OFF if pull_up is None else gpio.PUD_UP if pull_up else gpio.PUD_DOWN
        with _told(pin):
            gpio.setup(pin, gpio.IN, pull_up_down=pull)

    def write(self, pin: int, level: bool) -> None:
        self._check(pin, output=True)
        with _told(pin):
            self._gpio.output(pin, self._gpio.HIGH if level else self._gpio.LOW)

    def read(self, pin: int) -> bool:
        self._check(pin)
        with _told(pin):
            return bool(self._gpio.input(pin))

    def on_edge(self, pin: int, callback: OnEdge) -> None:
        self._check(pin, output=False)
        self._end_edges(pin)
        edges = self._edges[pin] = Edges(callback)

        def seen(_channel: int) -> None:  # in a thread of the library
            edges.saw(bool(self._gpio.input(pin)), self._clock())

        with _told(pin):
            self._gpio.add_event_detect(pin, self._gpio.BOTH, callback=seen)

    def release(self, *pins: int) -> None:
        for pin in pins:
            self._end_edges(pin)
        for pin in self._forget(pins):
            with _told(pin):
                self._gpio.cleanup(pin)

    def _end_edges(self, pin: int) -> bool:
        """rpi-lgpio goes on calling back after a new `setup` unless it is told not to."""
        was = super()._end_edges(pin)
        if was:
            with _told(pin):
                self._gpio.remove_event_detect(pin)
        return was


@contextlib.contextmanager
def _told(pin: int) -> Iterator[None]:
    """What the library says of a pin, as a DeviceError. lgpio's own error is a plain Exception, hence so wide."""
    try:
        yield
    except Exception as error:
        if "busy" in str(error).lower():
            raise PortBusy(
                f"pin {pin} is in use by another program, or by the system as SPI, I²C or serial line",
                advice="Choose another pin, or switch that use off with raspi-config",
            ) from error
        raise DeviceError(f"pin {pin}: {error}", advice="Check the wiring and the pin's number") from error


_board: GpioPins | None = None


def board() -> GpioPins:
    """The pins of this machine. Raises DeviceError, with what to install, where there are none to use."""
    global _board
    if _board is None:
        _board = GpioPins(_gpio_module())
    return _board


def _gpio_module() -> ModuleType:
    elsewhere = 'on any other machine use the simulated device: driver = "simulated"'
    try:
        # lgpio makes a pipe in the working directory when it is imported, which a service may not write to.
        with tempfile.TemporaryDirectory(prefix="croupier-pins-") as place, contextlib.chdir(place):
            gpio = importlib.import_module("RPi.GPIO")
        gpio.setwarnings(False)
        gpio.setmode(gpio.BCM)
    except ImportError as error:
        raise DeviceError(
            f"This machine has no pins that can be used: the library RPi.GPIO is not installed ({error})",
            advice=f"On a Raspberry Pi: {INSTALL}; {elsewhere}",
        ) from error
    except Exception as error:  # RuntimeError, NotImplementedError, or lgpio's own: every library has its way to say no
        shut = [chip for chip in glob.glob("/dev/gpiochip*") if not os.access(chip, os.R_OK | os.W_OK)]
        if shut:
            raise PortForbidden(
                f"The pins ({shut[0]}) may not be used by this user",
                advice="Add the user to the group gpio (sudo usermod -aG gpio croupier) and start again",
            ) from error
        raise DeviceError(
            f"This machine has no pins that can be used: RPi.GPIO says “{error}”",
            advice=f"On a Raspberry Pi, instead of the old RPi.GPIO, which knows no Pi 5: {INSTALL}; {elsewhere}",
        ) from error
    return gpio
