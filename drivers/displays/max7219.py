"""Eight digits on a MAX7219 chip and three pins. It can't answer: what was written is written again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import ClassVar, Final

from msgspec import Struct

from drivers.base import Kind, Mark
from drivers.displays.fitting import Digits
from drivers.displays.pin_display import PinDisplay
from drivers.displays.settings import check_refresh
from drivers.pins import Pins, board, check_pins
from firmware_protocol import max7219

FACE: Final = Digits(count=max7219.DIGITS, check=max7219.show)


class Max7219Settings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Any three pins, by their GPIO numbers: the words are clocked out by hand, no SPI has to be switched on."""

    din: int
    clk: int
    cs: int
    brightness: int = max7219.INTENSITY
    first_digit_left: bool = False  # for modules wired the other way round
    refresh_s: float = 5.0  # the chip forgets without supply, and can't say so

    def __post_init__(self) -> None:
        check_pins([("din", self.din), ("clk", self.clk), ("cs", self.cs)])
        check_refresh(self.refresh_s)
        max7219.brightness(self.brightness)


class Max7219Display(PinDisplay):
    KIND: ClassVar[Kind] = "display"
    TITLE: ClassVar[str] = max7219.TITLE
    GRADE: ClassVar[str] = max7219.GRADE
    CAPABILITIES: ClassVar[tuple[str, ...]] = (FACE.words, "points")
    SIMULATED: ClassVar[bool] = False
    Settings: ClassVar[type[Struct]] = Max7219Settings

    def __init__(
        self,
        settings: Max7219Settings,
        *,
        known: Mark | None = None,
        pins: Callable[[], Pins] = board,
        simulated: bool = False,
    ) -> None:
        self._settings = settings
        super().__init__(
            "max7219",
            numbers=(settings.din, settings.clk, settings.cs),
            face=FACE,
            words="the chip can't answer: whether it is there, and what it shows, nobody can tell",
            refresh_s=settings.refresh_s,
            pins=pins,
            simulated=simulated,
        )

    def _set_up(self, pins: Pins) -> None:
        pins.output(self._settings.cs, True)  # first: while it is high the chip heeds nothing on the others
        pins.output(self._settings.clk, False)
        pins.output(self._settings.din, False)

    def _write(self, pins: Pins, text: str) -> Iterator[int]:
        at = self._settings
        words = (
            *max7219.initialise(at.brightness),
            *max7219.show(text, first_digit_left=at.first_digit_left),
        )
        count = 0
        for data in max7219.transfers(words):
            pins.write(at.cs, False)
            for byte in data:
                for place in range(7, -1, -1):
                    pins.write(at.din, bool(byte >> place & 1))
                    pins.write(at.clk, True)  # the chip takes the bit as the clock rises
                    pins.write(at.clk, False)
                    count += 1
                    yield count
            pins.write(at.cs, True)
