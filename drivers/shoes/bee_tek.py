"""Driver of the Bee-Tek shoe: cards as ASCII records, unnumbered and unchecked; refuses to call anything proven."""

from __future__ import annotations

from typing import ClassVar, Final

from drivers.base import Kind, Mark
from drivers.ports.base import Parity
from drivers.shoes.one_way import OneWayLink, OneWayShoe, SerialSettings
from drivers.stream import Opener
from firmware_protocol import bee_tek

UNNUMBERED: Final = "this shoe does not number its cards: after an interruption nobody can tell whether one was missed"


class BeeTekShoe(OneWayShoe):
    KIND: ClassVar[Kind] = "shoe"
    TITLE: ClassVar[str] = bee_tek.TITLE
    GRADE: ClassVar[str] = bee_tek.GRADE
    CAPABILITIES: ClassVar[tuple[str, ...]] = ("suits",)
    SIMULATED: ClassVar[bool] = False

    class Settings(SerialSettings, frozen=True, kw_only=True):
        baud: int = bee_tek.BAUD
        data_bits: int = bee_tek.DATA_BITS
        parity: Parity = bee_tek.PARITY
        stop_bits: int = bee_tek.STOP_BITS

    def __init__(self, settings: Settings, *, known: Mark | None = None, opener: Opener | None = None) -> None:
        super().__init__(_link(), settings, opener, driver="bee_tek")


def _link() -> OneWayLink:
    return OneWayLink(bee_tek.Decoder, identity="Bee-Tek shoe", words=UNNUMBERED)
