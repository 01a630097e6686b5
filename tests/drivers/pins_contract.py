"""What any pins must do: run on the simulated ones, and inside a kernel with simulated lines on the real RPi.GPIO.

A subclass gives the fixture `bench`: the pins, and the outside of their lines. PIN, OTHER and THIRD are free pins.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final, NamedTuple

import pytest

from drivers.errors import BadSetting, PortBusy
from drivers.pins import Pins

PIN: Final = 17
OTHER: Final = 27
THIRD: Final = 22
PATIENCE_S: Final = 10.0  # an edge takes well below a millisecond; a loaded machine may take longer


class Bench(NamedTuple):
    """Pins, and what a person with a wire and a meter can do at them."""

    pins: Pins
    drive: Callable[[int, bool], None]  # set the level at an input from outside
    seen: Callable[[int], bool]  # the level of an output as seen from outside


class PinsContract:
    """Every test releases what it claimed."""

    def test_what_is_written_is_seen_outside(self, bench: Bench) -> None:
        bench.pins.claim("a lamp", [PIN])
        bench.pins.output(PIN, False)
        seen = [bench.seen(PIN)]
        for level in (True, False, True):
            bench.pins.write(PIN, level)
            seen.append(bench.seen(PIN))
        bench.pins.release(PIN)
        assert seen == [False, True, False, True]

    def test_an_output_begins_at_the_level_asked_for(self, bench: Bench) -> None:
        bench.pins.claim("a lamp", [PIN])
        bench.pins.output(PIN, True)
        level, read = bench.seen(PIN), bench.pins.read(PIN)
        bench.pins.release(PIN)
        assert level
        assert read

    def test_what_is_set_outside_is_read(self, bench: Bench) -> None:
        bench.pins.claim("a key", [PIN])
        bench.pins.input(PIN, True)
        read = []
        for level in (False, True, False):
            bench.drive(PIN, level)
            read.append(bench.pins.read(PIN))
        bench.pins.release(PIN)
        assert read == [False, True, False]

    def test_a_pin_is_turned_round_again_and_again(self, bench: Bench) -> None:
        bench.pins.claim("a display", [PIN])
        read, seen = [], []
        for level in (True, False, True):
            bench.pins.output(PIN, level)
            seen.append(bench.seen(PIN))
            bench.pins.input(PIN, True)
            bench.drive(PIN, not level)
            read.append(bench.pins.read(PIN))
        bench.pins.release(PIN)
        assert seen == [True, False, True]
        assert read == [False, True, False]

    async def test_every_edge_calls_back_in_the_event_loop_with_level_and_time(self, bench: Bench) -> None:
        loop = asyncio.get_running_loop()
        edges: list[tuple[bool, float, bool]] = []
        news = asyncio.Event()

        def on_edge(level: bool, at: float) -> None:
            edges.append((level, at, asyncio.get_running_loop() is loop))
            news.set()

        bench.drive(PIN, True)
        bench.pins.claim("a key", [PIN])
        bench.pins.input(PIN, True)
        bench.pins.on_edge(PIN, on_edge)
        try:
            for count, level in enumerate((False, True, False, True), 1):
                bench.drive(PIN, level)
                async with asyncio.timeout(PATIENCE_S):
                    while len(edges) < count:
                        news.clear()
                        await news.wait()
        finally:
            bench.pins.release(PIN)
        assert [(level, home) for level, _, home in edges] == [(level, True) for level in (False, True, False, True)]
        assert [at for _, at, _ in edges] == sorted(at for _, at, _ in edges)

    async def test_no_callback_comes_after_the_release(self, bench: Bench) -> None:
        edges: list[bool] = []
        other = asyncio.Event()
        bench.drive(PIN, True)
        bench.drive(OTHER, True)
        bench.pins.claim("keys", [PIN, OTHER])
        for pin in (PIN, OTHER):
            bench.pins.input(pin, True)
        bench.pins.on_edge(PIN, lambda level, at: edges.append(level))
        bench.pins.on_edge(OTHER, lambda level, at: other.set())
        bench.pins.release(PIN)
        bench.drive(PIN, False)
        bench.drive(OTHER, False)  # a later edge, whose arrival shows that the first would have come
        try:
            async with asyncio.timeout(PATIENCE_S):
                await other.wait()
        finally:
            bench.pins.release(OTHER)
        assert edges == []

    async def test_a_pin_set_up_again_calls_back_once_for_each_edge(self, bench: Bench) -> None:
        first: list[bool] = []
        second: list[bool] = []
        news = asyncio.Event()
        bench.drive(PIN, True)
        bench.pins.claim("a key", [PIN])
        bench.pins.input(PIN, True)
        bench.pins.on_edge(PIN, lambda level, at: first.append(level))
        bench.pins.input(PIN, True)

        def on_edge(level: bool, at: float) -> None:
            second.append(level)
            news.set()

        bench.pins.on_edge(PIN, on_edge)
        try:
            for count, level in enumerate((False, True), 1):
                bench.drive(PIN, level)
                async with asyncio.timeout(PATIENCE_S):
                    while len(second) < count:
                        news.clear()
                        await news.wait()
        finally:
            bench.pins.release(PIN)
        assert (first, second) == ([], [False, True])

    def test_a_pin_of_another_device_is_refused_with_its_owner(self, bench: Bench) -> None:
        bench.pins.claim("the limit sign", [PIN])
        with pytest.raises(PortBusy, match=f"pin {PIN}, wanted by the console, is already used by the limit sign"):
            bench.pins.claim("the console", [OTHER, PIN])
        bench.pins.claim("another device", [OTHER])  # the console got none of its pins
        bench.pins.release(PIN, OTHER)
        bench.pins.claim("the console", [OTHER, PIN])
        bench.pins.release(PIN, OTHER)

    def test_releasing_twice_or_what_nobody_has_is_harmless(self, bench: Bench) -> None:
        bench.pins.claim("a lamp", [PIN, OTHER])
        bench.pins.output(PIN, False)
        for _ in range(2):
            bench.pins.release(PIN, OTHER, THIRD)

    @pytest.mark.parametrize("pin", [-1, 28, 53, 1000])
    def test_a_pin_that_is_none_is_refused(self, bench: Bench, pin: int) -> None:
        with pytest.raises(BadSetting, match="GPIO numbers 0 to 27"):
            bench.pins.claim("a lamp", [pin])

    def test_a_pin_that_nobody_claimed_cannot_be_set_up(self, bench: Bench) -> None:
        with pytest.raises(RuntimeError, match="not claimed"):
            bench.pins.output(PIN, False)
        with pytest.raises(RuntimeError, match="not claimed"):
            bench.pins.input(PIN)

    async def test_a_pin_is_used_only_as_it_was_set_up(self, bench: Bench) -> None:
        bench.pins.claim("a part", [PIN])
        with pytest.raises(RuntimeError, match="not set up"):
            bench.pins.write(PIN, True)
        with pytest.raises(RuntimeError, match="not set up"):
            bench.pins.read(PIN)
        bench.pins.input(PIN)
        with pytest.raises(RuntimeError, match="set up as an input"):
            bench.pins.write(PIN, True)
        bench.pins.output(PIN, False)
        with pytest.raises(RuntimeError, match="set up as an output"):
            bench.pins.on_edge(PIN, lambda level, at: None)
        bench.pins.release(PIN)
