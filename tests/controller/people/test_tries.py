"""How often one may try: waits that grow, a lock and its end, and no way around it by name, address or number."""

from __future__ import annotations

import pytest

from controller.people import tries as tries_module
from controller.people.tries import FREE_OF_ADDRESS, LOCK_S, LONGEST_LOCK_S, LONGEST_WAIT_S, TRIES, Tries

HOME = "192.168.1.20"


def wrong_until_locked(tries: Tries, now: float, name: str = "ann", mark: str = "1", address: str = HOME) -> float:
    """When the last of them was."""
    for _ in range(TRIES):
        held = tries.held(name, mark, address, now)
        now += held.wait if held is not None else 0
        tries.wrong(name, mark, address, now)
    return now


def test_waits_grow_with_every_wrong_pin_until_the_name_is_locked() -> None:
    tries, now, waits = Tries(), 100.0, []
    for left in range(TRIES - 1, -1, -1):
        made = tries.wrong("ann", "1", HOME, now)
        assert made.left == left
        waits.append(made.wait)
        now += made.wait
    assert waits == [0.0, 2.0, 4.0, 8.0, LOCK_S]


def test_nobody_tries_before_the_wait_is_over() -> None:
    tries = Tries()
    tries.wrong("ann", "1", HOME, 0.0)
    assert tries.held("ann", "1", HOME, 0.0) is None
    tries.wrong("ann", "1", HOME, 0.0)
    held = tries.held("ann", "1", HOME, 0.5)
    assert held is not None
    assert (held.wait, held.locked) == (1.5, False)
    assert tries.held("ann", "1", HOME, 2.0) is None
    assert tries.held("zoe", "2", HOME, 0.5) is None, "it is Ann's own"


def test_a_lock_ends_by_itself_and_the_next_is_longer() -> None:
    tries, now, lengths = Tries(), 0.0, []
    for _ in range(6):
        now = wrong_until_locked(tries, now)
        held = tries.held("ann", "1", "10.0.0.9", now)
        assert held is not None
        assert held.locked
        lengths.append(held.wait)
        now += held.wait
        assert tries.held("ann", "1", "10.0.0.9", now) is None
    assert lengths == [LOCK_S, 2 * LOCK_S, 4 * LOCK_S, 8 * LOCK_S, LONGEST_LOCK_S, LONGEST_LOCK_S]


def test_the_right_pin_forgives_the_name() -> None:
    tries = Tries()
    for _ in range(TRIES - 1):
        tries.wrong("ann", "1", HOME, 0.0)
    tries.right("ann")
    assert tries.held("ann", "1", HOME, 0.0) is None
    assert tries.wrong("ann", "1", HOME, 0.0).left == TRIES - 1


def test_a_new_mark_unlocks_and_an_old_one_does_not() -> None:
    tries = Tries()
    now = wrong_until_locked(tries, 0.0)
    assert tries.held("ann", "1", "10.0.0.9", now) is not None
    assert tries.held("ann", "2", "10.0.0.9", now) is None
    assert tries.locks(now) == {}


def test_an_address_that_tries_many_names_waits_whatever_it_tries() -> None:
    tries = Tries()
    for number in range(FREE_OF_ADDRESS):
        assert tries.held(f"name {number}", "", HOME, 0.0) is None
        tries.wrong(f"name {number}", "", HOME, 0.0)
    waits = []
    now = 0.0
    for number in range(8):
        waits.append(tries.wrong(f"other {number}", "", HOME, now).wait)
        held = tries.held("yet another", "", HOME, now)
        assert held is not None
        assert not held.locked
        now += held.wait
    assert waits == [2.0, 4.0, 8.0, 16.0, 32.0, LONGEST_WAIT_S, LONGEST_WAIT_S, LONGEST_WAIT_S]
    assert tries.held("yet another", "", "192.168.1.21", 0.0) is None, "another address has its own"


def test_the_own_pin_buys_no_tries_at_anothers() -> None:
    tries = Tries()
    for number in range(FREE_OF_ADDRESS + 1):
        tries.wrong(f"name {number}", "", HOME, 0.0)
        tries.right("ann")
    assert tries.held("ann", "1", HOME, 0.0) is not None


def test_what_was_long_ago_is_forgotten() -> None:
    tries = Tries()
    for _ in range(TRIES - 1):
        tries.wrong("ann", "1", HOME, 0.0)
    later = tries_module.FORGET_S * 2
    assert tries.wrong("ann", "1", HOME, later).left == TRIES - 1


def test_a_flood_of_names_makes_nobody_forget_a_lock_and_stays_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tries_module, "MOST", 20)
    tries = Tries()
    now = wrong_until_locked(tries, 0.0)
    for number in range(200):
        tries.wrong(f"name {number}", "", f"10.0.0.{number}", now)
    held = tries.held("ann", "1", "10.1.1.1", now)
    assert held is not None
    assert held.locked
    assert len(tries._names) <= 20
    assert len(tries._addresses) <= 20


def test_where_all_room_is_taken_by_locks_a_new_name_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tries_module, "MOST", 3)
    tries = Tries()
    for number in range(3):
        for _ in range(TRIES):
            tries.wrong(f"name {number}", "", "10.0.0.1", 0.0)
    held = tries.held("fresh", "", "10.0.0.2", 0.0)
    assert held is not None
    assert not held.locked


def test_locks_are_kept_over_a_restart_and_never_longer_than_the_longest() -> None:
    tries = Tries()
    now = wrong_until_locked(tries, 1000.0)
    kept = tries.locks(now + 60)
    assert kept == {"ann": ("1", LOCK_S - 60)}
    again = Tries()
    again.lock_again(kept, 5.0)
    held = again.held("ann", "1", HOME, 5.0)
    assert held is not None
    assert (held.wait, held.locked) == (LOCK_S - 60, True)
    assert again.held("ann", "1", HOME, 5.0 + LOCK_S - 60) is None
    foolish = Tries()
    foolish.lock_again({"ann": ("1", 1e12)}, 0.0)
    assert foolish.held("ann", "1", HOME, LONGEST_LOCK_S) is None
