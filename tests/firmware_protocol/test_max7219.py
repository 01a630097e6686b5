"""The MAX7219: its words, digits in its own order of bits, and a chip that shows what it was sent."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_protocol import max7219, segments
from firmware_protocol.max7219 import Max7219

DIGIT_BYTES = [0x7E, 0x30, 0x6D, 0x79, 0x33, 0x5B, 0x5F, 0x70, 0x7F, 0x7B]
CHARACTERS = st.sampled_from(sorted(segments.SHAPES))


def chip(*words: max7219.Words, first_digit_left: bool = False) -> Max7219:
    made = Max7219(first_digit_left=first_digit_left)
    for each in words:
        for data in max7219.transfers(each):
            made.transfer(data)
    return made


def test_the_set_up_is_these_five_words() -> None:
    assert max7219.initialise(3) == (0x0B07, 0x0900, 0x0F00, 0x0A03, 0x0C01)
    assert max7219.transfers(max7219.initialise(15)) == (
        b"\x0b\x07",
        b"\x09\x00",
        b"\x0f\x00",
        b"\x0a\x0f",
        b"\x0c\x01",
    )


@pytest.mark.parametrize("digit", range(10))
def test_each_digit_has_its_byte_in_the_last_place(digit: int) -> None:
    words = max7219.show(str(digit))
    assert words == (0x0100 | DIGIT_BYTES[digit], *(register << 8 for register in range(2, 9)))


def test_register_one_is_the_last_digit_or_the_first_as_the_module_has_it() -> None:
    assert max7219.show("12345678")[0] == 0x0100 | DIGIT_BYTES[8]
    assert max7219.show("12345678", first_digit_left=True)[0] == 0x0100 | DIGIT_BYTES[1]
    for left in (False, True):
        words = max7219.show("25", first_digit_left=left)
        assert chip(max7219.initialise(), words, first_digit_left=left).shown() == "      25"


def test_a_point_lights_the_eighth_bit_of_the_digit_before_it() -> None:
    assert max7219.show("2.5")[:2] == (0x0100 | DIGIT_BYTES[5], 0x0280 | DIGIT_BYTES[2])
    for text, seen in [("2.5", "      2.5"), (".5", "       .5"), ("1..", "      1. .")]:
        assert chip(max7219.initialise(), max7219.show(text)).shown() == seen


def test_eight_digits_with_all_their_points_fit_and_nine_digits_do_not() -> None:
    assert chip(max7219.initialise(), max7219.show("1.2.3.4.5.6.7.8.")).shown() == "1.2.3.4.5.6.7.8."
    with pytest.raises(ValueError, match="8 digits; '123456789' needs 9"):
        max7219.show("123456789")


@pytest.mark.parametrize("character", "KMVWXZ:!é")
def test_what_segments_can_not_show_is_refused_in_words(character: str) -> None:
    with pytest.raises(ValueError, match="Seven segments can't show"):
        max7219.show(f"A{character}")


def test_brightness_and_words_out_of_range_are_refused() -> None:
    for intensity in (-1, 16):
        with pytest.raises(ValueError, match="brightness is 0 to 15"):
            max7219.initialise(intensity)
    for register, data in [(-1, 0), (16, 0), (1, -1), (1, 256)]:
        with pytest.raises(ValueError, match="register 0 to 15 and data 0 to 255"):
            max7219.word(register, data)


@given(st.lists(CHARACTERS, max_size=8).map("".join), st.integers(0, 15))
def test_any_text_that_segments_have_is_shown_to_the_right(text: str, intensity: int) -> None:
    made = chip(max7219.initialise(intensity), max7219.show(text))
    assert made.shown() == segments.as_seen(text).rjust(8)
    assert (made.brightness, made.faults) == (intensity, 0)


def test_a_chip_just_switched_on_is_shut_down() -> None:
    assert chip().shown() == ""
    assert chip(max7219.show("12345678")).shown() == ""


def test_a_dark_display_keeps_its_digits() -> None:
    made = chip(max7219.initialise(), max7219.show("0PEn"), max7219.dark())
    assert (made.shown(), made.on) == ("", False)
    made.load(*max7219.lit())
    assert made.shown() == "    0PEn"


def test_the_lamp_test_lights_everything_even_when_shut_down_and_changes_nothing() -> None:
    made = chip(max7219.initialise(), max7219.show("25"), max7219.dark(), max7219.lamp_test(True))
    assert (made.shown(), made.testing) == ("8." * 8, True)
    for word in (*max7219.lamp_test(False), *max7219.lit()):
        made.load(word)
    assert made.shown() == "      25"


def test_digits_above_the_scan_limit_are_dark() -> None:
    made = chip(max7219.initialise(), max7219.show("12345678"), (max7219.word(max7219.SCAN_LIMIT, 2),))
    assert made.shown() == "     678"


def test_the_chip_takes_the_last_word_of_a_transfer_and_counts_half_a_word() -> None:
    made = chip(max7219.initialise())
    made.transfer(b"\x02\x7f\x01\x30")
    assert made.shown() == "       1"
    made.transfer(b"\x01")
    made.transfer(b"")
    assert (made.shown(), made.faults) == ("       1", 2)


def test_settings_the_model_has_not_are_counted_and_change_nothing() -> None:
    made = chip(max7219.initialise(), max7219.show("25"))
    for word in (0x09FF, 0x0D01, 0x0E01):
        made.load(word)
    made.load(0x0001)
    assert (made.shown(), made.faults) == ("      25", 3)


@given(st.lists(st.binary(max_size=4), max_size=40))
def test_any_transfers_are_taken(transfers: list[bytes]) -> None:
    made = Max7219()
    for data in transfers:
        made.transfer(data)
        assert len(made.shown()) in {0, *range(8, 17)}
