"""Simulated signs: what they show can be asked, what they show is marked, and faults are those they can have."""

from __future__ import annotations

import asyncio

import pytest

from drivers.base import Ready, Said, Text
from drivers.displays import alpha_sign
from drivers.errors import DeviceError
from drivers.simulated.faults import FAULTS
from drivers.simulated.sign_driver import NOT_ON_PINS, PROTOCOLS, Seen, SimulatedSign
from drivers.simulated.signs import STREAM_PROTOCOLS, sign_end
from hil.contracts.display import numbered
from tests.drivers.displays.rigs import pty_pair, until


@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_it_is_seen_and_marked(protocol: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alpha_sign, "ERASE_WAIT_S", 1.6)  # above what the model is busy for
    sign = SimulatedSign(SimulatedSign.Settings(protocol=protocol))
    sign.show({"limits": numbered(1234)})
    said: list[Said] = []
    await sign.open()
    serving = asyncio.create_task(sign.serve(said.append))
    await until(sign.shown)
    seen = sign.seen()
    assert "1234" in seen.text
    assert seen.simulated
    assert sign.simulated
    (ready,) = [each for each in said if isinstance(each, Ready)]
    assert ready.simulated
    await sign.close()
    with pytest.raises(DeviceError):
        await serving
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_it_speaks_over_a_pty_too() -> None:
    sign = SimulatedSign(SimulatedSign.Settings(protocol="escpos"), pair=pty_pair)
    sign.show({"limits": numbered(1234)})
    await sign.open()
    serving = asyncio.create_task(sign.serve(lambda said: None))
    await until(lambda: "1234" in sign.seen().text)
    await sign.close()
    await asyncio.gather(serving, return_exceptions=True)


@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_every_fault_can_be_switched_or_is_refused_in_words(protocol: str) -> None:
    sign = SimulatedSign(SimulatedSign.Settings(protocol=protocol))
    for fault in FAULTS:
        if fault in NOT_ON_PINS and protocol not in STREAM_PROTOCOLS:
            with pytest.raises(ValueError, match="is on pins"):
                sign.switch(fault, 1)
        else:
            sign.switch(fault, 1)
            sign.switch(fault, None)
    with pytest.raises(ValueError, match="did you mean 'mute_sign'"):
        sign.switch("mute_sing", 1)
    assert sign.faults.on == {}


async def test_problems_are_those_of_the_protocol() -> None:
    long = {"message": Text(page="Please wait", line="WAIT", short="WAIT", digits="12345")}
    for protocol, count in (("tm1637", 1), ("max7219", 0), ("escpos", 0)):
        assert len(SimulatedSign(SimulatedSign.Settings(protocol=protocol)).problems(long)) == count


def test_a_protocol_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="there is no 'alpha'; there are tablelink, alpha_sign"):
        SimulatedSign.Settings(protocol="alpha")
    with pytest.raises(ValueError, match="there is no sign 'tm1637' on a line"):
        sign_end("tm1637")


def test_what_is_seen_can_not_lose_its_mark() -> None:
    assert Seen(text="MIN 25").simulated
