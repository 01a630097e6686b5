"""The driver `shoe.simulated`: a simulated shoe on the table's own machine, read by the real driver of its protocol.

Everything but the hardware is real: bytes, driver, resume. It marks what it says as simulated. `simulated_shoe` is
the shoe, for whoever deals from it; its faults are `simulated_shoe.faults`.
"""

from __future__ import annotations

import asyncio
import math
from typing import Any, ClassVar

from msgspec import Struct, structs

from drivers.base import DeviceEvent, Kind, Mark, Ready, Report, Said, Shoe
from drivers.shoes.angel_eye import AngelEyeShoe
from drivers.shoes.bee_tek import BeeTekShoe
from drivers.shoes.line_reader import LineReaderShoe
from drivers.shoes.tablelink import TableLinkShoe
from drivers.simulated.byte_ends import plain_card_map
from drivers.simulated.faults import Faults
from drivers.simulated.pile import shuffled, written
from drivers.simulated.plug import Pair, Plug
from drivers.simulated.shoe import LoadedShoe, keep_dealing, shoe_end
from drivers.simulated.shoe_ends import PROTOCOLS
from drivers.stream import Opener


class SimulatedShoe:
    """Fulfils `drivers.base.Shoe`."""

    KIND: ClassVar[Kind] = "shoe"
    TITLE: ClassVar[str] = "Simulated shoe"
    GRADE: ClassVar[str] = "simulated: no hardware; the protocol's own driver reads it"
    CAPABILITIES: ClassVar[tuple[str, ...]] = ("as the protocol it speaks", "named faults")
    SIMULATED: ClassVar[bool] = True

    class Settings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
        protocol: str = "tablelink"
        decks: int = 6
        seed: int = 0
        order: str = ""  # cards such as "8S TD CUT AC", instead of a shuffle
        cut_card: int | None = None  # after how many cards; 0 is none, nothing said is three quarters of the shoe
        burn: int = 0  # the first cards, told as burn cards where the protocol does
        pace: float = 0.0  # seconds from card to card; 0 deals only when asked

        def __post_init__(self) -> None:
            if self.protocol not in PROTOCOLS:
                raise ValueError(f"protocol: there is no {self.protocol!r}; there are {', '.join(PROTOCOLS)}")
            if not 0 <= self.pace < math.inf:
                raise ValueError(f"pace: seconds from card to card, not {self.pace}")
            if self.burn < 0:
                raise ValueError(f"burn: a number of cards, not {self.burn}")
            self.cards()

        def cards(self) -> tuple[str, ...]:
            return written(self.order) if self.order else shuffled(self.decks, self.seed, self.cut_card)

    def __init__(self, settings: Settings, *, known: Mark | None = None, pair: Pair | None = None) -> None:
        """`pair` makes both ends of another line than one in memory, such as a pty."""
        faults = Faults(settings.seed)
        end = shoe_end(settings.protocol, faults)
        self.simulated_shoe = LoadedShoe(end, faults, settings.cards(), burn=settings.burn)
        self.kind: Kind = "shoe"
        self.driver = "simulated"
        self.address = f"simulated {settings.protocol} shoe"
        self.simulated = True
        self._plug = Plug(end, faults, name=self.address, pair=pair)
        end.woken = self._plug.wake
        self._real = _real_driver(settings.protocol, self.address, known, self._plug.open)
        self._pace = settings.pace

    @property
    def real(self) -> Shoe:
        """The driver of the protocol it speaks."""
        return self._real

    async def open(self) -> None:
        await self.close()
        await self._real.open()

    async def serve(self, report: Report) -> None:
        dealing = asyncio.create_task(keep_dealing(self.simulated_shoe, self._pace)) if self._pace else None
        try:
            await self._real.serve(lambda said: report(_marked(said)))
        finally:
            if dealing is not None:
                dealing.cancel()
                await asyncio.gather(dealing, return_exceptions=True)

    async def close(self) -> None:
        await self._real.close()
        await self._plug.close()

    def committed(self, event: DeviceEvent) -> None:
        self._real.committed(event)

    def lock(self, locked: bool) -> None:
        self._real.lock(locked)

    @property
    def can_lock(self) -> bool:
        return self._real.can_lock


def _marked(said: Said) -> Said:
    return structs.replace(said, simulated=True) if isinstance(said, Ready) else said


def _real_driver(protocol: str, address: str, known: Mark | None, opener: Opener) -> Shoe:
    where: dict[str, Any] = {"port": address}
    match protocol:
        case "tablelink":
            return TableLinkShoe(TableLinkShoe.Settings(**where), known=known, opener=opener)
        case "angel_eye":
            return AngelEyeShoe(AngelEyeShoe.Settings(**where), opener=opener)
        case "bee_tek":
            return BeeTekShoe(BeeTekShoe.Settings(**where), opener=opener)
    settings = LineReaderShoe.Settings(**where, cards="")
    return LineReaderShoe(settings, opener=opener, cards=plain_card_map())
