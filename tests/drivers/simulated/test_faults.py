"""The named faults: switched at any time, the same for the same seed, and nothing else is touched."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from drivers.simulated.faults import FAULTS, MAX_NOISE, Faults

DATA = bytes(range(64))


def is_part_of(part: bytes, whole: bytes) -> bool:
    rest = iter(whole)
    return all(byte in rest for byte in part)


def bits_apart(one: bytes, other: bytes) -> int:
    return sum((a ^ b).bit_count() for a, b in zip(one, other, strict=True))


SPOILED: dict[str, Callable[[bytes], bool]] = {
    "bit_flip": lambda out: bits_apart(out, DATA) == 1,
    "drop": lambda out: len(out) == len(DATA) - 1 and is_part_of(out, DATA),
    "duplicate": lambda out: out.startswith(DATA) and DATA.endswith(out[len(DATA) :]),
    "garbage": lambda out: 0 < len(out) - len(DATA) <= MAX_NOISE and is_part_of(DATA, out),
}


def test_without_faults_every_byte_passes_as_it_is() -> None:
    faults = Faults()
    assert faults.spoil(DATA) == DATA
    assert faults.on == {}
    assert not any(faults.strikes(name) for name in FAULTS)


@pytest.mark.parametrize("name", SPOILED)
def test_a_fault_of_the_line_does_what_it_says_and_no_more(name: str) -> None:
    faults = Faults(3)
    faults.switch(name, 1)
    for _ in range(200):
        assert SPOILED[name](faults.spoil(DATA))
    assert faults.spoil(b"") == b"", "where none go in, none come out"
    faults.switch(name, None)
    assert faults.spoil(DATA) == DATA


def test_the_same_seed_strikes_the_same_way_and_another_one_otherwise() -> None:
    def strikes(seed: int) -> list[bool]:
        faults = Faults(seed)
        faults.switch("misread", 0.3)
        return [faults.strikes("misread") for _ in range(200)]

    assert strikes(5) == strikes(5)
    assert strikes(5) != strikes(6)
    assert 20 < sum(strikes(5)) < 100


@pytest.mark.parametrize("often", [0, -0.1, 1.01, float("nan"), float("inf")])
def test_a_chance_that_is_none_is_refused_and_changes_nothing(often: float) -> None:
    faults = Faults()
    faults.switch("drop", 0.5)
    with pytest.raises(ValueError, match="a chance above 0 and up to 1"):
        faults.switch("drop", often)
    assert faults.on == {"drop": 0.5}


def test_an_unknown_name_is_refused_with_the_nearest() -> None:
    with pytest.raises(ValueError, match=r"there is no fault 'unplugg'; did you mean 'unplug'\?"):
        Faults().switch("unplugg", 1)
    with pytest.raises(ValueError, match="there is no fault 'zzz': misread, double_feed"):
        Faults().switch("zzz", 1)


def test_who_watches_is_called_at_every_switching_until_it_stops() -> None:
    faults = Faults()
    seen: list[dict[str, float]] = []

    def look() -> None:
        seen.append(faults.on)

    faults.watch(look)
    faults.switch("stall", 1)
    faults.switch("stall", None)
    faults.unwatch(look)
    faults.switch("unplug", 1)
    assert seen == [{"stall": 1}, {}]
