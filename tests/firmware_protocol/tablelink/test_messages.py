"""Messages to bytes and back, and the table of section 3 of PROTOCOL.md against the code."""

from __future__ import annotations

import re
import struct
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_protocol.tablelink import auth, messages
from firmware_protocol.tablelink.card_code import card_code, card_text
from firmware_protocol.tablelink.framing import MAX_BODY, encode_frame
from firmware_protocol.tablelink.messages import (
    MESSAGES,
    BadMessage,
    CardEvent,
    Event,
    Hello,
    Identity,
    Message,
    Ready,
    Show,
    Unknown,
    decode_message,
    encode_message,
)
from tests.firmware_protocol.tablelink.ends import Pair, opened, wire

PROTOCOL = Path(__file__).parents[3] / "firmware_protocol" / "PROTOCOL.md"
TO_DEVICE = "H→D"
PRINTABLE = st.characters(min_codepoint=0x21, max_codepoint=0x7E)
CARD_CODES = sorted([s << 4 | r for s in range(4) for r in range(1, 14)] + [0x40 | r for r in range(1, 14)] + [0x7F])


def fields_of(kind: type[Message]) -> list[st.SearchStrategy[Any]]:
    """A strategy for each field, from the layout; a card code exists, events count from 1, a serial is printable."""
    whole = {"B": st.integers(0, 0xFF), "H": st.integers(0, 0xFFFF), "I": st.integers(0, 0xFFFFFFFF)}
    fields = [
        whole[letter] if not size else st.binary(min_size=int(size), max_size=int(size))
        for size, letter in re.findall(r"(\d*)([BHIs])", kind.layout)
    ]
    if issubclass(kind, Event):
        fields[1] = st.integers(1, 0xFFFFFFFF)
    if kind is CardEvent:
        fields[3] = st.sampled_from(CARD_CODES)
    if kind is Ready:
        fields[2] = st.integers(1, 0xFFFFFFFF)
    if kind is Identity:
        fields[4] = fields[5] = st.integers(1, 0xFFFFFFFF)
        fields.append(st.text(PRINTABLE, min_size=1, max_size=15).map(str.encode))
    elif kind.tail != range(1):
        fields.append(st.binary(min_size=kind.tail.start, max_size=kind.tail.stop - 1))
    return fields


def a_message(kind: type[Message]) -> st.SearchStrategy[Message]:
    return st.tuples(*fields_of(kind)).map(lambda values: kind(*values)).filter(_can_be)


def _can_be(message: Message) -> bool:
    return not isinstance(message, Identity) or message.oldest_event <= message.next_event


def identity_numbers(upcoming: int, oldest: int, serial: bytes = b"SHOE-1") -> bytes:
    """The payload of an IDENTITY from its boot id on."""
    return struct.pack("<III", 7, upcoming, oldest) + bytes(19) + serial


EVERY = st.one_of([a_message(kind) for kind in MESSAGES.values()])


@given(EVERY)
def test_every_message_comes_back_from_its_bytes(message: Message) -> None:
    body = encode_message(message)
    assert body[0] == message.id
    assert len(body) <= MAX_BODY
    assert decode_message(body) == message


@pytest.mark.parametrize("kind", MESSAGES.values(), ids=lambda kind: kind.__name__)
def test_a_payload_of_any_other_length_is_a_bad_message(kind: type[Message]) -> None:
    """TL-011"""
    size = struct.calcsize("<" + kind.layout)
    for length in range(MAX_BODY):
        body = bytes([kind.id]) + b"A" * length
        if length - size in kind.tail:
            assert isinstance(decode_message(body), kind)
        else:
            with pytest.raises(BadMessage):
                decode_message(body)


@given(st.binary(max_size=80))
def test_any_body_is_a_message_an_unknown_one_or_a_bad_one(body: bytes) -> None:
    """TL-011, TL-012"""
    try:
        message = decode_message(body)
    except BadMessage:
        assert not body or body[0] in MESSAGES
    else:
        assert body[0] >= 0x80 or encode_message(message) == body


@given(st.sampled_from(sorted(set(range(256)) - set(MESSAGES))), st.binary(max_size=63))
def test_a_message_of_a_later_version_is_kept_as_it_came(number: int, payload: bytes) -> None:
    """TL-012"""
    assert decode_message(bytes([number]) + payload) == Unknown(number, payload)


def test_ids_are_unique_and_leave_bit_7_to_authentication() -> None:
    """TL-010"""
    kinds = [kind for kind in vars(messages).values() if isinstance(kind, type) and issubclass(kind, Message)]
    with_id = [kind for kind in kinds if kind not in (Message, Event, Unknown)]
    assert len({kind.id for kind in with_id}) == len(with_id) == len(MESSAGES)
    assert all(0 < kind.id < 0x80 for kind in with_id)


@pytest.mark.parametrize("code", range(256))
def test_only_the_card_codes_of_the_text_exist(code: int) -> None:
    """TL-040, TL-011"""
    body = encode_message(CardEvent(1, 2, 3, 0x38, 0))[:-2] + bytes([code, 0])
    if code in CARD_CODES:
        event = decode_message(body)
        assert isinstance(event, CardEvent)
        assert card_code(event.card) == code
    else:
        with pytest.raises(BadMessage):
            decode_message(body)
        with pytest.raises(ValueError, match="no card code"):
            card_text(code)


def test_a_card_code_is_suit_and_rank() -> None:
    """TL-040"""
    assert [card_text(code) for code in (0x01, 0x1A, 0x2B, 0x3C, 0x0D, 0x48, 0x7F)] == [
        "AC",
        "TD",
        "JH",
        "QS",
        "KC",
        "8?",
        "??",
    ]
    with pytest.raises(ValueError, match="is no card"):
        card_code("10S")


@pytest.mark.parametrize(
    "message",
    [
        Hello(256, 1, bytes(8)),
        Hello(-1, 1, bytes(8)),
        Hello(1, 1, bytes(7)),
        Hello(1, 1, bytes(9)),
        Show(0, 65536, b""),
        Show(0, 1, bytes(49)),
        Identity(1, 1, 1, 1, 1, 1, bytes(8), bytes(8), 1, 0, 0, b""),
        Identity(1, 1, 1, 1, 1, 1, bytes(8), bytes(8), 1, 0, 0, b"x" * 16),
        CardEvent(1, 2**32, 0, 0x38, 0),
        CardEvent(1, 1, 0, 0x0E, 0),
        Unknown(256, b""),
    ],
    ids=repr,
)
def test_a_value_that_does_not_fit_its_field_is_not_sent(message: Message) -> None:
    """encode_message: "Raises BadMessage where a value does not fit its field"; the other end would only drop it."""
    with pytest.raises(BadMessage):
        encode_message(message)


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b"\x20" + bytes(10) + b"\x38\x00", id="event number 0"),
        pytest.param(b"\x04\x01\x00" + bytes(8), id="READY with first event 0"),
        pytest.param(b"\x02\x01\x01\x00\x00" + identity_numbers(0, 0), id="IDENTITY with next event 0"),
        pytest.param(b"\x02\x01\x01\x00\x00" + identity_numbers(5, 0), id="IDENTITY with oldest event 0"),
        pytest.param(b"\x02\x01\x01\x00\x00" + identity_numbers(5, 6), id="IDENTITY with the oldest above the next"),
        pytest.param(b"\x02\x01\x01\x00\x00" + identity_numbers(5, 5, b"A B"), id="a serial with a space"),
        pytest.param(
            b"\x02\x01\x01\x00\x00" + identity_numbers(5, 5, b"A\x7f"), id="a serial with a control character"
        ),
        pytest.param(b"\x02\x01\x01\x00\x00" + identity_numbers(5, 5, b"\xc3\xbc"), id="a serial beyond ASCII"),
    ],
)
def test_a_message_that_holds_what_cannot_be_is_a_bad_message(body: bytes) -> None:
    """TL-011, TL-015, TL-030"""
    with pytest.raises(BadMessage):
        decode_message(body)


def test_the_longest_messages_fit_a_frame_with_their_seal_on() -> None:
    """TL-003, TL-081"""
    sizes = {
        kind: 1 + struct.calcsize("<" + kind.layout) + kind.tail.stop - 1 + auth.OVERHEAD for kind in MESSAGES.values()
    }
    assert sizes[Show] == MAX_BODY
    assert sizes[Identity] <= MAX_BODY
    assert max(sizes.values()) <= MAX_BODY
    longest = Show(0x3F, 0xFFFF, b"x" * 48)
    assert len(encode_frame(auth.seal(encode_message(longest), bytes(32), auth.FROM_HOST, 2**32 - 1))) == 68


# The table of section 3

Row = tuple[int, str, str, range]


def _size(field: str) -> range:
    """The bytes a field of the table may have."""
    if whole := re.search(r"\bu(8|16|32)$", field):
        return range(int(whole[1]) // 8, int(whole[1]) // 8 + 1)
    if several := re.search(r"(\d+)–(\d+) bytes", field):
        return range(int(several[1]), int(several[2]) + 1)
    fixed = re.search(r"(\d+)( bytes)?$", field)
    assert fixed, f"PROTOCOL.md has a field this test can't read: {field!r}"
    return range(int(fixed[1]), int(fixed[1]) + 1)


def _payload(text: str) -> range:
    fields = [field for field in re.sub(r"\([^)]*\)", "", text).split(",") if field.strip() not in ("", "–", "then:")]
    sizes = [_size(field.strip()) for field in fields]
    return range(sum(size.start for size in sizes), sum(size.stop - 1 for size in sizes) + 1)


def table() -> list[Row]:
    section = PROTOCOL.read_text().split("## 3. Messages")[1].split("| id | rule |")[0]
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in section.splitlines() if line.startswith("|")]
    found: list[Row] = []
    way, head = "", range(1)
    for number, name, direction, payload in rows[2:]:
        if name == "events":
            way, head = direction, _payload(payload)
            continue
        size = _payload(payload)
        if not direction:
            size = range(head.start + size.start, head.start + size.stop)
        found.append((int(number, 16), name, direction or way, size))
    return found


def test_the_table_of_the_text_is_the_table_of_the_code() -> None:
    """TL-091: id, name and size of every message."""
    code = set()
    for kind in MESSAGES.values():
        name = re.sub(r"(?<!^)(?=[A-Z])", "_", kind.__name__.removesuffix("Event")).upper()
        size = struct.calcsize("<" + kind.layout)
        code.add((kind.id, name, range(size + kind.tail.start, size + kind.tail.stop)))
    assert {(number, name, size) for number, name, _, size in table()} == code
    assert len(table()) == len(code) == 22


@pytest.mark.parametrize(("number", "name", "way", "size"), table(), ids=[row[1] for row in table()])
def test_a_message_that_comes_the_wrong_way_is_counted_and_left_alone(
    number: int, name: str, way: str, size: range
) -> None:
    """TL-012: the way of the table is the way of the code."""
    pair = opened()
    wrong = wire(decode_message(bytes([number]) + b"A" * size.start))
    end = pair.host if way == TO_DEVICE else pair.device
    assert end.receive(wrong, 0.0) == []
    assert end.data_to_send(0.0) == b""
    assert end.counts.unexpected == 1


def test_roles_and_capabilities_have_the_bits_of_the_text() -> None:
    """TL-013, TL-014"""
    text = PROTOCOL.read_text()
    (line,) = [line for line in text.splitlines() if line.startswith("| TL-014")]
    bits = {int(bit, 16): name for bit, name in re.findall(r"\b([0-9A-F]{4}) ([a-z ]+)", line)}
    renamed = {"wants its key": "needs_key", "keeps its queue over a restart": "keeps_queue"}
    assert {bit: renamed.get(name, name.replace(" ", "_")) for bit, name in bits.items()} == messages.CAPABILITY_BITS
    identity = Identity(1, 0b101, 0xFC00, 1, 1, 1, bytes(8), bytes(8), 1, 2, 3, b"X")
    assert identity.role_names == ("shoe", "panel")
    assert identity.firmware == "1.2.3"


def test_bits_and_roles_of_a_later_version_do_not_hinder_a_session() -> None:
    """TL-014: other bits must be ignored."""
    pair = Pair()
    (hello,) = [decode_message(b) for b in (b"\x01\x01\x01" + pair.host._nonce,)]
    assert isinstance(hello, Hello)
    strange = Identity(1, 0xF8, 0xFC00, 5, 1, 1, hello.nonce, bytes(8), 1, 2, 3, b"X")
    assert pair.host.receive(wire(strange), 0.0) == []
    assert pair.host.phase == "resume"
