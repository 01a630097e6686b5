"""A USB keypad as a console, through the kernel's input devices. Refuses settings that name no key or no device.

Without `keys` a numeric keypad's have these meanings: 1 hit, 2 stand, 3 double, 4 split, 5 surrender, 6 insurance,
7 power_split, 8 peek, 9 power_double, Enter next_round, minus undo. Num Lock changes nothing: keys are known by place.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping
from typing import ClassVar, Final

from msgspec import Struct, field

from drivers.base import Kind, Lamp, Mark, Ready, Said
from drivers.consoles.debounce import Presses
from drivers.consoles.input_events import DOWN, REPEATED, InputParser, KeyMoved, key_code
from drivers.consoles.input_port import ADDRESS, InputPort, open_input
from drivers.consoles.naming import check_lamps, check_names, told
from drivers.errors import BadSetting
from drivers.ports.base import Port
from drivers.stream import StreamDevice

LONG_PRESS_MS: Final = 800
NUMERIC_KEYPAD: Final = {
    "hit": "KP1",
    "stand": "KP2",
    "double": "KP3",
    "split": "KP4",
    "surrender": "KP5",
    "insurance": "KP6",
    "power_split": "KP7",
    "peek": "KP8",
    "power_double": "KP9",
    "next_round": "KPENTER",
    "undo": "KPMINUS",
}
MISSED: Final = "a keypad remembers nothing: what was pressed before now is not known"


class KeypadLink:
    """Fulfils `drivers.link.Link`. `keys_down` is asked at the start and when the kernel has dropped events."""

    handshake_s: float | None = None

    def __init__(
        self,
        keys: Mapping[int, str],
        long_press: Mapping[str, float],
        *,
        keys_down: Callable[[], frozenset[int]],
        identity: Callable[[], str],
        parser: InputParser | None = None,
    ) -> None:
        self._names = dict(keys)
        self._presses = {code: Presses(long_press.get(name)) for code, name in keys.items()}
        self._keys_down, self._identity = keys_down, identity
        self._parser = parser if parser is not None else InputParser()

    def opened(self, now: float) -> list[Said]:
        self._parser.forget()
        down = self._keys_down()
        for code, presses in self._presses.items():
            presses.begin(code in down, now)
        return [Ready(identity=self._identity(), proven=False, words=MISSED)]

    def receive(self, data: bytes, now: float) -> list[Said]:
        said: list[Said] = []
        for move in self._parser.receive(data):
            if isinstance(move, KeyMoved):
                said += self._moved(move.code, move.value in (DOWN, REPEATED), now)
            else:
                down = self._keys_down()
                for code in self._presses:
                    said += self._moved(code, code in down, now)
        return said

    def poll(self, now: float) -> list[Said]:
        return [told(self._names[code], deed) for code, presses in self._presses.items() for deed in presses.poll(now)]

    def data_to_send(self, now: float) -> bytes:
        return b""

    def next_time(self) -> float | None:
        times = (presses.next_time() for presses in self._presses.values())
        return min((due for due in times if due is not None), default=None)

    def closed(self) -> list[Said]:
        return []

    def _moved(self, code: int, down: bool, now: float) -> list[Said]:
        """A key that is down already goes on being down: a repeat, or a press that was told before."""
        if code not in self._presses:
            return []
        return [told(self._names[code], deed) for deed in self._presses[code].moved(down, now)]


class EvdevKeypad(StreamDevice):
    """A keypad, grabbed for the table alone. It has no lamps: lighting one of its keys does nothing."""

    KIND: ClassVar[Kind] = "console"
    TITLE: ClassVar[str] = "USB numeric keypad or keyboard"
    GRADE: ClassVar[str] = "A: the kernel's own description. Tried on a keypad made by a kernel, not on a real one."
    CAPABILITIES: ClassVar[tuple[str, ...]] = ("keys", "long press")
    SIMULATED: ClassVar[bool] = False

    class Settings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
        """`port`: /dev/input/by-id/…, name:Its Name, or usb:VID:PID. `keys`: our name to a key's name or number."""

        port: str
        keys: dict[str, str | int] = field(default_factory=lambda: dict(NUMERIC_KEYPAD))
        long_press: tuple[str, ...] = ()
        long_press_ms: int = LONG_PRESS_MS

        def __post_init__(self) -> None:
            if not ADDRESS.fullmatch(self.port):
                raise BadSetting(
                    f"port: {self.port!r} is no keypad's address: /dev/input/by-id/…, name:Its Name, or usb:VID:PID"
                )
            if not self.keys:
                raise BadSetting('keys: a console has at least one, as in keys = {hit = "KP1"}')
            meanings: dict[int, str] = {}
            for name, key in self.keys.items():
                code = key_code(key)
                if code in meanings:
                    raise BadSetting(f"keys: key {key} is used twice, for {meanings[code]} and for {name}")
                meanings[code] = name
            check_names("long_press", self.long_press, self.keys)
            if not 100 <= self.long_press_ms <= 10_000:
                raise BadSetting(f"long_press_ms is 100 to 10000, not {self.long_press_ms}")

    def __init__(
        self,
        settings: Settings,
        *,
        known: Mark | None = None,
        opener: Callable[[], Awaitable[InputPort]] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.settings = settings
        self._input: InputPort | None = None
        self._codes = {key_code(key): name for name, key in settings.keys.items()}
        self._find = opener or (lambda: open_input(settings.port, frozenset(self._codes)))
        link = KeypadLink(
            self._codes,
            dict.fromkeys(settings.long_press, settings.long_press_ms / 1000),
            keys_down=lambda: self._input.keys_down() if self._input is not None else frozenset(),
            identity=lambda: str(self._input.about) if self._input is not None else self.address,
        )
        super().__init__(link, self._opened, kind="console", driver="evdev", address=settings.port, clock=clock)

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(self.settings.keys)

    def light(self, lamps: Mapping[str, Lamp]) -> None:
        check_lamps(lamps, self.keys)

    async def _opened(self) -> Port:
        self._input = await self._find()
        return self._input
