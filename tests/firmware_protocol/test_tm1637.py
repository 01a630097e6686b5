"""The TM1637 and the segments: the data sheet's bytes, both lines step by step, and a chip that watches them."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_protocol import segments, tm1637
from firmware_protocol.tm1637 import Pins, Tm1637

CHARACTERS = st.sampled_from(sorted(segments.SHAPES))


def play(chip: Tm1637, transactions: tm1637.Transactions) -> list[int]:
    """Puts the transactions on the lines; gives what was read in each acknowledge slot."""
    acks = []
    for pins in tm1637.pins(transactions):
        level = chip.step(pins.clk, pins.dio)
        if pins.released and pins.clk:
            acks.append(level)
    return acks


def shown(text: str) -> str:
    chip = Tm1637()
    assert set(play(chip, tm1637.show(text))) == {0}
    assert chip.faults == 0
    return chip.shown()


def test_0123_at_full_brightness_is_as_the_data_sheet_has_it() -> None:
    assert tm1637.show("0123") == (b"\x40", b"\xc0\x3f\x06\x5b\x4f", b"\x8f")


def test_the_colon_is_the_second_digits_eighth_bit() -> None:
    assert tm1637.show("01:23")[1] == b"\xc0\x3f\x86\x5b\x4f"
    assert shown("01:23") == "01:23"
    assert shown("1:23") == " 1:23"


@pytest.mark.parametrize("text", ["123:45", "12:3", "12:345", ":", "1:2:3", "12:"])
def test_a_colon_in_another_place_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="12:30 can be shown"):
        tm1637.show(text)


def test_brightness_and_darkness_leave_the_digits() -> None:
    assert (tm1637.lit(0), tm1637.lit(7), tm1637.dark()) == ((b"\x88",), (b"\x8f",), (b"\x80",))
    chip = Tm1637()
    play(chip, tm1637.show("25", brightness=3))
    assert (chip.shown(), chip.brightness, chip.on) == ("  25", 3, True)
    play(chip, tm1637.dark())
    assert chip.shown() == ""
    play(chip, tm1637.lit(5))
    assert (chip.shown(), chip.brightness) == ("  25", 5)
    for brightness in (-1, 8):
        with pytest.raises(ValueError, match="brightness is 0 to 7"):
            tm1637.show("25", brightness=brightness)


def test_one_byte_on_the_lines_is_a_start_eight_bits_an_answer_and_a_stop() -> None:
    steps = list(tm1637.pins([b"\x8f"]))
    assert steps[:3] == [Pins(1, 1), Pins(1, 0), Pins(0, 0)]
    assert [pins.dio for pins in steps if pins.clk][2:10] == [1, 1, 1, 1, 0, 0, 0, 1], "the lowest bit first"
    assert steps[-4:] == [Pins(0, 1, released=True), Pins(0, 0), Pins(1, 0), Pins(1, 1)]


@given(st.lists(st.binary(min_size=1, max_size=7), max_size=4))
def test_the_lines_change_one_at_a_time_and_dio_only_while_clk_is_low(transactions: list[bytes]) -> None:
    steps = list(tm1637.pins(transactions))
    assert (steps[0], steps[-1]) == (Pins(1, 1), Pins(1, 1))
    conditions = 0
    for before, after in pairwise(steps):
        assert before.clk == after.clk or before.dio == after.dio
        conditions += bool(before.clk and after.clk and before.dio != after.dio)
    assert conditions == 2 * len(transactions), "a start and a stop each, and nothing else while CLK is high"


@given(st.lists(CHARACTERS, max_size=4).map("".join))
def test_any_text_that_segments_have_is_shown_to_the_right(text: str) -> None:
    assert shown(text) == segments.as_seen(text).rjust(4)


@pytest.mark.parametrize(
    ("text", "seen"),
    [("OPEn", "0PEn"), ("OPEN", "0PEn"), ("CLOS", "CL05"), ("LASt", "LA5t"), ("HALF", "HALF"), ("-500", "-500")],
)
def test_the_words_of_a_table_are_seen_as_segments_make_them(text: str, seen: str) -> None:
    assert shown(text) == seen


@pytest.mark.parametrize("character", [*"KMVWXZkmvwxz.!?é♠\n", "ſ", "ı"])
def test_what_segments_can_not_show_is_refused_in_words(character: str) -> None:
    with pytest.raises(ValueError, match="Seven segments can't show"):
        tm1637.show(f"A{character}")


def test_more_than_four_characters_are_refused() -> None:
    with pytest.raises(ValueError, match="4 digits; '12345' needs 5"):
        tm1637.show("12345")


def test_every_shape_reads_back_as_a_character_of_that_shape() -> None:
    for character, shape in segments.SHAPES.items():
        assert segments.SHAPES[segments.read(shape)] == shape
        assert segments.read(shape | segments.POINT) == segments.read(shape)
        assert character.isdigit() <= (segments.read(shape) == character), "a digit always reads as itself"
    assert segments.read(0b0000101) == segments.UNREADABLE


def test_a_data_byte_can_go_to_any_register_one_by_one() -> None:
    chip = Tm1637()
    play(chip, (b"\x44", b"\xc2\x06", b"\xc5\x7f", b"\x8f"))
    assert (chip.shown(), bytes(chip.registers), chip.faults) == ("  1 ", b"\0\0\x06\0\0\x7f", 0)
    play(chip, (b"\xc0\x06\x3f",))
    assert chip.registers[:2] == b"\x3f\0", "with a fixed address the second byte replaces the first"


@pytest.mark.parametrize(
    "transaction",
    [b"\x00", b"\x42", b"\x48", b"\x90", b"\xc6", b"\x40\x00", b"\x8f\x8f", b"\xc5\x01\x02", b""],
)
def test_what_the_chip_has_not_is_counted_and_the_next_transaction_is_good(transaction: bytes) -> None:
    chip = Tm1637()
    acks = play(chip, (transaction,))
    assert acks == [0] * len(transaction), "the chip acknowledges whatever it is sent"
    assert chip.faults == (1 if transaction else 0)
    play(chip, tm1637.show("0123"))
    assert chip.shown() == "0123"


def test_a_stop_in_the_middle_of_a_byte_is_counted_and_the_byte_is_lost() -> None:
    chip = Tm1637()
    play(chip, tm1637.show("0123"))
    steps = list(tm1637.pins((b"\x80",)))
    for pins in [*steps[:12], Pins(0, 0), Pins(1, 0), Pins(1, 1)]:
        chip.step(pins.clk, pins.dio)
    assert (chip.shown(), chip.faults) == ("0123", 1)
    play(chip, tm1637.show("4567"))
    assert (chip.shown(), chip.faults) == ("4567", 1)


def test_a_second_start_and_a_stop_without_a_start_are_counted() -> None:
    chip = Tm1637()
    for clk, dio in [(0, 1), (0, 0), (1, 0), (1, 1)]:
        chip.step(clk, dio)
    assert chip.faults == 1
    for clk, dio in [(1, 0), (0, 0), (0, 1), (1, 1), (1, 0)]:
        chip.step(clk, dio)
    assert chip.faults == 2


def test_both_lines_at_once_are_counted() -> None:
    chip = Tm1637()
    chip.step(0, 0)
    assert chip.faults == 1


def test_a_host_that_is_not_listened_to_reads_no_acknowledge() -> None:
    chip = Tm1637()
    steps = list(tm1637.pins((b"\x8f",)))[3:]  # the start was missed
    assert {chip.step(pins.clk, pins.dio) for pins in steps if pins.released} == {1}
    assert chip.shown() == ""


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), max_size=400))
def test_any_levels_are_taken_and_a_good_transaction_follows(levels: list[tuple[int, int]]) -> None:
    chip = Tm1637()
    for clk, dio in levels:
        assert chip.step(clk, dio) <= dio
        assert len(chip.shown()) <= 5
    for _ in range(2):  # whatever it was in the middle of, a stop ends it
        for clk, dio in [(0, chip.step(0, 0)), (1, 0), (1, 1)]:
            chip.step(clk, dio)
    assert set(play(chip, tm1637.show("0123"))) == {0}
    assert chip.shown() == "0123"
