"""Every wire format there is, by name: what it is called, how well it is known, how a capture is read and made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

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


_ALL: Final = (
    WireFormat(
        name="tablelink",
        kind="shoe, display, console",
        title=capture.TITLE,
        grade=capture.GRADE,
        capabilities=capture.CAPABILITIES,
        decoder=lambda cards: capture.CaptureDecoder(),
        encoder=lambda cards: encoders.tablelink(),
    ),
    WireFormat(
        name="angel_eye",
        kind="shoe",
        title=angel_eye.TITLE,
        grade=angel_eye.GRADE,
        capabilities=angel_eye.CAPABILITIES,
        decoder=lambda cards: angel_eye.Decoder(),
        encoder=lambda cards: encoders.angel_eye(),
    ),
    WireFormat(
        name="bee_tek",
        kind="shoe",
        title=bee_tek.TITLE,
        grade=bee_tek.GRADE,
        capabilities=bee_tek.CAPABILITIES,
        decoder=lambda cards: bee_tek.Decoder(),
        encoder=lambda cards: encoders.bee_tek(),
    ),
    WireFormat(
        name="line_reader",
        kind="shoe",
        title=line_reader.TITLE,
        grade=line_reader.GRADE,
        capabilities=line_reader.CAPABILITIES,
        decoder=lambda cards: line_reader.Decoder(cards),
        encoder=lambda cards: encoders.line_reader(cards),
        needs_cards=True,
    ),
    WireFormat(
        name="alpha_sign",
        kind="display",
        title=alpha.TITLE,
        grade=alpha.GRADE,
        capabilities=alpha.CAPABILITIES,
        decoder=lambda cards: alpha.Decoder(),
        encoder=lambda cards: encoders.alpha_sign(),
    ),
    WireFormat(
        name="escpos",
        kind="display",
        title=escpos.TITLE,
        grade=escpos.GRADE,
        capabilities=escpos.CAPABILITIES,
        decoder=lambda cards: escpos.Decoder(),
        encoder=lambda cards: encoders.escpos_display(),
    ),
    WireFormat(
        name="tm1637",
        kind="display",
        title=tm1637.TITLE,
        grade=tm1637.GRADE,
        capabilities=tm1637.CAPABILITIES,
        note="two pins, no stream of bytes",
    ),
    WireFormat(
        name="max7219",
        kind="display",
        title=max7219.TITLE,
        grade=max7219.GRADE,
        capabilities=max7219.CAPABILITIES,
        note="16-bit words on SPI, no stream of bytes",
    ),
)
FORMATS: Final = {known.name: known for known in _ALL}
ALIASES: Final = {"alpha": "alpha_sign", "betabrite": "alpha_sign", "barcode": "line_reader", "rfid": "line_reader"}


def wire_format(name: str) -> WireFormat | None:
    """The protocol a person named; hyphens and capitals do not matter."""
    plain = name.lower().replace("-", "_")
    return FORMATS.get(ALIASES.get(plain, plain))
