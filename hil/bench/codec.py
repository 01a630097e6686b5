"""Frames a second of TableLink beside pymodbus' RTU framer: encode one and decode it again, twelve bytes of payload.

Both sides work at the same level: bytes out of a payload, a payload out of bytes, with the checksum made and checked.
"""

from __future__ import annotations

import pymodbus
from pymodbus.framer import FramerRTU
from pymodbus.pdu import DecodePDU

from firmware_protocol.tablelink.framing import Frame, FrameDecoder, encode_frame
from hil.bench.measure import Result, compare

# A reply of "read five holding registers": twelve bytes whose length the RTU framer can find out by itself.
PAYLOADS = [b"\x03\x0a" + bytes((n * 7 + k) & 0xFF for k in range(10)) for n in range(64)]


def our_round_trips(count: int) -> int:
    decoder = FrameDecoder()
    for n in range(count):
        payload = PAYLOADS[n & 63]
        (frame,) = decoder.feed(encode_frame(payload))
        assert isinstance(frame, Frame)
        assert frame.body == payload
    return count


def reference_round_trips(count: int) -> int:
    """pymodbus: a payload framed for device 1, and found again in the bytes."""
    framer = FramerRTU(DecodePDU(False))
    for n in range(count):
        payload = PAYLOADS[n & 63]
        sent = framer.encode(payload, 1, 0)
        _, _, _, found = framer.decode(sent)
        assert found == payload
    return count


def run(pairs: int = 7, count: int = 20_000) -> Result:
    return compare(
        "TableLink framing",
        "round trips/s",
        lambda: our_round_trips(count),
        f"pymodbus {pymodbus.__version__} RTU framer",
        lambda: reference_round_trips(count),
        aim="at least 5",
        pairs=pairs,
    )
