"""A record of the journal and the chain that its hashes make. Pure: knows no file; the salt comes from the caller.

The hash of a record is SHA-256 over the previous record's hash and every field of its own, each with its length before
it, so that no two records share an encoding. The salt is among them: a published head cannot be searched for the one of
52 cards that makes it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from controller.store.clock import Clock
from controller.store.errors import ChainBroken

SALT_BYTES: Final = 16
HASH_BYTES: Final = 32
_RECORD: Final = b"croupier journal record 1"
_JOURNAL: Final = b"croupier journal 1"
_SNAPSHOT: Final = b"croupier journal snapshot 1"


class Entry(Struct, frozen=True):
    """What is to be kept: who did it, what happened, and the event itself as compact JSON."""

    actor: str
    kind: str
    data: bytes

    def __post_init__(self) -> None:
        for name, text in (("actor", self.actor), ("kind", self.kind)):
            try:
                text.encode()
            except UnicodeEncodeError as error:
                raise ValueError(f"{name} {text!r} is half a character and has no UTF-8") from error
        if not is_compact_json(self.data):
            raise ValueError(f"data is compact JSON in UTF-8 on one line, not {self.data[:80]!r}")


class Record(Struct, frozen=True, kw_only=True):
    """One line of the journal. `sequence` alone says the order; `monotonic_ns` compares within one `boot`."""

    sequence: int
    boot: str
    wall: str
    clock: Clock
    monotonic_ns: int
    actor: str
    kind: str
    data: bytes
    salt: bytes
    hash: bytes = b""


def is_compact_json(data: bytes) -> bool:
    if b"\n" in data or b"\r" in data:
        return False
    try:
        data.decode()  # msgspec skips over a string it need not build, and would let bad UTF-8 in one pass
        msgspec.json.decode(data, type=msgspec.Raw)
    except (UnicodeDecodeError, msgspec.DecodeError):
        return False
    return True


def genesis(journal_id: bytes) -> bytes:
    """What stands before the first record."""
    return _digest(_JOURNAL, journal_id)


def hash_of(previous: bytes, record: Record) -> bytes:
    """The hash this record must have behind `previous`; the one it carries is not looked at."""
    return _digest(
        _RECORD,
        previous,
        str(record.sequence).encode(),
        record.boot.encode(),
        record.wall.encode(),
        record.clock.encode(),
        str(record.monotonic_ns).encode(),
        record.actor.encode(),
        record.kind.encode(),
        record.data,
        record.salt,
    )


def sealed(previous: bytes, record: Record) -> Record:
    """The record with the hash that chains it to `previous`."""
    return replace(record, hash=hash_of(previous, record))


def snapshot_check(head: bytes, data: bytes) -> bytes:
    """Ties a snapshot to the record it was taken at."""
    return _digest(_SNAPSHOT, head, data)


def checked(records: Iterable[Record], *, sequence: int, previous: bytes) -> Iterator[Record]:
    """Each record as it proves to follow the one before; `sequence` and `previous` are of the one before the first."""
    for record in records:
        if record.sequence <= sequence:
            raise ChainBroken(record.sequence, f"record {record.sequence} stands where {sequence + 1} belongs")
        if record.sequence != sequence + 1:
            missing = f"record {sequence + 1} is"
            if record.sequence > sequence + 2:
                missing = f"records {sequence + 1} to {record.sequence - 1} are"
            raise ChainBroken(sequence + 1, f"{missing} missing: {record.sequence} comes next")
        if hash_of(previous, record) != record.hash:
            raise ChainBroken(
                record.sequence,
                f"record {record.sequence} does not follow from what is before it: it was altered, moved, or the one "
                "before it was replaced",
            )
        yield record
        sequence, previous = record.sequence, record.hash


def _digest(*parts: bytes) -> bytes:
    return sha256(b"".join(len(part).to_bytes(8, "big") + part for part in parts)).digest()
