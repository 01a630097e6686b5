"""From edges to presses: one press whatever the contact does for less than the debounce time."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.consoles.debounce import STUCK_S, Contact, Deed, Key, Presses

DEBOUNCE_S = 0.02
LONG_S = 0.8

# The pauses between the flips of a bouncing contact, all of them together shorter than the debounce time.
bounces = st.lists(st.floats(0.0, DEBOUNCE_S / 20), max_size=18).map(lambda pauses: pauses[: len(pauses) // 2 * 2])


def a_key(long_press_s: float | None = None, *, down: bool = False) -> Key:
    return Key(DEBOUNCE_S, long_press_s, down=down, now=0.0)


def bounce(key: Key, down: bool, at: float, pauses: Iterable[float]) -> tuple[float, list[Deed]]:
    """Move the contact at a time, with flips after it; returns when the last flip was, and what was told."""
    deeds = key.saw(down, at)
    level = down
    for pause in pauses:
        at, level = at + pause, not level
        deeds += key.saw(level, at)
    return at, deeds


@given(closing=bounces, opening=bounces, looks=st.lists(st.floats(0.0, 1.0), max_size=10))
def test_any_bounce_shorter_than_the_debounce_time_is_exactly_one_press(
    closing: list[float], opening: list[float], looks: list[float]
) -> None:
    key = a_key()
    at, deeds = bounce(key, True, 1.0, closing)
    down_for = 0.5
    for look in sorted(looks):  # whenever somebody looks in between
        deeds += key.look(True, at + look * down_for)
    at, more = bounce(key, False, at + down_for, opening)
    deeds += more
    for look in sorted(looks):
        deeds += key.look(False, at + look)
    deeds += key.look(False, at + 1.0)
    assert deeds == ["pressed"]
    assert key.next_time() is None


@given(closing=bounces, opening=bounces, down_for=st.floats(0.05, 3.0), polled=st.booleans())
def test_a_long_press_is_told_once_and_by_its_length_alone(
    closing: list[float], opening: list[float], down_for: float, polled: bool
) -> None:
    key = a_key(LONG_S)
    start, deeds = bounce(key, True, 1.0, closing)
    while polled and (due := key.next_time()) is not None and due < start + down_for:
        deeds += key.look(True, due)
    at, more = bounce(key, False, start + down_for, opening)
    deeds += more + key.look(False, at + DEBOUNCE_S)
    assert deeds in (["held"], ["pressed"])
    if down_for < LONG_S - DEBOUNCE_S:
        assert deeds == ["pressed"]
    if down_for > LONG_S + DEBOUNCE_S:
        assert deeds == ["held"]


@given(edges=st.lists(st.tuples(st.booleans(), st.floats(0.0, 0.1)), max_size=200))
def test_whatever_the_contact_does_a_press_needs_quiet_before_it(edges: list[tuple[bool, float]]) -> None:
    key, at, deeds = a_key(), 0.0, 0
    quiet = 0
    for down, pause in edges:
        quiet += pause >= DEBOUNCE_S
        at += pause
        deeds += len(key.saw(down, at))
    assert deeds <= quiet


def test_a_press_is_told_when_the_contact_has_been_quiet_for_the_debounce_time() -> None:
    key = a_key()
    assert key.saw(True, 1.0) == []
    assert key.next_time() == 1.0 + DEBOUNCE_S
    assert key.look(True, 1.0 + DEBOUNCE_S / 2) == []
    assert key.look(True, 1.0 + DEBOUNCE_S) == ["pressed"]


def test_a_touch_shorter_than_the_debounce_time_is_no_press() -> None:
    key = a_key()
    assert key.saw(True, 1.0) == []
    assert key.saw(False, 1.0 + DEBOUNCE_S / 2) == []
    assert key.look(False, 2.0) == []


def test_a_press_that_was_over_before_anyone_looked_is_told_all_the_same() -> None:
    key = a_key()
    assert key.saw(True, 1.0) == []
    assert key.saw(False, 1.5) == ["pressed"]


def test_a_lost_edge_is_made_up_for_by_looking() -> None:
    key = a_key()
    key.saw(True, 1.0)
    key.look(True, 1.1)
    assert key.look(False, 2.0) == []
    assert key.look(False, 2.1) == []
    key.saw(True, 3.0)
    assert key.look(True, 3.1) == ["pressed"]


def test_a_held_key_is_told_at_the_long_press_time_and_says_nothing_when_it_comes_up() -> None:
    key = a_key(LONG_S)
    key.saw(True, 1.0)
    assert key.look(True, 1.1) == []
    assert key.next_time() == 1.0 + LONG_S
    assert key.look(True, 1.0 + LONG_S) == ["held"]
    key.saw(False, 3.0)
    assert key.look(False, 3.1) == []


def test_a_key_that_comes_up_just_in_time_was_no_long_press() -> None:
    key = a_key(LONG_S)
    key.saw(True, 1.0)
    key.look(True, 1.1)
    key.saw(False, 1.0 + LONG_S - 0.01)
    assert key.look(False, 1.0 + LONG_S) == []  # not yet known to be up
    assert key.look(False, 1.0 + LONG_S + 0.01) == ["pressed"]


def test_a_key_found_down_is_not_told_until_it_is_pressed_anew() -> None:
    key = a_key(down=True)
    assert key.look(True, 1.0) == []
    key.saw(False, 2.0)
    assert key.look(False, 2.1) == []
    key.saw(True, 3.0)
    assert key.look(True, 3.1) == ["pressed"]


@pytest.mark.parametrize("long_press_s", [None, LONG_S])
def test_a_stuck_key_is_told_once_and_when_it_comes_up(long_press_s: float | None) -> None:
    key = a_key(long_press_s)
    key.saw(True, 1.0)
    deeds = [deed for second in range(2, 500) for deed in key.look(True, second)]
    assert deeds == ["pressed" if long_press_s is None else "held", "stuck"]
    assert key.next_time() is None
    key.saw(False, 500.0)
    assert key.look(False, 500.1) == ["freed"]


def test_a_key_that_is_told_down_twice_was_pressed_once() -> None:
    presses = Presses(None)
    assert presses.moved(True, 1.0) == ["pressed"]
    assert presses.moved(True, 2.0) == []
    assert presses.next_time() == 1.0 + STUCK_S
    assert presses.moved(False, 3.0) == []
    assert presses.moved(False, 4.0) == []


def test_a_contact_says_when_it_moved_not_when_it_was_seen_to_rest() -> None:
    contact = Contact(DEBOUNCE_S)
    contact.saw(True, 1.0)
    assert contact.look(True, 5.0) == [(True, 1.0)]
    assert contact.down
