"""TableLink signs: a text in each of four slots, and the sign says which of them it shows. Never cuts a text.

Slot 0 has the limits, 1 the rules, 2 the result, 3 the message; what the sign makes of them is its own affair.
"""

from __future__ import annotations

from typing import ClassVar, Final

from msgspec import Struct

from drivers.base import SLOTS, Content, Kind, Mark, Noticed, Said, check_slot
from drivers.displays.fitting import Page, each_alone, problems
from drivers.displays.settings import check_baud, check_port
from drivers.displays.stream_display import StreamDisplay
from drivers.errors import BadSetting
from drivers.ports.base import LineSettings
from drivers.stream import Opener
from drivers.tablelink_link import BAUD, TableLinkLink, read_key
from firmware_protocol.tablelink import capture
from firmware_protocol.tablelink.messages import MAX_CONTENT

NUMBERS: Final = {slot: number for number, slot in enumerate(SLOTS)}


class TableLinkDisplaySettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`characters` and `ascii_only` are for a sign with less room than a slot has, or without other letters."""

    port: str = "auto"
    baud: int = BAUD
    key_file: str = ""
    characters: int = MAX_CONTENT
    ascii_only: bool = False

    def __post_init__(self) -> None:
        check_port(self.port)
        check_baud(self.baud)
        if not 1 <= self.characters <= MAX_CONTENT:
            raise BadSetting(f"characters is 1 to {MAX_CONTENT}, the room in one slot, not {self.characters}")


class TableLinkSignLink(TableLinkLink):
    """Fulfils `DisplayLink`. All four slots are sent, blank ones too: the sign may still hold another table's text."""

    def __init__(self, settings: TableLinkDisplaySettings) -> None:
        super().__init__("sign", key=read_key(settings.key_file), baud=settings.baud)
        self._name = f"the sign at {settings.port}"
        self._face = Page(rows=1, columns=settings.characters, ascii_only=settings.ascii_only, size=MAX_CONTENT)
        self._texts: dict[str, bytes] = {}
        self._problems: tuple[str, ...] = ()
        self._untold: tuple[str, ...] = ()
        self.set_content({})

    def set_content(self, content: Content) -> None:
        for slot in content:
            check_slot(slot)
        fitted = each_alone(content, self._face, self._name)
        for slot, number in NUMBERS.items():
            text = "".join(fitted.rows.get(slot, ())).encode()
            if self._texts.get(slot) != text:
                self._texts[slot] = text
                self.show(number, text)
        if fitted.problems != self._problems:
            self._problems = self._untold = fitted.problems

    def problems(self, content: Content) -> list[str]:
        return problems(content, self._face, self._name)

    def shown(self) -> bool:
        return super().shown() and not self._problems

    def poll(self, now: float) -> list[Said]:
        told, self._untold = self._untold, ()
        return [*super().poll(now), *(Noticed(words=words) for words in told)]


class TableLinkDisplay(StreamDisplay):
    KIND: ClassVar[Kind] = "display"
    TITLE: ClassVar[str] = "TableLink sign"
    GRADE: ClassVar[str] = capture.GRADE
    CAPABILITIES: ClassVar[tuple[str, ...]] = (f"{MAX_CONTENT} bytes a slot", "says what it shows", "checksum", "key")
    SIMULATED: ClassVar[bool] = False
    Settings: ClassVar[type[Struct]] = TableLinkDisplaySettings

    def __init__(
        self, settings: TableLinkDisplaySettings, *, known: Mark | None = None, opener: Opener | None = None
    ) -> None:
        super().__init__(
            TableLinkSignLink(settings),
            driver="tablelink",
            address=settings.port,
            line=LineSettings(baud=settings.baud),
            role="sign",
            opener=opener,
        )
