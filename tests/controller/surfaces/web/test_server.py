"""The server as the daemon runs it: on both sockets, with TLS, without signals, and ended in bounded time."""

from __future__ import annotations

import asyncio
import signal
import ssl
import subprocess
import sys
from pathlib import Path

import pytest

from controller.surfaces.web import server as server_module
from controller.surfaces.web.api import Web
from controller.surfaces.web.people import SocketOwner
from controller.surfaces.web.refusals import WebRefused
from controller.surfaces.web.server import Listening, serve
from tests.controller.surfaces.web.client import connect, request
from tests.controller.surfaces.web.rig import WAIT_S, Rig, serving, told, until
from tests.controller.surfaces.web.test_stream import HANDSHAKE, flood

PEM = Path(__file__).with_name("localhost.pem")


def another(rig: Rig) -> Web:
    """A second web of the same table."""
    return Web(rig.web._desk, [SocketOwner()])


async def test_it_serves_both_and_takes_its_socket_away(tmp_path: Path) -> None:
    async with serving(tmp_path) as rig:
        assert rig.listening.url == f"http://127.0.0.1:{rig.listening.port}"
        for address in (rig.tcp, rig.unix):
            assert (await rig.get("/healthz", over=address)).status == 200
        assert (tmp_path / "table.socket").exists()
    assert not (tmp_path / "table.socket").exists()
    with pytest.raises(ConnectionRefusedError):
        await connect(rig.tcp)


async def test_it_can_do_without_tcp(tmp_path: Path) -> None:
    async with serving(tmp_path) as rig:
        up: asyncio.Future[Listening] = asyncio.get_running_loop().create_future()
        alone = asyncio.create_task(serve(another(rig), unix=tmp_path / "second", ready=up.set_result))
        assert (await asyncio.wait_for(up, WAIT_S)).url == ""
        assert (await rig.get("/healthz", over=tmp_path / "second")).status == 200
        alone.cancel()
        await asyncio.wait((alone,))


async def test_signals_are_the_daemons(tmp_path: Path) -> None:
    before = [signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)]
    async with serving(tmp_path) as rig:
        assert (await rig.get("/healthz")).status == 200
        assert [signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)] == before


async def test_a_taken_port_is_told_before_anything_is_served(tmp_path: Path) -> None:
    async with serving(tmp_path) as rig:
        with pytest.raises(WebRefused, match="listens there already"):
            await serve(another(rig), unix=tmp_path / "second", tcp=("127.0.0.1", rig.listening.port))
        assert not (tmp_path / "second").exists()
        with pytest.raises(WebRefused, match="daemon that is running"):
            await serve(another(rig), unix=tmp_path / "table.socket")
        assert (await rig.get("/healthz", over=rig.unix)).status == 200


async def test_tls_is_for_tcp_and_the_owner_needs_none(tmp_path: Path) -> None:
    async with serving(tmp_path, certificate=PEM) as rig:
        assert rig.listening.url.startswith("https://127.0.0.1:")
        trust = ssl.create_default_context(cafile=str(PEM))
        headers = [("Host", "127.0.0.1")]
        answer = await request(rig.tcp, "GET", "/healthz", headers, ssl=trust)
        assert answer.status == 200
        assert (await rig.get("/healthz", over=rig.unix)).status == 200
        reader, writer = await connect(rig.tcp)
        writer.write(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        assert not (await reader.read()).startswith(b"HTTP"), "nobody is answered in the clear"
        writer.close()
        await asyncio.gather(writer.wait_closed(), return_exceptions=True)


@pytest.mark.parametrize("text", [None, "", "no certificate", "encrypted"])
async def test_a_certificate_that_can_not_be_used_is_told(text: str | None, tmp_path: Path) -> None:
    async with serving(tmp_path) as rig:
        path, key = tmp_path / "c.pem", None
        if text == "encrypted":
            path, key = PEM, tmp_path / "key.pem"
            key.write_text(ENCRYPTED)
        elif text is not None:
            path.write_text(text)
        with pytest.raises(WebRefused, match=r"the certificate .* can't be used: .*PEM files"):
            await serve(another(rig), unix=tmp_path / "second", tcp=("127.0.0.1", 0), certificate=path, key=key)
        assert not (tmp_path / "second").exists()


async def test_a_part_that_breaks_down_ends_all_and_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with serving(tmp_path) as rig:

        async def broken(web: object) -> None:
            raise ZeroDivisionError("a bug")

        monkeypatch.setattr(server_module, "_beats", broken)
        with pytest.raises(ZeroDivisionError):
            await serve(another(rig), unix=tmp_path / "second")
        assert not (tmp_path / "second").exists()


async def test_it_ends_although_somebody_reads_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with asyncio.timeout(WAIT_S), serving(tmp_path) as rig, rig.stream() as quick:
        await told(quick)
        _, stuck = await connect(rig.tcp, limit=1024)
        stuck.transport.pause_reading()
        stuck.write(HANDSHAKE)
        _, half = await connect(rig.tcp)
        half.write(b"POST /api/v1/inputs HTTP/1.1\r\nHost: ")
        await until(lambda: rig.web._hub.watched()["public"] == 2)
        await flood(rig, quick, monkeypatch)
    for writer in (stuck, half):
        writer.transport.abort()


async def test_it_ends_although_an_entry_never_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("controller.surfaces.web.api.FINISH_S", 0.05)
    asked: asyncio.Task[object] | None = None
    async with asyncio.timeout(WAIT_S), serving(tmp_path) as rig:
        rig.journal.open.clear()
        asked = asyncio.create_task(_asked(rig))
        await until(lambda: rig.journal.asked == 1)
    assert asked is not None
    rig.journal.open.set()
    await asyncio.wait((asked,))


async def _asked(rig: Rig) -> object:
    try:
        return await rig.enter({"input": "open_table"})
    except (OSError, AssertionError) as error:
        return error


async def test_it_can_be_cancelled_while_it_ends(tmp_path: Path) -> None:
    async with serving(tmp_path) as rig:
        up: asyncio.Future[Listening] = asyncio.get_running_loop().create_future()
        web = another(rig)
        second = asyncio.create_task(serve(web, unix=tmp_path / "second", ready=up.set_result))
        await asyncio.wait_for(up, WAIT_S)
        rig.journal.open.clear()
        asked = asyncio.create_task(
            request(
                tmp_path / "second",
                "POST",
                "/api/v1/inputs",
                [("Host", "x"), ("Content-Type", "application/json")],
                b'{"input":"open_table"}',
            )
        )
        await until(lambda: rig.journal.asked == 1)
        second.cancel()
        await until(lambda: not _listens(rig, web))
        second.cancel()
        await asyncio.wait((second,), timeout=WAIT_S)
        assert second.cancelled()
        assert not (tmp_path / "second").exists()
        rig.journal.open.set()
        await until(lambda: rig.runner.table.state.open)
        await asyncio.gather(asked, return_exceptions=True)


def _listens(rig: Rig, web: Web) -> bool:
    return web._hub._changed in rig.runner._listeners


async def test_there_is_a_most_of_connections(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_module, "CONNECTIONS", 3)
    async with serving(tmp_path) as rig:
        kept = [await connect(rig.tcp) for _ in range(3)]
        reader, writer = await connect(rig.tcp)
        assert await asyncio.wait_for(reader.read(), WAIT_S) == b"", "hung up on"
        assert (await rig.get("/healthz", over=rig.unix)).status == 200, "the owner is let in all the same"
        for _, each in [*kept, (reader, writer)]:
            each.close()
            await asyncio.gather(each.wait_closed(), return_exceptions=True)


def test_the_web_is_imported_only_when_it_is_served() -> None:
    """Import cost is a feature: a table without a web, and the command line, load nothing of it."""
    code = (
        "import sys, controller.daemon.daemon, controller.surfaces.web.token_file, controller.surfaces.web.listeners;"
        "print([name for name in ('starlette', 'uvicorn', 'websockets', 'h11') if name in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60).stdout
    assert out.strip() == "[]"


def test_the_web_imports_no_more_than_it_needs() -> None:
    code = (
        "import sys, controller.surfaces.web.server;"
        "heavy = ('httpx', 'jinja2', 'fastapi', 'pydantic', 'starlette.testclient', 'starlette.templating', 'rich');"
        "print([name for name in heavy if name in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60).stdout
    assert out.strip() == "[]"


ENCRYPTED = """\
-----BEGIN ENCRYPTED PRIVATE KEY-----
MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAizcnpw9uNzlgICA+gw
DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEFOENPYuoUOkXsc3R+4DbkIEgZAI
u/RjO7fv8wQvYBR//00lVn5ldpBVJRrtYyjsfH6OSK9R6dnK16FWAZ6E6hJdD4Ns
AHyltfPliYNn3I0HQvwyjiGZxTIG2omi8DjsAolp7X9xcDoJW9+8j3gK3MBCmhnr
WLda0Nb6v8rMq5mtCuv+Q+W1TgDjnDHhhifWJJJw0pckj7y/Ll0Q5fB3r/1EMCc=
-----END ENCRYPTED PRIVATE KEY-----
"""
