"""Driver of a TableLink shoe: every card once and in order, acknowledged when it is committed; can lock the shoe."""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

from drivers.base import DeviceEvent, Kind, Mark
from drivers.ports.base import LineSettings
from drivers.shoes.one_way import check_port
from drivers.stream import Opener, StreamDevice
from drivers.tablelink_link import BAUD, LOCK, TableLinkLink, read_key
from firmware_protocol.tablelink import capture


class TableLinkShoe(StreamDevice):
    KIND: ClassVar[Kind] = "shoe"
    TITLE: ClassVar[str] = capture.TITLE
    GRADE: ClassVar[str] = capture.GRADE
    CAPABILITIES: ClassVar[tuple[str, ...]] = (
        "suits",
        "cut card",
        "numbered",
        "kept until committed",
        "checked",
        "can be locked",
        "says who it is",
    )
    SIMULATED: ClassVar[bool] = False

    class Settings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
        port: str
        baud: int = BAUD
        key_file: str = ""  # holds the device's key in hexadecimal; empty where it has none

        def __post_init__(self) -> None:
            check_port(self.port)
            if self.baud < 1:
                raise ValueError(f"baud: a line has a speed above 0, such as {BAUD}, not {self.baud}")

    def __init__(self, settings: Settings, *, known: Mark | None = None, opener: Opener | None = None) -> None:
        """`known` is the newest event of this shoe that the journal holds."""
        link = TableLinkLink("shoe", key=read_key(settings.key_file), known=known, baud=settings.baud)
        super().__init__(link, opener or _opener(settings), kind="shoe", driver="tablelink", address=settings.port)
        self._tablelink = link

    @property
    def can_lock(self) -> bool:
        return "lock" in self._tablelink.capabilities

    def lock(self, locked: bool) -> None:
        """Kept, and asked again after every reconnection. A shoe without a lock ignores it (TL-064)."""
        self._tablelink.show(LOCK, bytes([locked]))
        self.wake()

    def committed(self, event: DeviceEvent) -> None:
        if event.mark is not None:
            self._tablelink.committed(event.mark)
            self.wake()


def _opener(settings: TableLinkShoe.Settings) -> Opener:
    from drivers.discovery.opener import opener_for

    return opener_for(settings.port, LineSettings(baud=settings.baud), "shoe")
