"""Entries, records and their chain, without a file."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from controller.store.errors import ChainBroken
from controller.store.record import Entry, Record, checked, genesis, hash_of, sealed

FIRST = genesis(b"journal")
PLAIN = Record(
    sequence=1,
    boot="b0",
    wall="2026-01-02T03:04:05.678Z",
    clock="ntp",
    monotonic_ns=7,
    actor="shoe",
    kind="CardRead",
    data=b'{"card":"8S"}',
    salt=b"s" * 16,
)


def chain(count: int) -> list[Record]:
    records: list[Record] = []
    previous = FIRST
    for number in range(1, count + 1):
        records.append(sealed(previous, replace(PLAIN, sequence=number)))
        previous = records[-1].hash
    return records


def test_the_hash_can_be_computed_by_hand() -> None:
    parts = (
        b"croupier journal record 1",
        FIRST,
        b"1",
        b"b0",
        b"2026-01-02T03:04:05.678Z",
        b"ntp",
        b"7",
        b"shoe",
        b"CardRead",
        b'{"card":"8S"}',
        b"s" * 16,
    )
    text = b"".join(len(part).to_bytes(8, "big") + part for part in parts)
    assert hash_of(FIRST, PLAIN) == hashlib.sha256(text).digest()


def test_text_that_moves_from_one_field_to_the_next_changes_the_hash() -> None:
    one, other = replace(PLAIN, actor="ab", kind="c"), replace(PLAIN, actor="a", kind="bc")
    assert hash_of(FIRST, one) != hash_of(FIRST, other)


def test_a_known_head_does_not_tell_the_card_without_the_salt() -> None:
    published = hash_of(FIRST, PLAIN)
    guesses = {
        hash_of(FIRST, replace(PLAIN, data=f'{{"card":"{rank}{suit}"}}'.encode(), salt=bytes(16)))
        for rank in "A23456789TJQK"
        for suit in "SHDC"
    }
    assert published not in guesses


def test_a_whole_chain_passes_record_by_record() -> None:
    records = chain(5)
    assert list(checked(records, sequence=0, previous=FIRST)) == records
    assert list(checked(records[2:], sequence=2, previous=records[1].hash)) == records[2:]


def test_a_chain_of_another_journal_is_broken_at_its_first_record() -> None:
    with pytest.raises(ChainBroken) as broken:
        list(checked(chain(3), sequence=0, previous=genesis(b"another")))
    assert broken.value.sequence == 1


def test_records_that_are_missing_are_named_with_their_numbers() -> None:
    records = chain(6)
    with pytest.raises(ChainBroken, match="records 2 to 4 are missing: 5 comes next") as broken:
        list(checked([records[0], *records[4:]], sequence=0, previous=FIRST))
    assert broken.value.sequence == 2


@pytest.mark.parametrize(
    "data", [b"", b"{", b"{'a':1}", b'{"a":1}\n', b'{"a":\n1}', b'"\xff"', b"NaN", b'{"a":1} {"a":2}', b"\xef\xbb\xbf1"]
)
def test_data_that_is_not_json_on_one_line_is_no_entry(data: bytes) -> None:
    with pytest.raises(ValueError, match="compact JSON"):
        Entry("shoe", "CardRead", data)


@pytest.mark.parametrize("field", ["actor", "kind"])
def test_half_a_character_is_no_name(field: str) -> None:
    with pytest.raises(ValueError, match=f"{field} .* half a character"):
        Entry(**{"actor": "shoe", "kind": "CardRead", "data": b"1", field: "\ud83d"})


@given(st.text(st.characters(exclude_categories=["Cs"])), st.text(st.characters(exclude_categories=["Cs"])))
def test_two_names_have_one_hash_only_if_they_are_one(one: str, other: str) -> None:
    same = hash_of(FIRST, replace(PLAIN, actor=one)) == hash_of(FIRST, replace(PLAIN, actor=other))
    assert same == (one == other)
