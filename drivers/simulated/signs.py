"""Simulated signs on a byte stream: the device ends of their protocols, which can be asked what a passer-by sees.

The fault `mute_sign` makes any of them dark; a TableLink sign then also leaves SHOW unanswered, the others never
answer. `reboot` is a cut of the supply: what a sign forgets with it differs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Protocol

from drivers.base import SLOTS
from drivers.simulated.cable import End
from drivers.simulated.faults import Faults
from drivers.simulated.tablelink_end import TableLinkEnd
from firmware_protocol.alpha import AlphaSign
from firmware_protocol.escpos import PoleDisplay
from firmware_protocol.tablelink.framing import Frame, FrameDecoder, encode_frame
from firmware_protocol.tablelink.messages import AUTHENTICATED, Show

STREAM_PROTOCOLS: Final = ("tablelink", "alpha_sign", "escpos")


class SeenSign(Protocol):
    """Anything that shows something and can lose its supply."""

    def shown(self) -> str:
        """What is to be seen, one line for each row or page; empty when dark or blank."""

    def reboot(self) -> None: ...


class SignEnd(End, SeenSign, Protocol):
    """A sign's end of a cable. `woken` is called when there is something new to send."""

    woken: Callable[[], None]


def sign_end(protocol: str, faults: Faults | None = None) -> SignEnd:
    """Raises ValueError for a protocol that no sign on a line speaks."""
    faults = faults if faults is not None else Faults()
    match protocol:
        case "tablelink":
            return TableLinkSign(faults)
        case "alpha_sign":
            return AlphaSignEnd(faults)
        case "escpos":
            return PoleEnd(faults)
    raise ValueError(f"there is no sign {protocol!r} on a line: there are {', '.join(STREAM_PROTOCOLS)}")


class TableLinkSign(TableLinkEnd):
    """Shows its texts one under the other."""

    def __init__(self, faults: Faults | None = None, *, key: bytes | None = None) -> None:
        super().__init__("sign", faults=faults, key=key)
        self._frames = FrameDecoder()

    def receive(self, data: bytes, now: float) -> None:
        # Before the protocol hears of it: what it took it would answer, and never take again.
        super().receive(self._without_shows(data) if self.faults.is_on("mute_sign") else data, now)

    def shown(self) -> str:
        if self.faults.is_on("mute_sign"):
            return ""
        texts = (self.slots.get(number, b"").decode(errors="replace") for number in range(len(SLOTS)))
        return "\n".join(text for text in texts if text)

    def _without_shows(self, data: bytes) -> bytes:
        found = (frame.body for frame in self._frames.feed(data) if isinstance(frame, Frame))
        return b"".join(encode_frame(body) for body in found if body[0] & ~AUTHENTICATED != Show.id)


class _Listener:
    """A sign that never says anything."""

    def __init__(self, faults: Faults) -> None:
        self.faults = faults
        self.woken: Callable[[], None] = lambda: None

    def connected(self, now: float) -> None:
        """It can't tell."""

    def disconnected(self) -> None:
        """It can't tell."""

    def data_to_send(self, now: float) -> bytes:
        if self.faults.is_on("reboot"):
            self.faults.switch("reboot", None)
            self.reboot()
        return b""

    def next_time(self) -> float | None:
        return None

    def reboot(self) -> None:
        raise NotImplementedError


class AlphaSignEnd(_Listener):
    """Keeps its memory without supply, as a sign with a battery does; loses packets that come too soon."""

    def __init__(self, faults: Faults) -> None:
        super().__init__(faults)
        self.sign = AlphaSign()

    def receive(self, data: bytes, now: float) -> None:
        self.sign.receive(data, now)

    def shown(self) -> str:
        return "" if self.faults.is_on("mute_sign") else self.sign.shown()

    def reboot(self) -> None:
        self.sign.receive(bytes(1))  # a NUL: half a packet is gone


class PoleEnd(_Listener):
    """Forgets everything without supply."""

    def __init__(self, faults: Faults) -> None:
        super().__init__(faults)
        self.pole = PoleDisplay()

    def receive(self, data: bytes, now: float) -> None:
        self.pole.receive(data)

    def shown(self) -> str:
        if self.faults.is_on("mute_sign"):
            return ""
        return "\n".join(row.rstrip() for row in self.pole.shown()).rstrip()

    def reboot(self) -> None:
        self.pole = PoleDisplay()
