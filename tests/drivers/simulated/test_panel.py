"""The simulated panel: marked as such, its faults, and what it refuses."""

from __future__ import annotations

from typing import Any, Literal

import pytest

from drivers.base import FaultCleared, KeySwitchTurned, Noticed, Ready, Refused
from drivers.errors import BadSetting
from drivers.registry import make
from drivers.simulated.faults import Faults
from drivers.simulated.panel import TableLinkPanelModel
from drivers.simulated.panel_driver import SimulatedPanel
from drivers.simulated.tablelink_end import TableLinkEnd
from hil.contracts.console import Served, serving
from tests.drivers.consoles.clocks import Clock

Protocol = Literal["tablelink", "gpio_keys"]
BOTH: tuple[Protocol, ...] = ("tablelink", "gpio_keys")


def a_panel(protocol: Protocol = "tablelink", **settings: Any) -> SimulatedPanel:
    clock = Clock()
    wanted: dict[str, Any] = {"protocol": protocol, "long_press_ms": 5000, **settings}
    return SimulatedPanel(SimulatedPanel.Settings(**wanted), clock=clock, pause=clock.pause)


def switches(served: Served) -> list[bool]:
    return [said.on for said in served.said if isinstance(said, KeySwitchTurned)]


@pytest.mark.parametrize("protocol", BOTH)
async def test_a_simulated_panel_says_that_it_is_one(protocol: Protocol) -> None:
    panel = a_panel(protocol)
    assert panel.simulated
    assert panel.address == f"simulated:{protocol}"
    async with serving(panel) as served:
        assert [said.simulated for said in served.said if isinstance(said, Ready)] == [True]


@pytest.mark.parametrize("protocol", BOTH)
async def test_the_key_switch_is_turned(protocol: Protocol) -> None:
    panel = a_panel(protocol)
    async with serving(panel) as served:
        await panel.turn_key(True)
        await served.until(lambda: switches(served)[-1:] == [True])
        await panel.turn_key(True)
        await panel.turn_key(False)
        await served.until(lambda: switches(served)[-1:] == [False])
        assert switches(served)[-2:] == [True, False]


@pytest.mark.parametrize("protocol", BOTH)
async def test_a_stuck_key_comes_up_when_the_fault_is_switched_off(protocol: Protocol) -> None:
    panel = a_panel(protocol)
    async with serving(panel) as served:
        panel.faults.switch("stuck_key", 1.0)
        await panel.press("hit")
        await panel.press("hit")
        await served.pressed(1)
        panel.faults.switch("bounce", 0.5)  # another fault frees nothing
        panel.faults.switch("stuck_key", None)
        await panel.press("stand")
        await panel.press("hit")
        await served.pressed(3)
        assert served.presses == [("hit", False), ("stand", False), ("hit", False)]
        assert not any(isinstance(said, FaultCleared) for said in served.said)


@pytest.mark.parametrize("protocol", BOTH)
async def test_every_key_is_told_by_its_name(protocol: Protocol) -> None:
    panel = a_panel(protocol)
    async with serving(panel) as served:
        for count, key in enumerate(panel.keys, 1):
            await panel.press(key)
            await served.pressed(count)
        assert [key for key, _ in served.presses] == list(panel.keys)


@pytest.mark.parametrize("protocol", BOTH)
async def test_a_key_that_the_panel_has_not_cannot_be_pressed(protocol: Protocol) -> None:
    with pytest.raises(ValueError, match="there is no key 'bet': there are hit, stand"):
        await a_panel(protocol).press("bet")


async def test_a_noisy_line_loses_no_press() -> None:
    panel = a_panel(seed=7)
    async with serving(panel) as served:
        for fault in ("bit_flip", "drop", "duplicate", "garbage"):
            panel.faults.switch(fault, 0.05)
        for count in range(1, 21):
            await panel.press("hit")
            await served.until(lambda count=count: _counted(served) >= count)  # type: ignore[misc]
        assert served.presses == [("hit", False)] * len(served.presses)
        assert _counted(served) == 20


def _counted(served: Served) -> int:
    """Presses told, or logged as made while the line was down: each of them once."""
    return len(served.presses) + sum(isinstance(said, Noticed) and "not used" in said.words for said in served.said)


async def test_a_panel_that_says_it_is_a_sign_is_refused() -> None:
    panel = a_panel()
    panel.faults.switch("wrong_identity", 1.0)
    async with serving(panel) as served:
        assert [said.words for said in served.said if isinstance(said, Refused)] == [
            "SIM0001, firmware 1.0.0 answered as a sign, not as a panel"
        ]


async def test_a_panel_that_nobody_listens_to_loses_keys_instead_of_growing() -> None:
    end = TableLinkEnd("panel", faults=Faults())
    model = TableLinkPanelModel({"hit": 1}, end=end)
    for _ in range(1000):
        await model.press("hit")
    assert end.queued <= 32


async def test_a_panel_without_a_key_switch_has_none_to_turn() -> None:
    model = TableLinkPanelModel({"hit": 1}, end=TableLinkEnd("panel"))
    with pytest.raises(ValueError, match="no key switch"):
        await model.turn_key(True)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"keys": []}, "at least one key"),
        ({"keys": ["hit", "hit"]}, "a name of its own"),
        ({"keys": ["hit"], "long_press": ["stand"]}, "there is no key 'stand'"),
        ({"protocol": "gpio_keys", "keys": [f"k{n}" for n in range(14)]}, "at most 13, not 14"),
        ({"protocol": "gpio"}, "did you mean 'gpio_keys'"),
    ],
)
def test_wrong_settings_are_refused_in_words(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(BadSetting) as refused:
        make("console", "simulated", settings, allow_simulated=True)
    assert words in str(refused.value)


def test_a_simulated_panel_is_never_taken_for_a_real_one() -> None:
    with pytest.raises(BadSetting, match="simulated"):
        make("console", "simulated", {})
