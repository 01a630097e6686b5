"""The times of TableLink, in seconds, each with its reason (TL-070 to TL-075)."""

from __future__ import annotations

from typing import Final

from firmware_protocol.tablelink.framing import MAX_ENCODED

BITS_PER_BYTE: Final = 10  # 8N1
PING_S: Final = 1.0
LOST_S: Final = 3.0  # three pings unanswered
HELLO_S: Final = 0.5  # longer than the longest frame and its answer at 9600 (0.14 s), short for a person waiting
RESUME_S: Final = 0.5
SHOW_S: Final = 0.5
REFUSED_S: Final = 5.0  # before asking again a device that said no
MAX_RESEND_S: Final = 4.0
STUCK_S: Final = 2 * MAX_RESEND_S  # two re-sends without the missing event: ask the device what it has
WINDOW: Final = 32  # events a device may have on the way

_EVENT_BYTES: Final = 13 + 12 + 4  # a CARD frame with its seal: body, counter and tag, CRC, COBS byte and end


def frame_time(baud: int) -> float:
    """The longest frame on the wire: 0.071 s at 9600, 0.006 s at 115200."""
    return (MAX_ENCODED + 1) * BITS_PER_BYTE / baud


def resend_time(baud: int) -> float:
    """When an unacknowledged event is sent again: a full window's wire time, and 0.2 s for the host's commit.

    1.1 s at 9600, 0.28 s at 115200. It doubles while nothing is acknowledged, up to MAX_RESEND_S.
    """
    return 0.2 + WINDOW * _EVENT_BYTES * BITS_PER_BYTE / baud


def recovery_time(baud: int) -> float:
    """By when both ends work again once the line is good: lost is noticed, HELLO repeated, resumed, all re-sent."""
    return LOST_S + 2 * HELLO_S + RESUME_S + MAX_RESEND_S + 2 * resend_time(baud)
