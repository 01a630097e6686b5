"""The driver `display.simulated`: a simulated sign on the table's own machine, written by its protocol's real driver.

What it shows is exactly what a real one would, so the mark is not put into the text, where it would push out what is
to be seen: `simulated` is set on the device and on its `Ready`, and `seen` never gives the text without the mark.
"""

from __future__ import annotations

from typing import Any, ClassVar, Final

from msgspec import Struct, structs

from drivers.base import Content, Display, Kind, Mark, Ready, Report, Said
from drivers.displays.alpha_sign import AlphaSettings, AlphaSignDisplay
from drivers.displays.escpos import EscPosDisplay, EscPosSettings
from drivers.displays.max7219 import Max7219Display, Max7219Settings
from drivers.displays.tablelink import TableLinkDisplay, TableLinkDisplaySettings
from drivers.displays.tm1637 import Tm1637Display, Tm1637Settings
from drivers.simulated.digit_signs import Max7219Sign, Tm1637Sign
from drivers.simulated.faults import Faults
from drivers.simulated.pins import SimulatedPins
from drivers.simulated.plug import Pair, Plug
from drivers.simulated.signs import STREAM_PROTOCOLS, SeenSign, sign_end
from drivers.stream import Opener

PROTOCOLS: Final = (*STREAM_PROTOCOLS, "tm1637", "max7219")
CLK, DIO, CS = 5, 6, 13  # of the simulated board, which has nothing else on it
NOT_ON_PINS: Final = ("bit_flip", "drop", "duplicate", "garbage", "stall")  # there is no line of bytes to spoil


class Seen(Struct, frozen=True, kw_only=True):
    """What a passer-by sees, and that it is not real."""

    text: str
    simulated: bool = True


class SimulatedSign:
    """Fulfils `drivers.base.Display`. `sign` is the device, for whoever wants to look at it."""

    KIND: ClassVar[Kind] = "display"
    TITLE: ClassVar[str] = "Simulated sign"
    GRADE: ClassVar[str] = "simulated: no hardware; the protocol's own driver writes it"
    CAPABILITIES: ClassVar[tuple[str, ...]] = ("as the protocol it speaks", "named faults")
    SIMULATED: ClassVar[bool] = True

    class Settings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
        protocol: str = "tablelink"
        seed: int = 0  # of the faults

        def __post_init__(self) -> None:
            if self.protocol not in PROTOCOLS:
                raise ValueError(f"protocol: there is no {self.protocol!r}; there are {', '.join(PROTOCOLS)}")

    kind: Kind = "display"
    driver = "simulated"
    simulated = True

    def __init__(self, settings: Settings, *, known: Mark | None = None, pair: Pair | None = None) -> None:
        """`pair` makes both ends of another line than one in memory, such as a pty."""
        self.address = f"simulated {settings.protocol} sign"
        self.faults = Faults(settings.seed)
        self._protocol = settings.protocol
        self._plug: Plug | None = None
        self.sign: SeenSign
        self._real: Display
        if settings.protocol in STREAM_PROTOCOLS:
            self.sign, self._real = self._on_a_line(pair)
        else:
            self.sign, self._real = self._on_pins()

    # At the sign

    def seen(self) -> Seen:
        return Seen(text=self.sign.shown())

    def switch(self, fault: str, often: float | None) -> None:
        """Switch a fault on or off. Raises ValueError for one that is none, or that these signs can't have."""
        if self._plug is None and fault in NOT_ON_PINS:
            raise ValueError(f"a {self._protocol} display is on pins: the fault {fault!r} is one of a line of bytes")
        self.faults.switch(fault, often)

    # drivers.base.Display

    def show(self, content: Content) -> None:
        self._real.show(content)

    def problems(self, content: Content) -> list[str]:
        return self._real.problems(content)

    def shown(self) -> bool:
        return self._real.shown()

    @property
    def real(self) -> Display:
        """The driver of the protocol it speaks."""
        return self._real

    async def open(self) -> None:
        await self.close()
        await self._real.open()

    async def serve(self, report: Report) -> None:
        await self._real.serve(lambda said: report(_marked(said)))

    async def close(self) -> None:
        await self._real.close()
        if self._plug is not None:
            await self._plug.close()

    # The wiring

    def _on_a_line(self, pair: Pair | None) -> tuple[SeenSign, Display]:
        end = sign_end(self._protocol, self.faults)
        self._plug = Plug(end, self.faults, name=self.address, pair=pair)
        end.woken = self._plug.wake
        return end, _stream_driver(self._protocol, self.address, self._plug.open)

    def _on_pins(self) -> tuple[SeenSign, Display]:
        pins = SimulatedPins()
        if self._protocol == "tm1637":
            settings = Tm1637Settings(clk=CLK, dio=DIO)
            real: Display = Tm1637Display(settings, pins=lambda: pins, simulated=True)
            return Tm1637Sign(pins, clk=CLK, dio=DIO, faults=self.faults), real
        real = Max7219Display(Max7219Settings(din=DIO, clk=CLK, cs=CS), pins=lambda: pins, simulated=True)
        return Max7219Sign(pins, din=DIO, clk=CLK, cs=CS, faults=self.faults), real


def _marked(said: Said) -> Said:
    return structs.replace(said, simulated=True) if isinstance(said, Ready) else said


def _stream_driver(protocol: str, address: str, opener: Opener) -> Display:
    where: dict[str, Any] = {"port": address}
    match protocol:
        case "tablelink":
            return TableLinkDisplay(TableLinkDisplaySettings(**where), opener=opener)
        case "alpha_sign":
            return AlphaSignDisplay(AlphaSettings(**where), opener=opener)
    return EscPosDisplay(EscPosSettings(**where), opener=opener)
