"""Authentication (TL-080 to TL-089): a session key from both nonces, then a counter and a tag on every frame.

Pure: the nonces come from the caller, who must never use one twice with the same key.
"""

from __future__ import annotations

import hmac
from hashlib import blake2s
from typing import Final

from firmware_protocol.tablelink.messages import AUTHENTICATED

KEY_SIZES: Final = range(16, 33)
COUNTER_SIZE: Final = 4
TAG_SIZE: Final = 8
OVERHEAD: Final = COUNTER_SIZE + TAG_SIZE
FROM_HOST: Final = b"H"
FROM_DEVICE: Final = b"D"
MAX_COUNTER: Final = 0xFFFFFFFF


def check_key(key: bytes) -> bytes:
    if len(key) not in KEY_SIZES:
        raise ValueError(f"a key has {KEY_SIZES.start} to {KEY_SIZES.stop - 1} bytes, not {len(key)}")
    return key


def session_key(key: bytes, host_nonce: bytes, device_nonce: bytes) -> bytes:
    """The key of one session: both ends contribute a nonce, so neither can be made to repeat an old session."""
    return blake2s(b"TL1" + host_nonce + device_nonce, key=key, digest_size=32).digest()


def _tag(session: bytes, direction: bytes, sealed: bytes) -> bytes:
    return blake2s(direction + sealed, key=session, digest_size=TAG_SIZE).digest()


def seal(body: bytes, session: bytes, direction: bytes, counter: int) -> bytes:
    """The body with its id marked, the counter and the tag behind it."""
    marked = bytes([body[0] | AUTHENTICATED]) + body[1:] + counter.to_bytes(COUNTER_SIZE, "little")
    return marked + _tag(session, direction, marked)


def is_sealed(body: bytes) -> bool:
    return bool(body and body[0] & AUTHENTICATED)


def unseal(body: bytes) -> bytes:
    """The plain body of a sealed one, *unchecked*: for reading what an IDENTITY claims before it can be checked."""
    return bytes([body[0] & ~AUTHENTICATED & 0xFF]) + body[1:-OVERHEAD]


class Opener:
    """Checks what one end receives in one session: right tag, and a counter above every one before it."""

    def __init__(self, session: bytes, direction: bytes) -> None:
        self.session = session
        self.direction = direction
        self.last = -1

    def open(self, body: bytes) -> bytes | None:
        """The plain body, or None for a forged, cut, replayed or reordered one."""
        if len(body) < 1 + OVERHEAD or not is_sealed(body):
            return None
        sealed, tag = body[:-TAG_SIZE], body[-TAG_SIZE:]
        if not hmac.compare_digest(tag, _tag(self.session, self.direction, sealed)):
            return None
        counter = int.from_bytes(sealed[-COUNTER_SIZE:], "little")
        if counter <= self.last:
            return None
        self.last = counter
        return unseal(body)
