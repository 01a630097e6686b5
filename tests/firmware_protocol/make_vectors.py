"""Writes firmware_protocol/vectors.json: golden frames of TableLink for every language's tests to read.

`python -m tests.firmware_protocol.make_vectors` after a change of the protocol; a test fails if the file is stale, and
reviewers see the difference.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from firmware_protocol.tablelink import auth, messages
from firmware_protocol.tablelink.card_code import card_text
from firmware_protocol.tablelink.framing import DELIMITER, encode_frame
from firmware_protocol.tablelink.messages import Message, encode_message

FILE = Path(__file__).parents[2] / "firmware_protocol" / "vectors.json"
HOST_NONCE = bytes(range(0x10, 0x18))
DEVICE_NONCE = bytes(range(0xA0, 0xA8))
KEY = bytes(range(16))

GOOD: dict[str, Message] = {
    "hello": messages.Hello(1, 1, HOST_NONCE),
    "hello of a later host": messages.Hello(1, 3, HOST_NONCE),
    "identity of a shoe": messages.Identity(
        1, 1, 0x0007, 0xDEADBEEF, 42, 40, HOST_NONCE, DEVICE_NONCE, 1, 2, 3, b"SHOE-0042"
    ),
    "identity with the longest serial": messages.Identity(
        1, 7, 0x01FF, 1, 1, 1, HOST_NONCE, DEVICE_NONCE, 255, 0, 9, b"ABCDEFGHIJKLMNO"
    ),
    "resume": messages.Resume(0x1110, 0xDEADBEEF, 41),
    "ready": messages.Ready(0x1110, 0xDEADBEEF, 42),
    "refused, version": messages.Refused(1, 1, 1),
    "refused, key": messages.Refused(2, 1, 1),
    "no session": messages.NoSession(),
    "ping": messages.Ping(0),
    "pong": messages.Pong(0xFFFF),
    "ack nothing": messages.Ack(0xBEEF, 0),
    "ack": messages.Ack(0xBEEF, 41),
    "show text": messages.Show(0, 1, b"MIN 25 MAX 500"),
    "show nothing": messages.Show(1, 2, b""),
    "show the longest": messages.Show(0x3F, 0xFFFF, b"0123456789" * 4 + b"01234567"),
    "show zeros": messages.Show(2, 256, bytes(8)),
    "lamp on": messages.Show(0x40, 7, b"\x01"),
    "lock": messages.Show(0x80, 8, b"\x01"),
    "shown": messages.Shown(0x80, 8),
    "card 8S": messages.card_event(0xDEADBEEF, 1, 1000, "8S"),
    "card TD at a second try": messages.card_event(0xDEADBEEF, 2, 2**32 - 1, "TD", 1),
    "card 8 without a suit": messages.card_event(0xDEADBEEF, 3, 0, "8?"),
    "card unread": messages.card_event(0xDEADBEEF, 4, 0, "??"),
    "misread": messages.MisreadEvent(0xBEEF, 5, 1500, 3),
    "cut card": messages.CutCardEvent(0xBEEF, 6, 1600),
    "lid opened": messages.LidEvent(0xBEEF, 7, 1700, 1),
    "empty": messages.EmptyEvent(0xBEEF, 8, 1800),
    "jam": messages.JamEvent(0xBEEF, 9, 1900, 1),
    "backfeed": messages.BackfeedEvent(0xBEEF, 10, 2000),
    "key held": messages.KeyEvent(0xBEEF, 11, 2100, 4, 2),
    "tamper": messages.TamperEvent(0xBEEF, 12, 2200, 1),
    "power low": messages.PowerEvent(0xBEEF, 13, 2300, 1),
    "self test passed": messages.SelfTestEvent(0xBEEF, 0xFFFFFFFF, 2400, 0),
}


def _flipped(frame: bytes, place: int) -> bytes:
    return frame[:place] + bytes([frame[place] ^ 0x10]) + frame[place + 1 :]


def vectors() -> dict[str, Any]:
    card = encode_message(GOOD["card 8S"])
    framed = encode_frame(card)
    session = auth.session_key(KEY, HOST_NONCE, DEVICE_NONCE)
    bad_frames = {
        "one bit flipped in the body": _flipped(framed, 4),
        "wrong CRC": _flipped(framed, len(framed) - 2),
        "not COBS: the code points beyond the end": b"\x20\x01\x02" + DELIMITER,
        "too short for a CRC": b"\x03\x01\x02" + DELIMITER,
        "68 bytes without an end": b"\x01" * 68 + DELIMITER,
    }
    bad_messages = {
        "card too short": card[:-1],
        "card too long": card + b"\0",
        "card code that is no card": card[:-2] + b"\x0e\0",
        "card code with no suit and suit bits": card[:-2] + b"\x58\0",
        "hello too short": encode_message(GOOD["hello"])[:-1],
        "show too long": bytes([messages.Show.id, 0, 1, 0]) + bytes(49),
        "identity without a serial": encode_message(GOOD["identity of a shoe"])[:-9],
    }
    sealed = [
        (name, direction, counter)
        for name, direction, counter in (
            ("ack", auth.FROM_HOST, 0),
            ("ping", auth.FROM_HOST, 1),
            ("show the longest", auth.FROM_HOST, 2),
            ("identity with the longest serial", auth.FROM_DEVICE, 0),
            ("card 8S", auth.FROM_DEVICE, 258),
        )
    ]
    return {
        "version": 1,
        "crc_check": "29B1",
        "cards": {f"{code:02X}": card_text(code) for code in range(128) if _is_card(code)},
        "frames": [
            {"name": name, "body": body.hex(), "frame": encode_frame(body).hex()}
            for name, body in ((name, encode_message(message)) for name, message in GOOD.items())
        ],
        "unknown": [{"name": "an id of a later version", "body": "7e0102", "frame": encode_frame(b"\x7e\1\2").hex()}],
        "bad_frames": [{"name": name, "bytes": data.hex()} for name, data in bad_frames.items()],
        "bad_messages": [
            {"name": name, "body": body.hex(), "frame": encode_frame(body).hex()} for name, body in bad_messages.items()
        ],
        "authentication": {
            "key": KEY.hex(),
            "host_nonce": HOST_NONCE.hex(),
            "device_nonce": DEVICE_NONCE.hex(),
            "session_key": session.hex(),
            "sealed": [
                {
                    "name": name,
                    "direction": direction.decode(),
                    "counter": counter,
                    "body": encode_message(GOOD[name]).hex(),
                    "sealed": auth.seal(encode_message(GOOD[name]), session, direction, counter).hex(),
                }
                for name, direction, counter in sealed
            ],
        },
    }


def _is_card(code: int) -> bool:
    try:
        card_text(code)
    except ValueError:
        return False
    return True


def as_text() -> str:
    return json.dumps(vectors(), indent=1) + "\n"


if __name__ == "__main__":
    FILE.write_text(as_text())
