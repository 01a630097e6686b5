"""A TableLink key panel as a console. Refuses a device of another role, and numbers and names that fit no key.

The panel tells keys by number, as pressed, held and released; lamps are slots of their own. It debounces its keys and
times its long press itself. A panel keeps what was pressed while no table listened: such keys are logged, never used,
because nobody presses "hit" for a hand of ten minutes ago.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Final

from msgspec import Struct

from drivers.base import DeviceEvent, KeyPressed, KeySwitchTurned, Kind, Lamp, Mark, Noticed
from drivers.consoles.naming import check_lamps, check_names
from drivers.errors import BadSetting
from drivers.ports.base import LineSettings
from drivers.stream import Opener, StreamDevice
from drivers.tablelink_link import BAUD, HELD, LAMPS, PRESSED, RELEASED, TableLinkLink, read_key
from firmware_protocol.tablelink import capture
from firmware_protocol.tablelink.messages import KeyEvent

KEYS: Final = range(256)
LAMP_NUMBERS: Final = range(0x40)  # slots 40 to 7F (TL-061)
LAMP_BYTES: Final[dict[Lamp, bytes]] = {"off": b"\0", "on": b"\1", "blinking": b"\2"}


class PanelLink(TableLinkLink):
    """Gives key events their meaning: a long press once, and then no short one; a key switch on and off."""

    def __init__(
        self,
        keys: Mapping[int, str],
        *,
        long_press: frozenset[str],
        key_switch: int | None,
        key: bytes | None,
        baud: int,
    ) -> None:
        super().__init__("panel", key=key, baud=baud, keys=keys)
        self._long_press, self._key_switch = long_press, key_switch
        self._down: set[str] = set()  # keys with a long press that went down and were not told yet

    def _key(self, event: KeyEvent, mark: Mark | None) -> DeviceEvent | None:
        sequence, name = str(event.number), self._keys.get(event.key)
        if event.key == self._key_switch:
            return KeySwitchTurned(mark=mark, sequence=sequence, on=event.action != RELEASED)
        if name is None or self._is_old(event):
            self._down.discard(name or "")
            words = f"key {event.key} has no name in the configuration"
            if name is not None:
                words = f"key {name} was pressed while the panel was not connected, and not used"
            return Noticed(mark=mark, sequence=sequence, words=words) if event.action == PRESSED else None
        held = self._means(name, event.action)
        return None if held is None else KeyPressed(mark=mark, sequence=sequence, key=name, held=held)

    def _is_old(self, event: KeyEvent) -> bool:
        identity = self._host.identity
        return identity is not None and event.number < identity.next_event

    def _means(self, name: str, action: int) -> bool | None:
        """A long press (True), a short one (False), or nothing to tell."""
        if name not in self._long_press:
            return False if action == PRESSED else None
        was_down = name in self._down
        self._down.discard(name)
        if action == PRESSED:
            self._down.add(name)
            return False if was_down else None  # the release before was never told
        if action == HELD:
            return True
        return False if was_down else None


class TableLinkPanel(StreamDevice):
    """A panel of keys with lamps, on a serial line or network."""

    KIND: ClassVar[Kind] = "console"
    TITLE: ClassVar[str] = "TableLink key panel"
    GRADE: ClassVar[str] = capture.GRADE
    CAPABILITIES: ClassVar[tuple[str, ...]] = ("keys", "long press", "lamps", "key switch", "numbered", "authenticated")
    SIMULATED: ClassVar[bool] = False

    class Settings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
        """Names to the panel's key numbers. A key's lamp has its key's number unless `lamps` gives another."""

        port: str
        keys: dict[str, int]
        lamps: dict[str, int] = {}
        key_switch: int | None = None
        long_press: tuple[str, ...] = ()
        key_file: str = ""
        baud: int = BAUD

        def __post_init__(self) -> None:
            if not self.port.strip():
                raise BadSetting("port is empty: name one, as `croupier devices` prints it, or auto")
            if self.baud < 1:
                raise BadSetting(f"baud: a line has a speed above 0, such as {BAUD}, not {self.baud}")
            if not self.keys:
                raise BadSetting("keys: a panel has at least one, as in keys = {hit = 1, stand = 2}")
            check_names("lamps", self.lamps, self.keys)
            check_names("long_press", self.long_press, self.keys)
            switch = {} if self.key_switch is None else {"the key switch": self.key_switch}
            _check_numbers("key", {**self.keys, **switch}, KEYS)
            _check_numbers("lamp", self.lamps, LAMP_NUMBERS)

        @property
        def lamp_numbers(self) -> dict[str, int]:
            """Of the keys that have a lamp; a number given in `lamps` is then no other key's."""
            taken = set(self.lamps.values())
            same = {
                name: number for name, number in self.keys.items() if number in LAMP_NUMBERS and number not in taken
            }
            return {**same, **self.lamps}

    def __init__(
        self,
        settings: Settings,
        *,
        known: Mark | None = None,
        opener: Opener | None = None,
        simulated: bool = False,
    ) -> None:
        self.settings = settings
        self._lamps = settings.lamp_numbers
        self._panel = PanelLink(
            {number: name for name, number in settings.keys.items()},
            long_press=frozenset(settings.long_press),
            key_switch=settings.key_switch,
            key=read_key(settings.key_file),
            baud=settings.baud,
        )
        super().__init__(
            self._panel,
            opener or _opener(settings),
            kind="console",
            driver="tablelink",
            address=settings.port,
            simulated=simulated,
        )
        self.light({})

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(self.settings.keys)

    def light(self, lamps: Mapping[str, Lamp]) -> None:
        check_lamps(lamps, self.keys)
        for name, number in self._lamps.items():
            self._panel.show(LAMPS + number, LAMP_BYTES[lamps.get(name, "off")])
        self.wake()


def _opener(settings: TableLinkPanel.Settings) -> Opener:
    from drivers.discovery.opener import opener_for

    return opener_for(settings.port, LineSettings(baud=settings.baud), "panel")


def _check_numbers(what: str, named: Mapping[str, int], allowed: range) -> None:
    used: dict[int, str] = {}
    for name, number in named.items():
        if number not in allowed:
            raise BadSetting(f"{what} {name} has the number {number}; numbers are {allowed[0]} to {allowed[-1]}")
        if number in used:
            raise BadSetting(f"{what} number {number} is used twice, for {used[number]} and for {name}")
        used[number] = name
