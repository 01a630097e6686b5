"""ESC/POS customer (pole) displays of 2 lines of 20 characters. They answer nothing: what was sent is sent again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Final

from msgspec import Struct

from drivers.base import Content, Kind, Mark
from drivers.displays.fitting import Fitted, Page, together
from drivers.displays.push_link import PushLink
from drivers.displays.settings import check_refresh, line_of
from drivers.displays.stream_display import StreamDisplay
from drivers.ports.base import Parity
from drivers.stream import Opener
from firmware_protocol import escpos

FACE: Final = Page(rows=escpos.ROWS, columns=escpos.COLUMNS)


class EscPosSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    port: str
    baud: int = escpos.BAUD
    data_bits: int = escpos.DATA_BITS
    parity: Parity = escpos.PARITY
    stop_bits: int = escpos.STOP_BITS
    brightness: int = escpos.BRIGHTEST
    refresh_s: float = 60.0  # everything is sent again so often: the display may have been switched off meanwhile

    def __post_init__(self) -> None:
        line_of(self)
        check_refresh(self.refresh_s)
        escpos.brightness(self.brightness)


class EscPosLink(PushLink):
    """Set up and cleared once a connection; after that lines are written over the old ones, and nothing flickers."""

    def __init__(self, settings: EscPosSettings) -> None:
        self._mode = escpos.blink(escpos.STEADY) + escpos.brightness(settings.brightness) + escpos.overwrite_mode()
        super().__init__(
            name=f"the pole display at {settings.port}",
            words="it answers nothing: what it is sent is sent again, and can't be checked",
            face=FACE,
            baud=settings.baud,
            refresh_s=settings.refresh_s,
        )

    def fit(self, content: Content) -> Fitted:
        return together(content, FACE, self.name)

    def parts(self, fitted: Fitted) -> Mapping[str, bytes]:
        top, bottom, *_ = [row for rows in fitted.rows.values() for row in rows] + [""] * escpos.ROWS
        return {
            "start": escpos.initialise() + escpos.clear(),
            "mode": self._mode,
            "lines": escpos.refresh(top, bottom),
        }

    def sent_once(self) -> frozenset[str]:
        return frozenset({"start"})  # it clears: for a moment there would be nothing to see


class EscPosDisplay(StreamDisplay):
    KIND: ClassVar[Kind] = "display"
    TITLE: ClassVar[str] = escpos.TITLE
    GRADE: ClassVar[str] = escpos.GRADE
    CAPABILITIES: ClassVar[tuple[str, ...]] = (FACE.words,)
    SIMULATED: ClassVar[bool] = False
    Settings: ClassVar[type[Struct]] = EscPosSettings

    def __init__(self, settings: EscPosSettings, *, known: Mark | None = None, opener: Opener | None = None) -> None:
        super().__init__(
            EscPosLink(settings),
            driver="escpos",
            address=settings.port,
            line=line_of(settings),
            role=None,
            opener=opener,
        )
