"""Proves a journal from its first record to its last, and writes it out for others to read; changes nothing in it.

What is cut off at the end leaves a whole, shorter chain behind: only a head that was written down earlier shows it.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import Struct

from controller.store.errors import ChainBroken, JournalRefused
from controller.store.journal import Head, Journal, JournalReader
from controller.store.record import HASH_BYTES, Record, checked, is_compact_json

__all__ = ["ChainBroken", "Verified", "as_csv", "as_json_lines", "head_text", "read_head", "verify"]

FIELDS: Final = Record.__struct_fields__
_HEAD: Final = re.compile(rf"([0-9]{{1,18}}):([0-9a-fA-F]{{{2 * HASH_BYTES}}})")


class Verified(Struct, frozen=True, kw_only=True):
    """What a whole journal consists of. `head` with `records` is what to write down for the next time."""

    records: int
    head: str
    boots: int
    first: str | None
    last: str | None


def verify(path: str | Path, *, head: Head | None = None) -> Verified:
    """Every record, in order, from the first. With `head`, that record must be there with that very hash."""
    with Journal.read_only(path) as journal:
        boots: set[str] = set()
        first: str | None = None
        last: Record | None = None
        sequence, digest = 0, journal.genesis
        _must_match(head, sequence, digest)
        try:
            for record in checked(journal.unproven(), sequence=0, previous=digest):
                sequence, digest, last = record.sequence, record.hash, record
                first = first or record.wall
                boots.add(record.boot)
                _must_match(head, sequence, digest)
        except JournalRefused as error:
            words = f"record {sequence + 1} cannot be read, and nothing behind it: {error.words}"
            raise ChainBroken(sequence + 1, words) from error
        _must_end_here(journal, head, sequence)
        return Verified(
            records=sequence, head=digest.hex(), boots=len(boots), first=first, last=last.wall if last else None
        )


def head_text(head: Head) -> str:
    """A head as people write it down: `1042:9f86d0…`."""
    sequence, digest = head
    return f"{sequence}:{digest.hex()}"


def read_head(text: str) -> Head:
    fits = _HEAD.fullmatch(text.strip())
    if fits is None:
        raise ValueError(f"a head is NUMBER:HASH with {2 * HASH_BYTES} hexadecimal digits, not {text!r}")
    return int(fits[1]), bytes.fromhex(fits[2])


def as_json_lines(records: Iterable[Record]) -> Iterator[bytes]:
    """One object a line. `data` is put in as it stands, so that the hash can be computed from the line."""
    for record in records:
        yield msgspec.json.encode({**_plain(record), "data": _as_json(record.data)}) + b"\n"


def as_csv(records: Iterable[Record]) -> Iterator[bytes]:
    """A heading and one row a record, as RFC 4180 has it; `data` is the JSON text."""
    yield _csv_row(FIELDS)
    for record in records:
        plain = {**_plain(record), "data": record.data.decode(errors="replace")}
        yield _csv_row([plain[field] for field in FIELDS])


def _must_match(known: Head | None, sequence: int, digest: bytes) -> None:
    if known is not None and known[0] == sequence and known[1] != digest:
        what = f"record {sequence}" if sequence else "the beginning"
        raise ChainBroken(sequence, f"{what} is not the one of the known head: the journal was written anew")


def _must_end_here(journal: JournalReader, known: Head | None, sequence: int) -> None:
    if known is not None and known[0] > sequence:
        words = f"the journal ends at record {sequence}, and the known head is record {known[0]}: its end was cut off"
        raise ChainBroken(sequence + 1, words)
    end = journal.head  # raises where a snapshot is left of records that are gone
    if end[0] < sequence:
        raise ChainBroken(end[0] + 1, f"record {end[0] + 1} was there and is gone")


def _plain(record: Record) -> dict[str, Any]:
    plain = {field: getattr(record, field) for field in FIELDS}
    return {**plain, "salt": record.salt.hex(), "hash": record.hash.hex()}


def _as_json(data: bytes) -> Any:
    """An altered record may hold anything; then it is shown as text, and the line stays JSON."""
    return msgspec.Raw(data) if is_compact_json(data) else data.decode(errors="replace")


def _csv_row(values: Iterable[Any]) -> bytes:
    text = io.StringIO(newline="")
    csv.writer(text).writerow(values)
    return text.getvalue().encode()
