"""Firmware, built once for all tests, on every board that this machine can have; what can't run here says why."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from hil.firmware.build import Board, build, missing
from hil.firmware.device import Device, Role
from tests.hil.firmware.host import Host

LONG = os.environ.get("CROUPIER_HIL") == "long"
SHORT_ON_SIMAVR = (  # the rest of what runs there is of the long form
    "test_reset_while_the_queue_is_full",
    "test_a_full_queue_stops_the_motor_and_drops_nothing",
    "test_with_a_key_in_its_memory_it_speaks_to_its_table_only",
    "test_it_shows_each_text_in_its_slot_and_keeps_it_without_a_table",
)
Start = Callable[..., Device]
BOARDS: tuple[Board, ...] = ("native", "simavr")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.parent != Path(__file__).parent:
            continue  # pytest hands over those of the whole run
        board = item.callspec.params.get("board") if hasattr(item, "callspec") else None
        if board == "simavr" and not LONG and item.name.partition("[")[0] not in SHORT_ON_SIMAVR:
            item.add_marker(pytest.mark.skip(reason="the long form on simavr: make hil"))


@pytest.fixture(scope="session", params=BOARDS)
def board(request: pytest.FixtureRequest) -> Board:
    which: Board = request.param
    if why := missing(which):
        pytest.skip(why)
    return which


@pytest.fixture(scope="session")
def programs(board: Board, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The native ones with sanitizers on."""
    return build(tmp_path_factory.mktemp(board), board, sanitize=board == "native", SERIAL="FW-TEST")


@pytest.fixture
def start(board: Board, programs: Path, tmp_path: Path) -> Iterator[Start]:
    """Makes devices that run until the test ends."""
    with ExitStack() as stack:

        def device(role: Role, *, memory: bytes | None = None) -> Device:
            made = Device(role, board, programs, tmp_path)
            if memory is not None:
                made.memory.write_bytes(memory)
            return stack.enter_context(made)

        yield device


@pytest.fixture
def host() -> Iterator[Callable[..., Host]]:
    """Makes hosts whose ports are closed when the test ends."""
    made: list[Host] = []

    def of(device: Device, **options: object) -> Host:
        made.append(Host(device.link, **options))  # type: ignore[arg-type]
        return made[-1]

    yield of
    for each in made:
        each.close()
