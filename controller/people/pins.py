"""PINs: which are too easy, how one is hashed, and whether one fits a hash. Keeps none."""

from __future__ import annotations

import hashlib
import hmac
import itertools
import re
import secrets
from typing import Final

from msgspec import Struct

from controller.people.errors import BadPin

SHORTEST: Final = 4
LONGEST: Final = 12
WORK: Final = 2**14  # scrypt's n: 16 MiB and a fraction of a second, which a Pi can bear
MOST_MEMORY: Final = 64 * 1024 * 1024  # bytes that a hash in the file may ask for

_COLUMNS: Final = ("2580", "0852", "1470", "0741", "3690", "0963", "1379", "9731")  # drawn on a pad, not chosen


class PinHash(Struct, frozen=True, forbid_unknown_fields=True):
    """What scrypt made of a PIN, with what is needed to make it again. `salt` and `hash` are in hexadecimal."""

    n: int
    r: int
    p: int
    salt: str
    hash: str

    def __post_init__(self) -> None:
        if not (0 < self.p <= 16 and 0 < self.r <= 32 and self.n > 1 and self.n & (self.n - 1) == 0):
            raise ValueError("n, r and p are none that scrypt takes")
        if 128 * self.n * self.r > MOST_MEMORY:
            raise ValueError(f"n and r ask for more than {MOST_MEMORY // 2**20} MiB")
        if len(bytes.fromhex(self.salt)) < 16 or len(bytes.fromhex(self.hash)) < 32:
            raise ValueError("salt or hash is too short")


def check_pin(pin: str) -> None:
    """Raises BadPin with what is wrong. Never says the PIN itself."""
    if not re.fullmatch(r"[0-9]+", pin):
        raise BadPin("A PIN is digits only.")
    if not SHORTEST <= len(pin) <= LONGEST:
        raise BadPin(f"A PIN has {SHORTEST} to {LONGEST} digits, and this has {len(pin)}.")
    why = _too_easy(pin)
    if why:
        raise BadPin(f"This PIN is too easy to guess: {why}. Choose another.")


def _too_easy(pin: str) -> str:
    steps = {(int(after) - int(before)) % 10 for before, after in itertools.pairwise(pin)}
    if steps == {0}:
        return "it is one digit again and again"
    if steps in ({1}, {9}):
        return "its digits only count up or down"
    if steps in ({2}, {8}):
        return "its digits only count up or down by two"
    if any(pin == pin[:length] * (len(pin) // length) for length in range(1, len(pin) // 2 + 1)):
        return "it is the same few digits again and again"
    if re.fullmatch(r"(19|20)[0-9]{2}", pin):
        return "it is a year"
    if pin in _COLUMNS:
        return "it is a line on the pad"
    return ""


def hash_pin(pin: str) -> PinHash:
    salt = secrets.token_bytes(16)
    made = PinHash(WORK, 8, 1, salt.hex(), "00" * 32)
    return PinHash(made.n, made.r, made.p, made.salt, _scrypt(pin, made).hex())


def fits(pin: str, kept: PinHash) -> bool:
    """Takes as long for a PIN that fits as for one that does not."""
    return hmac.compare_digest(_scrypt(pin, kept), bytes.fromhex(kept.hash))


def _scrypt(pin: str, kept: PinHash) -> bytes:
    return hashlib.scrypt(
        pin.encode(),
        salt=bytes.fromhex(kept.salt),
        n=kept.n,
        r=kept.r,
        p=kept.p,
        maxmem=2 * MOST_MEMORY,
        dklen=len(bytes.fromhex(kept.hash)),
    )


NOBODY: Final = PinHash(WORK, 8, 1, "00" * 16, "00" * 32)  # no PIN fits it: what a name that is unknown is tried on
