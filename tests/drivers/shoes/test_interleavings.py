"""Whatever happens in whatever order: no shoe tells a card that was not dealt, and TableLink tells each exactly once.

Runs on a fake clock over the simulators' own faults. `HYPOTHESIS_PROFILE=explore` looks much further.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from drivers import base
from drivers.simulated.shoe import ShoeStopped
from firmware_protocol.tablelink import timing
from tests.drivers.shoes.bench import Bench

SPOILING = ("bit_flip", "drop", "duplicate", "garbage")
SETTLED_S = timing.recovery_time(115200) + 1
Happening = tuple[str, Any]

KINDS: dict[str, st.SearchStrategy[Any]] = {
    "deal": st.integers(1, 5),
    "wait": st.floats(0.01, 2.0),
    "fault": st.tuples(st.sampled_from(SPOILING), st.sampled_from((None, 0.05, 0.3, 1.0))),
    "unplug": st.floats(0.0, 4.0),
    "queue_full": st.booleans(),
    "reboot": st.none(),
}


def happenings(*, without: str = "") -> st.SearchStrategy[list[Happening]]:
    ways = [st.tuples(st.just(name), values) for name, values in KINDS.items() if name != without]
    return st.lists(st.one_of(ways), max_size=25)


def live(bench: Bench, happened: list[Happening]) -> list[int]:
    """Gives how many connections there had been at each restart of the shoe."""
    restarts: list[int] = []
    bench.join()
    for name, value in happened:
        match name:
            case "deal":
                deal(bench, value)
            case "wait":
                bench.wait(value)
            case "fault":
                bench.faults.switch(*value)
            case "unplug":
                bench.part()
                bench.wait(value)
                bench.join()
            case "queue_full":
                bench.faults.switch("queue_full", 1 if value else None)
            case "reboot":
                restarts.append(len(bench.readies))
                bench.faults.switch("reboot", 1)
                bench.wait(0.02)
    for fault in bench.faults.on:
        bench.faults.switch(fault, None)
    bench.wait(SETTLED_S)
    return restarts


def deal(bench: Bench, count: int) -> None:
    for _ in range(count):
        try:
            bench.shoe.deal()
        except ShoeStopped:
            bench.wait(0.3)


def in_order(told: list[str], dealt: list[str]) -> bool:
    """Whether what was told is what was dealt with some left out."""
    rest = iter(dealt)
    return all(card in rest for card in told)


@given(happened=happenings(without="reboot"), seed=st.integers(0, 2**16))
def test_a_tablelink_shoe_that_stays_up_tells_every_card_exactly_once(happened: list[Happening], seed: int) -> None:
    bench = Bench("tablelink", seed=seed)
    live(bench, happened)
    assert bench.cards == bench.shoe.dealt
    assert all(ready.proven for ready in bench.readies[1:]), "and can prove it"


@given(happened=happenings(), seed=st.integers(0, 2**16))
def test_a_tablelink_shoe_that_restarts_tells_no_card_twice_and_never_calls_a_loss_proven(
    happened: list[Happening], seed: int
) -> None:
    bench = Bench("tablelink", seed=seed)
    restarts = live(bench, happened)
    assert in_order(bench.cards, bench.shoe.dealt)
    for before in restarts:
        assert not all(ready.proven for ready in bench.readies[before:]), "each restart is told"
    before = len(bench.cards)
    bench.shoe.deal()
    bench.wait(1)
    assert bench.cards[before:] == bench.shoe.dealt[-1:], "it works again"


@pytest.mark.parametrize("fault", SPOILING)
@given(chance=st.sampled_from((0.05, 0.3, 0.7, 1.0)), dealt=st.integers(1, 20), seed=st.integers(0, 2**16))
@example(chance=1.0, dealt=11, seed=7409)  # noise that ends in the right check digits for all of it
@example(chance=0.3, dealt=13, seed=3431)  # behind a loss, the same card under the same number as one round before
@example(chance=0.7, dealt=8, seed=5910)  # noise inside a card's frame that leaves its check digits right
def test_angel_eye_tells_no_wrong_card_and_says_what_it_missed(
    fault: str, chance: float, dealt: int, seed: int
) -> None:
    bench = Bench("angel_eye", seed=seed)
    bench.join()
    deal(bench, 1)
    bench.wait(0.5)
    bench.faults.switch(fault, chance)
    deal(bench, dealt)
    bench.wait(dealt * 0.2 + 0.5)
    bench.faults.switch(fault, None)
    deal(bench, 1)
    bench.wait(1)
    assert in_order(bench.cards, bench.shoe.dealt)
    lost = len(bench.shoe.dealt) - len(bench.cards)
    if lost % 9:
        assert bench.told(base.EventsMissed), "its count shows it, unless it went round"


@pytest.mark.parametrize("protocol", ["angel_eye", "bee_tek", "line_reader"])
@given(happened=happenings(without="fault"), seed=st.integers(0, 2**16))
def test_a_shoe_that_only_talks_tells_no_card_twice_whatever_is_pulled_or_restarted(
    protocol: str, happened: list[Happening], seed: int
) -> None:
    bench = Bench(protocol, seed=seed)
    live(bench, happened)
    assert in_order(bench.cards, bench.shoe.dealt)
    assert not any(ready.proven for ready in bench.readies)
    deal(bench, 2)  # half a record of before may spoil the first
    bench.wait(1)
    assert bench.cards[-1:] == bench.shoe.dealt[-1:], "it works again"


@pytest.mark.parametrize("protocol", ["tablelink", "angel_eye", "bee_tek", "line_reader"])
@given(cuts=st.lists(st.integers(1, 9), min_size=1), seed=st.integers(0, 2**16))
def test_the_cutting_of_the_stream_does_not_matter(protocol: str, cuts: list[int], seed: int) -> None:
    bench = Bench(protocol, seed=seed)
    whole = bench.receive
    turns = iter(cuts * 10_000)

    def in_pieces(data: bytes) -> None:
        while data:
            size = next(turns)
            whole(data[:size])
            data = data[size:]

    bench.receive = in_pieces  # type: ignore[method-assign]
    bench.join()
    deal(bench, 12)
    bench.until(lambda: bench.cards == bench.shoe.dealt)
