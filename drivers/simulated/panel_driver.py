"""A simulated console: the real driver on a model of a panel, whose keys can be pressed and whose lamps can be asked.

Speaks TableLink over a line in memory, or is wired to simulated pins. Refuses more keys than there are pins for. Its
`faults` are switched at any time: on pins only those of keys mean something.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from typing import ClassVar, Final, Literal

from msgspec import Struct

from drivers.base import Kind, Lamp, Mark, Report
from drivers.consoles.gpio_keys import GpioKeys
from drivers.consoles.naming import check_names
from drivers.consoles.tablelink import TableLinkPanel
from drivers.errors import BadSetting
from drivers.pins import PINS
from drivers.simulated.faults import Faults
from drivers.simulated.panel import Panel, Pause, PinPanelModel, TableLinkPanelModel
from drivers.simulated.pins import SimulatedPins
from drivers.simulated.plug import Plug
from drivers.simulated.tablelink_end import TableLinkEnd

KEYS: Final = ("hit", "stand", "double", "split", "surrender", "insurance", "peek", "next_round", "undo")
SWITCH_NUMBER: Final = 200  # the key switch's key number, behind any key's


class SimulatedPanel:
    """Fulfils `drivers.base.Console`; every key has a lamp."""

    KIND: ClassVar[Kind] = "console"
    TITLE: ClassVar[str] = "Simulated key panel"
    GRADE: ClassVar[str] = "simulated: no hardware; the protocol's own driver reads it"
    CAPABILITIES: ClassVar[tuple[str, ...]] = ("keys", "long press", "lamps", "key switch", "faults")
    SIMULATED: ClassVar[bool] = True

    class Settings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
        protocol: Literal["tablelink", "gpio_keys"] = "tablelink"
        keys: tuple[str, ...] = KEYS
        long_press: tuple[str, ...] = ("undo",)
        long_press_ms: int = 800
        seed: int = 0

        def __post_init__(self) -> None:
            if not self.keys or len(set(self.keys)) != len(self.keys) or "" in self.keys:
                raise BadSetting("keys: a panel has at least one key, and each has a name of its own")
            most = (len(PINS) - 1) // 2 if self.protocol == "gpio_keys" else 0x40
            if len(self.keys) > most:
                raise BadSetting(f"keys: a simulated {self.protocol} panel has at most {most}, not {len(self.keys)}")
            known = (*self.keys, "undo") if self.long_press == ("undo",) else self.keys
            check_names("long_press", self.long_press, known)

    kind: Kind = "console"
    driver = "simulated"
    simulated = True

    def __init__(
        self,
        settings: Settings,
        *,
        known: Mark | None = None,
        clock: Callable[[], float] = time.monotonic,
        pause: Pause = asyncio.sleep,
    ) -> None:
        self.settings = settings
        self.address = f"simulated:{settings.protocol}"
        self.faults = Faults(settings.seed)
        self._plug: Plug | None = None
        self.panel: Panel
        self._real: TableLinkPanel | GpioKeys
        if settings.protocol == "tablelink":
            self.panel, self._real = self._over_tablelink()
        else:
            self.panel, self._real = self._over_pins(clock, pause)

    # At the panel

    async def press(self, key: str) -> None:
        await self.panel.press(key)

    async def hold(self, key: str) -> None:
        """Press it for long."""
        await self.panel.hold(key)

    async def turn_key(self, on: bool) -> None:
        await self.panel.turn_key(on)

    def lamps(self) -> dict[str, Lamp]:
        """As they are at the panel."""
        return self.panel.lamps()

    # drivers.base.Console

    @property
    def keys(self) -> tuple[str, ...]:
        return self._real.keys

    def light(self, lamps: Mapping[str, Lamp]) -> None:
        self._real.light(lamps)

    @property
    def real(self) -> TableLinkPanel | GpioKeys:
        """The driver of the protocol it speaks."""
        return self._real

    async def open(self) -> None:
        await self.close()
        await self._real.open()

    async def serve(self, report: Report) -> None:
        await self._real.serve(report)

    async def close(self) -> None:
        await self._real.close()
        if self._plug is not None:
            await self._plug.close()

    # The wiring

    def _over_tablelink(self) -> tuple[Panel, TableLinkPanel]:
        settings = self.settings
        numbers = {key: number for number, key in enumerate(settings.keys)}
        end = TableLinkEnd("panel", faults=self.faults)
        self._plug = Plug(end, self.faults, name=self.address)
        end.woken = self._plug.wake
        real = TableLinkPanel(
            TableLinkPanel.Settings(
                port=self.address, keys=numbers, key_switch=SWITCH_NUMBER, long_press=self._long_press()
            ),
            opener=self._plug.open,
            simulated=True,
        )
        return TableLinkPanelModel(numbers, end=end, key_switch=SWITCH_NUMBER), real

    def _over_pins(self, clock: Callable[[], float], pause: Pause) -> tuple[Panel, GpioKeys]:
        settings = self.settings
        pins = SimulatedPins(clock)
        free = iter(PINS)
        keys = {key: next(free) for key in settings.keys}
        lamps = {key: next(free) for key in settings.keys}
        switch = next(free)
        real = GpioKeys(
            GpioKeys.Settings(
                keys=keys,
                lamps=lamps,
                key_switch=switch,
                long_press=self._long_press(),
                long_press_ms=settings.long_press_ms,
            ),
            pins=lambda: pins,
            simulated=True,
            clock=clock,
        )
        model = PinPanelModel(
            pins,
            keys=keys,
            lamps=lamps,
            key_switch=switch,
            long_press_s=settings.long_press_ms / 1000,
            faults=self.faults,
            clock=clock,
            pause=pause,
        )
        return model, real

    def _long_press(self) -> tuple[str, ...]:
        return tuple(key for key in self.settings.long_press if key in self.settings.keys)
