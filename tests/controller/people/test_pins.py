"""PINs: which are refused and why, and that only the right one fits."""

from __future__ import annotations

import pytest

from controller.people.errors import BadPin
from controller.people.pins import NOBODY, PinHash, check_pin, fits, hash_pin


@pytest.mark.parametrize(
    ("pin", "words"),
    [
        ("0000", "one digit again and again"),
        ("777777", "one digit again and again"),
        ("1234", "count up or down"),
        ("987654", "count up or down"),
        ("7890", "count up or down"),
        ("2468", "by two"),
        ("1212", "same few digits"),
        ("471471", "same few digits"),
        ("1984", "a year"),
        ("2580", "a line on the pad"),
        ("123", "4 to 12 digits, and this has 3"),
        ("4711471147114", "4 to 12 digits, and this has 13"),
        ("", "digits only"),
        ("47a1", "digits only"),
        ("٤٧١١", "digits only"),
        ("47 11", "digits only"),
        ("-4711", "digits only"),
    ],
)
def test_a_pin_that_would_be_guessed_is_refused_in_words(pin: str, words: str) -> None:
    with pytest.raises(BadPin, match=words) as refused:
        check_pin(pin)
    assert not pin or pin not in str(refused.value), "the words are shown where others can read them"


@pytest.mark.parametrize("pin", ["4711", "90210", "0042", "1235", "197412", "471108150042"])
def test_an_ordinary_pin_is_taken(pin: str) -> None:
    check_pin(pin)


def test_only_the_right_pin_fits_and_two_hashes_of_it_differ() -> None:
    one, two = hash_pin("4711"), hash_pin("4711")
    assert fits("4711", one)
    assert fits("4711", two)
    assert not fits("4712", one)
    assert not fits("", one)
    assert one.salt != two.salt
    assert one.hash != two.hash
    assert (one.n, one.r, one.p) == (2**14, 8, 1)
    assert "4711" not in repr(one)


def test_nothing_fits_nobody_and_trying_it_is_the_same_work() -> None:
    kept = hash_pin("4711")
    assert not fits("4711", NOBODY)
    assert (NOBODY.n, NOBODY.r, NOBODY.p, len(NOBODY.hash)) == (kept.n, kept.r, kept.p, len(kept.hash))


@pytest.mark.parametrize(
    "changed",
    [{"n": 1000}, {"n": 2**24}, {"n": 0}, {"r": 0}, {"p": 0}, {"salt": "00"}, {"hash": "00"}, {"salt": "xyz"}],
)
def test_a_hash_that_scrypt_would_not_take_or_not_bear_is_refused(changed: dict[str, object]) -> None:
    good: dict[str, object] = {"n": 2**14, "r": 8, "p": 1, "salt": "00" * 16, "hash": "00" * 32}
    with pytest.raises(ValueError, match=r"\w"):
        PinHash(**{**good, **changed})  # type: ignore[arg-type]
