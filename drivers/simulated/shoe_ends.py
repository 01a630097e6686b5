"""What every simulated shoe's end can be told, and TableLink's; `byte_ends` has the shoes that only talk."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Protocol

from drivers.simulated.cable import End
from drivers.simulated.faults import Faults
from drivers.simulated.tablelink_end import SERIAL, TableLinkEnd
from firmware_protocol.tablelink.card_code import card_code
from firmware_protocol.tablelink.messages import (
    BackfeedEvent,
    CardEvent,
    CutCardEvent,
    EmptyEvent,
    JamEvent,
    LidEvent,
    MisreadEvent,
)

NO_CODE, TWO_CARDS = 1, 3  # reasons of a MISREAD
PROTOCOLS: Final = ("tablelink", "angel_eye", "bee_tek", "line_reader")


class ShoeEnd(End, Protocol):
    """A shoe's end of a protocol. What happened is told, where the protocol has words for it: else False comes back."""

    woken: Callable[[], None]  # called when there is something new to send

    @property
    def stopped(self) -> str:
        """Why no card may leave now, in words; empty where one may."""

    def card(self, card: str, *, burn: bool = False) -> bool: ...

    def unread(self, *, two: bool = False) -> bool: ...

    def cut_card(self) -> bool: ...

    def emptied(self) -> bool: ...

    def lid(self, is_open: bool) -> bool: ...

    def jam(self, jammed: bool) -> bool: ...

    def ran_back(self) -> bool: ...

    def loaded(self) -> bool: ...

    def reboot(self) -> None: ...


class TableLinkShoeEnd(TableLinkEnd):
    """A TableLink shoe: tells everything, keeps it until it is acknowledged, and obeys the lock."""

    def __init__(
        self,
        faults: Faults,
        *,
        serial: str = SERIAL,
        boot: int | None = None,
        key: bytes | None = None,
        baud: int = 115200,
    ) -> None:
        super().__init__("shoe", faults=faults, serial=serial, boot=boot, key=key, baud=baud)

    @property
    def stopped(self) -> str:
        if self.must_stop:
            return f"its queue is full: {self.queued} events wait to be acknowledged"
        return "the table has locked it" if self.locked else ""

    def card(self, card: str, *, burn: bool = False) -> bool:
        self.add(CardEvent, card_code(card), 0)
        return True

    def unread(self, *, two: bool = False) -> bool:
        self.add(MisreadEvent, TWO_CARDS if two else NO_CODE)
        return True

    def cut_card(self) -> bool:
        self.add(CutCardEvent)
        return True

    def emptied(self) -> bool:
        self.add(EmptyEvent)
        return True

    def lid(self, is_open: bool) -> bool:
        self.add(LidEvent, int(is_open))
        return True

    def jam(self, jammed: bool) -> bool:
        self.add(JamEvent, int(jammed))
        return True

    def ran_back(self) -> bool:
        self.add(BackfeedEvent)
        return True

    def loaded(self) -> bool:
        return False  # the lid, opened and closed, says as much
