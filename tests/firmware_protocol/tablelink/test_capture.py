"""A capture of TableLink reads as what was said, seals shown and not checked; whatever was recorded, nothing raises."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_protocol.shoe_events import CardRead, CutCardSeen, Misread
from firmware_protocol.tablelink.capture import CaptureDecoder, Said, encode_said, message_name
from firmware_protocol.tablelink.framing import encode_frame
from firmware_protocol.tablelink.messages import MESSAGES, decode_message
from firmware_protocol.wire import BadFrame, Decoded
from tests.firmware_protocol.make_vectors import FILE
from tests.firmware_protocol.tablelink.ends import KEY, opened
from tests.firmware_protocol.tablelink.test_framing import cuttings

VECTORS: dict[str, Any] = json.loads(FILE.read_text())


def captured(*pieces: bytes) -> list[Decoded]:
    decoder = CaptureDecoder()
    return [found for piece in pieces for found in decoder.feed(piece)] + decoder.close()


@pytest.mark.parametrize("vector", VECTORS["frames"], ids=[vector["name"] for vector in VECTORS["frames"]])
def test_every_golden_frame_is_read_as_its_message(vector: dict[str, Any]) -> None:
    (found,) = captured(b"\0" + bytes.fromhex(vector["frame"]))
    assert found.offset == 1
    message = decode_message(bytes.fromhex(vector["body"]))
    match found:
        case Said():
            assert found.message == message_name(type(message))
            assert not found.sealed
            assert list(found.fields) == list(message.__struct_fields__)
        case CardRead() | CutCardSeen() | Misread():
            assert message.id in (0x20, 0x21, 0x22)
        case _:
            pytest.fail(f"{found} is not what was said")


@pytest.mark.parametrize("vector", VECTORS["authentication"]["sealed"], ids=lambda vector: str(vector["name"]))
def test_a_sealed_frame_is_read_without_its_key(vector: dict[str, Any]) -> None:
    """TL-081: everybody on the cable can read; a seal only proves who wrote."""
    (found,) = captured(encode_frame(bytes.fromhex(vector["sealed"])))
    assert isinstance(found, CardRead) or (isinstance(found, Said) and found.sealed)


@pytest.mark.parametrize("vector", VECTORS["bad_messages"], ids=[vector["name"] for vector in VECTORS["bad_messages"]])
def test_a_bad_message_is_a_bad_frame_with_its_reason(vector: dict[str, Any]) -> None:
    """TL-011"""
    (found,) = captured(bytes.fromhex(vector["frame"]))
    assert isinstance(found, BadFrame)
    assert found.reason


def test_a_sealed_frame_without_room_for_its_seal_is_bad() -> None:
    """TL-081"""
    (found,) = captured(encode_frame(b"\x88" + bytes(11)))
    assert isinstance(found, BadFrame)
    assert "seal" in found.reason


@given(cuttings())
def test_any_bytes_are_read_the_same_however_they_are_cut(pieces: list[bytes]) -> None:
    """TL-005"""
    assert captured(*pieces) == captured(b"".join(pieces))


@given(st.binary(min_size=1, max_size=64))
def test_any_good_frame_is_read_as_something(body: bytes) -> None:
    (found,) = captured(encode_frame(body))
    assert found.offset == 0


def test_a_whole_session_of_both_ways_reads_as_a_story() -> None:
    pair = opened(key=KEY, cards=2)
    pair.commit(2)
    story = captured(b"".join(pair.host_sent[:2]), b"".join(pair.device_sent))
    assert [found.message for found in story if isinstance(found, Said)][:2] == ["hello", "resume"]
    assert [found.card for found in story if isinstance(found, CardRead)] == ["8S", "8S"]


@pytest.mark.parametrize("name", [message_name(kind) for kind in MESSAGES.values()])
def test_every_message_can_be_written_and_is_read_again(name: str) -> None:
    given = {"event": name, "serial": "41", "code": "0x38", "host_nonce": "00" * 8, "nonce": "11" * 8}
    given |= dict.fromkeys(["number", "first_event", "next_event", "oldest_event"], "1")
    (found,) = captured(encode_said(given))
    assert not isinstance(found, BadFrame)


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"event": "curtsy"}, "no message 'curtsy'"),
        ({"event": "ping", "token": "many"}, "ping.token: 'many' is not a whole number"),
        ({"event": "show", "content": "xyz"}, "show.content: 'xyz' is not bytes in hexadecimal"),
        ({"event": "ping", "token": 65536}, "Ping"),
        ({"event": "card_read", "card": "10S"}, "10S"),
    ],
)
def test_what_cannot_be_said_is_refused_in_words(said: dict[str, object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        encode_said(said)
