"""Alpha and BetaBrite signs, on a serial line or as a USB Prism. They answer nothing; erases one only to set it up.

Limits, rules and results stand in STRINGs, which change without a blink; one TEXT shows them; a message goes over all
of it as the priority text. STRINGs need room in the sign's memory, and the sign divides its memory only just after an
erase: with `setup` that is done at the first connection after the start that holds, and never again while running.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Final, Literal

from msgspec import Struct

from drivers.base import Content, Kind, Mark, Said
from drivers.displays.fitting import Fitted, Page, each_alone
from drivers.displays.push_link import PushLink
from drivers.displays.settings import check_refresh, line_of
from drivers.displays.stream_display import StreamDisplay
from drivers.errors import BadSetting
from drivers.ports.base import Parity
from drivers.stream import Opener
from firmware_protocol import alpha
from firmware_protocol.alpha.commands import STRING_BYTES, MemoryFile

STRINGS: Final = {"limits": "a", "rules": "b", "result": "c"}  # slot → its STRING, in the order they are seen
TEXT: Final = "A"
TEXT_BYTES: Final = 64  # the TEXT holds a mode and three calls of two bytes each
BETWEEN: Final = "  "  # two slots on one line
ROOM: Final = STRING_BYTES - len(BETWEEN)
LEAST_GAP_S: Final = alpha.FAILED_GAP_S
ERASE_WAIT_S: Final = alpha.ERASE_WAIT_S
UNCUT_S: Final = 5.0  # a line that hangs up so soon after the set-up may have swallowed it in a buffer on the way
SIGN_TYPES: Final = {
    "all": alpha.SignType.ALL,
    "betabrite": alpha.SignType.BETABRITE,
    "one_line": alpha.SignType.ONE_LINE,
}
MODES: Final = {"hold": alpha.Mode.HOLD, "rotate": alpha.Mode.ROTATE}
MEMORY: Final[tuple[MemoryFile, ...]] = (
    alpha.TextFile(TEXT, TEXT_BYTES),
    *(alpha.StringFile(label, STRING_BYTES) for label in STRINGS.values()),
)


class AlphaSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`port` may be a USB Prism: `usb:8765:1234`."""

    port: str
    baud: int = alpha.BAUD
    data_bits: int = alpha.DATA_BITS
    parity: Parity = alpha.PARITY
    stop_bits: int = alpha.STOP_BITS
    sign_type: Literal["all", "betabrite", "one_line"] = "all"
    address: str = alpha.BROADCAST
    mode: Literal["hold", "rotate"] = "hold"
    characters: int = ROOM  # of each slot: what is wider than the sign it shows page after page by itself
    setup: bool = True  # False keeps what else the sign holds; it must then have been set up before
    packet_gap_s: float = alpha.PACKET_GAP_S
    refresh_s: float = 60.0

    def __post_init__(self) -> None:
        line_of(self)
        check_refresh(self.refresh_s)
        alpha.frame(alpha.release_priority(), address=self.address)
        if not 1 <= self.characters <= ROOM:
            raise BadSetting(f"characters is 1 to {ROOM}, the room in one STRING of the sign, not {self.characters}")
        if not LEAST_GAP_S < self.packet_gap_s <= 10:
            raise BadSetting(
                f"packet_gap_s is above {LEAST_GAP_S:g}, which lost packets on a real sign, and at most 10, "
                f"not {self.packet_gap_s}"
            )


class AlphaLink(PushLink):
    def __init__(self, settings: AlphaSettings) -> None:
        self._settings = settings
        self._set_up = not settings.setup
        self._setup_left: list[bytes] = []
        self._set_up_at: float | None = None  # when the set-up of this connection counts
        super().__init__(
            name=f"the sign at {settings.port}",
            words="it answers nothing: what it is sent is sent again, and can't be checked",
            face=Page(rows=1, columns=settings.characters),
            baud=settings.baud,
            gap_s=settings.packet_gap_s,
            refresh_s=settings.refresh_s,
        )

    def fit(self, content: Content) -> Fitted:
        return each_alone(content, self._face, self.name)

    def parts(self, fitted: Fitted) -> Mapping[str, bytes]:
        """The message first: it is in a hurry. The TEXT last, when there is something for it to show."""
        message = "".join(fitted.rows.get("message", ()))
        made = {"message": alpha.write_priority(message) if message else alpha.release_priority()}
        before = ""
        for slot, label in STRINGS.items():
            text = "".join(fitted.rows.get(slot, ()))
            made[slot] = alpha.write_string(label, before + text if text else "")
            before = BETWEEN if text else before
        calls = [alpha.StringCall(label) for label in STRINGS.values()]
        made["text"] = alpha.write_text(TEXT, calls, mode=MODES[self._settings.mode])
        made["sequence"] = alpha.run_sequence(TEXT)
        return {part: self._frame(command) for part, command in made.items()}

    def opened(self, now: float) -> list[Said]:
        if not self._set_up:  # also one that was cut off halfway begins anew
            self._setup_left = [alpha.erase(), alpha.configure_memory(*MEMORY)]
        return super().opened(now)

    def poll(self, now: float) -> list[Said]:
        if self._set_up_at is not None and now >= self._set_up_at:
            self._set_up, self._set_up_at = True, None
        return super().poll(now)

    def next_time(self) -> float | None:
        times = (super().next_time(), self._set_up_at)
        return min((due for due in times if due is not None), default=None)

    def closed(self) -> list[Said]:
        self._setup_left, self._set_up_at = [], None
        return super().closed()

    def next_data(self, now: float) -> bytes:
        if not self._setup_left:
            return super().next_data(now)
        command = self._setup_left.pop(0)
        packet = self._frame(command)
        self.took(len(packet), now, max(self._gap_s, ERASE_WAIT_S if command == alpha.erase() else 0.0))
        if not self._setup_left:
            self._set_up_at = self._taken_at + UNCUT_S
        return packet

    def _frame(self, command: bytes) -> bytes:
        return alpha.frame(command, sign_type=SIGN_TYPES[self._settings.sign_type], address=self._settings.address)


class AlphaSignDisplay(StreamDisplay):
    KIND: ClassVar[Kind] = "display"
    TITLE: ClassVar[str] = alpha.TITLE
    GRADE: ClassVar[str] = alpha.GRADE
    CAPABILITIES: ClassVar[tuple[str, ...]] = (f"{ROOM} characters a slot", "checksum")
    SIMULATED: ClassVar[bool] = False
    Settings: ClassVar[type[Struct]] = AlphaSettings

    def __init__(self, settings: AlphaSettings, *, known: Mark | None = None, opener: Opener | None = None) -> None:
        super().__init__(
            AlphaLink(settings),
            driver="alpha_sign",
            address=settings.port,
            line=line_of(settings),
            role=None,
            opener=opener,
        )
