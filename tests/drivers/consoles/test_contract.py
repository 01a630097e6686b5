"""The console contract, on every console."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Final

import pytest

from hil.contracts.console import ALL, WITH_A_PLUG, WITH_KEYS, WITH_LAMPS, Check, RigMaker
from tests.drivers.consoles import rigs

RIGS: Final[dict[RigMaker, tuple[tuple[Check, ...], ...]]] = {
    rigs.gpio_keys: (ALL, WITH_KEYS, WITH_LAMPS),
    rigs.tower_light: (ALL, WITH_LAMPS),
    rigs.tablelink_in_memory: (ALL, WITH_KEYS, WITH_LAMPS, WITH_A_PLUG),
    rigs.tablelink_on_a_pty: (ALL, WITH_KEYS, WITH_LAMPS, WITH_A_PLUG),
    rigs.simulated_tablelink: (ALL, WITH_KEYS, WITH_LAMPS, WITH_A_PLUG),
    rigs.simulated_gpio_keys: (ALL, WITH_KEYS, WITH_LAMPS),
    rigs.evdev: (ALL, WITH_KEYS, WITH_A_PLUG),
}
CASES: Final = [
    pytest.param(make, check, id=f"{make.__name__}-{check.__name__}")
    for make, groups in RIGS.items()
    for group in groups
    for check in group
]


def _open_files() -> int:
    return len(os.listdir("/proc/self/fd"))


@pytest.mark.parametrize(("make", "check"), CASES)
async def test_contract(make: RigMaker, check: Check, tmp_path: Path) -> None:
    before = _open_files()
    async with make(tmp_path) as rig:
        await check(rig)
        assert rig.left_behind() == []
    others = asyncio.all_tasks() - {asyncio.current_task()}
    assert [task.get_name() for task in others] == []
    assert _open_files() == before
