"""What every decoder of ours promises, as checks that any of them can join; knows no protocol itself.

To join: describe the decoder in a `Case`, and run every check of `CHECKS` on it (see test_shoe_decoder_contract.py).
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_protocol.wire import BadFrame, Decoded, Decoder


class KeepingDecoder(Decoder, Protocol):
    """A decoder that also says how many bytes it holds just now."""

    @property
    def kept(self) -> int: ...


@dataclass(frozen=True)
class Case:
    """One decoder, and enough about its wire to test it without its own code."""

    name: str
    make: Callable[[], KeepingDecoder]
    frames: tuple[bytes, ...]  # each makes one event in a new decoder, none of them before its last byte
    frame: re.Pattern[bytes]  # the shape of any good frame, its check digits aside
    filler: re.Pattern[bytes] = field(default_factory=lambda: re.compile(rb"(?!)"))  # what may stand between frames
    resync: bytes = b""  # what must stand between noise and a frame for the frame to be found
    repeated: re.Pattern[bytes] | None = None  # frames like this are not told again when they equal the last such
    noise: bytes = b"\x00"  # a byte that neither starts a frame nor is filler
    also: tuple[bytes, ...] = ()  # what else the wire may carry, to be mixed into the streams

    def __str__(self) -> str:
        return self.name


def decode(case: Case, *pieces: bytes) -> list[Decoded]:
    decoder = case.make()
    found = [event for piece in pieces for event in decoder.feed(piece)]
    return found + decoder.close()


def one_by_one(stream: bytes) -> list[bytes]:
    return [stream[i : i + 1] for i in range(len(stream))]


def streams(case: Case) -> st.SearchStrategy[bytes]:
    """Good frames, parts of them and noise in any order: what arbitrary bytes alone would never hit."""
    frames = st.sampled_from(case.frames)
    parts = st.builds(lambda f, a, b: f[min(a, b) : max(a, b)], frames, st.integers(0, 40), st.integers(0, 40))
    letters = st.sampled_from(sorted(set(b"".join(case.frames)))).map(lambda byte: bytes([byte]))
    long = st.builds(lambda byte, n: bytes([byte]) * n, st.integers(0, 255), st.integers(1, 400))
    other = st.sampled_from((case.resync, *case.also))
    piece = st.one_of(frames, frames, parts, letters, st.binary(max_size=12), long, other)
    return st.lists(piece, max_size=12).map(b"".join)


@st.composite
def cuttings(draw: st.DrawFn, case: Case) -> list[bytes]:
    stream = draw(streams(case))
    cuts = sorted(draw(st.lists(st.integers(0, len(stream)), max_size=8)))
    return [stream[a:b] for a, b in zip([0, *cuts], [*cuts, len(stream)], strict=True)]


def a_good_frame_is_one_event_as_soon_as_it_is_whole(case: Case) -> None:
    for frame in case.frames:
        decoder = case.make()
        assert decoder.feed(frame[:-1]) == []
        (event,) = decoder.feed(frame[-1:])
        assert event.offset == 0
        assert not isinstance(event, BadFrame)
        assert decoder.close() == []


def each_frame_says_where_in_the_stream_it_began(case: Case) -> None:
    stream, starts = b"", []
    for frame in case.frames:
        starts.append(len(stream))
        stream += frame
    assert [event.offset for event in decode(case, stream)] == starts


def it_gives_the_same_events_however_the_bytes_are_cut(case: Case) -> None:
    @given(cuttings(case))
    def check(pieces: list[bytes]) -> None:
        stream = b"".join(pieces)
        at_once = decode(case, stream)
        assert decode(case, *pieces) == at_once
        assert decode(case, *one_by_one(stream)) == at_once

    check()


def it_takes_any_bytes_and_never_keeps_more_than_it_says(case: Case) -> None:
    @given(st.one_of(cuttings(case), st.lists(st.binary(max_size=600), max_size=4)))
    def check(pieces: list[bytes]) -> None:
        decoder = case.make()
        for piece in pieces:
            decoder.feed(piece)
            assert decoder.kept <= decoder.max_kept
        decoder.close()
        assert decoder.kept == 0
        assert decoder.close() == []

    check()


def every_byte_is_in_a_frame_or_is_filler_or_is_reported(case: Case) -> None:
    @given(st.one_of(streams(case), st.binary(max_size=300)))
    def check(stream: bytes) -> None:
        found = decode(case, stream)
        offsets = [event.offset for event in found]
        assert offsets == sorted(set(offsets))
        told = set(offsets)
        before, at = b"", 0
        for bad in [event for event in found if isinstance(event, BadFrame)]:
            before = _walk(case, stream, at, bad.offset, told, before)
            at = bad.offset + len(bad.data)
            assert stream[bad.offset : at] == bad.data != b""
            assert len(bad.data) <= case.make().max_kept
            told.remove(bad.offset)
        _walk(case, stream, at, len(stream), told, before)
        assert told == set(), "events that stand inside a frame, in filler or in noise"

    check()


def _walk(case: Case, stream: bytes, at: int, end: int, told: set[int], before: bytes) -> bytes:
    """Checks that from `at` to `end` there is nothing but filler and frames that were told; returns the last one."""
    while at < end:
        if filler := case.filler.match(stream, at, end):
            assert at not in told
            at = filler.end()
            continue
        frame = case.frame.match(stream, at, end)
        assert frame, f"byte {at} was passed over in silence"
        repeated = case.repeated is not None and case.repeated.match(frame[0]) is not None
        assert (at in told) is not (repeated and frame[0] == before), f"the frame at byte {at}: told {at in told}"
        told.discard(at)
        before, at = frame[0] if repeated else before, frame.end()
    return before


def a_good_frame_behind_any_noise_is_found(case: Case) -> None:
    @given(st.one_of(streams(case), st.binary(max_size=200)), st.sampled_from(case.frames))
    def check(noise: bytes, frame: bytes) -> None:
        if case.repeated and frame in noise:
            return
        (alone,) = decode(case, frame)
        found = decode(case, noise + case.resync + frame)[-1]
        assert found.offset == len(noise + case.resync)
        assert type(found) is type(alone)

    check()


def a_run_of_noise_is_reported_once(case: Case) -> None:
    frame = case.frames[0]
    for length in (1, 2, 50):
        noise = case.noise * length
        bad, event = decode(case, noise + case.resync + frame)
        assert isinstance(bad, BadFrame)
        assert bad.data.startswith(noise)
        assert event.offset == length + len(case.resync)


def endless_noise_is_reported_in_pieces_while_it_lasts(case: Case) -> None:
    decoder = case.make()
    reports = [event for _ in range(5_000) for event in decoder.feed(b"\xff")]
    assert reports
    assert len(reports) <= 5_000 // 50
    reports += decoder.close()
    assert all(isinstance(event, BadFrame) for event in reports)
    assert b"".join(event.data for event in reports if isinstance(event, BadFrame)) == b"\xff" * 5_000


def a_frame_that_is_cut_off_is_reported_and_is_no_event(case: Case) -> None:
    for frame in case.frames:
        for length in range(1, len(frame)):
            found = decode(case, frame[:length])
            assert [(type(event), event.offset) for event in found] == [(BadFrame, 0)]
            assert isinstance(found[0], BadFrame)
            assert found[0].data == frame[:length]


def a_text_in_place_of_bytes_is_refused_and_changes_nothing(case: Case) -> None:
    decoder = case.make()
    with pytest.raises(TypeError):
        decoder.feed("text")  # type: ignore[arg-type]
    (event,) = decoder.feed(case.frames[0])
    assert event.offset == 0


CHECKS: tuple[Callable[[Case], None], ...] = (
    a_good_frame_is_one_event_as_soon_as_it_is_whole,
    each_frame_says_where_in_the_stream_it_began,
    it_gives_the_same_events_however_the_bytes_are_cut,
    it_takes_any_bytes_and_never_keeps_more_than_it_says,
    every_byte_is_in_a_frame_or_is_filler_or_is_reported,
    a_good_frame_behind_any_noise_is_found,
    a_run_of_noise_is_reported_once,
    endless_noise_is_reported_in_pieces_while_it_lasts,
    a_frame_that_is_cut_off_is_reported_and_is_no_event,
    a_text_in_place_of_bytes_is_refused_and_changes_nothing,
)
