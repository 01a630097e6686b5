"""Frames on the wire, held against a second implementation written from PROTOCOL.md alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_protocol.tablelink.framing import MAX_BODY, MAX_ENCODED, Frame, FrameDecoder, decode_frame, encode_frame
from firmware_protocol.wire import BadFrame, Decoded
from tests.firmware_protocol.make_vectors import GOOD, vectors

FRAMES = [bytes.fromhex(frame["frame"]) for frame in vectors()["frames"]]
BODIES = st.binary(min_size=1, max_size=MAX_BODY)


def crc(data: bytes) -> int:
    """CRC-16/IBM-3740, bit by bit."""
    value = 0xFFFF
    for byte in data:
        value ^= byte << 8
        for _ in range(8):
            value = (value << 1 ^ 0x1021) & 0xFFFF if value & 0x8000 else value << 1
    return value


def stuffed(data: bytes) -> bytes:
    """COBS for less than 254 bytes: each zero is replaced by the distance to the next."""
    return b"".join(bytes([len(run) + 1]) + run for run in data.split(b"\0"))


def unstuffed(run: bytes) -> bytes | None:
    out = b""
    while run:
        code = run[0]
        if len(run) < code:
            return None
        out += run[1:code]
        run = run[code:]
        if run and code < 255:
            out += b"\0"
    return out


def expected(stream: bytes) -> list[tuple[int, bytes | None]]:
    """Where each run between zeros began, and the body in it if there is one; a run not yet ended is cut off."""
    found: list[tuple[int, bytes | None]] = []
    at = 0
    runs = stream.split(b"\0")
    for place, run in enumerate(runs):
        content = unstuffed(run) if len(run) <= 67 and place < len(runs) - 1 else None
        good = content is not None and len(content) >= 3 and crc(content[:-2]).to_bytes(2, "little") == content[-2:]
        if run:
            found.append((at, content[:-2] if content is not None and good else None))
        at += len(run) + 1
    return found


def streams() -> st.SearchStrategy[bytes]:
    """Frames, parts of frames, zeros, noise and runs that are too long: what plain noise would never hit."""
    frames = st.sampled_from(FRAMES)
    parts = st.builds(lambda f, a, b: f[min(a, b) : max(a, b)], frames, st.integers(0, 70), st.integers(0, 70))
    long = st.builds(lambda byte, n: bytes([byte]) * n, st.integers(1, 255), st.integers(60, 200))
    piece = st.one_of(frames, frames, parts, st.just(b"\0"), st.binary(max_size=20), long, BODIES.map(encode_frame))
    return st.lists(piece, max_size=10).map(b"".join)


@st.composite
def cuttings(draw: st.DrawFn) -> list[bytes]:
    stream = draw(streams())
    cuts = sorted(draw(st.lists(st.integers(0, len(stream)), max_size=8)))
    return [stream[a:b] for a, b in zip([0, *cuts], [*cuts, len(stream)], strict=True)]


def decode(*pieces: bytes) -> list[Decoded]:
    decoder = FrameDecoder()
    found = [thing for piece in pieces for thing in decoder.feed(piece)]
    return found + decoder.close()


@given(BODIES)
def test_a_frame_is_cobs_of_body_and_crc_and_one_zero(body: bytes) -> None:
    """TL-001, TL-002, TL-003"""
    frame = encode_frame(body)
    assert frame == stuffed(body + crc(body).to_bytes(2, "little")) + b"\0"
    assert frame.index(0) == len(frame) - 1 <= MAX_ENCODED
    assert decode_frame(frame[:-1]) == body
    assert decode(frame) == [Frame(offset=0, body=body)]


def test_the_crc_has_the_published_check_value() -> None:
    """TL-002: 29B1 for 123456789, low byte first."""
    assert crc(b"123456789") == 0x29B1
    assert encode_frame(b"123456789") == b"\x0c123456789\xb1\x29\0"


@pytest.mark.parametrize("size", [0, 65, 200])
def test_a_body_of_the_wrong_size_is_refused_by_the_sender(size: int) -> None:
    """TL-003"""
    with pytest.raises(ValueError, match=f"1 to 64 bytes, not {size}"):
        encode_frame(bytes(size))


def test_the_longest_frame_is_67_bytes_and_a_zero() -> None:
    """TL-004"""
    assert MAX_ENCODED == 67
    for filler in (b"\0", b"\x01", b"\xff"):
        assert len(encode_frame(filler * 64)) == 68
        assert decode(encode_frame(filler * 64)) == [Frame(offset=0, body=filler * 64)]


@given(st.one_of(streams(), st.binary(max_size=400)))
def test_every_run_between_zeros_is_one_frame_or_one_bad_frame_at_its_place(stream: bytes) -> None:
    """TL-004: nothing passes in silence, nothing is told twice, nothing raises."""
    found = decode(stream)
    assert [(thing.offset, thing.body if isinstance(thing, Frame) else None) for thing in found] == expected(stream)


@given(st.one_of(streams(), st.binary(max_size=400)))
def test_a_bad_frame_carries_its_bytes_up_to_the_maximum(stream: bytes) -> None:
    """wire.BadFrame: the bytes themselves, at most the decoder's maximum."""
    for thing in decode(stream):
        if isinstance(thing, BadFrame):
            assert thing.reason
            assert thing.data
            assert stream[thing.offset :].startswith(thing.data)
            assert len(thing.data) <= FrameDecoder.max_kept


@given(cuttings())
def test_the_same_comes_out_however_the_bytes_are_cut(pieces: list[bytes]) -> None:
    """TL-005"""
    stream = b"".join(pieces)
    at_once = decode(stream)
    assert decode(*pieces) == at_once
    assert decode(*(stream[i : i + 1] for i in range(len(stream)))) == at_once


@given(st.one_of(cuttings(), st.lists(st.binary(max_size=600), max_size=4)))
def test_no_more_than_one_frame_is_ever_kept(pieces: list[bytes]) -> None:
    """TL-006"""
    decoder = FrameDecoder()
    for piece in pieces:
        decoder.feed(piece)
        assert decoder.kept <= decoder.max_kept == 67
    decoder.close()
    assert decoder.kept == 0
    assert decoder.close() == []


@given(st.one_of(streams(), st.binary(max_size=300)), BODIES)
def test_a_good_frame_behind_any_noise_and_a_zero_is_found(noise: bytes, body: bytes) -> None:
    """TL-004: go on at the next zero."""
    assert decode(noise + b"\0" + encode_frame(body))[-1] == Frame(offset=len(noise) + 1, body=body)


def test_extra_zeros_are_nothing() -> None:
    """TL-001"""
    frame = FRAMES[0]
    assert decode(b"\0\0\0") == []
    found = decode(b"\0\0" + frame + b"\0\0\0" + frame + b"\0")
    assert [(type(thing), thing.offset) for thing in found] == [(Frame, 2), (Frame, 5 + len(frame))]


def test_every_single_flipped_bit_of_every_golden_frame_is_noticed() -> None:
    """TL-002, TL-004"""
    for body, frame in zip(GOOD, FRAMES, strict=True):
        for place in range(len(frame) - 1):
            for bit in range(8):
                flipped = frame[:place] + bytes([frame[place] ^ 1 << bit]) + frame[place + 1 :]
                found = decode(flipped)
                assert found, body
                assert all(isinstance(thing, BadFrame) for thing in found), (body, place, bit)


def test_a_run_that_is_too_long_is_told_once_when_it_becomes_so_and_skipped_to_its_end() -> None:
    """TL-004, TL-006"""
    decoder = FrameDecoder()
    assert decoder.feed(b"\x01" * 67) == []
    (bad,) = decoder.feed(b"\x01")
    assert isinstance(bad, BadFrame)
    assert bad.offset == 0
    assert "67 bytes" in bad.reason
    assert decoder.feed(b"\x01" * 10_000) == []
    assert decoder.kept == 0
    assert decoder.feed(b"\x01\0" + FRAMES[0]) == [
        Frame(offset=10_070, body=bytes.fromhex(vectors()["frames"][0]["body"]))
    ]


@pytest.mark.parametrize("too_long", [False, True])
def test_the_end_of_the_stream_reports_what_was_cut_off_and_begins_afresh(too_long: bool) -> None:
    cut = b"\x01" * 100 if too_long else FRAMES[0][:-1]
    decoder = FrameDecoder()
    found = decoder.feed(cut) + decoder.close()
    assert [(type(thing), thing.offset) for thing in found] == [(BadFrame, 0)]
    assert decoder.close() == []
    (frame,) = decoder.feed(FRAMES[0])
    assert isinstance(frame, Frame)
    assert frame.offset == len(cut)


def test_a_text_in_place_of_bytes_is_refused_and_changes_nothing() -> None:
    decoder = FrameDecoder()
    decoder.feed(FRAMES[0][:3])
    with pytest.raises(TypeError):
        decoder.feed("text")  # type: ignore[arg-type]
    (frame,) = decoder.feed(FRAMES[0][3:])
    assert isinstance(frame, Frame)
