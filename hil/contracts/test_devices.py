"""The contracts on every device of the bench: `--pyargs hil.contracts`. A device that is not there is skipped."""

from __future__ import annotations

import pytest

from hil.contracts import at_bench, console, display, shoe
from hil.plugin.rig import Rig

LONGEST_S = at_bench.LONGEST_S


def _named(check: object) -> str:
    return getattr(check, "__name__", "")


@pytest.mark.parametrize("check", [*shoe.ALL, *shoe.WITH_A_CABLE], ids=_named)
def test_shoe(bench: Rig, check: shoe.Check) -> None:
    bench.loop.run(at_bench.on(at_bench.BenchShoe(bench), check), within=LONGEST_S)


@pytest.mark.parametrize("check", shoe.KEEPING_EVENTS, ids=_named)
def test_shoe_that_keeps_its_events(bench: Rig, check: shoe.Check) -> None:
    rig = at_bench.BenchShoe(bench)
    if not rig.keeps_events:
        pytest.skip(f"a {bench.place('shoe').driver} shoe does not keep its events until they are committed")
    bench.loop.run(at_bench.on(rig, check), within=LONGEST_S)


@pytest.mark.parametrize("check", [*display.ALL, *display.WITH_A_CABLE], ids=_named)
def test_sign(bench: Rig, check: display.Check) -> None:
    bench.loop.run(check(at_bench.BenchDisplay(bench)), within=LONGEST_S)


@pytest.mark.parametrize(
    "check", [*console.ALL, *console.WITH_KEYS, *console.WITH_LAMPS, *console.WITH_A_PLUG], ids=_named
)
def test_console(bench: Rig, check: console.Check) -> None:
    bench.loop.run(check(at_bench.BenchConsole(bench)), within=LONGEST_S)
