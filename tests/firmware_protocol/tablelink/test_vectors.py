"""vectors.json is current, and every golden frame in it decodes or is refused as its name says."""

from __future__ import annotations

import json
from hashlib import blake2s
from typing import Any

import pytest

from firmware_protocol.tablelink import auth
from firmware_protocol.tablelink.card_code import card_text
from firmware_protocol.tablelink.framing import Frame, FrameDecoder, encode_frame
from firmware_protocol.tablelink.messages import BadMessage, Unknown, decode_message, encode_message
from firmware_protocol.wire import BadFrame, Decoded
from tests.firmware_protocol.make_vectors import FILE, GOOD, as_text

VECTORS: dict[str, Any] = json.loads(FILE.read_text())
AUTH = VECTORS["authentication"]


def decode(data: bytes) -> list[Decoded]:
    decoder = FrameDecoder()
    return decoder.feed(data) + decoder.close()


def named(group: list[dict[str, Any]]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("vector", group, ids=[vector["name"] for vector in group])


def test_the_file_is_what_make_vectors_writes() -> None:
    assert FILE.read_text() == as_text(), "run python -m tests.firmware_protocol.make_vectors"


def test_every_good_message_is_in_the_file() -> None:
    assert [vector["name"] for vector in VECTORS["frames"]] == list(GOOD)
    assert {type(message).id for message in GOOD.values()} == {int(v["body"][:2], 16) for v in VECTORS["frames"]}


@named(VECTORS["frames"])
def test_a_golden_frame_is_its_message_both_ways(vector: dict[str, Any]) -> None:
    """TL-091: a layout never changes within a version; these bytes are version 1."""
    message = GOOD[vector["name"]]
    body, frame = bytes.fromhex(vector["body"]), bytes.fromhex(vector["frame"])
    assert decode(frame) == [Frame(offset=0, body=body)]
    assert decode_message(body) == message
    assert encode_message(message) == body
    assert encode_frame(body) == frame


@named(VECTORS["unknown"])
def test_an_unknown_message_is_a_good_frame_and_kept(vector: dict[str, Any]) -> None:
    """TL-012"""
    body = bytes.fromhex(vector["body"])
    assert decode(bytes.fromhex(vector["frame"])) == [Frame(offset=0, body=body)]
    assert decode_message(body) == Unknown(body[0], body[1:])


@named(VECTORS["bad_frames"])
def test_a_bad_frame_is_refused_once_and_for_the_reason_in_its_name(vector: dict[str, Any]) -> None:
    """TL-004"""
    reasons = {"one bit flipped in the body": "wrong CRC", "68 bytes without an end": "without an end"}
    (bad,) = decode(bytes.fromhex(vector["bytes"]))
    assert isinstance(bad, BadFrame)
    assert reasons.get(vector["name"], vector["name"].split(":")[0].removesuffix(" for a CRC")) in bad.reason


@named(VECTORS["bad_messages"])
def test_a_bad_message_is_a_good_frame_that_says_nothing(vector: dict[str, Any]) -> None:
    """TL-011"""
    body = bytes.fromhex(vector["body"])
    assert decode(bytes.fromhex(vector["frame"])) == [Frame(offset=0, body=body)]
    with pytest.raises(BadMessage):
        decode_message(body)


def test_the_cards_of_the_file_are_the_cards_of_the_code() -> None:
    """TL-040: 52 cards, 13 without a suit, and one unread."""
    assert len(VECTORS["cards"]) == 66
    for code, text in VECTORS["cards"].items():
        assert card_text(int(code, 16)) == text


def test_the_session_key_is_blake2s_of_the_label_and_both_nonces() -> None:
    """TL-080, spelled out with hashlib alone."""
    key, host, device = (bytes.fromhex(AUTH[name]) for name in ("key", "host_nonce", "device_nonce"))
    assert blake2s(b"\x54\x4c\x31" + host + device, key=key).hexdigest() == AUTH["session_key"]
    assert auth.session_key(key, host, device).hex() == AUTH["session_key"]


@named(AUTH["sealed"])
def test_a_golden_seal_is_made_and_opened(vector: dict[str, Any]) -> None:
    """TL-010, TL-081, spelled out with hashlib alone."""
    session = bytes.fromhex(AUTH["session_key"])
    body, sealed = bytes.fromhex(vector["body"]), bytes.fromhex(vector["sealed"])
    direction = vector["direction"].encode()
    marked = bytes([body[0] | 0x80]) + body[1:] + vector["counter"].to_bytes(4, "little")
    assert sealed == marked + blake2s(direction + marked, key=session, digest_size=8).digest()
    assert auth.seal(body, session, direction, vector["counter"]) == sealed
    assert auth.Opener(session, direction).open(sealed) == body
    encode_frame(sealed)
