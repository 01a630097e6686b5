"""The device end of the Alpha protocol: a sign that holds files and says what it shows; ignores what a real one would.

It answers nothing, as a BetaBrite does. The time, where the caller passes it, only decides which packets come too soon.
"""

from __future__ import annotations

from collections import deque
from typing import Final

from msgspec import Struct

from firmware_protocol.alpha.commands import PRIORITY_LABEL, MemoryFile, StringFile, TextFile
from firmware_protocol.alpha.content import Colour, Control, Piece, StringCall, parse
from firmware_protocol.alpha.decoder import Decoder
from firmware_protocol.alpha.events import (
    MemoryConfigured,
    MemoryErased,
    PriorityReleased,
    PriorityText,
    RunSequence,
    SignPacket,
    SignString,
    SignText,
    SoftReset,
    UnknownCommand,
)
from firmware_protocol.alpha.frames import BROADCAST, SignType, check_address
from firmware_protocol.wire import BadFrame, Decoded

LOST_GAP_S: Final = (
    0.2  # the model loses packets closer than this: between the 0.1 s that failed and the 0.25 s that worked
)
ERASE_BUSY_S: Final = (
    1.5  # the model hears nothing so long after an erase: under the 2 s to wait, so that those always do
)
KEPT_REASONS: Final = 32  # how many of the last ignored packets are remembered
DEFAULT_LABEL: Final = "A"  # the one TEXT file of a sign without a memory configuration


class Run(Struct, frozen=True):
    """Characters in one colour; None is the sign's own choice."""

    text: str
    colour: Colour | None


class Shown(Struct, frozen=True):
    """One TEXT as a passer-by sees it."""

    label: str
    runs: tuple[Run, ...]
    position: str | None
    mode: str | None

    @property
    def text(self) -> str:
        return "".join(run.text for run in self.runs)

    @property
    def colour(self) -> Colour | None:
        """The colour it begins with."""
        return self.runs[0].colour if self.runs else None


class AlphaSign:
    """A sign of one type and address. `receive` takes any bytes; `shown` and `showing` say what is to be seen."""

    def __init__(self, *, sign_type: SignType = SignType.BETABRITE, address: str = BROADCAST) -> None:
        self._types = {SignType.ALL.value, sign_type.value}
        self._addresses = {BROADCAST, check_address(address)}
        self._decoder = Decoder()
        self._ready_at: float | None = None  # hears nothing before
        self.files: dict[str, MemoryFile] = {}
        self.texts: dict[str, SignText] = {}
        self.strings: dict[str, bytes] = {}
        self.sequence: tuple[str, ...] = (DEFAULT_LABEL,)
        self.priority: PriorityText | None = None
        self._erased = False
        self.soft_resets = 0
        self.bad_frames = 0
        self.ignored = 0
        self.reasons: deque[str] = deque(maxlen=KEPT_REASONS)  # why packets were ignored, the latest last

    def receive(self, data: bytes, now: float | None = None) -> list[Decoded]:
        """Takes bytes as they come; gives what was in them, heeded or not."""
        found = self._decoder.feed(data)
        for event in found:
            if isinstance(event, BadFrame):
                self.bad_frames += 1
                self._ignore(event.reason)
            elif isinstance(event, SignPacket) and self._hears(event, now):
                self._obey(event)
                self._stay_busy(event, now)
        return found

    def shown(self) -> str:
        """What is to be seen, one line for each TEXT in turn; empty on a blank sign."""
        return "\n".join(shown.text for shown in self.showing())

    def showing(self) -> tuple[Shown, ...]:
        """The priority text alone, else the TEXTs of the run sequence that have something in them."""
        if self.priority:
            pages = [self._shown(PRIORITY_LABEL, self.priority)]
        else:
            pages = [self._shown(label, self.texts[label]) for label in self.sequence if label in self.texts]
        return tuple(page for page in pages if page.text)

    def _hears(self, packet: SignPacket, now: float | None) -> bool:
        if now is not None:
            too_soon = self._ready_at is not None and now < self._ready_at
            self._ready_at = max(self._ready_at or now, now + LOST_GAP_S)
            if too_soon:
                self._ignore("the packet came too soon after the one before")
                return False
        if packet.sign_type not in self._types or packet.address not in self._addresses:
            self._ignore(f"for another sign: type {packet.sign_type!r}, address {packet.address}")
            return False
        return True

    def _stay_busy(self, packet: SignPacket, now: float | None) -> None:
        if now is not None and isinstance(packet, MemoryErased):
            self._ready_at = now + ERASE_BUSY_S

    def _obey(self, packet: SignPacket) -> None:
        match packet:
            case SignText():
                self._write_text(packet)
            case SignString():
                self._write_string(packet)
            case PriorityText():
                self.priority = packet
            case PriorityReleased():
                self.priority = None
            case MemoryErased():
                self._erase()
            case MemoryConfigured():
                self._configure(packet)
            case RunSequence():
                self.sequence = tuple(packet.labels)
            case SoftReset():
                self.soft_resets += 1
            case UnknownCommand():
                self._ignore(packet.reason)
            case _:
                self._ignore(f"nothing a sign does: {type(packet).__name__}")

    def _configure(self, packet: MemoryConfigured) -> None:
        if not self._erased:
            self._ignore("a memory configuration takes effect only after an erase, and there was none")
            return
        self.files = {file.label: file for file in packet.files}
        self._erased = False

    def _write_text(self, packet: SignText) -> None:
        file = self.files.get(packet.label)
        default = not self.files and packet.label == DEFAULT_LABEL
        if not default and not isinstance(file, TextFile):
            self._ignore(f"there is no TEXT file {packet.label!r} in the sign's memory")
        elif isinstance(file, TextFile) and len(packet.data) > file.size:
            self._ignore(f"TEXT file {packet.label!r} has {file.size} bytes, and the text {len(packet.data)}")
        else:
            self.texts[packet.label] = packet

    def _write_string(self, packet: SignString) -> None:
        file = self.files.get(packet.label)
        if not isinstance(file, StringFile):
            self._ignore(f"there is no STRING {packet.label!r} in the sign's memory")
        elif len(packet.data) > file.size:
            # Seen on a real sign: too long a value is not cut, and the old one is gone.
            self.strings[packet.label] = b""
            self._ignore(f"STRING {packet.label!r} has {file.size} bytes, and the value {len(packet.data)}: emptied")
        else:
            self.strings[packet.label] = packet.data

    def _erase(self) -> None:
        self.files, self.texts, self.strings = {}, {}, {}
        self.sequence = (DEFAULT_LABEL,)
        self.priority = None
        self._erased = True

    def _shown(self, label: str, text: SignText | PriorityText) -> Shown:
        return Shown(label, _runs(self._pieces(text.data)), text.position, text.mode)

    def _pieces(self, data: bytes) -> list[Piece | Control]:
        pieces: list[Piece | Control] = []
        for piece in parse(data):
            if isinstance(piece, StringCall):
                pieces.extend(parse(self.strings.get(piece.label, b"")))
            else:
                pieces.append(piece)
        return pieces

    def _ignore(self, reason: str) -> None:
        self.ignored += 1
        self.reasons.append(reason)


def _runs(pieces: list[Piece | Control]) -> tuple[Run, ...]:
    runs: list[Run] = []
    colour: Colour | None = None
    for piece in pieces:
        match piece:
            case Colour():
                colour = piece
            case str() if runs and runs[-1].colour == colour:
                runs[-1] = Run(runs[-1].text + piece, colour)
            case str():
                runs.append(Run(piece, colour))
            case StringCall() | Control():
                pass  # a STRING can't call a STRING, and other codes have no characters
    return tuple(runs)
