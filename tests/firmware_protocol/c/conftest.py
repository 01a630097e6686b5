"""Builds the C device once for all its tests, with the sanitizers on."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.firmware_protocol.c.harness import (
    Pipe,
    build,
)


@pytest.fixture(scope="module")
def pipe(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pipe]:
    with Pipe(build(tmp_path_factory.mktemp("c"), auth=True)) as running:
        yield running


@pytest.fixture(scope="module")
def plain_pipe(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pipe]:
    """The device compiled without authentication."""
    with Pipe(build(tmp_path_factory.mktemp("c"), auth=False)) as running:
        yield running
