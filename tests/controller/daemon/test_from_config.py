"""A daemon from its configuration, with its web: what it answers of the past, and that it comes back."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from controller.config.load import load
from controller.config.model import DisplaySection, TableConfig
from controller.daemon import keeping
from controller.daemon.from_config import crew_from, daemon_from
from controller.surfaces.web.api import Web
from controller.table.state import DeviceMark, State
from controller.table.table import Table
from drivers.base import Mark
from drivers.registry import BadSetting
from drivers.simulated.shoe_driver import SimulatedShoe
from tests.controller.daemon.crews import running
from tests.controller.daemon.served import CONFIG
from tests.drivers.scripted import until

DISPLAY = '[[display]]\nname = "sign"\nshows = "limits"\ndriver = "simulated"\n'
CONSOLE = '[[console]]\nname = "keys"\ndriver = "simulated"\n'


def config_in(folder: Path, more: str = "") -> TableConfig:
    path = folder / "table.toml"
    path.write_text(CONFIG + more)
    return load(path)


async def ask(path: Path, address: str, body: Any = None) -> tuple[int, Any]:
    """One request over the socket, in this loop."""
    reader, writer = await asyncio.open_unix_connection(path)
    try:
        sent = b"" if body is None else json.dumps(body).encode()
        head = f"{'GET' if body is None else 'POST'} {address} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
        head += f"Content-Type: application/json\r\nContent-Length: {len(sent)}\r\n\r\n"
        writer.write(head.encode() + sent)
        answer = await reader.read()
    finally:
        writer.close()
        await writer.wait_closed()
    top, _, text = answer.partition(b"\r\n\r\n")
    return int(top.split()[1]), json.loads(text)


@asynccontextmanager
async def table(config: TableConfig) -> AsyncIterator[TableConfig]:
    async with running(daemon_from(config)):
        yield config


def test_the_crew_is_what_the_configuration_names_and_the_shoe_is_told_where_to_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[Mark | None] = []
    make = SimulatedShoe.__init__

    def noted(self: SimulatedShoe, settings: Any, *, known: Mark | None = None) -> None:
        given.append(known)
        make(self, settings, known=known)

    config = config_in(tmp_path, DISPLAY + CONSOLE)
    monkeypatch.setattr(SimulatedShoe, "__init__", noted)
    crew = crew_from(config)(Table(config.setup()))
    assert [crew.shoe.kind, *crew.displays, *crew.consoles] == ["shoe", "sign", "keys"]
    assert crew.displays["sign"][1] == "limits"
    crew_from(config)(Table(config.setup(), State(marks={"shoe": DeviceMark(7, 42)})))
    assert given == [None, Mark(7, 42)]


async def test_a_device_that_cannot_be_made_is_refused_in_words_and_the_journal_let_go(tmp_path: Path) -> None:
    config = config_in(tmp_path)
    missing = DisplaySection(name="sign", driver="display.hologram", settings={}, shows="limits")
    for _ in range(2):
        with pytest.raises(BadSetting, match="there is no display driver 'hologram'"):
            await daemon_from(structs.replace(config, displays=(missing,))).run()


async def test_a_simulated_device_is_refused_where_the_table_does_not_say_so(tmp_path: Path) -> None:
    config = config_in(tmp_path)
    real = structs.replace(config, table=structs.replace(config.table, simulated=False))
    with pytest.raises(BadSetting, match="this table does not say simulated = true"):
        await daemon_from(real).run()


async def test_the_past_is_told_over_the_socket(tmp_path: Path) -> None:
    async with table(config_in(tmp_path)) as config:
        for what in (
            {"input": "open_table"},
            {"input": "shoe", "action": "load"},
            {"input": "wager", "seat": 1, "amount": "10"},
            {"input": "open_round"},
            *({"input": "card", "card": code} for code in ("TS", "7D", "9C", "TH")),
            {"input": "decision", "seat": 1, "hand": 1, "action": "stand"},
        ):
            assert (await ask(config.socket, "/api/v1/inputs", what))[0] == 200
        assert (await ask(config.socket, "/api/v1/rounds/1"))[0] == 404, "it is in play"
        for _ in range(2):
            await ask(config.socket, "/api/v1/inputs", {"input": "next_round"})
        status, listed = await ask(config.socket, "/api/v1/rounds")
        assert (status, [each["number"] for each in listed["rounds"]]) == (200, [1])
        status, told = await ask(config.socket, "/api/v1/rounds/1")
        assert (status, told["net"], told["dealer"]["cards"]) == (200, {"1": "10"}, ["7D", "TH"])
        status, script = await ask(config.socket, "/api/v1/rounds/1?form=script")
        assert (status, script["shoe"]) == (200, ["TS", "7D", "9C", "TH"])
        status, document = await ask(config.socket, "/api/v1/openapi.json")
        assert status == 200
        assert {"RoundSummary", "RoundTold"} <= set(document["components"]["schemas"])


async def test_a_web_that_dies_comes_back_on_its_socket_and_the_table_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(keeping, "AGAIN_S", 0.01)
    beat, beats = Web.beat, 0

    def dies_once(self: Web) -> None:
        nonlocal beats
        beats += 1
        if beats == 1:
            raise ZeroDivisionError
        beat(self)

    monkeypatch.setattr(Web, "beat", dies_once)
    monkeypatch.setattr("controller.surfaces.web.server.BEAT_S", 0.01)
    daemon = daemon_from(config_in(tmp_path))
    async with running(daemon):
        await until(lambda: beats >= 3)
        await until(lambda: (tmp_path / "table.sock").exists())
        assert (await ask(tmp_path / "table.sock", "/healthz"))[0] == 200
    assert caplog.text.count("the web broke down and is begun again") == 1
    assert daemon.left == []
    assert not (tmp_path / "table.sock").exists()


async def test_without_a_web_section_there_is_the_socket_alone_and_no_token(tmp_path: Path) -> None:
    async with table(config_in(tmp_path)) as config:
        assert config.web is None
        assert (await ask(config.socket, "/healthz"))[0] == 200
        assert config.socket.stat().st_mode & 0o777 == 0o600
        assert not (tmp_path / "table.token").exists()
