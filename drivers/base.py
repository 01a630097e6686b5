"""What the table and its devices say to each other: events, readiness, texts to show, and the three kinds of device.

Values only, and the protocols a driver fulfils; opens no port and knows no wire format. Cards are two-letter codes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, Literal, Protocol

from msgspec import Struct

Kind = Literal["shoe", "display", "console"]
Lamp = Literal["off", "on", "blinking"]

# What happened at a device


class Mark(Struct, frozen=True):
    """A place in a device's own count, from which it can go on: which start of the device, and which event of it."""

    boot: int
    number: int


class DeviceEvent(Struct, frozen=True, kw_only=True, tag=True, tag_field="event"):
    """Something that happened at a device. `mark` is there where the device keeps the event until it is committed."""

    mark: Mark | None = None
    sequence: str | None = None  # as the device counts, where it does


class CardRead(DeviceEvent, frozen=True, kw_only=True):
    """A card left the shoe: `"8S"`, or `"8?"` from a reader that sees no suits."""

    card: str
    in_game: bool = True
    second_try: bool = False


class Misread(DeviceEvent, frozen=True, kw_only=True):
    """A card left the shoe and nobody knows which; two where `cards` says so."""

    reason: str
    cards: int = 1


class CutCardSeen(DeviceEvent, frozen=True, kw_only=True):
    pass


class ShoeEmptied(DeviceEvent, frozen=True, kw_only=True):
    pass


class LidMoved(DeviceEvent, frozen=True, kw_only=True):
    open: bool


class Jammed(DeviceEvent, frozen=True, kw_only=True):
    """A jam began, or is cleared."""

    jammed: bool


class CardRanBack(DeviceEvent, frozen=True, kw_only=True):
    """A card was pushed back into the shoe."""


class ShoeStarted(DeviceEvent, frozen=True, kw_only=True):
    """The shoe was switched on or loaded anew."""


class StoodBy(DeviceEvent, frozen=True, kw_only=True):
    """The shoe went to stand-by."""


class LockChanged(DeviceEvent, frozen=True, kw_only=True):
    locked: bool


class AttentionAsked(DeviceEvent, frozen=True, kw_only=True):
    """The device says something about a card that must not be counted as a new one; a person looks."""

    reason: str
    card: str | None = None


class FaultReported(DeviceEvent, frozen=True, kw_only=True):
    """The device reports trouble of its own; `stopped` if it waits for a person."""

    words: str
    code: int | None = None
    stopped: bool = False


class FaultCleared(DeviceEvent, frozen=True, kw_only=True):
    words: str
    code: int | None = None


class EventsMissed(DeviceEvent, frozen=True, kw_only=True):
    """The device's own count shows that something did not arrive. The dealer confirms the cards on the felt."""

    words: str


class TamperSeen(DeviceEvent, frozen=True, kw_only=True):
    words: str


class PowerChanged(DeviceEvent, frozen=True, kw_only=True):
    words: str
    good: bool


class Noticed(DeviceEvent, frozen=True, kw_only=True):
    """Something to log and never to act on."""

    words: str


class KeyPressed(DeviceEvent, frozen=True, kw_only=True):
    """A console's key by its configured name; `held` where it was kept down for the long press."""

    key: str
    held: bool = False


class KeySwitchTurned(DeviceEvent, frozen=True, kw_only=True):
    """The supervisor's key switch."""

    on: bool


# What becomes of the link to a device


class Ready(Struct, frozen=True, kw_only=True):
    """The device can be used. `proven`: nothing can have been missed since last time; `words` say why, or why not.

    `since` is where its count stands, for a device that keeps its events: everything behind it will be told.
    """

    identity: str
    proven: bool
    words: str
    simulated: bool = False
    since: Mark | None = None


class Lost(Struct, frozen=True, kw_only=True):
    """The device fell silent or restarted while its port is still open."""

    words: str


class Refused(Struct, frozen=True, kw_only=True):
    """The device is there and cannot be used until a person does what `advice` says."""

    words: str
    advice: str


LinkChange = Ready | Lost | Refused
Said = DeviceEvent | LinkChange
Report = Callable[[Said], None]


# What a display is given


class Text(Struct, frozen=True, kw_only=True):
    """One thing to say in four lengths: for a page, for a sign's line, for 20 characters, for a few digits.

    A display shows the longest that fits it. `digits` may be empty where four digits could only mislead: a display
    that has room for no more then stays blank for it.
    """

    page: str
    line: str
    short: str
    digits: str = ""

    @property
    def by_length(self) -> tuple[str, str, str, str]:
        """The longest first."""
        return (self.page, self.line, self.short, self.digits)


SLOTS: Final = ("limits", "rules", "result", "message")  # what a display may be asked to show, most lasting first
Content = Mapping[str, Text]  # slot → text


def check_slot(slot: str) -> str:
    if slot not in SLOTS:
        raise ValueError(f"there is no slot {slot!r}: slots are {', '.join(SLOTS)}")
    return slot


# Devices


class Device(Protocol):
    """One configured device, run by a supervisor.

    `open` connects (raises DeviceError with words), `serve` reports everything it hears until the device is gone
    (then raises DeviceError), `close` gives up the port within a bounded time and may be called at any moment, twice
    too. After `close` it can be opened again. Whatever the table asks of a device between them is kept and done when
    it is ready.
    """

    kind: Kind
    driver: str
    address: str
    simulated: bool

    async def open(self) -> None: ...

    async def serve(self, report: Report) -> None: ...

    async def close(self) -> None: ...


class Shoe(Device, Protocol):
    def committed(self, event: DeviceEvent) -> None:
        """The journal holds it: the device may forget it."""

    def lock(self, locked: bool) -> None:
        """Ask the shoe to let no card out. Where it has no lock, nothing happens: see `can_lock`."""

    @property
    def can_lock(self) -> bool: ...


class Display(Device, Protocol):
    def show(self, content: Content) -> None:
        """Set what is to be seen. A slot that is missing is blank. Kept, and shown again after every reconnection."""

    def problems(self, content: Content) -> list[str]:
        """What cannot be shown on this display in any length, in words: asked when the table is configured."""

    def shown(self) -> bool:
        """Whether the device has (as far as it can tell) everything that was last asked of it."""


class Console(Device, Protocol):
    @property
    def keys(self) -> tuple[str, ...]:
        """The names of its keys."""

    def light(self, lamps: Mapping[str, Lamp]) -> None:
        """Set the lamps by key name; one that is missing is off. Kept, as a display's content is."""
