"""The promise itself: whatever a line does, no card comes twice, none is lost in silence, and all is well again soon.

A run is a list of things that happen during the bad time, with a seed for where cuts and flips fall. Then the line is
good, and after the recovery time (TL-074) everything must work. `make explore` looks further.
"""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_protocol.tablelink import timing
from tests.firmware_protocol.tablelink.channel import REPLAYS, SLOTS, STREAM_FAULTS, Line
from tests.firmware_protocol.tablelink.ends import KEY

SLACK_S = 0.5
EXAMPLES = 2 * settings().max_examples
BAUDS = st.sampled_from([9600, 115200])
Happening = tuple[str, tuple[Any, ...]]


def happenings(faults: tuple[str, ...]) -> st.SearchStrategy[list[Happening]]:
    ends = st.sampled_from(["host", "device"])
    seconds = st.one_of(st.floats(0, 0.05), st.floats(0, 1), st.floats(0, 6))
    kinds: list[tuple[int, str, tuple[st.SearchStrategy[Any], ...]]] = [  # how often, what, and with what
        (8, "wait", (seconds,)),
        (4, "spoil", (ends, st.lists(st.sampled_from(faults), min_size=1, max_size=8))),
        (3, "deal", (st.integers(1, 6),)),
        (1, "deal", (st.integers(1, 40),)),
        (1, "commit", (st.integers(1, 5),)),
        (1, "commit", (st.just(100),)),
        (1, "show", (st.sampled_from(SLOTS), st.binary(max_size=3))),
        (1, "stall", (ends, seconds)),
        (1, "block", (ends, seconds)),
        (1, "reconnect", (st.booleans(),)),
        (1, "reboot_host", ()),
        (1, "reboot_device", ()),
    ]
    ways = [st.tuples(st.just(name), st.tuples(*values)) for often, name, values in kinds for _ in range(often)]
    one = st.sampled_from(ways).flatmap(lambda way: way)  # not one_of(), which takes equal ways for one
    # lists() alone draws mostly short ones
    return st.integers(0, 60).flatmap(lambda length: st.lists(one, min_size=length, max_size=length))


def live_through(line: Line, happened: list[Happening]) -> None:
    line.wait(0)
    for name, arguments in happened:
        getattr(line, name)(*arguments)
    line.repair()
    line.deal(3)
    line.wait(timing.recovery_time(line.baud) + SLACK_S)
    line.judge_recovered()
    assert line.spins == 0, "an end asked to be woken and then did nothing"


@settings(max_examples=EXAMPLES)
@given(happened=happenings(STREAM_FAULTS), seed=st.integers(0, 2**32), baud=BAUDS)
def test_a_plain_line_that_only_damages_and_loses_loses_no_card_and_shows_the_newest(
    happened: list[Happening], seed: int, baud: int
) -> None:
    """TL-029, TL-030, TL-031, TL-033, TL-034, TL-035, TL-060, TL-074: the whole promise on a stream of bytes."""
    line = Line(key=None, baud=baud, seed=seed)
    live_through(line, happened)
    line.judge_slots()


@settings(max_examples=EXAMPLES)
@given(happened=happenings(STREAM_FAULTS + REPLAYS), seed=st.integers(0, 2**32), baud=BAUDS)
def test_a_plain_line_that_also_replays_and_reorders_loses_no_card_and_shows_the_newest(
    happened: list[Happening], seed: int, baud: int
) -> None:
    """TL-029, TL-031, TL-035, TL-060"""
    line = Line(key=None, baud=baud, seed=seed)
    live_through(line, happened)
    line.judge_slots()


@settings(max_examples=EXAMPLES)
@given(happened=happenings(STREAM_FAULTS + REPLAYS), seed=st.integers(0, 2**32), baud=BAUDS)
def test_an_authenticated_line_keeps_every_promise_whatever_is_replayed(
    happened: list[Happening], seed: int, baud: int
) -> None:
    """TL-082: with a key, replays and reorderings are only losses."""
    line = Line(key=KEY, baud=baud, seed=seed)
    live_through(line, happened)
    line.judge_slots()
