"""The display in a terminal: a box for people, nothing that could move the cursor, and never a blocked program."""

from __future__ import annotations

import asyncio
import fcntl
import os
import socket

import pytest
from hypothesis import given

from drivers import stream
from drivers.base import Text
from drivers.displays import terminal
from drivers.displays.terminal import TerminalDisplay, TerminalLink, TerminalSettings, box, width
from drivers.errors import DeviceError, PortLost, PortNotFound, TimedOut
from tests.drivers.displays.driven import Driven
from tests.drivers.displays.rigs import until
from tests.drivers.displays.test_fitting import CONTENTS

LIMITS = {"limits": Text(page="Minimum 25 €,\nmaximum 500 €", line="25–500", short="25")}


def test_the_box_has_a_part_for_every_slot_that_says_something() -> None:
    assert box({"limits": ("MIN 25", "MAX 500"), "rules": (), "message": ("日本",)}) == [
        "┌─ limits " + "─" * 69 + "┐",
        "│ MIN 25" + " " * 70 + " │",
        "│ MAX 500" + " " * 69 + " │",
        "├─ message " + "─" * 68 + "┤",
        "│ 日本" + " " * 72 + " │",
        "└" + "─" * 78 + "┘",
    ]
    assert {width(line) for line in box({"limits": ("MIN 25",)})} == {80}


def test_it_is_printed_once_a_change_and_not_every_minute() -> None:
    run = Driven(TerminalLink(TerminalSettings()))
    run.link.set_content(LIMITS)
    run.connect()
    assert len(run.run(3600)) == 1
    run.link.set_content({})
    assert len(run.run(3600)) == 1


@given(content=CONTENTS)
def test_no_content_can_do_more_than_print(content: dict[str, Text]) -> None:
    run = Driven(TerminalLink(TerminalSettings()))
    run.link.set_content(content)
    run.connect()
    printed = b"".join(run.run(5)).decode()
    assert all(character.isprintable() for character in printed.replace("\r\n", ""))


@pytest.fixture
def pipe(monkeypatch: pytest.MonkeyPatch) -> tuple[int, int]:
    """A pipe in the place of this program's stdout."""
    reader, writer = os.pipe()
    monkeypatch.setattr(terminal, "STANDARD", {"stdout": writer})
    return reader, writer


async def test_it_prints_to_stdout_and_leaves_it_as_it_was(pipe: tuple[int, int]) -> None:
    reader, writer = pipe
    display = TerminalDisplay(TerminalSettings(port="stdout"))
    display.show(LIMITS)
    await display.open()
    serving = asyncio.create_task(display.serve(lambda said: None))
    await until(display.shown)
    assert "Minimum 25 €, maximum 500 €" in os.read(reader, 65536).decode()
    assert os.get_blocking(writer)
    os.close(reader)
    os.close(writer)
    display.show({})
    with pytest.raises(PortLost, match="stdout hung up"):
        await serving
    await display.close()


async def test_a_pipe_that_nobody_reads_stops_the_display_and_nothing_else(
    pipe: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream, "WRITE_S", 0.1)
    reader, writer = pipe
    os.write(writer, bytes(fcntl.fcntl(writer, fcntl.F_GETPIPE_SZ)))
    display = TerminalDisplay(TerminalSettings(port="stdout"))
    await display.open()
    with pytest.raises(TimedOut, match="took no bytes"):
        await display.serve(lambda said: None)
    await display.close()
    os.close(reader)
    os.close(writer)


async def test_a_closed_stdout_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terminal, "STANDARD", {"stdout": 99999})
    with pytest.raises(PortNotFound, match="stdout is closed"):
        await TerminalDisplay(TerminalSettings(port="stdout")).open()


async def test_a_stdout_that_is_a_socket_is_refused_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = socket.socketpair()
    with one, other:
        monkeypatch.setattr(terminal, "STANDARD", {"stdout": one.fileno()})
        with pytest.raises(DeviceError, match="stdout can't be opened"):
            await TerminalDisplay(TerminalSettings(port="stdout")).open()


def test_stdin_shows_nothing() -> None:
    with pytest.raises(ValueError, match="nothing can be shown on stdin"):
        TerminalSettings(port="stdin")
