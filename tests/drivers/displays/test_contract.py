"""The display contract: every driver over its simulated sign, in memory, on a pty, and on simulated pins."""

from __future__ import annotations

import asyncio

import pytest

from drivers import stream
from drivers.base import Noticed, Ready, Text
from drivers.errors import DeviceError, PortClosed, TimedOut
from drivers.ports import memory
from hil.contracts import display as contract
from hil.contracts.display import limits
from tests.drivers.displays.rigs import RIGS, Rig, make_rig, until

CAN_NOT_ANSWER = "answers nothing", "nobody can tell"
SIGNS = [name for name in RIGS if not name.startswith("terminal")]  # a terminal has neither supply nor faults
IN_MEMORY = [name for name in RIGS if name.endswith("memory")]  # a pty holds more than a test should send


@pytest.fixture(params=RIGS)
def rig(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Rig:
    return make_rig(request.param, monkeypatch)


@pytest.fixture
def name(request: pytest.FixtureRequest) -> str:
    return str(request.node.callspec.params["rig"])


@pytest.mark.parametrize("check", [*contract.ALL, *contract.WITH_A_CABLE], ids=lambda check: check.__name__)
async def test_contract(rig: Rig, check: contract.Check) -> None:
    await check(rig)


async def test_a_sign_unplugged_while_it_is_written_is_lost_in_words(rig: Rig) -> None:
    async with rig.running():
        for number in range(1000, 1020):
            rig.display.show(limits(number))
            rig.faults.switch("unplug", 1)
            for _ in range(number % 5):
                await asyncio.sleep(0)
            rig.display.show(limits(number + 1000))
            rig.faults.switch("unplug", None)
            await asyncio.sleep(0.001)
        rig.display.show(limits(4321))
        await rig.sees("4321")
        await until(rig.display.shown)
    assert all(error.words and not error.words.startswith("[Errno") for error in rig.errors)


@pytest.mark.parametrize("rig", SIGNS, indirect=True)
async def test_it_is_shown_again_after_the_sign_lost_its_supply(rig: Rig) -> None:
    async with rig.running():
        rig.display.show(limits(1234))
        await rig.sees("1234")
        await until(rig.display.shown)
        rig.sign.reboot()
        await rig.sees("1234")
        rig.faults.switch("reboot", 1)
        rig.display.show(limits(5678))
        await rig.sees("5678")


@pytest.mark.parametrize("rig", SIGNS, indirect=True)
async def test_a_sign_that_shows_nothing_is_known_or_said_to_be_unknowable(rig: Rig, name: str) -> None:
    rig.faults.switch("mute_sign", 1)
    async with rig.running():
        rig.display.show(limits(1234))
        await until(lambda: rig.ready == 1)
        if name.startswith(("tablelink", "simulated")):  # the simulated driver speaks TableLink by itself
            await asyncio.sleep(0.1)
            assert not rig.display.shown()
        else:
            await until(rig.display.shown)
            ready = next(said for said in rig.said if isinstance(said, Ready))
            assert any(words in ready.words for words in CAN_NOT_ANSWER)
        assert rig.sign.shown() == ""
        rig.faults.switch("mute_sign", None)
        await rig.sees("1234")
        await until(rig.display.shown)


@pytest.mark.parametrize("rig", IN_MEMORY, indirect=True)
async def test_a_line_that_takes_nothing_is_told_and_comes_back(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "WRITE_S", 0.1)
    monkeypatch.setattr(memory, "CAPACITY", 8)
    async with rig.running():
        rig.display.show(limits(1234))
        await rig.sees("1234")
        rig.faults.switch("stall", 1)
        rig.display.show(limits(5678))
        await until(lambda: any(isinstance(error, TimedOut) for error in rig.errors))
        assert not rig.display.shown()
        rig.faults.switch("stall", None)
        await rig.sees("5678")
        await until(rig.display.shown)
    timed_out = next(error for error in rig.errors if isinstance(error, TimedOut))
    assert "took no bytes" in timed_out.words
    assert timed_out.advice


async def test_what_does_not_fit_is_a_problem_and_the_rest_is_shown(rig: Rig) -> None:
    unfit = "Bet " * 1000
    content = {**limits(1234), "result": Text(page=unfit, line=unfit, short=unfit, digits=unfit)}
    (problem,) = rig.display.problems(content)
    assert "the result's text 'Bet Bet" in problem
    assert "does not fit" in problem
    assert "`digits`" in problem
    assert rig.display.problems(limits(1234)) == []
    async with rig.running():
        rig.display.show(content)
        await rig.sees("1234")
        await until(lambda: Noticed(words=problem) in rig.said)
        assert not rig.display.shown()
        rig.display.show(limits(1234))
        await until(rig.display.shown)
        assert rig.said.count(Noticed(words=problem)) == 1


async def test_an_empty_text_is_blank_on_purpose(rig: Rig) -> None:
    assert rig.display.problems({"limits": Text(page="", line="", short="")}) == []


async def test_closing_ends_serving_and_it_can_be_opened_again(rig: Rig) -> None:
    rig.display.show(limits(1234))
    for times in (1, 2):
        await rig.display.open()
        serving = asyncio.create_task(rig.display.serve(rig.said.append))
        await until(lambda: rig.ready == times)  # noqa: B023
        await rig.sees("1234")
        await rig.display.close()
        with pytest.raises(PortClosed):
            await serving
        assert not rig.display.shown()


async def test_serving_what_is_not_open_is_refused(rig: Rig) -> None:
    with pytest.raises(DeviceError, match="is not open"):
        await rig.display.serve(rig.said.append)


async def test_it_says_what_it_is(rig: Rig, name: str) -> None:
    assert rig.display.kind == "display"
    assert rig.display.driver == name.split("-")[0]
    assert rig.display.address
    assert rig.display.simulated == name.startswith("simulated")
