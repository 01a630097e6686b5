"""Alpha and BetaBrite signs (M-Protocol), both ends: commands and packets, a decoder, a sign; asks no sign anything.

The host builds a command and frames it, `frame(write_string("a", "25-500"))`, and leaves PACKET_GAP_S before the next.
The sign acknowledges nothing: send its state again when the line comes back, and now and then.
"""

from __future__ import annotations

from typing import Final

from firmware_protocol.alpha.commands import (
    Mode,
    Position,
    StringFile,
    TextFile,
    configure_memory,
    erase,
    release_priority,
    run_sequence,
    soft_reset,
    write_priority,
    write_string,
    write_text,
)
from firmware_protocol.alpha.content import Colour, StringCall
from firmware_protocol.alpha.decoder import Decoder
from firmware_protocol.alpha.frames import (
    BAUD,
    BROADCAST,
    DATA_BITS,
    ERASE_WAIT_S,
    FAILED_GAP_S,
    PACKET_GAP_S,
    PARITY,
    RELIABLE_GAP_S,
    STOP_BITS,
    SignType,
    checksum,
    frame,
    reply,
)
from firmware_protocol.alpha.sign import AlphaSign
from firmware_protocol.wire import Capabilities

TITLE: Final = "Alpha / BetaBrite sign (M-Protocol)"
GRADE: Final = (
    "A: a public manual, and vectors of it; packets and replies seen on a real sign by others. Not tried on our own."
)
CAPABILITIES: Final = Capabilities(checksum=True)
USB_VENDOR, USB_PRODUCT, USB_OUT, USB_IN = 0x8765, 0x1234, 0x02, 0x82  # BetaBrite Prism: the same packets (grade B)

__all__ = [
    "BAUD",
    "BROADCAST",
    "CAPABILITIES",
    "DATA_BITS",
    "ERASE_WAIT_S",
    "FAILED_GAP_S",
    "GRADE",
    "PACKET_GAP_S",
    "PARITY",
    "RELIABLE_GAP_S",
    "STOP_BITS",
    "TITLE",
    "USB_IN",
    "USB_OUT",
    "USB_PRODUCT",
    "USB_VENDOR",
    "AlphaSign",
    "Colour",
    "Decoder",
    "Mode",
    "Position",
    "SignType",
    "StringCall",
    "StringFile",
    "TextFile",
    "checksum",
    "configure_memory",
    "erase",
    "frame",
    "release_priority",
    "reply",
    "run_sequence",
    "soft_reset",
    "write_priority",
    "write_string",
    "write_text",
]
