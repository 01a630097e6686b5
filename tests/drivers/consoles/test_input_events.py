"""The kernel's input events as bytes, of 32-bit and 64-bit systems, in every cutting."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.consoles.input_events import (
    DOWN,
    EV_KEY,
    EV_SYN,
    KEY_MAX,
    KEYS_SIZE,
    NATIVE,
    REPEATED,
    SYN_DROPPED,
    SYN_REPORT,
    UP,
    InputParser,
    KeyMoved,
    MovesLost,
    key_code,
    keys_in,
)
from drivers.errors import BadSetting

# Written out here, and not taken from the module: two longs of 8 or of 4 bytes, two 16-bit numbers, one 32-bit value.
BITS_64 = struct.Struct("<qqHHi")
BITS_32 = struct.Struct("<iiHHi")
EV_MSC, MSC_SCAN, EV_LED = 4, 4, 0x11
KP1 = 79


def events(layout: struct.Struct, *moves: tuple[int, int, int]) -> bytes:
    return b"".join(layout.pack(1_700_000_000, 250_000, *move) for move in moves)


@pytest.mark.parametrize("layout", [BITS_64, BITS_32], ids=["64 bits", "32 bits"])
def test_a_press_as_a_keypad_sends_it(layout: struct.Struct) -> None:
    data = events(
        layout,
        (EV_MSC, MSC_SCAN, 0x70059),
        (EV_KEY, KP1, DOWN),
        (EV_SYN, SYN_REPORT, 0),
        (EV_KEY, KP1, REPEATED),
        (EV_SYN, SYN_REPORT, 1),
        (EV_MSC, MSC_SCAN, 0x70059),
        (EV_KEY, KP1, UP),
        (EV_SYN, SYN_REPORT, 0),
    )
    assert layout.size == (24 if layout is BITS_64 else 16)
    assert InputParser(layout).receive(data) == [KeyMoved(KP1, DOWN), KeyMoved(KP1, REPEATED), KeyMoved(KP1, UP)]


def test_this_machines_events_have_the_size_of_its_longs() -> None:
    assert NATIVE.size == 2 * struct.calcsize("l") + 8


@given(data=st.binary(max_size=400), cuts=st.lists(st.integers(0, 400)))
def test_the_same_comes_out_however_it_is_cut(data: bytes, cuts: list[int]) -> None:
    whole, cut = InputParser(BITS_64), InputParser(BITS_64)
    out, last = [], 0
    for at in [*sorted(cuts), len(data)]:
        out += cut.receive(data[last:at])
        last = max(last, at)
    assert out == whole.receive(data)


def test_after_dropped_events_nothing_counts_until_the_next_report() -> None:
    parser = InputParser(BITS_64)
    data = events(
        BITS_64,
        (EV_KEY, KP1, DOWN),
        (EV_SYN, SYN_DROPPED, 0),
        (EV_KEY, KP1, UP),
        (EV_KEY, KP1 + 1, DOWN),
        (EV_SYN, SYN_REPORT, 0),
        (EV_KEY, KP1 + 2, DOWN),
    )
    assert parser.receive(data) == [KeyMoved(KP1, DOWN), MovesLost(), KeyMoved(KP1 + 2, DOWN)]


def test_a_new_connection_does_not_begin_with_half_an_event_of_the_old_one() -> None:
    parser = InputParser(BITS_64)
    parser.receive(events(BITS_64, (EV_SYN, SYN_DROPPED, 0))[:20])
    parser.forget()
    assert parser.receive(events(BITS_64, (EV_KEY, KP1, DOWN))) == [KeyMoved(KP1, DOWN)]


def test_values_that_no_key_has_are_left_out() -> None:
    data = events(BITS_64, (EV_KEY, KP1, 3), (EV_KEY, KP1, -1), (EV_LED, 0, 1), (0xFFFF, 0xFFFF, -(2**31)))
    assert InputParser(BITS_64).receive(data) == []


def test_a_set_of_keys_is_one_bit_each() -> None:
    bits = bytearray(KEYS_SIZE)
    bits[KP1 // 8] = 1 << KP1 % 8
    bits[-1] = 0x80
    assert keys_in(bytes(bits)) == {KP1, KEY_MAX}


# From linux/input-event-codes.h, one of every run of the table and its ends
@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("ESC", 1),
        ("KEY_1", 2),
        ("0", 11),
        ("BACKSPACE", 14),
        ("ENTER", 28),
        ("LEFTCTRL", 29),
        ("A", 30),
        ("Z", 44),
        ("RIGHTSHIFT", 54),
        ("KPASTERISK", 55),
        ("F10", 68),
        ("NUMLOCK", 69),
        ("KP7", 71),
        ("KPMINUS", 74),
        ("KPPLUS", 78),
        ("kp1", 79),
        ("KEY_KP0", 82),
        ("KPDOT", 83),
        ("F12", 88),
        ("KPENTER", 96),
        ("KPSLASH", 98),
        ("HOME", 102),
        ("DELETE", 111),
        ("KPEQUAL", 117),
        ("KPCOMMA", 121),
        ("CALC", 140),
        ("KPLEFTPAREN", 179),
        ("KPRIGHTPAREN", 180),
        (300, 300),
    ],
)
def test_keys_are_known_by_the_kernels_names(name: str | int, code: int) -> None:
    assert key_code(name) == code


@pytest.mark.parametrize(
    ("name", "words"),
    [("KPENTR", "did you mean KPENTER"), ("the big one", "there is no key"), (0, "1 to 767"), (768, "1 to 767")],
)
def test_a_key_that_is_none_is_refused_with_the_nearest(name: str | int, words: str) -> None:
    with pytest.raises(BadSetting, match=words):
        key_code(name)
