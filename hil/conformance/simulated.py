"""A simulated device that obeys the orders of hil.stimulus: for `--port simulated`, ptys, and tests of the kit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from drivers.errors import DeviceError
from drivers.simulated.tablelink_end import LOCK, TableLinkEnd
from firmware_protocol.tablelink.card_code import card_code
from firmware_protocol.tablelink.device import QueueFull
from firmware_protocol.tablelink.messages import (
    BackfeedEvent,
    CardEvent,
    CutCardEvent,
    EmptyEvent,
    Event,
    JamEvent,
    KeyEvent,
    LidEvent,
    MisreadEvent,
)
from hil.stimulus import (
    KEY_ACTIONS,
    UNKNOWN,
    Answer,
    Lines,
    NotAnOrder,
    Order,
    on_the_line,
    parse_order,
)

if TYPE_CHECKING:
    from drivers.ports.base import Port

OK: Final = Answer(True)
_EVENTS: Final[dict[str, tuple[type[Event], tuple[int, ...]]]] = {
    "cut": (CutCardEvent, ()),
    "lid open": (LidEvent, (1,)),
    "lid close": (LidEvent, (0,)),
    "empty": (EmptyEvent, ()),
    "jam on": (JamEvent, (1,)),
    "jam off": (JamEvent, (0,)),
    "back": (BackfeedEvent, ()),
}
_OF: Final = {"shoe": ("deal", "misread", "cut", "lid", "empty", "jam", "back"), "panel": ("key",), "sign": ()}


class Obeying:
    """The orders, done to a simulated TableLink device."""

    def __init__(self, end: TableLinkEnd) -> None:
        self.end = end

    async def obey(self, order: Order) -> Answer:
        end = self.end
        match order.verb:
            case "hello":
                return Answer(True, end.role)
            case "reset":
                end.reboot()
                return OK
            case "slot":
                return Answer(True, end.slots.get(int(order.what, 16), b"").hex() or "-")
        if order.verb not in _OF[end.role]:
            return Answer(False, UNKNOWN)
        return self._happens(order)

    def _happens(self, order: Order) -> Answer:
        if order.verb in ("deal", "misread") and (self.end.must_stop or self.end.slots.get(LOCK) == b"\x01"):
            return Answer(False, "stopped")
        try:
            match order.verb:
                case "deal":
                    self.end.add(CardEvent, card_code(order.what), 0)
                case "misread":
                    self.end.add(MisreadEvent, 1)
                case "key":
                    number, action = order.what.split()
                    self.end.add(KeyEvent, int(number), KEY_ACTIONS[action])
                case _:
                    kind, values = _EVENTS[str(order)]
                    self.end.add(kind, *values)
        except QueueFull:
            return Answer(False, "full")
        return OK


async def serve(port: Port, obeying: Obeying) -> None:
    """Reads orders and answers them until the port is gone."""
    lines = Lines()
    try:
        while True:
            for line in lines.feed(await port.read()):
                try:
                    answer = await obeying.obey(parse_order(line))
                except NotAnOrder as error:
                    answer = Answer(False, str(error))
                await port.write(on_the_line(answer))
    except DeviceError:
        return
