"""Four digits on a TM1637 chip and two pins. The chip acknowledges every byte: one that does not is lost, in words."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import ClassVar, Final

from msgspec import Struct

from drivers.base import Kind, Mark
from drivers.displays.fitting import Digits
from drivers.displays.pin_display import PinDisplay
from drivers.displays.settings import check_refresh
from drivers.errors import PortLost
from drivers.pins import Pins, board, check_pins
from firmware_protocol import tm1637

FACE: Final = Digits(count=tm1637.DIGITS, check=tm1637.show)


class Tm1637Settings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Pins by their GPIO numbers."""

    clk: int
    dio: int
    brightness: int = tm1637.BRIGHTEST
    refresh_s: float = 5.0  # the chip forgets without supply, and only a writing finds out whether it is there

    def __post_init__(self) -> None:
        check_pins([("clk", self.clk), ("dio", self.dio)])
        check_refresh(self.refresh_s)
        tm1637.lit(self.brightness)


class Tm1637Display(PinDisplay):
    KIND: ClassVar[Kind] = "display"
    TITLE: ClassVar[str] = tm1637.TITLE
    GRADE: ClassVar[str] = tm1637.GRADE
    CAPABILITIES: ClassVar[tuple[str, ...]] = (FACE.words, "colon", "acknowledges")
    SIMULATED: ClassVar[bool] = False
    Settings: ClassVar[type[Struct]] = Tm1637Settings

    def __init__(
        self,
        settings: Tm1637Settings,
        *,
        known: Mark | None = None,
        pins: Callable[[], Pins] = board,
        simulated: bool = False,
    ) -> None:
        self._clk, self._dio, self._brightness = settings.clk, settings.dio, settings.brightness
        self._dio_high: bool | None = None
        super().__init__(
            "tm1637",
            numbers=(settings.clk, settings.dio),
            face=FACE,
            words="the chip acknowledged what it was sent; whether its digits light nobody can tell",
            refresh_s=settings.refresh_s,
            pins=pins,
            simulated=simulated,
        )

    def _set_up(self, pins: Pins) -> None:
        self._dio_high = None
        self._let_dio(pins, high=True)
        pins.output(self._clk, True)

    def _write(self, pins: Pins, text: str) -> Iterator[int]:
        clk = True
        for count, step in enumerate(tm1637.pins(tm1637.show(text, brightness=self._brightness)), 1):
            self._let_dio(pins, high=bool(step.dio))
            if clk is not bool(step.clk):
                clk = bool(step.clk)
                pins.write(self._clk, clk)
            if step.released and clk and pins.read(self._dio):
                raise PortLost(
                    f"the display on pins {self._clk} and {self._dio} does not answer",
                    advice="Check its supply and that CLK and DIO are not swapped; it comes back by itself",
                )
            yield count

    def _let_dio(self, pins: Pins, *, high: bool) -> None:
        """High is let go and pulled up, never driven: the chip answers by pulling low, and must not be fought."""
        if high is self._dio_high:
            return
        self._dio_high = high
        if high:
            pins.input(self._dio, pull_up=True)
        else:
            pins.output(self._dio, False)
