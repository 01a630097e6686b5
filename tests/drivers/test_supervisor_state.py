"""The state machine of a device alone, at any instant: every change once, in words, with how long and how often."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.base import LinkChange, Lost, Ready, Refused
from drivers.device_state import DeviceState, StateChanged, duration_words
from drivers.trouble import Trouble

READY = Ready(identity="shoe A1", proven=True, words="nothing was missed")
GONE = Trouble(words="/dev/shoe is not there", advice="Plug it in", reason="gone")
BUSY = Trouble(words="/dev/shoe is open in minicom (pid 812)", advice="Close it", reason="busy")
HUNG_UP = Trouble(words="/dev/shoe hung up", advice="Plug it in again", reason="hung up")
LOST = Lost(words="nothing was heard for 3 seconds")
REFUSED = Refused(words="the device wants its key", advice="Write the key in the configuration")


def new() -> DeviceState:
    return DeviceState("shoe", kind="shoe", driver="tablelink", address="/dev/shoe", simulated=False)


def started(now: float = 0.0) -> DeviceState:
    device = new()
    device.started(now)
    return device


def ready(now: float = 0.0) -> DeviceState:
    device = started(now)
    device.trying(now)
    device.opened(now)
    device.said(READY, now)
    return device


def brief(changes: list[StateChanged]) -> list[tuple[str, str]]:
    return [(change.state, change.words) for change in changes]


def test_a_device_that_works_is_told_from_searching_to_ready() -> None:
    device = new()
    assert device.status().state == "stopped"
    assert brief(device.started(0)) == [("searching", "looking for the shoe at /dev/shoe")]
    assert device.trying(0) == []
    assert brief(device.opened(1)) == [("connecting", "/dev/shoe is open; waiting for the shoe to answer")]
    (change,) = device.said(READY, 2)
    assert (change.state, change.words, change.tries) == ("ready", "shoe A1 is ready: nothing was missed", 1)
    assert change.ready == READY
    assert str(change) == "shoe: ready: shoe A1 is ready: nothing was missed"


def test_the_same_failure_is_told_once_and_counted() -> None:
    device = started()
    told = []
    for now in range(100):
        told += device.trying(now)
        told += device.failed(GONE, now)
    assert brief(told) == [("searching", "/dev/shoe is not there")]
    assert told[0].advice == "Plug it in"
    assert device.status().tries == 100
    assert device.status().words == "/dev/shoe is not there"


def test_another_reason_is_told_once_and_the_first_again_when_it_is_the_reason_again() -> None:
    device = started()
    told = []
    for now, trouble in enumerate((GONE, GONE, BUSY, BUSY, BUSY, GONE, GONE)):
        device.trying(now)
        told += device.failed(trouble, now)
    assert [change.words for change in told] == [GONE.words, BUSY.words, GONE.words]
    assert [change.tries for change in told] == [1, 3, 6]


def test_words_that_differ_only_in_a_number_are_the_same_trouble() -> None:
    device = started()
    told = []
    for count in (17, 23, 9):
        device.trying(count)
        told += device.opened(count)
        told += device.failed(Trouble(words=f"it sent {count} bytes of noise", reason="noise"), count)
    assert [change.state for change in told] == ["connecting", "searching"]
    assert device.status().words == "it sent 9 bytes of noise"


def test_a_port_that_opens_again_and_again_without_an_answer_is_told_once() -> None:
    device = started()
    told = []
    for now in range(50):
        device.trying(now)
        told += device.opened(now)
        told += device.failed(HUNG_UP, now)
    assert [change.state for change in told] == ["connecting", "searching"]


def test_a_port_that_opens_after_it_was_missing_is_told() -> None:
    device = started()
    device.trying(0)
    device.failed(GONE, 0)
    device.trying(1)
    assert [change.state for change in device.opened(1)] == ["connecting"]


def test_ready_tells_how_many_tries_it_took() -> None:
    device = started()
    for now in (0.0, 0.5, 1.5):
        device.trying(now)
        device.failed(GONE, now)
    device.trying(3.5)
    device.opened(3.5)
    (change,) = device.said(READY, 3.5)
    assert change.words == "shoe A1 is ready after 4 tries, 3.5 s: nothing was missed"
    assert change.tries == 4
    assert device.status().tries == 0


def test_a_lost_device_tells_how_long_it_was_ready_and_how_long_it_took_to_come_back() -> None:
    device = ready(100.0)
    lost_at = 100.0 + 4 * 3600 + 12 * 60
    (lost,) = device.failed(HUNG_UP, lost_at)
    assert (lost.state, lost.advice) == ("lost", "Plug it in again")
    assert lost.words == "/dev/shoe hung up; ready for 4 h 12 min until then"
    for tries in range(3):
        device.trying(lost_at + tries)
        told = device.failed(GONE, lost_at + tries)
        assert [change.words for change in told] == (
            [] if tries else ["/dev/shoe is not there; it was ready until 0 s ago"]
        )
    device.trying(lost_at + 12)
    device.opened(lost_at + 12)
    (back,) = device.said(READY, lost_at + 12)
    assert back.words == "shoe A1 is ready again after 4 tries, 12 s: nothing was missed"


def test_one_try_is_not_called_tries() -> None:
    device = ready()
    device.failed(HUNG_UP, 60)
    device.trying(61)
    device.opened(61)
    assert device.said(READY, 61)[0].words == "shoe A1 is ready again after 1 try, 1 s: nothing was missed"


def test_a_link_lost_on_an_open_port_is_lost_then_connecting_then_ready() -> None:
    device = ready()
    told = device.said(LOST, 60)
    assert brief(told) == [
        ("lost", "nothing was heard for 3 seconds; ready for 1 min until then"),
        ("connecting", "/dev/shoe is still open; waiting for the shoe to answer again"),
    ]
    assert all(change.advice for change in told)
    assert device.state == "connecting"
    (back,) = device.said(READY, 64)
    assert back.words == "shoe A1 is ready again after 4 s: nothing was missed"


def test_a_link_lost_on_an_open_port_that_does_not_come_back_is_searched_for() -> None:
    device = ready()
    device.said(LOST, 60)
    assert [change.state for change in device.failed(HUNG_UP, 63)] == ["searching"]


def test_a_device_that_fell_silent_before_it_was_ready_is_told_once() -> None:
    device = started()
    device.trying(0)
    device.opened(0)
    assert [change.state for change in device.said(LOST, 1)] == ["connecting"]
    assert device.said(LOST, 2) == []


def test_a_refusal_is_told_once_with_advice_and_stays_connecting() -> None:
    device = started()
    device.trying(0)
    device.opened(0)
    (change,) = device.said(REFUSED, 1)
    assert (change.state, change.words, change.advice) == ("connecting", REFUSED.words, REFUSED.advice)
    assert device.said(REFUSED, 6) == []
    assert device.status().words == REFUSED.words
    assert [change.state for change in device.said(READY, 11)] == ["ready"]


def test_a_refusal_after_an_unplugging_is_told_again() -> None:
    device = started()
    device.trying(0)
    device.opened(0)
    device.said(REFUSED, 1)
    assert [change.state for change in device.failed(HUNG_UP, 2)] == ["searching"]
    device.trying(3)
    assert device.opened(3) == []
    assert [change.words for change in device.said(REFUSED, 4)] == [REFUSED.words]


def test_a_device_that_refuses_while_it_is_ready_is_lost_and_says_why() -> None:
    device = ready()
    assert brief(device.said(REFUSED, 60)) == [
        ("lost", "the device refuses us; ready for 1 min until then"),
        ("connecting", "the device wants its key; it was ready until 0 s ago"),
    ]


def test_ready_twice_is_told_only_if_something_is_different() -> None:
    device = ready()
    assert device.said(READY, 1) == []
    changed = Ready(identity="shoe A1", proven=False, words="events 4 to 6 are gone")
    assert [change.ready for change in device.said(changed, 2)] == [changed]
    assert device.status().since == 0


def test_trouble_with_closing_is_told_once_and_hides_no_other() -> None:
    device = started()
    stuck = Trouble(words="closing /dev/shoe did not end", reason="stuck")
    told = []
    for now in range(5):
        device.trying(now)
        told += device.failed(GONE, now)
        told += device.not_closed(stuck, now)
    assert brief(told) == [("searching", GONE.words), ("searching", f"{GONE.words}; {stuck.words}")]


def test_the_last_good_sign_of_the_driver_is_told() -> None:
    device = ready()
    trouble = Trouble(words="/dev/shoe fell silent.", last_good="the last card was 8S", reason="silent")
    assert device.failed(trouble, 5)[0].words == "/dev/shoe fell silent; the last card was 8S; ready for 5 s until then"


def test_stopping_is_told_once_with_the_last_good_sign() -> None:
    device = ready()
    assert brief(device.stopped(90)) == [("stopped", "stopped; ready for 1 min 30 s until then")]
    assert device.stopped(91) == []
    assert device.status().ready_until == 90
    assert brief(started().stopped(1)) == [("stopped", "stopped")]


def test_a_new_start_begins_from_nothing() -> None:
    device = ready()
    device.failed(HUNG_UP, 5)
    device.stopped(6)
    assert [change.state for change in device.started(7)] == ["searching"]
    status = device.status()
    assert (status.identity, status.losses, status.tries, status.ready_until) == ("", 0, 0, None)


def test_the_status_says_what_the_device_is_and_since_when() -> None:
    device = ready(10)
    status = device.status()
    assert (status.device, status.kind, status.driver, status.address) == ("shoe", "shoe", "tablelink", "/dev/shoe")
    assert (status.state, status.identity, status.since, status.ready_until) == ("ready", "shoe A1", 10, None)
    device.failed(HUNG_UP, 20)
    status = device.status()
    assert (status.state, status.identity, status.since, status.ready_until) == ("lost", "shoe A1", 20, 20)
    assert (status.losses, status.advice) == (1, "Plug it in again")


def test_a_simulated_device_marks_all_it_says() -> None:
    device = DeviceState("shoe", kind="shoe", driver="simulated", address="memory", simulated=True)
    assert all(change.simulated for change in device.started(0))
    real = started()
    real.trying(0)
    assert not any(change.simulated for change in real.opened(0))
    answered = Ready(identity="shoe SIM1", proven=True, words="nothing was missed", simulated=True)
    assert all(change.simulated for change in real.said(answered, 0))
    assert all(change.simulated for change in real.failed(HUNG_UP, 0))
    assert real.status().simulated


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (-1, "0 s"),
        (0, "0 s"),
        (0.44, "0.4 s"),
        (9.94, "9.9 s"),
        (9.96, "10 s"),
        (59.4, "59 s"),
        (59.6, "1 min"),
        (245, "4 min 5 s"),
        (3600, "1 h"),
        (15120, "4 h 12 min"),
        (86399.7, "1 d"),
        (266400, "3 d 2 h"),
    ],
)
def test_a_duration_is_told_in_two_units_at_most(seconds: float, words: str) -> None:
    assert duration_words(seconds) == words


def test_the_last_word_is_never_that_we_wait_when_the_same_trouble_came_back() -> None:
    device = started()
    device.trying(0)
    device.failed(HUNG_UP, 0)
    device.trying(1)
    assert [change.state for change in device.opened(1)] == ["connecting"]
    assert [change.words for change in device.failed(HUNG_UP, 2)] == [HUNG_UP.words]


TROUBLES = st.sampled_from([GONE, BUSY, HUNG_UP])
# One try: what is said while the port is open (None: it does not open), what ends it, and whether closing goes wrong.
TRIES = st.lists(
    st.tuples(
        st.none() | st.lists(st.sampled_from([READY, LOST, REFUSED]), max_size=5),
        TROUBLES,
        st.booleans(),
    ),
    max_size=20,
)


@given(TRIES)
def test_whatever_happens_nothing_is_told_twice_running_and_the_last_word_is_true(
    tries: list[tuple[list[LinkChange] | None, Trouble, bool]],
) -> None:
    device = new()
    told = device.started(0)
    for now, (says, trouble, close_fails) in enumerate(tries, 1):
        told += device.trying(now)
        if says is not None:
            told += device.opened(now)
            for said in says:
                told += device.said(said, now)
                assert told[-1].state == device.state
        told += device.failed(trouble, now)
        assert told[-1].state in ("searching", "lost")
        assert trouble.words in device.status().words
        assert trouble.words in told[-1].words
        if close_fails:
            told += device.not_closed(Trouble(words="closing failed", reason="closing"), now)
    assert all(change.words for change in told)
    for before, after in pairwise(told):
        assert (before.state, before.words) != (after.state, after.words)
