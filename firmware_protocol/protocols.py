"""Every wire format there is, by name: what it is called, how well it is known, how a capture is read and made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from msgspec import Struct

from firmware_protocol import alpha, angel_eye, bee_tek, encoders, escpos, line_reader, max7219, tm1637
from firmware_protocol.line_reader import CardMap
from firmware_protocol.tablelink import capture
from firmware_protocol.wire import Capabilities, Decoder


class WireFormat(Struct, frozen=True, kw_only=True):
    """One protocol. A format that is no stream of bytes (pins, words) has no decoder; `note` says so."""

    name: str
    kind: str
    title: str
    grade: str
    capabilities: Capabilities
    decoder: Callable[[CardMap], Decoder] | None = None
    encoder: Callable[[CardMap], encoders.Encode] | None = None
    needs_cards: bool = False  # whether it is read with a map from codes to cards
    note: str = ""


def _format(name: str, kind: str, module: Any, **more: Any) -> WireFormat:
    """What a protocol's own module says of it, and how the command line reads and makes it."""
    about = {"title": module.TITLE, "grade": module.GRADE, "capabilities": module.CAPABILITIES}
    return WireFormat(name=name, kind=kind, **about, **more)


_ALL: Final = (
    _format(
        "tablelink",
        "shoe, display, console",
        capture,
        decoder=lambda cards: capture.CaptureDecoder(),
        encoder=lambda cards: encoders.tablelink(),
    ),
    _format(
        "angel_eye",
        "shoe",
        angel_eye,
        decoder=lambda cards: angel_eye.Decoder(),
        encoder=lambda cards: encoders.angel_eye(),
    ),
    _format(
        "bee_tek",
        "shoe",
        bee_tek,
        decoder=lambda cards: bee_tek.Decoder(),
        encoder=lambda cards: encoders.bee_tek(),
    ),
    _format(
        "line_reader",
        "shoe",
        line_reader,
        decoder=line_reader.Decoder,
        encoder=encoders.line_reader,
        needs_cards=True,
    ),
    _format(
        "alpha_sign",
        "display",
        alpha,
        decoder=lambda cards: alpha.Decoder(),
        encoder=lambda cards: encoders.alpha_sign(),
    ),
    _format(
        "escpos",
        "display",
        escpos,
        decoder=lambda cards: escpos.Decoder(),
        encoder=lambda cards: encoders.escpos_display(),
    ),
    _format("tm1637", "display", tm1637, note="two pins, no stream of bytes"),
    _format("max7219", "display", max7219, note="16-bit words on SPI, no stream of bytes"),
)
FORMATS: Final = {known.name: known for known in _ALL}
ALIASES: Final = {"alpha": "alpha_sign", "betabrite": "alpha_sign", "barcode": "line_reader", "rfid": "line_reader"}


def wire_format(name: str) -> WireFormat | None:
    """The protocol a person named; hyphens and capitals do not matter."""
    plain = name.lower().replace("-", "_")
    return FORMATS.get(ALIASES.get(plain, plain))
