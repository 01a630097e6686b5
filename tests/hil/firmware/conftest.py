"""Firmware, built once for all tests, on every board that this machine can have; what can't run here says why."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from hil.firmware.build import Board, build, missing
from hil.firmware.device import Device, Role
from tests.hil.firmware.host import Host

Start = Callable[..., Device]
BOARDS: tuple[Board, ...] = ("native", "simavr")


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
